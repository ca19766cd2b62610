/** Which files paths mean: themselves, or what a folder holds; the same bytes only once. */
import { createHash } from "node:crypto";
import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";
import { findFormat, formatsWith, HEAD_BYTES } from "../formats/catalogue.ts";
import { type FileSource, openFile } from "../node/file-source.ts";
import { gunzipped } from "../node/gzip-source.ts";
import { fsPath, namesIn } from "../node/raw-path.ts";
import type { Capability } from "../formats/input-format.ts";
import type { Listener } from "../base/listener.ts";

const STDIN = "-";

export interface InputFile {
  /** As it was given; all files of a folder have the name of the folder. */
  readonly name: string;
  /** Absent for standard input. */
  readonly path?: string;
}

/** Whether it can be read only once: standard input, a named pipe, `<(command)`, a terminal. */
export function isPipe(word: string): boolean {
  if (word === STDIN) return true;
  const stat = statSync(fsPath(word), { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

/** In order. Inputs that cannot be used are named and left out as long as others are left. */
export function findInputs(
  words: readonly string[],
  wanted: readonly Capability[],
  listener: Listener,
): InputFile[] {
  if (words.filter((word) => word === STDIN).length > 1)
    throw new UsageError("standard input (-) is given more than once");
  const found: InputFile[] = [];
  const failures: unknown[] = [];
  for (const word of words) {
    try {
      found.push(...(word === STDIN ? [{ name: "stdin" }] : filesOf(word, wanted)));
    } catch (error) {
      if (words.length === 1) throw error;
      failures.push(error);
      listener.skip?.(word, reasonOf(error, word));
    }
  }
  if (found.length === 0 && failures.length > 0) throw failures[0];
  return found;
}

/** What went wrong, without the name of the input, which stands before it. */
export function reasonOf(error: unknown, name: string): string {
  if (error instanceof FormatError) return error.detail;
  if (!(error instanceof Error)) throw error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "no such file";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  if (code === undefined) throw error;
  return error.message.replace(`'${name}'`, "").trim();
}

function filesOf(path: string, wanted: readonly Capability[]): InputFile[] {
  if (!statSync(fsPath(path)).isDirectory()) return [{ name: path, path }];
  const isKnown = (file: string) => {
    const head = look(file, (source) => source.read(0, HEAD_BYTES).slice());
    return head === undefined || findFormat(head, file, ...wanted) !== undefined;
  };
  const { files, folders } = entriesOf(path);
  // Darshan keeps the logs of a job without MPI in a folder for each host.
  const own = files.filter(isKnown);
  const known = own.length > 0 ? own : [...filesBelow(folders)].filter(isKnown);
  if (known.length > 0) return known.map((file) => ({ name: path, path: file }));
  const formats = formatsWith("calls")
    .map(({ label }) => label)
    .join("; ");
  throw new FormatError(path, {}, `nothing in this folder can be read (known: ${formats})`);
}

/** Host 10 behind host 9, process 1000 behind 999. */
const byNumber = new Intl.Collator("en", { numeric: true }).compare;

/** Folders behind symbolic links are not entered: they can form circles. */
function entriesOf(folder: string): { files: string[]; folders: string[] } {
  const [files, folders]: [string[], string[]] = [[], []];
  for (const name of namesIn(folder).sort()) {
    const path = join(folder, name);
    const raw = fsPath(path);
    if (lstatSync(raw, { throwIfNoEntry: false })?.isDirectory()) folders.push(path);
    else if (statSync(raw, { throwIfNoEntry: false })?.isFile()) files.push(path);
  }
  return { files, folders };
}

function* filesBelow(folders: readonly string[]): Generator<string> {
  for (const folder of [...folders].sort(byNumber)) {
    const below = entriesOf(folder);
    yield* below.files.sort(byNumber);
    yield* filesBelow(below.folders);
  }
}

/** The file, or what is in it when it is a gzip file of a known format. */
export function openInput(path: string, wholeBytesMax?: number, allowCut = false): FileSource {
  const inside = (head: Uint8Array) => findFormat(head, path.replace(/\.gz$/, ""), "calls", "counters");
  return gunzipped(openFile(path, wholeBytesMax), {
    wanted: (head) => inside(head) !== undefined,
    allowCut,
    streams: (head) => inside(head)?.sequential === true,
  });
}

/** Runs `use` on an input of which only parts are wanted. Undefined for a damaged gzip file; whoever reads it says why. */
function look<T>(path: string, use: (source: FileSource) => T): T | undefined {
  let source: FileSource | undefined;
  try {
    source = openInput(path, 0);
    return use(source);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  } finally {
    source?.close();
  }
}

/** Equal bytes are the same calls, which must not count twice. */
export function withoutTwins<T extends InputFile>(inputs: readonly T[], listener: Listener): T[] {
  const firstByKey = new Map<string, string>();
  const hashes = new Map<string, string | undefined>();
  const candidates = new Map<string, InputFile[]>();
  for (const input of inputs) {
    if (input.path === undefined) continue;
    const key = cheapKey(input.path);
    if (key === undefined) continue;
    candidates.set(key, [...(candidates.get(key) ?? []), input]);
  }
  for (const [key, alike] of candidates) {
    const paths = new Set(alike.map(({ path }) => realpathSync.native(fsPath(path as string), "latin1")));
    // Only files that look alike are read whole.
    for (const { path } of alike)
      hashes.set(path as string, paths.size > 1 ? contentHash(path as string) : key);
  }
  return inputs.filter(({ path, name }) => {
    const hash = path === undefined ? undefined : hashes.get(path);
    if (path === undefined || hash === undefined) return true;
    const earlier = firstByKey.get(hash);
    if (earlier === undefined) {
      firstByKey.set(hash, path);
      return true;
    }
    listener.skip?.(name === path ? name : path, `the same bytes as ${earlier}, which count once`);
    return false;
  });
}

const EDGE_BYTES = 4096;

/** Equal for equal content: length, first and last bytes. Undefined for what is empty or no regular file. */
function cheapKey(path: string): string | undefined {
  const stat = statSync(fsPath(path));
  if (!stat.isFile() || stat.size === 0) return undefined;
  return look(path, (input) => {
    const source = withEnd(input, path);
    const hash = createHash("sha256").update(source.read(0, EDGE_BYTES));
    hash.update(source.read(Math.max(0, source.byteLength - EDGE_BYTES), EDGE_BYTES));
    const key = `${source.byteLength} ${hash.digest("hex")}`;
    if (source !== input) source.close();
    return key;
  });
}

/** Of what is unpacked on the way, the packed file: nobody knows the end of the other. */
const withEnd = (source: FileSource, path: string) =>
  Number.isFinite(source.byteLength) ? source : openFile(path, 0);

const PIECE_BYTES = 1 << 20;

function contentHash(path: string): string | undefined {
  return look(path, (input) => {
    const source = withEnd(input, path);
    const hash = createHash("sha256");
    let piece: Uint8Array | undefined;
    for (let at = 0; at < source.byteLength; at += PIECE_BYTES) {
      piece = source.read(at, PIECE_BYTES, piece);
      hash.update(piece);
    }
    if (source !== input) source.close();
    return hash.digest("hex");
  });
}
