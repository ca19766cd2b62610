/** Metrics and rankings as `plimsoll bps --json` prints them. */
import { definitionsOf } from "./definitions.ts";
import { type GroupRow, type Metrics, type MetricValues, originOf } from "./metrics.ts";
import { type Provenance, provenanceJson } from "../../model/index.ts";
import { type Ranking, rankingVerdict } from "./ranking.ts";
import type { Skipped } from "../../base/listener.ts";

export function metricsJson(metrics: Metrics, skipped: readonly Skipped[] = []): Record<string, unknown> {
  const { clock, groups, windows, options, inputs } = metrics;
  return {
    origin: provenanceJson(originOf(metrics)),
    ...valuesJson(metrics),
    dropped: metrics.dropped,
    filtered: metrics.filtered,
    nestedAccesses: metrics.nestedAccesses,
    failedAccesses: metrics.failedAccesses,
    spanSeconds: metrics.spanSeconds,
    idleSeconds: metrics.idleSeconds,
    stretches: metrics.stretches,
    concurrency: metrics.concurrency,
    outliers: metrics.outliers,
    processes: metrics.processes,
    files: metrics.files,
    inputs,
    skipped,
    clock: {
      kind: clock.kind,
      // Where nothing started there is no first start.
      originNs: metrics.accesses === 0 ? null : String(clock.origin.ns),
      uncertaintyNs: clock.uncertaintyNs,
    },
    groups: Object.fromEntries(
      groups.map(({ by, rows, total }) => [by, { total, rows: rows.map((row) => groupJson(row)) }]),
    ),
    windows: windows === null ? null : { everySeconds: windows.everyNs / 1e9, rows: windows.rows },
    notes: metrics.notes,
    definitions: definitionsOf(options),
    options: {
      blockBytes: options.blockBytes,
      ceilPerAccess: options.ceilPerAccess,
      executionSeconds: options.executionSeconds ?? null,
      align: options.align,
      includeNonFile: options.includeNonFile,
      only: options.only ?? null,
    },
  };
}

function valuesJson(values: MetricValues) {
  const { accesses, bytes, movedBytes, blocks, ioTimeSeconds, bps, iops } = values;
  const { bandwidthBytesPerSecond, arptSeconds, bandwidthOf, readBytes, writtenBytes, ioTimeNs } = values;
  const { percentiles } = values;
  return {
    ...{
      accesses,
      bytes,
      movedBytes,
      blocks,
      ioTimeSeconds,
      bps,
      iops,
      bandwidthBytesPerSecond,
      arptSeconds,
    },
    ...{ percentiles, bandwidthOf, readBytes, writtenBytes, ioTimeNs },
  };
}

const groupJson = (row: GroupRow) => ({
  name: row.name,
  ...(row.process === undefined
    ? {}
    : { pid: row.process.pid, rank: row.process.rank, host: row.process.host, program: row.process.program }),
  ...valuesJson(row),
});

export const rankingJson = (ranking: Ranking, origin: Provenance): Record<string, unknown> => ({
  origin: provenanceJson(origin),
  verdict: rankingVerdict(ranking),
  variants: ranking.variants.map(({ name, values }) => ({
    name,
    spanSeconds: values.spanSeconds,
    bps: values.bps,
    iops: values.iops,
    bandwidthBytesPerSecond: values.bandwidthBytesPerSecond,
    arptSeconds: values.arptSeconds,
    bytes: values.bytes,
  })),
  agreements: ranking.agreements,
  otherWork: ranking.otherWork,
});
