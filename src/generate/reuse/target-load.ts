/**
 * Transfers that meet on a target. While others are there, a transfer goes slower than alone by 1 + slope × (the share of
 * the target's rate that the others would take alone). With a slope of 1 or more no target ever gives more than its
 * rate. Striped files go at the pace of their most loaded target.
 */
import { withRoom } from "../../base/room.ts";
import { assert } from "../../base/assert.ts";
import { MinHeap } from "../../base/min-heap.ts";

/** Transfers in columns. Number 2k is what run k reads, at its start; 2k + 1 what it writes, until its end. */
export class Transfers {
  #count = 0;
  start = new Float64Array(2048);
  /** Seconds that it takes when it meets nobody; 0 for a direction without bytes. */
  alone = new Float64Array(2048);
  /** Share of the rate of each of its targets that it takes then. */
  demand = new Float64Array(2048);
  first = new Uint32Array(2048);
  width = new Uint16Array(2048);

  get count(): number {
    return this.#count;
  }

  add(start: number, alone: number, demand: number, first: number, width: number): void {
    if (this.#count === this.start.length) this.#grow();
    const at = this.#count++;
    this.start[at] = start;
    this.alone[at] = alone;
    this.demand[at] = demand;
    this.first[at] = first;
    this.width[at] = width;
  }

  #grow(): void {
    const size = 2 * this.#count;
    this.start = withRoom(this.start, size);
    this.alone = withRoom(this.alone, size);
    this.demand = withRoom(this.demand, size);
    this.first = withRoom(this.first, size);
    this.width = withRoom(this.width, size);
  }
}

export interface TransferTimes {
  readonly start: Float64Array;
  readonly end: Float64Array;
}

/** When each transfer starts and ends. Writes wait for the reads of their run. */
export function playTransfers(transfers: Transfers, osts: number, slope: number): TransferTimes {
  return new Play(transfers, osts, slope).run();
}

class Play {
  readonly #transfers: Transfers;
  readonly #osts: number;
  readonly #slope: number;
  readonly #start: Float64Array;
  readonly #end: Float64Array;
  /** Seconds alone that are left, since when, how slow it goes, and when it ends like this. */
  readonly #left: Float64Array;
  readonly #since: Float64Array;
  readonly #slowness: Float64Array;
  readonly #due: Float64Array;
  readonly #flows: number[][];
  readonly #ends = new MinHeap();
  /** Writes whose reads are not done yet. */
  readonly #waiting = new Set<number>();

  constructor(transfers: Transfers, osts: number, slope: number) {
    const { count } = transfers;
    this.#transfers = transfers;
    this.#osts = osts;
    this.#slope = slope;
    this.#start = transfers.start.slice(0, count);
    this.#end = this.#start.slice();
    this.#left = transfers.alone.slice(0, count);
    this.#since = new Float64Array(count);
    this.#slowness = new Float64Array(count);
    this.#due = new Float64Array(count);
    this.#flows = Array.from({ length: osts }, () => []);
  }

  run(): TransferTimes {
    for (const index of inOrder(this.#start)) {
      if (this.#left[index] === 0) continue;
      const start = this.#start[index] as number;
      this.#endUntil(start);
      const isReading = index % 2 === 1 && this.#isUnderWay(index - 1);
      if (isReading) this.#waiting.add(index);
      else this.#begin(index, start);
    }
    this.#endUntil(Number.POSITIVE_INFINITY);
    assert(this.#waiting.size === 0, "every transfer has begun");
    return { start: this.#start, end: this.#end };
  }

  #isUnderWay(index: number): boolean {
    return (this.#slowness[index] as number) > 0;
  }

  #endUntil(time: number): void {
    const ends = this.#ends;
    while (ends.size > 0 && ends.least <= time) {
      const now = ends.least;
      const index = ends.pop();
      // What has changed since has another end.
      if (this.#due[index] === now && this.#isUnderWay(index)) this.#finish(index, now);
    }
  }

  #begin(index: number, now: number): void {
    assert(now >= (this.#start[index] as number), "no transfer begins too early");
    this.#start[index] = now;
    this.#since[index] = now;
    this.#slowness[index] = 1;
    this.#eachTarget(index, (flows) => flows.push(index));
    this.#reckon(index, now);
    this.#reckonOthers(index, now);
  }

  #finish(index: number, now: number): void {
    assert(now >= (this.#start[index] as number), "a transfer ends after it starts");
    this.#end[index] = now;
    this.#slowness[index] = 0;
    this.#eachTarget(index, (flows) => flows.splice(flows.indexOf(index), 1));
    this.#reckonOthers(index, now);
    if (this.#waiting.delete(index + 1)) this.#begin(index + 1, now);
  }

  #eachTarget(index: number, visit: (flows: number[]) => void): void {
    const { first, width } = this.#transfers;
    for (let stripe = 0; stripe < (width[index] as number); stripe++)
      visit(this.#flows[((first[index] as number) + stripe) % this.#osts] as number[]);
  }

  #reckonOthers(index: number, now: number): void {
    this.#eachTarget(index, (flows) => {
      for (const other of flows) if (other !== index) this.#reckon(other, now);
    });
  }

  /** What is left by now, and when it ends if nothing changes. */
  #reckon(index: number, now: number): void {
    const { demand } = this.#transfers;
    let most = 0;
    this.#eachTarget(index, (flows) => {
      let others = 0;
      for (const other of flows) if (other !== index) others += demand[other] as number;
      most = Math.max(most, others);
    });
    const elapsed = now - (this.#since[index] as number);
    const left = Math.max(0, (this.#left[index] as number) - elapsed / (this.#slowness[index] as number));
    const slowness = 1 + this.#slope * most;
    this.#left[index] = left;
    this.#since[index] = now;
    this.#slowness[index] = slowness;
    const due = now + left * slowness;
    this.#due[index] = due;
    this.#ends.push(due, index);
  }
}

/** Places in the order of time; equal times in the order of places. */
function inOrder(times: Float64Array): Uint32Array {
  const order = Uint32Array.from(times, (_, i) => i);
  return order.sort((a, b) => (times[a] as number) - (times[b] as number) || a - b);
}
