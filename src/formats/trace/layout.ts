/**
 * How a trace file of the recorder is laid out; native/recorder.c writes the same numbers, docs/formats/trace.md explains.
 *
 *     0     header, 4096 bytes
 *     4096  records, 32 bytes each: u32 thread, u8 kind, u8 flags, u16 file, u64 bytes, u64 start, u64 end
 */

import { CALL_COLLECTIVE, MPIIO_LAYER, Operation, POSIX_LAYER, STDIO_LAYER } from "../../model/index.ts";

export const MAGIC = "PLTRACE\0";
/** From version 2 on accesses have offsets. */
export const VERSIONS: readonly number[] = [1, 2];
export const BYTE_ORDER_MARK = 0x01020304;
/** Whether this machine stores words as records of little-endian machines have them. */
export const hostIsLittle = new Uint8Array(new Uint32Array([BYTE_ORDER_MARK]).buffer)[0] === 4;
export const HEADER_BYTES = 4096;
export const RECORD_BYTES = 32;

/** Byte offsets in the header. */
export const HEADER = {
  version: 8,
  byteOrder: 12,
  headerBytes: 16,
  recordBytes: 20,
  count: 24,
  capacity: 32,
  dropped: 40,
  skipped: 48,
  filesOther: 56,
  pid: 64,
  ppid: 68,
  rank: 72,
  flags: 76,
  startMonotonic: 80,
  startRealtime: 88,
  startSpread: 96,
  endMonotonic: 104,
  endRealtime: 112,
  endSpread: 120,
  realtimeOffset: 128,
  unfinished: 136,
  boot: 144,
  skippedMetadata: 184,
  ranks: 192,
  host: 256,
  comm: 512,
  command: 576,
} as const;

/** Bits of the flags in the header. */
export const TRACE_ENDED = 1;
export const TRACE_DELAY = 2;
export const TRACE_SANDBOX = 4;
export const TRACE_STRICT = 32;

/** Bits of the flags of a record beside those of the model (`CALL_NESTED` and so on), which are the same here. */
export const RECORD_WRITE = 1;
export const RECORD_SHORT = 32;
export const RECORD_OUTER = 64;
/** A write to the end of its file. */
export const RECORD_APPENDED = 128;
export const CALL_FLAGS = 30;

/**
 * Kinds of records. Accesses are 1 to 63: reads and writes of POSIX and stdio, then those of MPI-IO from 33 on. Behind
 * them come syncs, mappings and metadata calls.
 */
export const KIND = {
  none: 0,
  mpiFirst: 33,
  accessLast: 63,
  sync: 64,
  map: 65,
  mount: 252,
  moved: 253,
  name: 254,
  namePart: 255,
} as const;

/** fread, fwrite, and reads and writes below streams. */
const STREAM_ACCESSES: ReadonlySet<number> = new Set([5, 21, 10, 26]);

/** Those that the C library makes itself. */
export const LIBRARY_ACCESSES: readonly number[] = [5, 21];
/** Reads and writes that the kernel counts as such: not splice, libaio and io_uring. */
export const COUNTED_READS: readonly number[] = [1, 2, 3, 4, 6, 7, 9, 10];
export const COUNTED_WRITES: readonly number[] = COUNTED_READS.map((kind) => kind + 16);
/** All calls to the kernel that move data. */
export const KERNEL_READS: readonly number[] = Array.from({ length: 15 }, (_, at) => at + 1);
export const KERNEL_WRITES: readonly number[] = KERNEL_READS.map((kind) => kind + 16);

/** Metadata calls, in the order of native/recorder.c. */
const METADATA: readonly (readonly [kind: number, operation: number])[] = [
  ...[66, 90].map((kind) => [kind, Operation.open] as const),
  ...[67, 91].map((kind) => [kind, Operation.close] as const),
  ...[68, 92].map((kind) => [kind, Operation.seek] as const),
  // stat, access, readlink, statfs
  ...[69, 70, 71, 72, 93].map((kind) => [kind, Operation.stat] as const),
  // unlink, rename, mkdir, rmdir, link, symlink, mknod; truncate, fallocate, attributes, readdir, advice
  ...[73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84].map((kind) => [kind, Operation.other] as const),
];
/** Metadata calls of streams. */
const STREAM_FIRST = 90;
const STREAM_LAST = 95;

/** Of kinds that are no call. */
export const NO_OPERATION = 255;
/** Operation of a metadata call by its kind. */
export const KIND_OPERATIONS = new Uint8Array(256).fill(NO_OPERATION);
KIND_OPERATIONS[KIND.sync] = Operation.sync;
for (const [kind, operation] of METADATA) KIND_OPERATIONS[kind] = operation;

/** MPI_File_read_all, _at_all and _ordered, and the same of write: all ranks that have the file open take part. */
const COLLECTIVES: ReadonlySet<number> = new Set([35, 36, 38, 51, 52, 54]);
/** Flags that follow from the kind. */
export const KIND_FLAGS = Uint8Array.from({ length: 256 }, (_, kind) =>
  COLLECTIVES.has(kind) ? CALL_COLLECTIVE : 0,
);

/** Layer of a call by its kind. */
export const KIND_LAYERS = Uint8Array.from({ length: 256 }, (_, kind) =>
  STREAM_ACCESSES.has(kind) || (kind >= STREAM_FIRST && kind <= STREAM_LAST)
    ? STDIO_LAYER
    : kind >= KIND.mpiFirst && kind <= KIND.accessLast
      ? MPIIO_LAYER
      : POSIX_LAYER,
);

/** Bytes of a path in one record of kind `namePart`, from its sixth byte on. */
export const NAME_PART_BYTES = 27;
export const NAME_PART_AT = 5;

/** File numbers with a meaning of their own. */
export const FILE_UNKNOWN = 0;
export const FILE_OTHER = 65535;

/** File systems by what statfs calls their type; linux/magic.h and the sources of the file systems have the numbers. */
export const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: "ext4",
  16914836: "tmpfs",
  1481003842: "xfs",
  2435016766: "btrfs",
  198183888: "lustre",
  1196443219: "gpfs",
  26985: "nfs",
  801189825: "zfs",
  2035054128: "overlayfs",
  1702057286: "fuse",
  12805120: "ceph",
  428016422: "beegfs",
  537068840: "orangefs",
  4283649346: "cifs",
  2240043254: "ramfs",
  20859: "smb",
  4076150800: "f2fs",
  1650812274: "sysfs",
  40864: "proc",
  3774210530: "erofs",
  1936814952: "squashfs",
  19780: "vfat",
  3393526350: "bcachefs",
  16914839: "9p",
  1397113167: "afs",
  38496: "isofs",
  4266872130: "smb2",
};
