/**
 * A file whose data leaves the cache while it is written. Without this the cache takes everything at the speed of memory,
 * the rates that are measured mean nothing, and the sync at the end takes as long as all the rest.
 */
import { assert } from "../../../base/assert.ts";
import type { TargetFile } from "../../backend/index.ts";

/** All processes together have at most this much of a file in the cache, where they are few enough. */
const WINDOW_BYTES = 64 << 20;
/** Less than this at a time would make more flushes than data. */
const WINDOW_BYTES_MIN = 2 << 20;

/** What one of this many processes may have in the cache. */
export const windowOf = (processes: number): number => Math.max(WINDOW_BYTES_MIN, WINDOW_BYTES / processes);

export class FlushingFile {
  readonly file: TargetFile;
  /** Of the file, as it was opened. */
  readonly identity: string;
  readonly #window: number;
  #dirty = 0;
  #flushing: Promise<void> | undefined;
  #failure: unknown;

  constructor(file: TargetFile, identity: string, windowBytes: number) {
    this.file = file;
    this.identity = identity;
    this.#window = windowBytes;
  }

  async write(bytes: Uint8Array, at: number): Promise<void> {
    await this.file.write(bytes, at);
    this.#dirty += bytes.length;
    if (this.#dirty >= this.#window / 2) this.#flush();
    while (this.#dirty > this.#window && this.#failure === undefined) {
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
      .then(() => {
        assert(covered <= this.#dirty, "no more is flushed than was written");
        this.#dirty -= covered;
      })
      .catch((error: unknown) => void (this.#failure ??= error))
      .finally(() => void (this.#flushing = undefined));
  }
}
