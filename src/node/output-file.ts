/** A file that appears under its name only when it is whole: written beside it, synced, then renamed. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { inFile } from "../base/errors.ts";
import { syncFolder } from "./durable.ts";

export interface OutputFile {
  append(bytes: Uint8Array): void;
  /** Writes over the start of the file. */
  replaceStart(bytes: Uint8Array): void;
  /** The file takes its name. */
  commit(): void;
  /** The file is forgotten. */
  abort(): void;
}

const BUFFER_BYTES = 1 << 18;

/** Where the file is until it is whole, for whoever removes it when the program is stopped. */
export function temporaryPath(path: string): string {
  return `${path}.part-${process.pid}`;
}

export function createOutput(path: string): OutputFile {
  const temporary = temporaryPath(path);
  const descriptor = openSync(temporary, "w", 0o666);
  let buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let filled = 0;
  let position = 0;
  let open = true;
  const writeAll = (bytes: Uint8Array, at: number) => {
    inFile(path, () => {
      for (let done = 0; done < bytes.length; )
        done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
    });
  };
  const flush = () => {
    writeAll(buffer.subarray(0, filled), position);
    position += filled;
    filled = 0;
  };
  const close = () => {
    if (open) closeSync(descriptor);
    open = false;
    buffer = Buffer.alloc(0);
  };
  return {
    append(bytes) {
      if (filled + bytes.length > buffer.length) flush();
      if (bytes.length > buffer.length) {
        writeAll(bytes, position);
        position += bytes.length;
        return;
      }
      buffer.set(bytes, filled);
      filled += bytes.length;
    },
    replaceStart(bytes) {
      flush();
      writeAll(bytes, 0);
    },
    commit() {
      flush();
      inFile(path, () => fsyncSync(descriptor));
      close();
      renameSync(temporary, path);
      syncFolder(dirname(path));
    },
    abort() {
      close();
      rmSync(temporary, { force: true });
    },
  };
}
