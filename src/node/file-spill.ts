/** A temporary file for what does not fit into memory. */
import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { FormatError } from "../base/errors.ts";
import type { Spill } from "../base/spill.ts";
import { writeFully } from "./durable.ts";

/** Made when it is first needed. */
export class FileSpill implements Spill {
  readonly #path: string;
  #descriptor: number | undefined;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  append(bytes: Uint8Array): void {
    this.#descriptor ??= openSync(this.#path, "w+");
    writeFully(this.#descriptor, bytes, this.#bytes);
    this.#bytes += bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const got = readSync(this.#descriptor as number, bytes, done, length - done, offset + done);
      if (got === 0)
        throw new FormatError(this.#path, { offset: offset + done }, "the temporary file is truncated");
      done += got;
    }
    return bytes;
  }

  close(): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    rmSync(this.#path, { force: true });
  }
}
