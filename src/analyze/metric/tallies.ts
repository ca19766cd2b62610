/**
 * Sums per process, file, direction and layer. All groupings are sums over these, so an access is counted once.
 */
import { CALL_NESTED } from "../../model/index.ts";
import { CallDurations, type DurationsData } from "./durations.ts";
import { longer } from "../../base/room.ts";
import { GrowingSums } from "./growing-sums.ts";

/** Bits of a tally's kind beside `CALL_NESTED`. */
export const TALLY_WRITE = 1;

export interface TalliesData {
  readonly size: number;
  readonly file: Uint32Array;
  readonly flags: Uint8Array;
  readonly accesses: Float64Array;
  readonly movedKnown: Float64Array;
  readonly sums: readonly { readonly low: Float64Array; readonly high: Float64Array }[];
  readonly durations: readonly DurationsData[];
}

export class Tallies {
  /** How many there are. */
  size = 0;
  process = new Uint32Array(64);
  file = new Uint32Array(64);
  flags = new Uint8Array(64);
  accesses = new Float64Array(64);
  /** Of accesses whose moved bytes are known. */
  movedKnown = new Float64Array(64);
  readonly bytes = new GrowingSums(64);
  readonly moved = new GrowingSums(64);
  /** Asked for by accesses whose moved bytes are known. */
  readonly movedAsked = new GrowingSums(64);
  readonly callNs = new GrowingSums(64);
  readonly blocks = new GrowingSums(64);
  /** How long accesses took; of nested ones nothing is known. */
  readonly durations: CallDurations[] = [];
  /** Open addressing; index + 1, zero when free. */
  #table = new Uint32Array(256);

  get memoryBytes(): number {
    const columns = this.process.byteLength + this.file.byteLength + this.flags.byteLength;
    const sums = this.accesses.byteLength + this.movedKnown.byteLength + this.#table.byteLength;
    const durations = this.durations.reduce((sum, one) => sum + one.memoryBytes, 0);
    return columns + sums + durations + this.#sums().reduce((sum, one) => sum + one.memoryBytes, 0);
  }

  /** The tally of these; made when it is new. */
  find(process: number, file: number, kind: number): number {
    const mask = this.#table.length - 1;
    let slot = hash(process, file, kind) & mask;
    for (;;) {
      const found = this.#table[slot] as number;
      if (found === 0) break;
      const at = found - 1;
      if (this.process[at] === process && this.file[at] === file && this.flags[at] === kind) return at;
      slot = (slot + 1) & mask;
    }
    const at = this.size++;
    if (at === this.process.length) this.#grow();
    this.process[at] = process;
    this.file[at] = file;
    this.flags[at] = kind;
    this.durations.push(new CallDurations());
    this.#table[slot] = at + 1;
    if (2 * this.size > this.#table.length) this.#rehash();
    return at;
  }

  /** Sums of some accesses of a tally, not yet rounded. */
  addSums(at: number, bytes: number, callNs: number, moved: number, movedAsked: number): void {
    this.bytes.addSum(at, bytes);
    this.callNs.addSum(at, callNs);
    this.moved.addSum(at, moved);
    this.movedAsked.addSum(at, movedAsked);
  }

  /** Plain data, for another thread. */
  data(): TalliesData {
    const { size, file, flags, accesses, movedKnown } = this;
    const sums = this.#sums().map(({ low, high }) => ({
      low: low.slice(0, size),
      high: high.slice(0, size),
    }));
    return {
      ...{ size, file: file.slice(0, size), flags: flags.slice(0, size), sums },
      ...{ accesses: accesses.slice(0, size), movedKnown: movedKnown.slice(0, size) },
      durations: this.durations.map((one) => one.data()),
    };
  }

  /** Adds those of one process on one clock, whose files have the numbers `files` here; returns our number of each tally. */
  append(data: TalliesData, process: number, files: Uint32Array, clock: number): Uint32Array {
    const map = new Uint32Array(data.size);
    for (let at = 0; at < data.size; at++) {
      const own = this.find(process, files[data.file[at] as number] as number, data.flags[at] as number);
      this.accesses[own]! += data.accesses[at] as number;
      this.movedKnown[own]! += data.movedKnown[at] as number;
      this.#sums().forEach((sums, which) => {
        sums.addFrom(own, data.sums[which] as TalliesData["sums"][number], at);
      });
      this.durations[own]?.merge(data.durations[at] as DurationsData, clock);
      map[at] = own;
    }
    return map;
  }

  isNested(at: number): boolean {
    return ((this.flags[at] as number) & CALL_NESTED) !== 0;
  }

  isWrite(at: number): boolean {
    return ((this.flags[at] as number) & TALLY_WRITE) !== 0;
  }

  #sums(): GrowingSums[] {
    return [this.bytes, this.moved, this.movedAsked, this.callNs, this.blocks];
  }

  #grow(): void {
    const room = 2 * this.process.length;
    this.process = longer(this.process, room);
    this.file = longer(this.file, room);
    this.flags = longer(this.flags, room);
    this.accesses = longer(this.accesses, room);
    this.movedKnown = longer(this.movedKnown, room);
    for (const sums of this.#sums()) sums.reach(room);
  }

  #rehash(): void {
    const table = new Uint32Array(2 * this.#table.length);
    const mask = table.length - 1;
    for (let at = 0; at < this.size; at++) {
      const kind = this.flags[at] as number;
      let slot = hash(this.process[at] as number, this.file[at] as number, kind) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = at + 1;
    }
    this.#table = table;
  }
}

function hash(process: number, file: number, kind: number): number {
  const mixed =
    Math.imul(process, 0x9e3779b1) ^ Math.imul(file + 1, 0x85ebca77) ^ Math.imul(kind, 0xc2b2ae3d);
  return mixed ^ (mixed >>> 15);
}
