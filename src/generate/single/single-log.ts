/** One entry of the catalogue. */
import type { Random } from "../../base/prng.ts";
import type { LogPlan } from "../recorder/calls.ts";

/** What can be wrong with the I/O of a job: the ids of the findings, which never change. */
export const FINDINGS = [
  "small-writes",
  "misaligned",
  "random-reads",
  "one-rank-io",
  "straggler",
  "many-files",
  "metadata-storm",
  "independent-mpiio",
  "write-amplification",
  "re-reads",
  "stdio-bulk",
  "stripe-one",
  "slow-ost",
  "partial-data",
] as const;

export interface SingleLog {
  readonly id: string;
  readonly about: string;
  /** The findings that a job analysis should report, and no others. */
  readonly expected: readonly (typeof FINDINGS)[number][];
  make(random: Random): LogPlan;
}
