/**
 * How writes are classed as large and small (B06): one definition for the study of a system and the look at a job. Limits
 * come from the jobs of a population that have client counters, right times and less than 24 hours; bytes that
 * were written without a counted call are in none of them.
 */

/** Jobs that the limits are taken from: all with counters, those that moved bytes, those that wrote. */
export const POPULATIONS = ["all", "withIO", "withWrites"] as const;
export type Population = (typeof POPULATIONS)[number];

/** Mean of every job's bytes per call, or all bytes over all calls. */
export const PER_CALL = ["meanOfRatios", "ratioOfSums"] as const;

/** From fewer jobs no limits are taken: ours, the same number that observations of the study need. */
export const CLASS_JOBS_MIN = 30;

/** What both take unless asked otherwise. */
export const WRITE_CLASS_DEFAULTS = {
  population: POPULATIONS[0],
  perCall: PER_CALL[0],
  threshold: "mean",
  maxHours: 24,
} as const;

export interface WriteLimits {
  /** Heavy beyond. */
  readonly bytes: number;
  /** Inefficient below, efficient above. */
  readonly perCall: number;
}

export type WriteClass = "light" | "inefficient" | "efficient" | "tie";

export function writeClass(bytes: number, perCall: number, limits: WriteLimits): WriteClass {
  if (!(bytes > limits.bytes)) return "light";
  return perCall < limits.perCall ? "inefficient" : perCall > limits.perCall ? "efficient" : "tie";
}
