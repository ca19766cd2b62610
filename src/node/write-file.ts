/** Whole files written at once, with errors that name the file: Node's own do not when the disk is full. */
import { appendFileSync, type WriteFileOptions, writeFileSync } from "node:fs";
import { inFile } from "../base/errors.ts";

export function writeFile(path: string, data: string | Uint8Array, options?: WriteFileOptions): void {
  inFile(path, () => writeFileSync(path, data, options));
}

export function appendFile(path: string, data: string | Uint8Array, options?: WriteFileOptions): void {
  inFile(path, () => appendFileSync(path, data, options));
}
