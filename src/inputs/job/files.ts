/** Which files paths mean: themselves, or what a folder holds; the same bytes only once. */
import { FormatError, pathReason, UsageError } from "../../base/errors.ts";
import { type ByteSource, HEAD_BYTES } from "../../base/source.ts";
import { findFormat, formatsWith, otherUse } from "../../formats/catalogue.ts";
import { isTrace, notesOfUnrecorded, TRACE_SUFFIX } from "../../formats/trace/index.ts";
import type { CallNote } from "../../model/index.ts";
import type { Capability } from "../../formats/input-format.ts";
import type { Listener } from "../../base/listener.ts";
import type { OpenOptions, OpenSource } from "../log/index.ts";
import type { InputHost } from "./host.ts";

/** The word for standard input. */
export const STDIN = "-";

export interface InputFile {
  /** As it was given; all files of a folder have the name of the folder. */
  readonly name: string;
  /** Absent for standard input. */
  readonly path?: string;
}

/** In order. Inputs that cannot be used are named and left out as long as others are left. */
export function findInputs(
  words: readonly string[],
  wanted: readonly Capability[],
  host: InputHost,
  listener: Listener,
): InputFile[] {
  requireOneStdin(words);
  const found: InputFile[] = [];
  const failures: unknown[] = [];
  for (const word of words) {
    try {
      found.push(...(word === STDIN ? [{ name: "stdin" }] : filesOf(word, wanted, host, listener)));
    } catch (error) {
      if (words.length === 1) throw error;
      failures.push(error);
      listener.skip?.(word, skipReason(error, word));
    }
  }
  if (found.length === 0 && failures.length > 0) throw failures[0];
  return onceEach(found, wanted, listener);
}

/** Without files whose calls another one of them holds. */
function onceEach(found: InputFile[], wanted: readonly Capability[], listener: Listener): InputFile[] {
  const paths = new Set(found.map(({ path }) => path));
  const formats = formatsWith(...wanted);
  return found.filter(({ path = "" }) => {
    const same = formats.flatMap((format) => format.sameCalls?.(path) ?? []).find((one) => paths.has(one));
    if (same !== undefined) listener.note?.(`${path} has the calls of ${same}; they count once`);
    return same === undefined;
  });
}

export function requireOneStdin(words: readonly string[]): void {
  if (words.filter((word) => word === STDIN).length > 1)
    throw new UsageError("standard input (-) is named more than once");
}

/** What went wrong, without the name of the input, which stands before it. */
export function skipReason(error: unknown, name: string): string {
  if (error instanceof FormatError) return error.detail;
  if (!(error instanceof Error)) throw error;
  const { code } = error as { readonly code?: string };
  if (code === undefined) throw error;
  return pathReason(error) ?? error.message.replace(`'${name}'`, "").trim();
}

/** About trace files in a folder that have not even a header. */
export function unrecordedIn(folder: string, host: InputHost): CallNote[] {
  const traces = host.list(folder)?.filter((path) => path.endsWith(TRACE_SUFFIX)) ?? [];
  const isWhole = (path: string) =>
    look(path, host, (source) => isTrace(source.read(0, HEAD_BYTES))) !== false;
  return notesOfUnrecorded(traces.filter((path) => !isWhole(path)).length);
}

/** Below a folder with inputs of its own, this many files are looked at to say whether there are more. */
const LOOKED_AT_MAX = 1000;

function filesOf(
  path: string,
  wanted: readonly Capability[],
  host: InputHost,
  listener: Listener,
): InputFile[] {
  const files = host.list(path);
  if (files === undefined) return [{ name: path, path }];
  const headOf = (file: string) => look(file, host, (source) => source.read(0, HEAD_BYTES).slice());
  const useOf = (file: string) =>
    look(file, host, (source) => otherUse(source.read(0, HEAD_BYTES), file, source.inside));
  // Segments of a store could be taken for tables of calls.
  const mark = files.find((file) => /(^|\/)store\.json$/.test(file));
  const store = mark === undefined ? undefined : useOf(mark);
  if (store !== undefined) throw new FormatError(path, {}, store);
  const isKnown = (file: string) => {
    const head = headOf(file);
    return head === undefined || findFormat(head, file, ...wanted) !== undefined;
  };
  // Darshan keeps the logs of a job without MPI in a folder for each host.
  const own = files.filter(isKnown);
  const below = own.length > 0 ? own : host.below(path);
  const known = own.length > 0 ? own : below.filter(isKnown);
  const inFolder = (file: string) => file.slice(path.length).replace(/^\/+/, "");
  if (known.length > 0) {
    const read = new Set(known);
    for (const file of files)
      if (!read.has(file) && useOf(file) !== undefined) listener.note?.(`not read: ${file}: ${useOf(file)}`);
    const deeper = own.length === 0 ? undefined : host.below(path).slice(0, LOOKED_AT_MAX).find(isKnown);
    if (deeper !== undefined)
      listener.note?.(
        `not read: inputs in folders below ${path}, such as ${inFolder(deeper)}; pass these folders as well`,
      );
    return known.map((file) => ({ name: path, path: file }));
  }
  for (const file of [...files, ...below]) {
    const use = useOf(file);
    if (use !== undefined)
      throw new FormatError(path, {}, `no input for this command in the folder; ${inFolder(file)}: ${use}`);
  }
  if (files.some((file) => /(^|\/)totals$/.test(file)) && files.some((file) => /(^|\/)options$/.test(file)))
    throw new FormatError(
      path,
      {},
      "the recorded program made no calls on data files (record --all also takes system files, pipes, sockets and terminals)",
    );
  if (files.length + below.length === 0) throw new FormatError(path, {}, "the folder is empty");
  const formats = formatsWith(...wanted).map(({ id }) => id);
  throw new FormatError(path, {}, `no readable input in this folder (known formats: ${formats.join(", ")})`);
}

