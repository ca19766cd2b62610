/** Finds files below paths, one after the other: a folder may hold millions. */
import { opendir, readdir, stat } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { join } from "node:path";
import { fsPath, mayBeReplaced, pathText } from "./raw-path.ts";

export interface Found {
  readonly path: string;
  /** Named by the user, so it is meant; others may be anything that lies in a folder. */
  readonly named: boolean;
}

export interface Slice {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/**
 * Files of the slice. A file belongs to the slice that its path below the named folder gives, so that slices of the same
 * folder share the work and never overlap. Folders behind symbolic links are not entered: they can form circles.
 */
export async function* walk(
  paths: readonly string[],
  slice: Slice = { index: 1, of: 1 },
  onError: (path: string, error: unknown) => void = () => {},
): AsyncGenerator<Found> {
  for (const path of paths) {
    if ((await stat(fsPath(path))).isDirectory())
      yield* walkFolder(path, prefixOf(path).length, slice, onError);
    else if (isMine(path, slice)) yield { path, named: true };
  }
}

/** How many files `walk` will find; runs beside it, for those who wait to see the end. */
export async function countFiles(
  paths: readonly string[],
  slice: Slice | undefined,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const _ of walk(paths, slice)) {
    count++;
    if (signal.aborted) break;
  }
  return count;
}

async function* walkFolder(
  folder: string,
  /** Characters of paths up to the folder that was named. */
  above: number,
  slice: Slice,
  onError: (path: string, error: unknown) => void,
): AsyncGenerator<Found> {
  const folders: string[] = [];
  const prefix = prefixOf(folder);
  try {
    for await (const [name, entry] of entriesOf(folder)) {
      const path = prefix + name;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(path)))) {
        if (slice.of === 1 || isMine(path.slice(above), slice)) yield { path, named: false };
      }
    }
  } catch (error) {
    onError(folder, error);
  }
  for (const path of folders.sort()) yield* walkFolder(path, above, slice, onError);
}

/** What paths below a folder begin with, as `join` writes it; once, since that looks at every character. */
const prefixOf = (folder: string): string => join(folder, ".").replace(/\/?$/, "/").replace(/^\.\//, "");

/** Names that are read from a folder before others get their turn. */
const AT_ONCE = 256;

interface Entry {
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

/** Names that are not UTF-8 come last, from a second look at the folder: few have any, and some have millions of names. */
async function* entriesOf(folder: string): AsyncGenerator<[string, Entry]> {
  let replaced = false;
  const names = await opendir(fsPath(folder) as string, { bufferSize: AT_ONCE });
  try {
    // One promise for many names: one for each would cost as much as all else that is done for it here.
    for (let count = 1; ; count++) {
      const entry = names.readSync();
      if (entry === null) break;
      if (mayBeReplaced(entry.name)) replaced = true;
      else yield [entry.name, entry];
      if (count % AT_ONCE === 0) await setImmediate();
    }
  } finally {
    await names.close();
  }
  if (!replaced) return;
  for (const entry of await readdir(fsPath(folder), { withFileTypes: true, encoding: "buffer" }))
    if (mayBeReplaced(entry.name.toString())) yield [pathText(entry.name), entry];
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(fsPath(path))).isFile();
  } catch {
    return false;
  }
}

function isMine(path: string, { index, of }: Slice): boolean {
  return of === 1 || hashOf(path) % of === index - 1;
}

/** FNV-1a, mixed, so that numbered names spread evenly. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
