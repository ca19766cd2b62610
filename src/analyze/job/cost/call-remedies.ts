/** Remedies that single calls make exact: the time of opens, stats, seeks and syncs by themselves. */
import type { JobFile } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import type { CostClaim } from "../rule.ts";
import { recordedCost } from "./remedies.ts";

type TimedOperation = "opens" | "stats";

/** Whether the time of each kind of metadata call is known. */
export const isTimedByCall = ({ openSeconds }: LayerRecord): boolean => openSeconds >= 0;

/** One of these operations for each file and rank; `otherwise` where their time is not known apart. */
export function fewerMetadataCalls(
  files: readonly JobFile[],
  operations: readonly TimedOperation[],
  otherwise: CostClaim,
): CostClaim {
  const records = files
    .flatMap(({ layers }) => [...layers.values()])
    .filter(({ metaSeconds }) => metaSeconds > 0);
  if (records.length === 0 || !records.every(isTimedByCall)) return otherwise;
  return recordedCost(
    records.map((record) => {
      const gone = operations.reduce((sum, one) => sum + beyondFirst(record, one), 0);
      return { record, part: "meta", remains: 1 - gone / record.metaSeconds };
    }),
    `one per file and rank; the time of ${operations.join(" and ")} is known from single calls`,
  );
}

/** Time of the operations beyond the first of each rank. */
function beyondFirst(record: LayerRecord, operation: TimedOperation): number {
  const [calls, seconds] =
    operation === "opens" ? [record.opens, record.openSeconds] : [record.stats, record.statSeconds];
  return calls > 0 ? seconds * (1 - Math.min(1, record.ranks / calls)) : 0;
}

/** Without these seeks; `otherwise` where the time of seeks is not known apart. */
export function fewerSeeks(
  list: readonly { readonly record: LayerRecord; readonly count: number }[],
  otherwise: CostClaim,
): CostClaim {
  const timed = list.filter(({ record }) => record.metaSeconds > 0);
  if (timed.length === 0 || !timed.every(({ record }) => isTimedByCall(record))) return otherwise;
  return recordedCost(
    timed.map(({ record, count }) => {
      const gone = record.seekSeconds * Math.min(1, count / record.seeks);
      return { record, part: "meta", remains: 1 - gone / record.metaSeconds };
    }),
    "without these seeks; their time is known from single calls",
  );
}
