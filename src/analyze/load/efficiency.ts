/** Classes of jobs by bytes written and bytes per call, relative to the other jobs of the cluster (B06). */
import type { Queryable } from "../../model/index.ts";
import { TIME_LEAST_NS, TIME_MOST_NS } from "../study/common/run-minutes.ts";
import {
  CLASS_JOBS_MIN,
  PER_CALL,
  POPULATIONS,
  WRITE_CLASS_DEFAULTS,
  type WriteClass,
  writeClass,
} from "../study/common/write-classes.ts";
import { number, quoted } from "./amounts.ts";
import { countedTotals } from "./totals.ts";

export { CLASS_JOBS_MIN, PER_CALL, POPULATIONS, WRITE_CLASS_DEFAULTS };

export interface EfficiencyOptions {
  /** Jobs that define the limits. */
  readonly population: (typeof POPULATIONS)[number];
  /** Mean of every job's bytes per call, or all bytes over all calls. */
  readonly perCall: (typeof PER_CALL)[number];
  /** Limit for heavy writers: mean or median of the jobs, or a number of bytes. */
  readonly threshold: "mean" | "median" | number;
}

export type EfficiencyClass =
  | WriteClass
  /** Fewer than `CLASS_JOBS_MIN` to compare with. */
  | "too few jobs"
  | "not recorded";

export interface Limits {
  /** Jobs of the population. */
  readonly jobs: number;
  readonly bytesLimit: number;
  /** The limit was given in bytes, so it does not depend on jobs. */
  readonly bytesLimitGiven: boolean;
  readonly bytesPerCallLimit: number;
}

const WHERE: Readonly<Record<EfficiencyOptions["population"], string>> = {
  all: "true",
  withIO: "bytes_read + bytes_written > 0",
  withWrites: "writes > 0",
};

/** Longer jobs are outside the population (B03), as are jobs with impossible times. */
const LONGEST_NS = BigInt(WRITE_CLASS_DEFAULTS.maxHours) * 3_600_000_000_000n;

/** Limits from the jobs of a cluster, as in the study; for a job without a cluster from all jobs. */
export async function limitsOf(
  db: Queryable,
  cluster: string | null,
  { population, perCall, threshold }: EfficiencyOptions,
): Promise<Limits> {
  const written = "if(writes > 0, bytes_written, 0)::double";
  const ratio = "bytes_written::double / nullif(writes, 0)";
  const median = threshold === "median";
  const bytes = median ? `median(${written})` : `sum(${written}) / count(*)`;
  const calls = median
    ? `median(${ratio})`
    : perCall === "meanOfRatios"
      ? `avg(${ratio})`
      : `sum(${written}) / nullif(sum(writes), 0)`;
  const [row] =
    await db.rows(`select count(*) as jobs, ${bytes} as bytes, ${calls} as per_call from ${await countedTotals(db)}
    where bytes_written >= 0 and bytes_read >= 0 and ${WHERE[population]}
      and start_unix_ns between ${TIME_LEAST_NS} and ${TIME_MOST_NS}
      and end_unix_ns between start_unix_ns and ${TIME_MOST_NS} and end_unix_ns - start_unix_ns < ${LONGEST_NS}
      ${cluster === null ? "" : `and cluster = ${quoted(cluster)}`}`);
  return {
    jobs: number(row?.jobs),
    bytesLimit: typeof threshold === "number" ? threshold : number(row?.bytes),
    bytesLimitGiven: typeof threshold === "number",
    bytesPerCallLimit: number(row?.per_call),
  };
}

export function classOf(bytesWritten: number, writeCalls: number, limits: Limits): EfficiencyClass {
  if (Number.isNaN(bytesWritten)) return "not recorded";
  const enough = limits.jobs >= CLASS_JOBS_MIN;
  if (!enough && !limits.bytesLimitGiven) return "too few jobs";
  if (!(bytesWritten > limits.bytesLimit)) return "light";
  if (!enough) return "too few jobs";
  if (!(writeCalls > 0) || Number.isNaN(limits.bytesPerCallLimit)) return "not recorded";
  const { bytesLimit: bytes, bytesPerCallLimit: perCall } = limits;
  return writeClass(bytesWritten, bytesWritten / writeCalls, { bytes, perCall });
}
