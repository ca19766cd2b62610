/** Small files, read to their end whatever size they claim; and error texts for files. */
import { systemReason } from "../base/errors.ts";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { PART } from "../node/durable.ts";

/** Files in /proc and /sys report a size of 0 or 4096 bytes and may be longer. */
export function readToEnd(path: string, bytesMax = 16 << 20): Uint8Array {
  const descriptor = openSync(path, "r");
  try {
    let buffer = Buffer.allocUnsafe(1 << 16);
    let filled = 0;
    for (;;) {
      const count = readSync(descriptor, buffer, filled, buffer.length - filled, null);
      if (count === 0) return Uint8Array.prototype.slice.call(buffer, 0, filled);
      filled += count;
      if (filled > bytesMax) throw new Error(`${path}: more than ${bytesMax} bytes`);
      if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * filled);
    }
  } finally {
    closeSync(descriptor);
  }
}

const SHORT = Buffer.allocUnsafe(1 << 16);

/** The first 64 KiB of a file as Latin-1, without NUL bytes; undefined when it cannot be read. */
export function readShort(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    let filled = 0;
    for (let count = 1; count > 0 && filled < SHORT.length; filled += count)
      count = readSync(descriptor, SHORT, filled, SHORT.length - filled, null);
    return SHORT.toString("latin1", 0, filled).replace(/\0+$/, "");
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads the first existing path; undefined: none exists. */
export function readFirst(paths: readonly string[]): Uint8Array | undefined {
  let fault: unknown;
  for (const path of paths) {
    try {
      return readToEnd(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") fault ??= error;
    }
  }
  if (fault !== undefined) throw fault;
  return undefined;
}

/** Only owner and group can read it, since it names users and jobs. */
export const FILE_MODE = 0o640;
export const FOLDER_MODE = 0o750;

export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}

/** One line about a file error. */
export function fileReason(error: unknown): string {
  const { path, message } = error as NodeJS.ErrnoException;
  const reason = systemReason(error);
  if (reason === undefined) return error instanceof Error ? message : String(error);
  return path === undefined ? reason : `${path.replace(PART, "")}: ${reason}`;
}

/** A name of any bytes as one part of a path: what is not plain stands as %HH. */
export function fileNamePart(text: string): string {
  const plain = encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "_")).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return plain.replace(/^\./, "%2E").slice(0, 120);
}

/** Entries of a folder; none if it cannot be read. */
export function namesIfReadable(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
