/** BPS and related metrics: collected from calls, ranked, and as documents. */
export { accessMetrics } from "./access-metrics.ts";
export {
  type CallSweepInput,
  joinCallSlices,
  sweepCalls,
  type CallSweepResult,
  type CallSliceResult,
} from "./call-sweep.ts";
export { type BatchListener, type CallBatch, CallTimes, GroupLevels, TIME_LIMIT_NS } from "./call-times.ts";
export { AccessCollector, type CollectorSink } from "./collector.ts";
export { metricDocument } from "./document.ts";
export type { DuplicateTable } from "./duplicates.ts";
export { PERCENTILE_COLUMNS, percentileCells } from "./duration-tables.ts";
export { CallDurations, type LongCall, type Outliers, type Percentiles, percentilesOf } from "./durations.ts";
export { GroupUnions } from "./group-unions.ts";
export { concurrencyOf, type Slice, slicesOf } from "./level-times.ts";
export { metricsJson, rankingJson } from "./metrics-json.ts";
export {
  type CollectorOptions,
  type Grouping,
  GROUPINGS,
  type Metrics,
  type MetricValues,
  originOf,
} from "./metrics.ts";
export { type CollectedPart, PartCollector, type PartOptions, type PartOrigin } from "./parts.ts";
export { rankingDocument, rankingOf, type Variant } from "./ranking.ts";
export { ratesOf } from "./rates.ts";
export { busyNsOf } from "./sweep.ts";
