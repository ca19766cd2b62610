/** Differences in columns; the memory is used again with every reading. */
import { withRoom } from "../../base/room.ts";

/** Why a difference is what it is. */
export const GROWN = 0;
/** The entry is new since the last reading: all of its value. */
export const BEGUN = 1;
/** Another start_time, or another mount: all of its value. */
export const RESTARTED = 2;
/** A counter fell, so the entry began again: all of its value. */
export const RESET = 3;
/** The counter went past 2^63 - 1. */
export const PASSED_END = 4;
/** The entry was idle for longer than servers keep one, and no start_time tells: perhaps too small. */
export const SUSPECT = 5;

export const WHY_NAMES = ["grown", "begun", "restarted", "reset", "wrapped", "suspect"] as const;

export class DeltaRows {
  count = 0;
  /** Row of the reading, for its job id. */
  row = new Uint32Array(64);
  /** Counter, a number of the reading's table. */
  column = new Uint16Array(64);
  samples = new BigUint64Array(64);
  sum = new BigUint64Array(64);
  samplesHalves = new Uint32Array(this.samples.buffer);
  sumHalves = new Uint32Array(this.sum.buffer);
  why = new Uint8Array(64);

  /** Adds the two words of `halves`. */
  add(row: number, column: number, halves: Uint32Array, samples: number, sum: number, why: number): void {
    const at = this.count;
    if (at === this.row.length) this.#grow();
    this.row[at] = row;
    this.column[at] = column;
    this.samplesHalves[2 * at] = halves[2 * samples] as number;
    this.samplesHalves[2 * at + 1] = halves[2 * samples + 1] as number;
    this.sumHalves[2 * at] = halves[2 * sum] as number;
    this.sumHalves[2 * at + 1] = halves[2 * sum + 1] as number;
    this.why[at] = why;
    this.count = at + 1;
  }

  #grow(): void {
    const room = 2 * this.row.length;
    this.row = withRoom(this.row, room);
    this.column = withRoom(this.column, room);
    this.samples = withRoom(this.samples, room);
    this.sum = withRoom(this.sum, room);
    this.why = withRoom(this.why, room);
    this.samplesHalves = new Uint32Array(this.samples.buffer);
    this.sumHalves = new Uint32Array(this.sum.buffer);
  }
}
