/** Numbers of a selected range, from single calls or from bins. */
import { GroupUnions } from "../../../src/analyze/metric/group-unions.ts";
import { type LaneIndex, lowerBound, visibleEntries } from "./lane-index.ts";
import type { Level } from "./trace-data.ts";

export interface CallStatistics {
  readonly calls: number;
  readonly bytes: number;
  /** Length of the union of the calls' intervals, seconds. */
  readonly unionSeconds: number;
  /** Sum of the calls' durations, seconds. */
  readonly sumSeconds: number;
  /** The least durations that 50, 95 and 99 % of the calls do not exceed; NaN without calls. */
  readonly p50Seconds: number;
  readonly p95Seconds: number;
  readonly p99Seconds: number;
}

interface RangeStatistics {
  readonly read: CallStatistics;
  readonly write: CallStatistics;
  readonly all: CallStatistics;
  /** Calls that began before the range and reach into it; they do not count. */
  readonly before: number;
}

export const BLOCK_BYTES = 512;

/**
 * Of the calls that start in [t0, t1); such calls count whole. This is the rule of `plimsoll bps --from --to`, and ranges
 * side by side add up. `index` holds one lane with all calls.
 */
export function statisticsOfCalls(index: LaneIndex, t0: number, t1: number): RangeStatistics {
  const count = index.start.length;
  const from = lowerBound(index.start, t0, 0, count);
  const to = lowerBound(index.start, t1, from, count);
  let before = 0;
  for (let i = visibleEntries(index, 0, t0, t1)[0]; i < from; i++)
    if ((index.end[i] as number) > t0) before++;
  const part = (direction: number) => statisticsOf(index, from, to, direction);
  return { read: part(0), write: part(1), all: part(-1), before };
}

/** Of entries [from, to) of a direction, or of both. */
function statisticsOf(index: LaneIndex, from: number, to: number, direction: number): CallStatistics {
  const [starts, ends] = [new Float64Array(to - from), new Float64Array(to - from)];
  let calls = 0;
  let bytes = 0;
  let sumSeconds = 0;
  for (let i = from; i < to; i++) {
    if (direction >= 0 && index.write[i] !== direction) continue;
    const start = index.start[i] as number;
    const end = index.end[i] as number;
    starts[calls] = start;
    ends[calls++] = end;
    bytes += index.bytes[i] as number;
    sumSeconds += end - start;
  }
  const union = new GroupUnions(new Uint32Array(1), 1);
  union.add(starts, ends, new Uint32Array(calls), calls);
  const sorted = ends
    .subarray(0, calls)
    .map((end, i) => end - (starts[i] as number))
    .sort();
  const percentile = (share: number) => sorted[Math.max(1, Math.ceil(share * calls)) - 1] ?? Number.NaN;
  return {
    calls,
    bytes,
    unionSeconds: union.busyOf(0),
    sumSeconds,
    p50Seconds: percentile(0.5),
    p95Seconds: percentile(0.95),
    p99Seconds: percentile(0.99),
  };
}

interface BinStatistics {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Calls of the columns, by the column that counts them. */
  readonly calls: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly busySeconds: number;
  /** The union cannot be longer than the columns with something in them. */
  readonly unionSecondsMax: number;
}

/** Of the whole columns that touch [t0, t1]. */
export function statisticsOfBins({ bins, cellSeconds }: Level, t0: number, t1: number): BinStatistics {
  const first = Math.max(0, Math.floor(t0 / cellSeconds));
  const last = Math.min(bins.columns - 1, Math.max(first, Math.ceil(t1 / cellSeconds) - 1));
  const used = new Uint8Array(bins.columns);
  let calls = 0;
  let bytesRead = 0;
  let bytesWritten = 0;
  let busySeconds = 0;
  for (let i = 0; i < bins.cell.length; i++) {
    const column = (bins.cell[i] as number) % bins.columns;
    if (column < first || column > last) continue;
    calls += bins.calls[i] as number;
    bytesRead += bins.bytesRead[i] as number;
    bytesWritten += bins.bytesWritten[i] as number;
    busySeconds += bins.busySeconds[i] as number;
    used[column] = 1;
  }
  let columns = 0;
  for (const one of used) columns += one;
  return {
    startSeconds: first * cellSeconds,
    endSeconds: (last + 1) * cellSeconds,
    calls,
    bytesRead,
    bytesWritten,
    busySeconds,
    unionSecondsMax: columns * cellSeconds,
  };
}
