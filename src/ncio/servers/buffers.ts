/** Reused buffers, so that a stream of large requests makes no garbage. */

const KEPT_BYTES_MAX = 32 << 20;
const SMALLEST_POWER = 8;

export class BufferPool {
  /** Free buffers by the power of two of their size. */
  readonly #free: Buffer[][] = [];
  #keptBytes = 0;

  /** A buffer of at least this many bytes, with stale contents. */
  take(bytes: number): Buffer {
    const power = powerOf(bytes);
    const buffer = this.#free[power]?.pop();
    if (buffer === undefined) return Buffer.allocUnsafeSlow(2 ** power);
    this.#keptBytes -= buffer.length;
    return buffer;
  }

  /** Only for buffers of `take` that are no longer in use. */
  give(buffer: Buffer): void {
    if (this.#keptBytes + buffer.length > KEPT_BYTES_MAX) return;
    this.#keptBytes += buffer.length;
    const power = powerOf(buffer.length);
    (this.#free[power] ??= []).push(buffer);
  }
}

const powerOf = (bytes: number): number =>
  Math.max(SMALLEST_POWER, bytes <= 1 ? 0 : 32 - Math.clz32(bytes - 1));
