/**
 * The clock of a simulation: events in order of time, ties in order of insertion. An event is (time, kind, a, b) with small
 * whole numbers; its receiver looks up the rest. Events are never removed from the middle: to cancel, put a version into `b`
 * and let the owner ignore events of an old version.
 */

import { withRoom } from "../../base/room.ts";
import { AssertionError, assert } from "../../base/assert.ts";

/** Lower kinds belong to the storage model (storage/kinds.ts); protocol hosts start here. */
export const FIRST_HOST_KIND = 16;

const FIRST_CAPACITY = 1024;

/** A heap with four children per node, keyed by time; (kind, a, b) stay in their slots while keys move. */
export class EventQueue {
  /** Time of the current event, in seconds. */
  now = 0;
  /** Kind of the current event. */
  kind = 0;
  a = 0;
  b = 0;
  /** Events inserted and taken so far. */
  pushed = 0;
  taken = 0;

  #size = 0;
  #times = new Float64Array(FIRST_CAPACITY);
  #slots = new Int32Array(FIRST_CAPACITY);
  #orders = new Float64Array(FIRST_CAPACITY);
  #kinds = new Uint8Array(FIRST_CAPACITY);
  #as = new Int32Array(FIRST_CAPACITY);
  #bs = new Int32Array(FIRST_CAPACITY);
  #free = new Int32Array(FIRST_CAPACITY);
  #freeCount = 0;

  get size(): number {
    return this.#size;
  }

  /** Time of the next event; Infinity when there is none. */
  get nextTime(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] as number);
  }

  /** `kind` is 0..255, `a` and `b` are signed 32-bit numbers. A time before `now`, or NaN, is an error of the caller. */
  push(time: number, kind: number, a: number, b: number): void {
    if (!(time >= this.now)) refusePast(time, kind, this.now);
    assert(kind >= 0 && kind < 256 && (a | 0) === a && (b | 0) === b, "an event is of small whole numbers");
    if (this.#size === this.#times.length) this.#grow();
    const size = this.#size++;
    const slot = this.#freeCount > 0 ? (this.#free[--this.#freeCount] as number) : size;
    this.#orders[slot] = this.pushed++;
    this.#kinds[slot] = kind;
    this.#as[slot] = a;
    this.#bs[slot] = b;
    this.#rise(size, time, slot);
  }

  /** Takes the next event into `now`, `kind`, `a` and `b`; false when there is none. */
  next(): boolean {
    if (this.#size === 0) return false;
    const slot = this.#slots[0] as number;
    const time = this.#times[0] as number;
    assert(time >= this.now, "time does not go back");
    assert(this.pushed - this.taken === this.#size, "every inserted event is taken once");
    this.now = time;
    this.kind = this.#kinds[slot] as number;
    this.a = this.#as[slot] as number;
    this.b = this.#bs[slot] as number;
    this.taken++;
    const last = --this.#size;
    if (last > 0) this.#sink(this.#times[last] as number, this.#slots[last] as number);
    this.#free[this.#freeCount++] = slot;
    return true;
  }

  /** Empties the queue and resets the time, keeping its memory. */
  clear(): void {
    this.#size = 0;
    this.#freeCount = 0;
    this.now = 0;
    this.pushed = 0;
    this.taken = 0;
  }

  #rise(from: number, time: number, slot: number): void {
    const times = this.#times;
    const slots = this.#slots;
    let place = from;
    // The newest of equal times stays below: its order is the highest.
    while (place > 0) {
      const parent = (place - 1) >> 2;
      if ((times[parent] as number) <= time) break;
      times[place] = times[parent] as number;
      slots[place] = slots[parent] as number;
      place = parent;
    }
    times[place] = time;
    slots[place] = slot;
  }

  #sink(time: number, slot: number): void {
    const times = this.#times;
    const slots = this.#slots;
    const orders = this.#orders;
    const size = this.#size;
    const order = orders[slot] as number;
    let place = 0;
    for (let child = 1; child < size; child = place * 4 + 1) {
      const end = child + 4 < size ? child + 4 : size;
      let best = child;
      let bestTime = times[child] as number;
      for (let i = child + 1; i < end; i++) {
        const one = times[i] as number;
        if (one > bestTime) continue;
        if (one === bestTime && !this.#isOlder(i, best)) continue;
        best = i;
        bestTime = one;
      }
      if (bestTime > time || (bestTime === time && (orders[slots[best] as number] as number) > order)) break;
      times[place] = bestTime;
      slots[place] = slots[best] as number;
      place = best;
    }
    times[place] = time;
    slots[place] = slot;
  }

  #isOlder(i: number, j: number): boolean {
    return (
      (this.#orders[this.#slots[i] as number] as number) < (this.#orders[this.#slots[j] as number] as number)
    );
  }

  #grow(): void {
    const capacity = 2 * this.#times.length;
    this.#times = withRoom(this.#times, capacity);
    this.#slots = withRoom(this.#slots, capacity);
    this.#orders = withRoom(this.#orders, capacity);
    this.#kinds = withRoom(this.#kinds, capacity);
    this.#as = withRoom(this.#as, capacity);
    this.#bs = withRoom(this.#bs, capacity);
    this.#free = withRoom(this.#free, capacity);
  }
}

/** Separate from `push`, which would build the message for every event. */
function refusePast(time: number, kind: number, now: number): never {
  throw new AssertionError(`event of kind ${kind} at ${time} s lies before now, ${now} s`);
}

/**
 * A hash of an event log: equal logs give equal hashes, and any change of a bit or of the order gives a different one. Two
 * 32-bit lanes with the mixing of MurmurHash3; for comparison, not cryptographic.
 */
export class EventHash {
  #high = 0x9e3779b9 | 0;
  #low = 0x85ebca6b | 0;
  readonly #float = new Float64Array(1);
  readonly #words = new Uint32Array(this.#float.buffer);

  add(time: number, kind: number, a: number, b: number): void {
    this.#float[0] = time;
    this.#mix(this.#words[0] as number);
    this.#mix(this.#words[1] as number);
    this.#mix(kind);
    this.#mix(a);
    this.#mix(b);
  }

  /** 16 hexadecimal digits. */
  digest(): string {
    const hex = (word: number) => (word >>> 0).toString(16).padStart(8, "0");
    return hex(this.#high) + hex(this.#low);
  }

  #mix(word: number): void {
    let k = Math.imul(word, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    this.#low = Math.imul(this.#low ^ Math.imul(k, 0x1b873593), 5) + 0xe6546b64 + this.#high;
    this.#high = Math.imul((this.#high << 13) | (this.#high >>> 19), 5) ^ this.#low;
  }
}
