/**
 * The inputs that are known, by the first 64 bits of their content hash, in memory that all threads share. When the set is
 * full it says "new" for what it has no place for: a store shows a run once however often it was stored.
 *
 * A hash has a bucket of eight slots in each of some levels, each level twice as long as the one before, and is in the first
 * bucket that had a free slot. So only as much memory is touched as there are hashes, whatever there is room for: in one table
 * with room for millions nearly every hash would be the first on its page, and a new page costs more than reading a log.
 * Slots are taken by compare-and-exchange and are never free again, so of two threads with the same content one learns that
 * it is new.
 */
export class KnownHashes {
  readonly buffer: SharedArrayBuffer;
  readonly #levels: readonly Level[];

  /** Room for `entries`, of which the first level takes `first` (all unless given); or the set behind another's buffer. */
  constructor(from: { readonly entries: number; readonly first?: number } | SharedArrayBuffer) {
    if (from instanceof SharedArrayBuffer) this.buffer = from;
    else {
      let bits = 7;
      while (SLOTS * 2 ** bits < 2 * (from.first ?? from.entries)) bits++;
      // Two levels at least: some bucket of the first is always full before its time.
      let bytes = bytesOf(bits) + bytesOf(bits + 1);
      for (let next = bits + 2; bytes / 8 < 2 * from.entries; next++) bytes += bytesOf(next);
      this.buffer = new SharedArrayBuffer(HEAD_BYTES + bytes);
      new Int32Array(this.buffer)[0] = bits;
    }
    this.#levels = [...levelsOf(this.buffer)];
  }

  has(hash: bigint): boolean {
    const key = keyOf(hash);
    for (const { slots, shift } of this.#levels) {
      const first = bucketOf(key, shift);
      for (let at = first; at < first + SLOTS; at++) {
        const found = Atomics.load(slots, at);
        if (found === key || found === 0n) return found === key;
      }
    }
    return false;
  }

  /** True when it was not there; it is now. */
  add(hash: bigint): boolean {
    const key = keyOf(hash);
    for (const { slots, shift } of this.#levels) {
      const first = bucketOf(key, shift);
      for (let at = first; at < first + SLOTS; at++) {
        let found = Atomics.load(slots, at);
        if (found === 0n) found = Atomics.compareExchange(slots, at, 0n, key);
        if (found === 0n) return true;
        if (found === key) return false;
      }
    }
    return true;
  }

  /** It can be added again. Its slot stays taken. */
  remove(hash: bigint): void {
    const key = keyOf(hash);
    for (const { slots, shift } of this.#levels) {
      const first = bucketOf(key, shift);
      for (let at = first; at < first + SLOTS; at++) {
        const found = Atomics.load(slots, at);
        if (found === 0n) return;
        if (found !== key) continue;
        Atomics.compareExchange(slots, at, key, REMOVED);
        return;
      }
    }
  }
}

interface Level {
  readonly slots: BigInt64Array;
  /** Of 32 mixed bits, those in front of it are the number of the bucket. */
  readonly shift: number;
}

/** Slots of a bucket: a line of the processor's cache. */
const SLOTS = 8;
/** In front of the levels: the bits of a bucket's number in the first one. */
const HEAD_BYTES = 64;
/** In a slot whose hash was removed. */
const REMOVED = 2n;

const bytesOf = (bits: number) => 8 * SLOTS * 2 ** bits;

function* levelsOf(buffer: SharedArrayBuffer): Generator<Level> {
  let bits = new Int32Array(buffer)[0] as number;
  for (let at = HEAD_BYTES; at < buffer.byteLength; at += bytesOf(bits++))
    yield { slots: new BigInt64Array(buffer, at, SLOTS * 2 ** bits), shift: 32 - bits };
}

/** Zero marks a free slot. */
function keyOf(hash: bigint): bigint {
  const key = BigInt.asIntN(64, hash);
  return key === 0n || key === REMOVED ? 1n : key;
}

function bucketOf(key: bigint, shift: number): number {
  return SLOTS * (Math.imul(Number(BigInt.asIntN(32, key)), 0x9e3779b1) >>> shift);
}
