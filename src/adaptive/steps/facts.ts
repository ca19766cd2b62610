/** What an output step shows: load and time of each target and writer, imbalance, spread, what was moved. */
import { mean, standardDeviation } from "../../base/statistics.ts";
import {
  Operation,
  type CallSink,
  OP_MOVED,
  OP_UNUSED,
  type WriteOps,
  type WriteRun,
} from "../../model/index.ts";
import { AccessCollector, type Metrics } from "../../analyze/metric/collector.ts";

export interface TargetFacts {
  readonly target: number;
  readonly writes: number;
  readonly bytes: number;
  /** Writes and bytes that came from another group. */
  readonly movedWrites: number;
  readonly movedBytes: number;
  /** End of its last write. */
  readonly endSeconds: number;
  /** With at least one write under way. */
  readonly busySeconds: number;
  /** Bytes over busy time; NaN for a target that was not used. */
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
  readonly metrics: Metrics;
}

export function stepFacts(run: WriteRun): StepFacts {
  const writerSeconds = timesOfWriters(run);
  const { moved, movedBytes, unused } = countsOf(run.ops);
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
    metrics: metricsOf(run),
  };
}

/** BPS and related metrics, by the code that computes them for recorded programs. */
function metricsOf(run: WriteRun): Metrics {
  const collector = new AccessCollector({});
  sendAccesses(run.ops, collector.sink(run.label));
  return collector.finish();
}

function sendAccesses(ops: WriteOps, sink: CallSink): void {
  const { count } = ops;
  sink.clock({ kind: "own", epochNs: 0n });
  const file = sink.file({ path: "" });
  const processes = new Map<number, number>();
  const nanoseconds = (values: Float64Array) => values.subarray(0, count).map((one) => Math.round(one * 1e9));
  sink.block({
    count,
    startNs: nanoseconds(ops.start),
    endNs: nanoseconds(ops.end),
    bytes: ops.bytes.subarray(0, count),
    process: Uint32Array.from({ length: count }, (_, i) => {
      const rank = ops.rank[i] as number;
      const known = processes.get(rank) ?? sink.process({ pid: rank, rank });
      processes.set(rank, known);
      return known;
    }),
    file: new Uint32Array(count).fill(file),
    operation: new Uint8Array(count).fill(Operation.write),
    layer: new Uint8Array(count),
    flags: new Uint8Array(count),
  });
}

function countsOf(ops: WriteOps): { moved: number; movedBytes: number; unused: number } {
  const counts = { moved: 0, movedBytes: 0, unused: 0 };
  for (let i = 0; i < ops.count; i++) {
    const flags = ops.flags[i] as number;
    if (flags & OP_UNUSED) counts.unused++;
    else if (flags & OP_MOVED) {
      counts.moved++;
      counts.movedBytes += ops.bytes[i] as number;
    }
  }
  return counts;
}

/** Of the writers whose data is in the index, in order of rank; the time belongs to whose data it is. */
function timesOfWriters({ ops, writers }: WriteRun): number[] {
  const first = new Float64Array(writers).fill(Number.POSITIVE_INFINITY);
  const last = new Float64Array(writers).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < ops.count; i++) {
    if ((ops.flags[i] as number) & OP_UNUSED) continue;
    const block = ops.block[i] as number;
    first[block] = Math.min(first[block] as number, ops.start[i] as number);
    last[block] = Math.max(last[block] as number, ops.end[i] as number);
  }
  const times: number[] = [];
  for (let rank = 0; rank < writers; rank++) {
    if ((last[rank] as number) >= (first[rank] as number))
      times.push((last[rank] as number) - (first[rank] as number));
  }
  return times;
}

function factsOfTargets({ ops, targets }: WriteRun): TargetFacts[] {
  const order = Array.from({ length: ops.count }, (_, i) => i).sort(
    (a, b) => (ops.start[a] as number) - (ops.start[b] as number),
  );
  const sums = Array.from({ length: targets }, () => ({
    ...{ writes: 0, bytes: 0, movedWrites: 0, movedBytes: 0 },
    ...{ endSeconds: 0, busySeconds: 0, until: Number.NEGATIVE_INFINITY },
  }));
  for (const i of order) {
    const sum = sums[ops.target[i] as number];
    if (sum === undefined) continue;
    const [start, end, bytes] = [ops.start[i] as number, ops.end[i] as number, ops.bytes[i] as number];
    sum.writes++;
    sum.bytes += bytes;
    if ((ops.flags[i] as number) & OP_MOVED) {
      sum.movedWrites++;
      sum.movedBytes += bytes;
    }
    sum.endSeconds = Math.max(sum.endSeconds, end);
    // Sorted by start: what overlaps the stretch before adds only its end.
    sum.busySeconds += Math.max(0, end - Math.max(start, sum.until));
    sum.until = Math.max(sum.until, end);
  }
  return sums.map(({ until: _, ...sum }, target) => ({
    target,
    ...sum,
    bytesPerSecond: sum.busySeconds > 0 ? sum.bytes / sum.busySeconds : Number.NaN,
  }));
}

/** Least and greatest without spreading a long list into arguments. */
function extremes(values: readonly number[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
