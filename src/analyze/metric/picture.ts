/** What a picture of a collection needs: lanes of processes over time, and time in columns. */
import type { Picture, PictureSpan } from "./metrics.ts";
import type { BatchListener, CallBatch } from "./call-times.ts";
import type { LevelListener } from "./sweep.ts";
import { TimeColumns } from "./time-columns.ts";

const COLUMNS = 600;
/** Single accesses are kept up to here. */
const SPANS_MAX = 3000;
const STRETCHES_MAX = 3000;

interface PictureLane {
  readonly name: string;
  readonly processes: number;
}

export interface PicturePlan {
  readonly lanes: readonly PictureLane[];
  readonly processes: number;
  /** Lane of each tally. */
  readonly laneOf: Uint32Array;
  readonly accesses: number;
  readonly lastEndNs: number;
  isWrite(tally: number): boolean;
  pathOf(tally: number): string;
}

export class PictureBuilder implements LevelListener, BatchListener {
  readonly #plan: PicturePlan;
  readonly #columns: TimeColumns;
  readonly #read: LaneGrid;
  readonly #write: LaneGrid;
  readonly #spans: PictureSpan[] | null;
  /** The grid of each tally. */
  readonly #gridOf: readonly LaneGrid[];
  /** Start and end by turns; null when there were too many. */
  #stretches: number[] | null = [];

  constructor(plan: PicturePlan) {
    this.#plan = plan;
    const columns = COLUMNS;
    const widthNs = Math.max(1, plan.lastEndNs) / columns;
    this.#columns = new TimeColumns(widthNs, columns);
    this.#read = new LaneGrid(plan.lanes.length, columns, widthNs);
    this.#write = new LaneGrid(plan.lanes.length, columns, widthNs);
    this.#spans = plan.accesses <= SPANS_MAX ? [] : null;
    this.#gridOf = Array.from(plan.laneOf, (_, tally) => (plan.isWrite(tally) ? this.#write : this.#read));
  }

  stretch(fromNs: number, toNs: number, level: number): void {
    this.#columns.stretch(fromNs, toNs, level);
    const stretches = this.#stretches;
    if (stretches === null) return;
    if (stretches.length > 0 && stretches.at(-1) === fromNs) stretches[stretches.length - 1] = toNs;
    else if (stretches.length >= 2 * STRETCHES_MAX) this.#stretches = null;
    else stretches.push(fromNs, toNs);
  }

  batch(batch: CallBatch): void {
    const { start, end, tally, starts } = batch;
    const { laneOf } = this.#plan;
    for (let i = 0; i < starts; i++) {
      const own = tally[i] as number;
      (this.#gridOf[own] as LaneGrid).add(laneOf[own] as number, start[i] as number, end[i] as number);
    }
    if (this.#spans !== null) this.#keepSpans(batch, this.#spans);
  }

  #keepSpans({ start, end, tally, bytes, starts }: CallBatch, spans: PictureSpan[]): void {
    const plan = this.#plan;
    for (let i = 0; i < starts; i++) {
      const own = tally[i] as number;
      spans.push({
        startSeconds: (start[i] as number) / 1e9,
        endSeconds: (end[i] as number) / 1e9,
        lane: plan.laneOf[own] as number,
        write: plan.isWrite(own),
        bytes: bytes[i] as number,
        file: plan.pathOf(own),
      });
    }
  }

  picture(): Picture {
    const { columns, widthNs, busyNs, accessNs } = this.#columns;
    return {
      columns,
      columnSeconds: widthNs / 1e9,
      busySeconds: busyNs.map((ns) => ns / 1e9),
      accessSeconds: accessNs.map((ns) => ns / 1e9),
      lanes: this.#plan.lanes,
      processes: this.#plan.processes,
      readSeconds: this.#read.seconds(),
      writeSeconds: this.#write.seconds(),
      spans: this.#spans,
      stretches: this.#stretches?.map((ns) => ns / 1e9) ?? null,
    };
  }
}

/** Time of accesses in lanes × columns. A long access costs no more than a short one. */
class LaneGrid {
  readonly #columns: number;
  readonly #widthNs: number;
  readonly #partNs: Float64Array;
  /** How many more accesses fill a whole column than fill the one before. */
  readonly #rise: Float64Array;

  constructor(lanes: number, columns: number, widthNs: number) {
    this.#columns = columns;
    this.#widthNs = widthNs;
    this.#partNs = new Float64Array(lanes * columns);
    this.#rise = new Float64Array(lanes * columns);
  }

  add(lane: number, startNs: number, endNs: number): void {
    const width = this.#widthNs;
    const row = lane * this.#columns;
    const first = Math.min(this.#columns - 1, Math.floor(startNs / width));
    const last = Math.min(this.#columns - 1, Math.floor(endNs / width));
    if (first === last) {
      this.#partNs[row + first]! += endNs - startNs;
      return;
    }
    this.#partNs[row + first]! += (first + 1) * width - startNs;
    this.#partNs[row + last]! += endNs - last * width;
    if (last > first + 1) {
      this.#rise[row + first + 1]!++;
      this.#rise[row + last]!--;
    }
  }

  seconds(): Float64Array {
    const cells = new Float64Array(this.#partNs.length);
    let full = 0;
    for (let cell = 0; cell < cells.length; cell++) {
      // Every rise falls again within its lane.
      full += this.#rise[cell] as number;
      cells[cell] = ((this.#partNs[cell] as number) + full * this.#widthNs) / 1e9;
    }
    return cells;
  }
}
