/** Which files the arguments mean: themselves, or the traces in a folder; the same bytes only once. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { FormatError, UsageError } from "../../base/errors.ts";
import { ACCESS_FORMATS, ACCESS_HEAD_BYTES, findAccessFormat } from "../../formats/access-formats.ts";
import type { Context } from "../context.ts";
import { isParquet } from "./parquet.ts";

const STDIN = "-";

export interface BpsInput {
  /** As it was given; all files of a folder have the name of the folder. */
  readonly name: string;
  /** Absent for standard input. */
  readonly path?: string;
}

/** Whether it can be read only once: standard input, a named pipe, `<(command)`, a terminal. */
export function isPipe(word: string): boolean {
  if (word === STDIN) return true;
  const stat = statSync(word, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

/** In order. Inputs that cannot be used are named and left out as long as others are left. */
export function findInputs(words: readonly string[], context: Context): BpsInput[] {
  if (words.filter((word) => word === STDIN).length > 1)
    throw new UsageError("standard input (-) is given more than once");
  const found: BpsInput[] = [];
  const failures: unknown[] = [];
  for (const word of words) {
    try {
      found.push(...(word === STDIN ? [{ name: "stdin" }] : filesOf(word)));
    } catch (error) {
      if (words.length === 1) throw error;
      failures.push(error);
      context.skip(word, reasonOf(error, word));
    }
  }
  if (found.length === 0 && failures.length > 0) throw failures[0];
  return withoutTwins(found, context);
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

function filesOf(path: string): BpsInput[] {
  if (!statSync(path).isDirectory()) return [{ name: path, path }];
  const paths = readdirSync(path)
    .sort()
    .map((name) => join(path, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
  const known = paths.filter((file) => {
    const head = headOf(file);
    return isParquet(head) || findAccessFormat(head, file) !== undefined;
  });
  if (known.length > 0) return known.map((file) => ({ name: path, path: file }));
  const formats = ACCESS_FORMATS.map(({ label }) => label).join("; ");
  throw new FormatError(path, {}, `no trace of accesses in this folder (have: ${formats}; Parquet)`);
}

function headOf(path: string): Uint8Array {
  const descriptor = openSync(path, "r");
  try {
    const head = new Uint8Array(ACCESS_HEAD_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Equal bytes are the same accesses, which must not count twice. */
function withoutTwins(inputs: readonly BpsInput[], context: Context): BpsInput[] {
  const firstByKey = new Map<string, string>();
  const hashes = new Map<string, string>();
  const candidates = new Map<string, BpsInput[]>();
  for (const input of inputs) {
    if (input.path === undefined) continue;
    const key = cheapKey(input.path);
    if (key === undefined) continue;
    candidates.set(key, [...(candidates.get(key) ?? []), input]);
  }
  for (const [key, alike] of candidates) {
    const paths = new Set(alike.map(({ path }) => realpathSync(path as string)));
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
    context.skip(name === path ? name : path, `the same bytes as ${earlier}, which count once`);
    return false;
  });
}

const EDGE_BYTES = 4096;

/** Equal for equal files: length, first and last bytes. Undefined for what is empty or no regular file. */
function cheapKey(path: string): string | undefined {
  const descriptor = openSync(path, "r");
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size === 0) return undefined;
    const edge = Buffer.alloc(2 * EDGE_BYTES);
    readSync(descriptor, edge, 0, EDGE_BYTES, 0);
    readSync(descriptor, edge, EDGE_BYTES, EDGE_BYTES, Math.max(0, stat.size - EDGE_BYTES));
    return `${stat.size} ${createHash("sha256").update(edge).digest("hex")}`;
  } finally {
    closeSync(descriptor);
  }
}

function contentHash(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    const hash = createHash("sha256");
    const piece = Buffer.allocUnsafe(1 << 20);
    for (;;) {
      const got = readSync(descriptor, piece, 0, piece.length, null);
      if (got === 0) return hash.digest("hex");
      hash.update(piece.subarray(0, got));
    }
  } finally {
    closeSync(descriptor);
  }
}
