/** Sums of calls per pixel column, in a time that does not depend on how many columns a call spans. */
import type { TraceBins } from "../../../src/model/index.ts";
import { type LaneIndex, lowerBound } from "./lane-index.ts";

/** What lands in each column: of reads and of writes. */
export interface Sums {
  readonly columns: number;
  readonly read: Float64Array;
  readonly write: Float64Array;
}

export function newSums(columns: number): Sums {
  // One more column takes what would fall off the right edge.
  return { columns, read: new Float64Array(columns + 2), write: new Float64Array(columns + 2) };
}

export function clearSums(sums: Sums): void {
  sums.read.fill(0);
  sums.write.fill(0);
}

export interface Scale {
  /** Seconds at the left edge of column 0. */
  readonly t0: number;
  readonly columnsPerSecond: number;
}

const diffRead = { values: new Float64Array(0) };
const diffWrite = { values: new Float64Array(0) };

function scratch(holder: { values: Float64Array }, size: number): Float64Array {
  if (holder.values.length < size) holder.values = new Float64Array(size);
  else holder.values.fill(0, 0, size);
  return holder.values;
}

/**
 * Adds entries [from, to). By "bytes", a call's bytes are spread evenly over its time, plus one so that a call of no
 * bytes is seen; by "time", a column gets how many calls are under way in it on average.
 */
export function addEntries(
  index: LaneIndex,
  from: number,
  to: number,
  { t0, columnsPerSecond }: Scale,
  by: "bytes" | "time",
  sums: Sums,
): void {
  const { columns } = sums;
  const { start, end, bytes, write } = index;
  const diffs0 = scratch(diffRead, columns + 2);
  const diffs1 = scratch(diffWrite, columns + 2);
  const byBytes = by === "bytes";
  for (let i = from; i < to; i++) {
    const x0 = ((start[i] as number) - t0) * columnsPerSecond;
    const x1 = ((end[i] as number) - t0) * columnsPerSecond;
    if (x1 < 0 || x0 >= columns) continue;
    const isWrite = write[i] === 1;
    const values = isWrite ? sums.write : sums.read;
    const c0 = x0 < 0 ? 0 : Math.floor(x0);
    const c1 = x1 >= columns ? columns : Math.floor(x1);
    if (c0 === c1) {
      // Within one column. A part before the left edge does not count, except that all is there or nothing.
      (values[c0] as number) += byBytes ? (bytes[i] as number) + 1 : x1 - (x0 < 0 ? 0 : x0);
      continue;
    }
    const rate = byBytes ? ((bytes[i] as number) + 1) / (x1 - x0) : 1;
    const diffs = isWrite ? diffs1 : diffs0;
    (values[c0] as number) += rate * (c0 + 1 - (x0 < 0 ? 0 : x0));
    (values[c1] as number) += rate * (x1 - c1);
    (diffs[c0 + 1] as number) += rate;
    (diffs[c1] as number) -= rate;
  }
  let running0 = 0;
  let running1 = 0;
  for (let c = 0; c < columns; c++) {
    running0 += diffs0[c] as number;
    running1 += diffs1[c] as number;
    (sums.read[c] as number) += running0;
    (sums.write[c] as number) += running1;
  }
}

/** First cell of each lane, and past the last. */
export function laneStarts(cell: Uint32Array, lanes: number, columns: number): Uint32Array {
  const starts = new Uint32Array(lanes + 1);
  for (let lane = 0; lane <= lanes; lane++) starts[lane] = lowerBound(cell, lane * columns, 0, cell.length);
  return starts;
}

/** Cells [from, to) of one lane that touch the window. */
export function visibleCells(
  cell: Uint32Array,
  starts: Uint32Array,
  lane: number,
  columns: number,
  firstColumn: number,
  lastColumn: number,
): [number, number] {
  const low = starts[lane] as number;
  const high = starts[lane + 1] as number;
  const base = lane * columns;
  return [
    lowerBound(cell, base + firstColumn, low, high),
    lowerBound(cell, base + lastColumn + 1, low, high),
  ];
}

/**
 * Puts values of a lane's cells into the pixel columns they cover. Cells narrower than a column add up, wider ones are
 * repeated: the value is then that of the cell, so intensities are compared between cells of the same width.
 */
export function spreadCells(
  cell: Uint32Array,
  from: number,
  to: number,
  base: number,
  cellSeconds: number,
  { t0, columnsPerSecond }: Scale,
  values: Float64Array,
  out: Float64Array,
  columns: number,
): void {
  for (let i = from; i < to; i++) {
    const value = values[i] as number;
    if (value === 0) continue;
    const at = ((cell[i] as number) - base) * cellSeconds;
    const x0 = Math.max(0, Math.round((at - t0) * columnsPerSecond));
    const x1 = Math.min(columns, Math.round((at + cellSeconds - t0) * columnsPerSecond));
    if (x1 <= x0) {
      if (x0 < columns) (out[x0] as number) += value;
    } else for (let x = x0; x < x1; x++) (out[x] as number) += value;
  }
}

/** Per column of the level: busy seconds over all lanes, divided by the width: calls in progress on average. */
export function columnConcurrency(bins: TraceBins, cellSeconds: number): Float64Array {
  const sums = new Float64Array(bins.columns);
  for (let i = 0; i < bins.cell.length; i++)
    (sums[(bins.cell[i] as number) % bins.columns] as number) +=
      (bins.busySeconds[i] as number) / cellSeconds;
  return sums;
}
