/** Data buffers. Their number is limited; a task without one waits. */
import { assert } from "../../../base/assert.ts";

export class Buffers {
  readonly bytes: number;
  readonly #room: number;
  readonly #free: Uint8Array[] = [];
  #made = 0;
  readonly #waiting: ((buffer: Uint8Array) => void)[] = [];

  constructor(bytes: number, count: number) {
    this.bytes = bytes;
    this.#room = count;
  }

  /** `must`: the caller has none yet. It gets one even beyond the limit, so that a slow target blocks no other task. */
  async take(must: boolean): Promise<Uint8Array> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (must || this.#made < this.#room) {
      this.#made++;
      // Not from the shared pool of small buffers, and aligned to a page by the allocator.
      return new Uint8Array(new ArrayBuffer(this.bytes));
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(buffer: Uint8Array): void {
    assert(
      buffer.length === this.bytes && !this.#free.includes(buffer),
      "a buffer is returned whole, and once",
    );
    assert(this.#free.length < this.#made, "no more buffers are returned than were made");
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) waiting(buffer);
    else if (this.#made > this.#room) this.#made--;
    else this.#free.push(buffer);
  }
}

const MIB = 1 << 20;

/** Buffers of one process: whole mebibytes, so that checksums fit, and two for each target where memory allows. */
export function buffersFor(memoryBytes: number, targets: number): Buffers {
  const bytes = Math.min(4, Math.max(1, Math.floor(memoryBytes / (2 * (targets + 2)) / MIB))) * MIB;
  return new Buffers(bytes, Math.max(2, Math.floor(memoryBytes / bytes)));
}
