/**
 * Names of files are bytes, and Node makes strings of them that lead nowhere when they are not UTF-8. Here such a byte is a
 * surrogate of its own in the string, U+DC80 to U+DCFF, as Python has it: a path stays a string, is printed with U+FFFD
 * in that place, and `fsPath` gives the bytes back.
 */
import { readdirSync } from "node:fs";

const REPLACED = "\ufffd";
const ESCAPE = 0xdc00;
/** Surrogates without a partner only. */
const ESCAPED = /[\udc80-\udcff]/u;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A name or path as a string from which `fsPath` makes the same bytes. */
export function pathText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString();
  if (!text.includes(REPLACED)) return text;
  let path = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((count) => isCharacter(bytes.subarray(at, at + count)));
    path +=
      length === undefined
        ? String.fromCharCode(ESCAPE + (bytes[at] as number))
        : UTF8.decode(bytes.subarray(at, at + length));
    at += length ?? 1;
  }
  return path;
}

function isCharacter(bytes: Uint8Array): boolean {
  try {
    return [...UTF8.decode(bytes)].length === 1;
  } catch {
    return false;
  }
}

/** Whether Node may have replaced bytes of a name; `pathText` of the bytes tells. */
export const mayBeReplaced = (name: string): boolean => name.includes(REPLACED);

/** Whether only `fsPath` leads to the file. */
export const isRaw = (path: string): boolean => ESCAPED.test(path);

/** What to give to functions of `node:fs`. */
export function fsPath(path: string): string | Buffer {
  if (!isRaw(path)) return path;
  return Buffer.concat(
    [...path].map((character) =>
      isRaw(character) ? Buffer.of(character.charCodeAt(0) - ESCAPE) : Buffer.from(character),
    ),
  );
}

/** Names in a folder, each so that `fsPath` leads to it. */
export function rawNames(folder: string): string[] {
  return readdirSync(fsPath(folder), { encoding: "buffer" }).map(pathText);
}
