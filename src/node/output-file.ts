/** A file that appears under its name only when it is whole: written beside it, synced, then renamed. */
import {
  closeSync,
  fsyncSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { inFile } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";
import { syncFolder, writeFully } from "./durable.ts";

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

/** What a name stands for: the file that a link leads to; a device or pipe, which takes bytes and must not be replaced. */
function placeOf(path: string): { readonly real: string; readonly stream: boolean } {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return { real: realpathSync(path), stream: false };
  return { real: path, stream: found !== undefined && !found.isDirectory() };
}

/** Where the file is until it is whole, for whoever removes it when the program is stopped. */
export function temporaryPath(path: string): string {
  const { real, stream } = placeOf(path);
  return `${stream ? join(tmpdir(), `plimsoll-${basename(path)}`) : real}.part-${process.pid}`;
}

/** Gives the bytes of a whole and synced file to the name that they are for. */
export function takeName(temporary: string, path: string): void {
  const { real, stream } = placeOf(path);
  if (stream) {
    inFile(path, () => copyInto(temporary, path));
    rmSync(temporary, { force: true });
    return;
  }
  renameSync(temporary, real);
  syncFolder(dirname(real));
}

function copyInto(from: string, to: string): void {
  const [source, target] = [openSync(from, "r"), openSync(to, "w")];
  try {
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    for (let bytes = readSync(source, buffer); bytes > 0; bytes = readSync(source, buffer))
      writeFully(target, buffer.subarray(0, bytes));
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

export function createOutput(path: string): OutputFile {
  const temporary = temporaryPath(path);
  const file = new GrowingFile(temporary, { name: path });
  return {
    append: (bytes) => file.append(bytes),
    replaceStart: (bytes) => file.replaceStart(bytes),
    commit() {
      file.finish();
      takeName(temporary, path);
    },
    abort: () => file.drop(),
  };
}

/** A file that is there whole or as it was before. */
export function writeOutput(path: string, data: string | Uint8Array, listener: Listener = {}): void {
  const partial = listener.partialOutput?.(temporaryPath(path));
  const file = createOutput(path);
  try {
    file.append(typeof data === "string" ? Buffer.from(data) : data);
    file.commit();
  } catch (error) {
    file.abort();
    throw error;
  }
  partial?.done();
}

interface GrowingFileOptions {
  readonly mode?: number;
  /** How errors call it. */
  readonly name?: string;
}

/** A file that is appended to through a buffer; its beginning can be written once more with as many bytes. */
export class GrowingFile {
  readonly path: string;
  readonly #name: string;
  #descriptor: number;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #filled = 0;
  #bytes = 0;

  constructor(path: string, { mode = 0o666, name = path }: GrowingFileOptions = {}) {
    this.path = path;
    this.#name = name;
    this.#descriptor = openSync(path, "w", mode);
  }

  append(data: string | Uint8Array): void {
    // A character of a string has three bytes at most: short ones go straight into the buffer.
    if (typeof data === "string" && 3 * data.length <= BUFFER_BYTES) {
      if (this.#filled + 3 * data.length > BUFFER_BYTES) this.#flush();
      const length = this.#buffer.write(data, this.#filled);
      this.#filled += length;
      this.#bytes += length;
      return;
    }
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    if (this.#filled + bytes.length > BUFFER_BYTES) this.#flush();
    if (bytes.length > BUFFER_BYTES) this.#write(bytes, this.#bytes);
    else {
      this.#buffer.set(bytes, this.#filled);
      this.#filled += bytes.length;
    }
    this.#bytes += bytes.length;
  }

  replaceStart(bytes: Uint8Array): void {
    this.#flush();
    this.#write(bytes, 0);
  }

  /** All bytes are on the disk, and the file is closed. Gives their number. */
  finish(): number {
    this.#flush();
    inFile(this.#name, () => fsyncSync(this.#descriptor));
    this.#close();
    return this.#bytes;
  }

  /** Closed and removed. */
  drop(): void {
    this.#close();
    rmSync(this.path, { force: true });
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#filled), this.#bytes - this.#filled);
    this.#filled = 0;
  }

  #write(bytes: Uint8Array, at: number): void {
    inFile(this.#name, () => writeFully(this.#descriptor, bytes, at));
  }

  #close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor);
    this.#descriptor = -1;
    this.#buffer = Buffer.alloc(0);
  }
}
