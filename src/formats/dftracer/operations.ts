/** Names of calls that DFTracer records, and what they are in the stream of calls. */
import { MPIIO_LAYER, Operation, POSIX_LAYER, STDIO_LAYER } from "../../model/index.ts";

/** What a call does to the place of its descriptor in the file. */
export type Effect = "moves" | "placed" | "opens" | "closes" | "seeks" | "shares" | "controls" | "none";

export interface TracedCall {
  readonly operation: number;
  readonly effect: Effect;
}

const call = (operation: number, effect: Effect = "none"): TracedCall => ({ operation, effect });
const named = (names: string, made: TracedCall) => names.split(" ").map((name) => [name, made] as const);

const CALLS: ReadonlyMap<string, TracedCall> = new Map([
  ...named("read readv", call(Operation.read, "moves")),
  ...named("write writev", call(Operation.write, "moves")),
  ...named("pread pread64 preadv preadv2", call(Operation.read, "placed")),
  ...named("pwrite pwrite64 pwritev pwritev2", call(Operation.write, "placed")),
  ...named("fread fread_unlocked fgets getline", call(Operation.read)),
  ...named("fwrite fwrite_unlocked fputs fprintf", call(Operation.write)),
  ...named("open open64 openat openat64 creat creat64", call(Operation.open, "opens")),
  ...named("fopen fopen64 freopen opendir fdopendir", call(Operation.open)),
  ...named("fdopen", call(Operation.open, "shares")),
  ...named("close", call(Operation.close, "closes")),
  ...named("fclose closedir", call(Operation.close)),
  ...named("lseek lseek64", call(Operation.seek, "seeks")),
  ...named("fseek fseeko fseeko64 ftell ftello ftello64 rewind fsetpos fgetpos", call(Operation.seek)),
  ...named("stat stat64 lstat lstat64 fstat fstat64 fstatat newfstatat statx", call(Operation.stat)),
  ...named("__xstat __xstat64 __lxstat __lxstat64 __fxstat __fxstat64", call(Operation.stat)),
  ...named("__fxstatat __fxstatat64 access faccessat readlink readlinkat", call(Operation.stat)),
  ...named("fsync fdatasync msync sync syncfs sync_file_range fflush", call(Operation.sync)),
  ...named("fcntl fcntl64", call(Operation.other, "controls")),
  ...named("dup dup2 dup3 fork vfork clone", call(Operation.other, "shares")),
]);

const OTHER = call(Operation.other);

/** MPI-IO has one pattern of names: MPI_File_iwrite_at_all. */
function mpiCall(name: string): TracedCall {
  const word = /^P?MPI_File_i?([a-z]+)/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const operation = (Operation as Readonly<Record<string, number>>)[word];
  return operation === undefined ? OTHER : call(operation, /_at(_all)?$/.test(name) ? "placed" : "none");
}

export const callNamed = (name: string, layer: number): TracedCall =>
  layer === MPIIO_LAYER ? mpiCall(name) : (CALLS.get(name) ?? OTHER);

/** Layer of a category; undefined for what is no layer of calls. */
export function layerOf(category: string): number | undefined {
  switch (category.toUpperCase()) {
    case "POSIX":
      return POSIX_LAYER;
    case "STDIO":
      return STDIO_LAYER;
    case "MPIIO":
    case "MPI-IO":
    case "MPI_IO":
      return MPIIO_LAYER;
    default:
      return undefined;
  }
}

/** The tracer's own events. */
export const isOwn = (category: string) => /^(dftracer|dlio_profiler)$/i.test(category);
