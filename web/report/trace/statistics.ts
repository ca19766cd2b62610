/** Numbers of a selected range, from single calls or from bins. */
import { IntervalUnion } from "../../../src/base/intervals.ts";
import { type LaneIndex, visibleEntries } from "./lane-index.ts";
import type { Level } from "./trace-data.ts";

export interface CallStatistics {
  readonly calls: number;
  readonly bytes: number;
  /** Length of the union of the calls' intervals, seconds. */
  readonly unionSeconds: number;
  /** Sum of the calls' durations, seconds. */
  readonly sumSeconds: number;
}

export const BLOCK_BYTES = 512;

/**
 * Of all calls that lie wholly or partly in [t0, t1]; such calls count whole, so that rates are those of these
 * calls. `index` holds one lane with all calls.
 */
export function statisticsOfCalls(
  index: LaneIndex,
  t0: number,
  t1: number,
): { read: CallStatistics; write: CallStatistics; all: CallStatistics } {
  const parts = [newPart(), newPart(), newPart()] as const;
  const [from, to] = visibleEntries(index, 0, t0, t1);
  for (let i = from; i < to; i++) {
    const start = index.start[i] as number;
    const end = index.end[i] as number;
    if (end < t0) continue;
    for (const part of [parts[index.write[i] as 0 | 1], parts[2]]) {
      part.calls++;
      part.bytes += index.bytes[i] as number;
      part.sumSeconds += end - start;
      part.union.add(start, end);
    }
  }
  const [read, write, all] = parts.map(({ union, ...part }) => ({
    ...part,
    unionSeconds: union.result().length,
  }));
  return { read: read as CallStatistics, write: write as CallStatistics, all: all as CallStatistics };
}

function newPart() {
  return { calls: 0, bytes: 0, sumSeconds: 0, union: new IntervalUnion() };
}

export interface BinStatistics {
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
