/** Facts of an output step: load and time of each target and writer, imbalance, spread, moved writes. */
import { mean, standardDeviation } from "../../base/statistics.ts";
import { CALL_MOVED, CALL_UNUSED, type WriteCalls, type WriteRun } from "../../model/index.ts";
import { AccessCollector } from "../../analyze/metric/index.ts";

export interface TargetFacts {
  readonly target: number;
  readonly writes: number;
  readonly bytes: number;
  /** Writes and bytes from another group. */
  readonly movedWrites: number;
  readonly movedBytes: number;
  /** End of its last write. */
  readonly endSeconds: number;
  /** Time with at least one write in flight. */
  readonly busySeconds: number;
  /** Bytes over busy time; NaN for an unused target. */
  readonly bytesPerSecond: number;
}

export interface StepFacts {
  /** All bytes over the time of the step. */
  readonly bytesPerSecond: number;
  readonly perTarget: readonly TargetFacts[];
  /** Write time of each writer with data: from the start of its first write to the end of its last. */
  readonly writerSeconds: readonly number[];
  /** Slowest over fastest writer: the imbalance factor of the paper. */
  readonly imbalance: number;
  /** Standard deviation of the write times, and over their mean. */
  readonly spreadSeconds: number;
  readonly spreadShare: number;
  readonly movedWrites: number;
  readonly movedBytes: number;
  readonly unusedWrites: number;
  /** Blocks per second; null without time. */
  readonly bps: number | null;
}

export function stepFacts(run: WriteRun): StepFacts {
  const writerSeconds = timesOfWriters(run);
  const { moved, movedBytes, unused } = countsOf(run.calls);
  const slowest = Math.max(...extremes(writerSeconds));
  const fastest = Math.min(...extremes(writerSeconds));
  const spread = writerSeconds.length === 0 ? Number.NaN : standardDeviation(writerSeconds);
  return {
    bytesPerSecond: run.seconds > 0 ? run.bytes / run.seconds : Number.NaN,
    perTarget: factsOfTargets(run),
    writerSeconds,
    imbalance: writerSeconds.length === 0 ? Number.NaN : slowest / fastest,
    spreadSeconds: spread,
    spreadShare: writerSeconds.length === 0 ? Number.NaN : spread / mean(writerSeconds),
    movedWrites: moved,
    movedBytes,
    unusedWrites: unused,
    bps: bpsOf(run),
  };
}

/** Computed by the same code as for recorded programs. */
function bpsOf({ calls, label }: WriteRun): number | null {
  const collector = new AccessCollector({});
  const sink = collector.sink(label);
  sink.clock({ kind: "own", epochNs: 0n });
  // A single number over all calls. A common process and file number keeps the collector from summing per pair.
  const alike = (number: number) => new Uint32Array(calls.count).fill(number);
  const [process, file] = [sink.process({ pid: 0 }), sink.file({ path: "" })];
  sink.block({ ...calls, process: alike(process), file: alike(file) });
  return collector.finish().bps;
}

function countsOf({ count, flags, bytes }: WriteCalls): {
  moved: number;
  movedBytes: number;
  unused: number;
} {
  const counts = { moved: 0, movedBytes: 0, unused: 0 };
  for (let i = 0; i < count; i++) {
    if ((flags[i] as number) & CALL_UNUSED) counts.unused++;
    else if ((flags[i] as number) & CALL_MOVED) {
      counts.moved++;
      counts.movedBytes += bytes[i] as number;
    }
  }
  return counts;
}

/** For writers with data in the index, in order of rank; the time counts for the owner of the data. */
function timesOfWriters({ calls, writers }: WriteRun): number[] {
  const { count, flags, owner, startNs, endNs } = calls;
  const first = new Float64Array(writers).fill(Number.POSITIVE_INFINITY);
  const last = new Float64Array(writers).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < count; i++) {
    if ((flags[i] as number) & CALL_UNUSED) continue;
    const rank = owner[i] as number;
    first[rank] = Math.min(first[rank] as number, startNs[i] as number);
    last[rank] = Math.max(last[rank] as number, endNs[i] as number);
  }
  const times: number[] = [];
  for (let rank = 0; rank < writers; rank++) {
    const nanoseconds = (last[rank] as number) - (first[rank] as number);
    if (nanoseconds >= 0) times.push(nanoseconds / 1e9);
  }
  return times;
}

function factsOfTargets({ calls, targets }: WriteRun): TargetFacts[] {
  const { startNs, endNs, file, flags } = calls;
  const sums = Array.from({ length: targets }, () => ({
    ...{ writes: 0, bytes: 0, movedWrites: 0, movedBytes: 0 },
    ...{ endNs: 0, busyNs: 0, untilNs: Number.NEGATIVE_INFINITY },
  }));
  for (const i of orderOfStart(calls)) {
    const sum = sums[file[i] as number];
    if (sum === undefined) continue;
    const [start, end, bytes] = [startNs[i] as number, endNs[i] as number, calls.bytes[i] as number];
    sum.writes++;
    sum.bytes += bytes;
    if ((flags[i] as number) & CALL_MOVED) {
      sum.movedWrites++;
      sum.movedBytes += bytes;
    }
    sum.endNs = Math.max(sum.endNs, end);
    // Sorted by start: a write that overlaps the previous ones adds only its end.
    sum.busyNs += Math.max(0, end - Math.max(start, sum.untilNs));
    sum.untilNs = Math.max(sum.untilNs, end);
  }
  return sums.map(({ untilNs: _, endNs: end, busyNs, ...sum }, target) => ({
    target,
    ...sum,
    endSeconds: end / 1e9,
    busySeconds: busyNs / 1e9,
    bytesPerSecond: busyNs > 0 ? sum.bytes / (busyNs / 1e9) : Number.NaN,
  }));
}

/** Numbers of the calls, by start. */
export function orderOfStart({ count, startNs }: WriteCalls): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  return order.sort((a, b) => (startNs[a] as number) - (startNs[b] as number));
}

/** Min and max without spreading a long list into arguments. */
function extremes(values: readonly number[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
