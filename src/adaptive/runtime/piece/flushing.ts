/**
 * A file that is flushed while it is written. Otherwise the cache takes everything at memory speed, measured rates mean
 * nothing, and the final sync takes as long as all the rest.
 */
import { assert } from "../../../base/assert.ts";
import type { TargetFile } from "../../backend/index.ts";

/** Max cached bytes of a file over all processes, unless there are too many. */
const WINDOW_BYTES = 64 << 20;
/** Smaller flushes would cost more than the data. */
const WINDOW_BYTES_MIN = 2 << 20;

/** Cache window of one process out of this many. */
export const windowOf = (processes: number): number => Math.max(WINDOW_BYTES_MIN, WINDOW_BYTES / processes);

export class FlushingFile {
  readonly file: TargetFile;
  /** Identity of the opened file. */
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
