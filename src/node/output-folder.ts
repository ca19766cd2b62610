/** A folder of results that is there whole or not at all, and that never replaces somebody else's. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";

interface OutputFolder {
  /** As the user gave it. */
  readonly path: string;
  /** What an earlier one is called in the message. */
  readonly what: string;
  /** Whether an existing folder is an earlier one of ours, and so may be replaced. */
  isOurs(path: string): boolean;
}

/**
 * Lets `fill` write into a folder beside the final one and gives it its name when `fill` has returned. Returns what `fill`
 * gives, and the path without the slash at its end, which would put the work folder into the folder that it replaces.
 */
export async function replaceFolder<T>(
  { path, what, isOurs }: OutputFolder,
  listener: Listener,
  fill: (work: string) => T | Promise<T>,
): Promise<{ readonly folder: string; readonly result: T }> {
  const folder = path.replace(/(?<=.)\/+$/, "");
  if (existsSync(folder) && !isEmptyFolder(folder) && !isOurs(folder)) {
    throw new UsageError(`${folder} exists and is not an earlier ${what}; choose another folder`);
  }
  // A link stays, and what it leads to is replaced.
  const place = existsSync(folder) ? realpathSync(folder) : folder;
  const work = `${place}.part-${process.pid}`;
  const partial = listener.partialOutput?.(work);
  mkdirSync(work);
  let result: T;
  try {
    result = await fill(work);
  } catch (error) {
    // Whoever listens removes it, and more that is not whole.
    if (partial === undefined) rmSync(work, { recursive: true, force: true });
    throw error;
  }
  rmSync(place, { recursive: true, force: true });
  renameSync(work, place);
  partial?.done();
  return { folder, result };
}

const isEmptyFolder = (path: string): boolean =>
  statSync(path).isDirectory() && readdirSync(path).length === 0;

/** The JSON file of an earlier result; undefined where there is none. */
export function readResult(folder: string, json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, json), "utf8")) ?? undefined;
  } catch {
    return undefined;
  }
}
