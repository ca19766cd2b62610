/**
 * The inputs that are known, by the first 64 bits of their content hash, in memory that all threads share. A slot is taken
 * by compare-and-exchange, so of two threads with the same content one learns that it is new. When the set is full it says
 * "new" for everything: a store shows a run once however often it was stored.
 */
export class KnownHashes {
  readonly buffer: SharedArrayBuffer;
  readonly #slots: BigInt64Array;
  readonly #count: Int32Array;

  /** Room for `entries`; or the set behind a buffer of another thread. */
  constructor(from: { readonly entries: number } | SharedArrayBuffer) {
    if (from instanceof SharedArrayBuffer) this.buffer = from;
    else {
      let slots = 1024;
      while (slots < 2 * from.entries) slots *= 2;
      this.buffer = new SharedArrayBuffer(8 * (slots + 1));
    }
    this.#count = new Int32Array(this.buffer, 0, 2);
    this.#slots = new BigInt64Array(this.buffer, 8);
  }

  get size(): number {
    return Atomics.load(this.#count, 0);
  }

  /** Most that it takes. */
  get capacity(): number {
    return Math.floor(this.#slots.length * 0.75);
  }

  has(hash: bigint): boolean {
    const key = keyOf(hash);
    const mask = this.#slots.length - 1;
    for (let at = Number(BigInt.asUintN(32, key ^ (key >> 32n))) & mask; ; at = (at + 1) & mask) {
      const found = Atomics.load(this.#slots, at);
      if (found === key || found === 0n) return found === key;
    }
  }

  /** True when it was not there; it is now. */
  add(hash: bigint): boolean {
    const key = keyOf(hash);
    const mask = this.#slots.length - 1;
    let at = Number(BigInt.asUintN(32, key ^ (key >> 32n))) & mask;
    for (;;) {
      const found = Atomics.load(this.#slots, at);
      if (found === key) return false;
      if (found === 0n) {
        if (this.size >= this.capacity) return true;
        const before = Atomics.compareExchange(this.#slots, at, 0n, key);
        if (before === 0n) {
          Atomics.add(this.#count, 0, 1);
          return true;
        }
        if (before === key) return false;
      }
      at = (at + 1) & mask;
    }
  }

  /** It can be added again. Its slot stays taken. */
  remove(hash: bigint): void {
    const key = keyOf(hash);
    const mask = this.#slots.length - 1;
    for (let at = Number(BigInt.asUintN(32, key ^ (key >> 32n))) & mask; ; at = (at + 1) & mask) {
      const found = Atomics.load(this.#slots, at);
      if (found === 0n) return;
      if (found === key) {
        Atomics.compareExchange(this.#slots, at, key, REMOVED);
        return;
      }
    }
  }
}

/** In a slot whose hash was removed. */
const REMOVED = 2n;

/** Zero marks a free slot. */
function keyOf(hash: bigint): bigint {
  const key = BigInt.asIntN(64, hash);
  return key === 0n || key === REMOVED ? 1n : key;
}
