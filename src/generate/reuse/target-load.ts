/**
 * Transfers that meet on a target. While others are there, a transfer goes slower than alone by 1 + slope × (the share of
 * the target's rate that the others would take alone). With a slope of 1 or more no target ever gives more than its
 * rate. Striped files go at the pace of their most loaded target.
 */
import { withRoom } from "../../base/room.ts";
import { assert } from "../../base/assert.ts";
import { MinHeap } from "../../base/min-heap.ts";

/** What runs transfer, in columns: transfer 2k is what run k reads, at its start; 2k + 1 what it writes, until its end. */
export class Transfers {
  #runs = 0;
  start = new Float64Array(2048);
  /** Seconds that it takes when it meets nobody; 0 for a direction without bytes. */
  alone = new Float64Array(2048);
  /** Of each run: share of the rate of each of its targets that a transfer takes then, and its targets. */
  demand = new Float64Array(1024);
  first = new Uint32Array(1024);
  width = new Uint16Array(1024);

  /** Of transfers: two for each run. */
  get count(): number {
    return 2 * this.#runs;
  }

  add(
    read: { readonly start: number; readonly alone: number },
    write: { readonly start: number; readonly alone: number },
    { demand, first, width }: { readonly demand: number; readonly first: number; readonly width: number },
  ): void {
    if (this.#runs === this.demand.length) this.#grow();
    const run = this.#runs++;
    this.start[2 * run] = read.start;
    this.alone[2 * run] = read.alone;
    this.start[2 * run + 1] = write.start;
    this.alone[2 * run + 1] = write.alone;
    this.demand[run] = demand;
    this.first[run] = first;
    this.width[run] = width;
  }

  #grow(): void {
    const size = 2 * this.#runs;
    this.start = withRoom(this.start, 2 * size);
    this.alone = withRoom(this.alone, 2 * size);
    this.demand = withRoom(this.demand, size);
    this.first = withRoom(this.first, size);
    this.width = withRoom(this.width, size);
  }
}

export interface TransferTimes {
  /** Transfers that take time, in the order in which they were to start. */
  readonly order: Uint32Array;
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
  /** The place among those under way, from 1; 0 before and after. */
  readonly #placeOf: Uint32Array;
  readonly #underWay = new UnderWay();
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
    this.#placeOf = new Uint32Array(count);
    this.#flows = Array.from({ length: osts }, () => []);
  }

  run(): TransferTimes {
    const { alone } = this.#transfers;
    const order = inOrder(this.#start, alone);
    for (const index of order) {
      const start = this.#start[index] as number;
      this.#endUntil(start);
      const isReading = index % 2 === 1 && this.#placeOf[index - 1] !== 0;
      if (isReading) this.#waiting.add(index);
      else this.#begin(index, start);
    }
    this.#endUntil(Number.POSITIVE_INFINITY);
    assert(this.#waiting.size === 0, "every transfer has begun");
    return { order, start: this.#start, end: this.#end };
  }

  #endUntil(time: number): void {
    const ends = this.#ends;
    while (ends.size > 0 && ends.least <= time) {
      const now = ends.least;
      const index = ends.pop();
      const place = this.#placeOf[index] as number;
      // What has changed since has another end.
      if (place !== 0 && this.#underWay.due[place] === now) this.#finish(index, now);
    }
  }

  #begin(index: number, now: number): void {
    assert(now >= (this.#start[index] as number), "no transfer begins too early");
    this.#start[index] = now;
    this.#placeOf[index] = this.#underWay.enter(this.#transfers.alone[index] as number, now);
    this.#eachTarget(index, (flows) => flows.push(index));
    this.#reckon(index, now);
    this.#reckonOthers(index, now);
  }

  #finish(index: number, now: number): void {
    assert(now >= (this.#start[index] as number), "a transfer ends after it starts");
    this.#end[index] = now;
    this.#underWay.leave(this.#placeOf[index] as number);
    this.#placeOf[index] = 0;
    this.#eachTarget(index, (flows) => flows.splice(flows.indexOf(index), 1));
    this.#reckonOthers(index, now);
    if (this.#waiting.delete(index + 1)) this.#begin(index + 1, now);
  }

  #eachTarget(index: number, visit: (flows: number[]) => void): void {
    const { first, width } = this.#transfers;
    const run = index >> 1;
    for (let stripe = 0; stripe < (width[run] as number); stripe++)
      visit(this.#flows[((first[run] as number) + stripe) % this.#osts] as number[]);
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
      for (const other of flows) if (other !== index) others += demand[other >> 1] as number;
      most = Math.max(most, others);
    });
    this.#ends.push(this.#underWay.goOn(this.#placeOf[index] as number, now, 1 + this.#slope * most), index);
  }
}

/** Transfers that have begun and not ended: few at any time, so that places are used again. */
class UnderWay {
  /** Seconds alone that are left, since when, how slow it goes, and when it ends like this. */
  #left = new Float64Array(64);
  #since = new Float64Array(64);
  #slowness = new Float64Array(64);
  due = new Float64Array(64);
  readonly #free: number[] = [];
  #used = 0;

  /** Gives its place, from 1. */
  enter(alone: number, now: number): number {
    const place = this.#free.pop() ?? ++this.#used;
    if (place === this.due.length) {
      this.due = withRoom(this.due, 2 * place);
      this.#left = withRoom(this.#left, 2 * place);
      this.#since = withRoom(this.#since, 2 * place);
      this.#slowness = withRoom(this.#slowness, 2 * place);
    }
    this.#left[place] = alone;
    this.#since[place] = now;
    this.#slowness[place] = 1;
    return place;
  }

  leave(place: number): void {
    this.#free.push(place);
  }

  /** Goes on at another pace; gives when it ends. */
  goOn(place: number, now: number, slowness: number): number {
    const elapsed = now - (this.#since[place] as number);
    const left = Math.max(0, (this.#left[place] as number) - elapsed / (this.#slowness[place] as number));
    this.#left[place] = left;
    this.#since[place] = now;
    this.#slowness[place] = slowness;
    const due = now + left * slowness;
    this.due[place] = due;
    return due;
  }
}

/** Transfers that take time by their starts; equal ones in the order of their numbers. */
function inOrder(start: Float64Array, alone: Float64Array): Uint32Array {
  const { length } = start;
  let [least, most, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < length; i++) {
    if (alone[i] === 0) continue;
    count++;
    least = Math.min(least, start[i] as number);
    most = Math.max(most, start[i] as number);
  }
  // Into slots of time first: a handful in each, which a sort by insertion puts in order.
  const slots = 1 + (count >> 3);
  const slotOf = (i: number) =>
    Math.floor((((start[i] as number) - least) / (most - least || 1)) * (slots - 1));
  const places = new Uint32Array(slots + 1);
  for (let i = 0; i < length; i++) if (alone[i] !== 0) bump(places, slotOf(i) + 1);
  for (let slot = 1; slot < slots; slot++)
    places[slot] = (places[slot] as number) + (places[slot - 1] as number);
  const order = new Uint32Array(count);
  for (let i = 0; i < length; i++) if (alone[i] !== 0) order[bump(places, slotOf(i))] = i;
  for (let at = 1; at < count; at++) {
    const index = order[at] as number;
    const key = start[index] as number;
    let to = at;
    for (; to > 0 && (start[order[to - 1] as number] as number) > key; to--)
      order[to] = order[to - 1] as number;
    order[to] = index;
  }
  return order;
}

/** Adds one; gives what was there. */
function bump(counts: Uint32Array, at: number): number {
  const before = counts[at] as number;
  counts[at] = before + 1;
  return before;
}