/** The file, or what is in it when it is a gzip file of a known format. */
export function openInput(
  path: string,
  host: InputHost,
  options: Pick<OpenOptions, "partly" | "allowCut"> = {},
): OpenSource {
  const inside = (head: Uint8Array) => findFormat(head, path.replace(/\.gz$/, ""), "calls", "counters");
  return host.open(path, {
    ...options,
    wanted: (head) => inside(head) !== undefined,
    streams: (head) => inside(head)?.sequential === true,
  });
}

/** Runs `use` on an input of which only parts are wanted. Undefined for a damaged gzip file; whoever reads it says why. */
function look<T>(path: string, host: InputHost, use: (source: OpenSource) => T): T | undefined {
  let source: OpenSource | undefined;
  try {
    source = openInput(path, host, { partly: true });
    return use(source);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  } finally {
    source?.close();
  }
}

/** Equal bytes are the same calls, which must not count twice. */
export function withoutTwins<T extends InputFile>(
  inputs: readonly T[],
  host: InputHost,
  listener: Listener,
): T[] {
  const firstByKey = new Map<string, string>();
  const hashes = new Map<string, string | undefined>();
  const candidates = new Map<string, InputFile[]>();
  for (const input of inputs) {
    if (input.path === undefined) continue;
    const key = cheapKey(input.path, host);
    if (key === undefined) continue;
    candidates.set(key, [...(candidates.get(key) ?? []), input]);
  }
  for (const [key, alike] of candidates) {
    const paths = new Set(alike.map(({ path }) => host.identity(path as string)));
    // Only files that look alike are read whole.
    for (const { path } of alike)
      hashes.set(path as string, paths.size > 1 ? contentHash(path as string, host) : key);
  }
  return inputs.filter(({ path, name }) => {
    const hash = path === undefined ? undefined : hashes.get(path);
    if (path === undefined || hash === undefined) return true;
    const earlier = firstByKey.get(hash);
    if (earlier === undefined) {
      firstByKey.set(hash, path);
      return true;
    }
    listener.skip?.(name === path ? name : path, `identical to ${earlier}; counted once`);
    return false;
  });
}

/** Finds logs that were read already: a log and its gzip file, a copy under another name. */
export class TwinFinder {
  readonly #host: InputHost;
  readonly #byEdges = new Map<string, string[]>();

  constructor(host: InputHost) {
    this.#host = host;
  }

  /** The path of an earlier one with the same bytes. Only those that look alike are read whole. */
  earlier(path: string, source: ByteSource): string | undefined {
    if (!this.#host.isFile(path)) return undefined;
    const key = edgesOf(source, this.#host);
    const alike = this.#byEdges.get(key);
    if (alike === undefined) {
      this.#byEdges.set(key, [path]);
      return undefined;
    }
    const isAll = source.byteLength <= 2 * EDGE_BYTES;
    const hash = isAll ? undefined : hashOf(source, this.#host);
    const twin = alike.find((one) => isAll || contentHash(one, this.#host) === hash);
    if (twin === undefined) alike.push(path);
    return twin;
  }
}

const EDGE_BYTES = 4096;

/** Length, and a hash of the first and the last bytes. */
function edgesOf(source: ByteSource, host: InputHost): string {
  const hash = host.hash();
  hash.update(source.read(0, EDGE_BYTES));
  hash.update(source.read(Math.max(0, source.byteLength - EDGE_BYTES), EDGE_BYTES));
  return `${source.byteLength} ${hash.hex()}`;
}

/** Equal for equal content: length, first and last bytes. Undefined for what is empty or no regular file. */
function cheapKey(path: string, host: InputHost): string | undefined {
  if (!host.isFile(path)) return undefined;
  return look(path, host, (input) => {
    if (input.byteLength === 0) return undefined;
    const source = withEnd(input, path, host);
    const key = edgesOf(source, host);
    if (source !== input) source.close();
    return key;
  });
}

/** Of what is unpacked on the way, the packed file: nobody knows the end of the other. */
const withEnd = (source: OpenSource, path: string, host: InputHost): OpenSource =>
  Number.isFinite(source.byteLength) ? source : host.open(path, { partly: true, wanted: () => false });

const PIECE_BYTES = 1 << 20;

function contentHash(path: string, host: InputHost): string | undefined {
  return look(path, host, (input) => {
    const source = withEnd(input, path, host);
    const hash = hashOf(source, host);
    if (source !== input) source.close();
    return hash;
  });
}

function hashOf(source: ByteSource, host: InputHost): string {
  const hash = host.hash();
  let piece: Uint8Array | undefined;
  for (let at = 0; at < source.byteLength; at += PIECE_BYTES) {
    piece = source.read(at, PIECE_BYTES, piece);
    hash.update(piece);
  }
  return hash.hex();
}
