/** C02–C04 from facts of traces: the sums are there, so only the quotients are left. */
import { type MetricValues, type Percentiles, ratesOf } from "../metric/index.ts";
import type { TraceFacts, TraceWay } from "./trace-facts.ts";

export interface TracedMetrics
  extends Pick<
    MetricValues,
    "accesses" | "blocks" | "ioTimeSeconds" | "bps" | "iops" | "bandwidthBytesPerSecond" | "arptSeconds"
  > {
  readonly bytes: number;
  /** Calls under way at once, on average over the I/O time. */
  readonly concurrency: number | null;
  /** Of durations, by direction; null without calls. */
  readonly percentiles: { readonly read: Percentiles | null; readonly write: Percentiles | null };
}

/** Calls of a file and direction that took far longer than the others. */
type TracedOutliers = {
  readonly read: TraceWay["outliers"];
  readonly write: TraceWay["outliers"];
};

export function tracedMetrics(trace: TraceFacts): {
  readonly layers: readonly { readonly layer: string; readonly metrics: TracedMetrics }[];
  readonly files: readonly {
    readonly fileId: string;
    readonly layer: string;
    readonly metrics: TracedMetrics;
    readonly outliers: TracedOutliers;
  }[];
} {
  return {
    layers: trace.layers.map(({ layer, read, write, busySeconds }) => ({
      layer,
      metrics: metricsOf(read, write, busySeconds),
    })),
    files: trace.files.map(({ fileId, layer, read, write, busySeconds }) => ({
      fileId,
      layer,
      metrics: metricsOf(read, write, busySeconds),
      outliers: { read: read.outliers, write: write.outliers },
    })),
  };
}

function metricsOf(read: TraceWay, write: TraceWay, ioTimeSeconds: number): TracedMetrics {
  const accesses = read.calls + write.calls;
  const bytes = read.bytes + write.bytes;
  const blocks = bytes / 512;
  return {
    accesses,
    bytes,
    blocks,
    ioTimeSeconds,
    ...ratesOf({ accesses, blocks, bytes, ioTimeSeconds, callNs: (read.seconds + write.seconds) * 1e9 }),
    concurrency: ioTimeSeconds > 0 ? (read.seconds + write.seconds) / ioTimeSeconds : null,
    percentiles: { read: read.percentiles, write: write.percentiles },
  };
}
