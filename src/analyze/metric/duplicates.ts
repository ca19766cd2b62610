/**
 * Accesses that are there twice: same process number, start, end and size, and place in the file where it is known (requests that
 * a program submits and collects at once have the same times). Those of a small collection are all remembered,
 * by 64-bit fingerprints; of a large one a sample is, chosen by start and end so that equal accesses are in it together.
 */

/** Maximum number of remembered accesses; above it, every other one is dropped. */
const REMEMBERED_MAX = 2 ** 16;
const ALL = 2 ** 32 - 1;
const SLOTS_MIN = 2 ** 11;

/** Words of a slot: two halves of the fingerprint, which are not both zero, the key, and how often it came again. */
const SLOT = 4;

export interface DuplicateTable {
  readonly threshold: number;
  readonly slots: Uint32Array;
}

export class Duplicates {
  /** Only accesses whose key does not exceed this are looked at. */
  threshold = ALL;
  #size = 0;
  #table: Uint32Array<ArrayBuffer>;

  /** `expected`: about how many accesses will come, so that the sample begins at its final size. */
  constructor(expected = 0) {
    const halvings = Math.max(0, Math.ceil(Math.log2(Math.max(1, expected) / REMEMBERED_MAX)));
    this.threshold = Math.floor(ALL / 2 ** halvings);
    this.#table = new Uint32Array(SLOT * (expected < REMEMBERED_MAX ? SLOTS_MIN : 2 * REMEMBERED_MAX));
  }

  /** Accesses equal to an earlier one; an estimate if only a sample was checked. */
  get found(): number {
    let again = 0;
    for (let at = SLOT - 1; at < this.#table.length; at += SLOT) again += this.#table[at] as number;
    return again * this.sampled;
  }

  /** Sampling ratio: one of this many accesses was checked. */
  get sampled(): number {
    return 2 ** 32 / (this.threshold + 1);
  }

  get memoryBytes(): number {
    return this.#table.byteLength;
  }

  /** Plain data, for another thread. */
  get table(): DuplicateTable {
    return { threshold: this.threshold, slots: this.#table };
  }

  /** Adds the result of another part; same as if all accesses had been added here. */
  merge({ threshold, slots }: DuplicateTable): void {
    if (threshold < this.threshold) {
      this.threshold = threshold;
      this.#rebuild(this.#table.length);
    }
    for (let at = 0; at < slots.length; at += SLOT) {
      const a = slots[at] as number;
      const b = slots[at + 1] as number;
      if ((a | b) === 0 || (slots[at + 2] as number) > this.threshold) continue;
      this.#insert(a | 0, b | 0, slots[at + 2] as number, slots[at + 3] as number);
    }
  }

  /** `offset`: in the file; NaN when not known. */
  add(key: number, pid: number, startNs: number, endNs: number, bytes: number, offset: number): void {
    const duration = endNs - startNs;
    const high = (startNs / WORD) | 0;
    const highs =
      Math.imul((duration / WORD) | 0, 0x2545f491) ^ Math.imul((bytes / WORD) | 0, 0x5bd1e995) ^ high;
    // Two chains that share no state: a mistake of one is not one of the other.
    let a = first(0x9e3779b1, startNs | 0);
    let b = second(0x27d4eb2f, startNs | 0);
    a = first(a, duration | 0);
    b = second(b, duration | 0);
    a = first(a, bytes | 0);
    b = second(b, bytes | 0);
    a = first(a, highs ^ pid);
    b = second(b, Math.imul(highs, 0x1b873593) + pid);
    if (!Number.isNaN(offset)) {
      const place = Math.imul((offset / WORD) | 0, 0x2545f491) ^ (offset | 0);
      a = first(a, place);
      b = second(b, place);
    }
    if (a === 0 && b === 0) b = 1;
    this.#insert(a, b, key, 0);
  }

  /** `again`: how often it came after the first time. */
  #insert(a: number, b: number, key: number, again: number): void {
    const table = this.#table;
    const slot = slotOf(table, a, b);
    if (table[slot] !== 0 || table[slot + 1] !== 0) {
      table[slot + 3]! += again + 1;
      return;
    }
    table[slot] = a;
    table[slot + 1] = b;
    table[slot + 2] = key;
    table[slot + 3] = again;
    if (++this.#size >= REMEMBERED_MAX) this.#forgetHalf();
    else if (2 * SLOT * this.#size > table.length) this.#rebuild(2 * table.length);
  }

  #forgetHalf(): void {
    this.threshold = Math.floor(this.threshold / 2);
    this.#rebuild(this.#table.length);
  }

  #rebuild(length: number): void {
    const from = this.#table;
    const table = new Uint32Array(length);
    this.#size = 0;
    for (let at = 0; at < from.length; at += SLOT) {
      const a = from[at] as number;
      const b = from[at + 1] as number;
      if ((a | b) === 0 || (from[at + 2] as number) > this.threshold) continue;
      const slot = slotOf(table, a | 0, b | 0);
      table[slot] = a;
      table[slot + 1] = b;
      table[slot + 2] = from[at + 2] as number;
      table[slot + 3] = from[at + 3] as number;
      this.#size++;
    }
    this.#table = table;
  }
}

/** Chooses the sample; equal for equal accesses. */
export const duplicateKey = (startNs: number, endNs: number): number =>
  Math.imul(startNs ^ Math.imul(endNs, 0x9e3779b1), 0x85ebca6b) >>> 0;

/** Where the fingerprint is, or would be; its halves are signed, which the engine passes on without a box. */
function slotOf(table: Uint32Array, a: number, b: number): number {
  const mask = table.length - 1;
  for (let slot = (SLOT * a) & mask; ; slot = (slot + SLOT) & mask) {
    const one = (table[slot] as number) | 0;
    const two = (table[slot + 1] as number) | 0;
    if ((one | two) === 0 || (one === a && two === b)) return slot;
  }
}

const WORD = 4294967296;

function first(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ value, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function second(hash: number, value: number): number {
  let mixed = Math.imul((hash + value) | 0, 0xcc9e2d51);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x1b873593);
  return mixed ^ (mixed >>> 14);
}
