/**
 * Time of accesses in columns of equal width: of all, and of each process lane by direction. Edges of columns are on a
 * grain of time, so all sums are exact, and grids of slices of time add up to the grid of all.
 */
import { assert } from "../../base/assert.ts";
import type { BatchListener, CallBatch } from "./call-times.ts";
import { TimeColumns } from "./time-columns.ts";

const COLUMNS = 600;
/** More stretches are not kept. */
export const STRETCHES_MAX = 3000;
/** Columns from this width on have edges of whole nanoseconds, narrower ones of 1/1024. */
const WHOLE_NS_MIN = 1024;

/** Plain data, for another thread. */
export interface GridPlan {
  readonly lanes: number;
  /** Lane of each tally, and whether it writes. */
  readonly laneOf: Uint32Array;
  readonly writes: Uint8Array;
  readonly lastEndNs: number;
}

/** Plain data, from another thread. Nanoseconds. */
export interface GridData {
  readonly columns: number;
  readonly widthNs: number;
  /** With an access under way. */
  readonly busyNs: Float64Array;
  /** Of accesses: two at once for 5 ns are 10. */
  readonly accessNs: Float64Array;
  /** Reads of all lanes, then writes: lanes × columns each. */
  readonly laneNs: Float64Array;
  /** Start and end of each stretch by turns; null when there are too many. */
  readonly stretches: readonly number[] | null;
}

export class PictureGrid implements BatchListener {
  /** Filled by the sweep. */
  readonly columns: TimeColumns;
  readonly #widthNs: number;
  readonly #partNs: Float64Array;
  /** How many more accesses fill a whole column than fill the one before. */
  readonly #rise: Float64Array;
  /** First cell of each tally. */
  readonly #rowOf: Float64Array;
  /** The column that the last start was in: time only goes on. */
  #startColumn = 0;

  constructor({ lanes, laneOf, writes, lastEndNs }: GridPlan) {
    const widthNs = (this.#widthNs = Math.max(1, lastEndNs) / COLUMNS);
    const grain = widthNs >= WHOLE_NS_MIN ? 1 : 1 / 1024;
    // Nothing ends behind the last column.
    this.columns = new TimeColumns(COLUMNS, (at) => Math.round((at * widthNs) / grain) * grain);
    this.#partNs = new Float64Array(2 * lanes * COLUMNS);
    this.#rise = new Float64Array(2 * lanes * COLUMNS);
    this.#rowOf = Float64Array.from(
      laneOf,
      (lane, tally) => (lane + (writes[tally] === 1 ? lanes : 0)) * COLUMNS,
    );
  }

  batch({ start: starts, end: ends, tally: tallies, starts: count }: CallBatch): void {
    const [rowOf, partNs, edges] = [this.#rowOf, this.#partNs, this.columns.edges];
    let column = this.#startColumn;
    let edge = edges[column + 1] as number;
    // Accesses of one tally and column in turn.
    let [tally, cell, sum] = [0, (rowOf[0] as number) + column, 0];
    for (let i = 0; i < count; i++) {
      const start = starts[i] as number;
      const end = ends[i] as number;
      if (start >= edge || tally !== tallies[i]) {
        partNs[cell]! += sum;
        sum = 0;
        while (start >= edge) edge = edges[++column + 1] as number;
        tally = tallies[i] as number;
        cell = (rowOf[tally] as number) + column;
      }
      if (end <= edge) sum += end - start;
      else this.#spread(cell - column, column, start, end);
    }
    partNs[cell]! += sum;
    this.#startColumn = column;
  }

  /** An access of several columns. */
  #spread(row: number, first: number, startNs: number, endNs: number): void {
    const edges = this.columns.edges;
    let last = Math.min(COLUMNS - 1, Math.max(first + 1, Math.floor(endNs / this.#widthNs)));
    while (endNs > (edges[last + 1] as number)) last++;
    while (endNs <= (edges[last] as number)) last--;
    assert(last > first, "an access beyond an edge ends in a later column");
    this.#partNs[row + first]! += (edges[first + 1] as number) - startNs;
    this.#partNs[row + last]! += endNs - (edges[last] as number);
    if (last > first + 1) {
      this.#rise[row + first + 1]!++;
      this.#rise[row + last]!--;
    }
  }

  /** `stretches` as the sweep has them. */
  data(stretches: GridData["stretches"]): GridData {
    const laneNs = new Float64Array(this.#partNs.length);
    let full = 0;
    for (let cell = 0; cell < laneNs.length; cell++) {
      // Every rise falls again within its lane.
      full += this.#rise[cell] as number;
      const column = cell % COLUMNS;
      const width = (this.columns.edges[column + 1] as number) - (this.columns.edges[column] as number);
      laneNs[cell] = (this.#partNs[cell] as number) + (full === 0 ? 0 : full * width);
    }
    const { busyNs, accessNs } = this.columns;
    return { columns: COLUMNS, widthNs: this.#widthNs, busyNs, accessNs, laneNs, stretches };
  }
}

/** Grids of slices of time, from the first to the last. */
export function joinGrids(grids: readonly GridData[]): GridData {
  const [first] = grids;
  assert(first !== undefined, "there is a slice");
  const sum = (of: (grid: GridData) => Float64Array) => {
    const sums = new Float64Array(of(first).length);
    for (const grid of grids) for (let i = 0; i < sums.length; i++) sums[i]! += of(grid)[i] as number;
    return sums;
  };
  return {
    ...{ columns: first.columns, widthNs: first.widthNs },
    busyNs: sum(({ busyNs }) => busyNs),
    accessNs: sum(({ accessNs }) => accessNs),
    laneNs: sum(({ laneNs }) => laneNs),
    stretches: joinStretches(grids),
  };
}

function joinStretches(grids: readonly GridData[]): number[] | null {
  const all: number[] = [];
  for (const { stretches } of grids) {
    if (stretches === null) return null;
    // One that goes on across the edge is one.
    const goesOn = stretches.length > 0 && all.length > 0 && all.at(-1) === stretches[0];
    if (goesOn) all.pop();
    for (const ns of goesOn ? stretches.slice(1) : stretches) all.push(ns);
  }
  return all.length > 2 * STRETCHES_MAX ? null : all;
}
