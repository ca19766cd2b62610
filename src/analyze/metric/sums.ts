/** Tallies summed up by class, and the metrics of a sum. */
import { QuantileSketch } from "../../base/quantile-sketch.ts";
import type { Collection } from "./collector.ts";
import { percentilesOf } from "./durations.ts";
import type { MetricValues, UsedOptions } from "./metrics.ts";
import type { MovedRule } from "./moved.ts";
import { ratesOf } from "./rates.ts";

/** Which class each tally belongs to. */
export interface Classes {
  readonly groupOf: Uint32Array;
  readonly names: readonly string[];
}

interface Sums {
  accesses: number;
  bytes: bigint;
  moved: bigint;
  callNs: bigint;
  blocks: bigint;
  read: bigint;
  written: bigint;
  readonly reads: QuantileSketch;
  readonly writes: QuantileSketch;
}

export function sumsOf(
  { tallies }: Collection,
  { groupOf, names }: Classes,
  rule: MovedRule | undefined,
): Sums[] {
  const sums = names.map(
    (): Sums => ({
      ...{ accesses: 0, bytes: 0n, moved: 0n, callNs: 0n, blocks: 0n, read: 0n, written: 0n },
      ...{ reads: new QuantileSketch(), writes: new QuantileSketch() },
    }),
  );
  for (let at = 0; at < tallies.size; at++) {
    const sum = sums[groupOf[at] as number] as Sums;
    if (rule?.known) sum.moved += rule.movedOf(at);
    if (tallies.isNested(at)) continue;
    const bytes = tallies.bytes.total(at);
    sum.accesses += tallies.accesses[at] as number;
    sum.bytes += bytes;
    sum.callNs += tallies.callNs.total(at);
    sum.blocks += tallies.blocks.total(at);
    if (tallies.isWrite(at)) sum.written += bytes;
    else sum.read += bytes;
    const durations = tallies.durations[at];
    if (durations !== undefined)
      (tallies.isWrite(at) ? sum.writes : sum.reads).merge(durations.sketch.data());
  }
  return sums;
}

/** `movedKnown`: whether the sum of moved bytes means something. */
export function valuesOf(
  sums: Sums,
  ioTimeNs: number,
  { blockBytes, ceilPerAccess, executionSeconds }: UsedOptions,
  movedKnown: boolean,
): MetricValues {
  const { accesses, bytes, read, written } = sums;
  const blocks = ceilPerAccess ? Number(sums.blocks) : Number(bytes) / blockBytes;
  const ioTimeSeconds = ioTimeNs / 1e9;
  const rates = ratesOf({
    ...{ accesses, blocks, ioTimeSeconds, callNs: Number(sums.callNs) },
    bytes: Number(movedKnown ? sums.moved : bytes),
    ...(executionSeconds === undefined ? {} : { executionSeconds }),
  });
  return {
    accesses,
    bytes,
    movedBytes: movedKnown ? sums.moved : null,
    blocks,
    ...{ ioTimeSeconds, ioTimeNs },
    bps: rates.bps,
    iops: rates.iops,
    bandwidthBytesPerSecond: rates.bandwidthBytesPerSecond,
    bandwidthOf: movedKnown ? "moved" : "requested",
    arptSeconds: rates.arptSeconds,
    percentiles: { read: percentilesOf(sums.reads), write: percentilesOf(sums.writes) },
    readBytes: read,
    writtenBytes: written,
  };
}
