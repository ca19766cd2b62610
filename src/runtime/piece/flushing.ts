/**
 * A file whose data leaves the cache while it is written. Without this the cache takes everything at the speed of memory,
 * the rates that are measured mean nothing, and the sync at the end takes as long as all the rest.
 */
import type { TargetFile } from "../../backend/index.ts";

/** A process has at most so much of a file in the cache. */
const WINDOW_BYTES = 32 << 20;

export class FlushingFile {
  readonly file: TargetFile;
  #dirty = 0;
  #flushing: Promise<void> | undefined;
  #failure: unknown;

  constructor(file: TargetFile) {
    this.file = file;
  }

  async write(bytes: Uint8Array, at: number): Promise<void> {
    await this.file.write(bytes, at);
    this.#dirty += bytes.length;
    if (this.#dirty >= WINDOW_BYTES / 2) this.#flush();
    while (this.#dirty > WINDOW_BYTES && this.#failure === undefined) {
      this.#flush();
      await this.#flushing;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #flush(): void {
    if (this.#flushing !== undefined) return;
    const covered = this.#dirty;
    this.#flushing = this.file
      .flush()
      .then(() => void (this.#dirty -= covered))
      .catch((error: unknown) => void (this.#failure ??= error))
      .finally(() => void (this.#flushing = undefined));
  }
}
