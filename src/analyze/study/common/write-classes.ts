/** How writes are classed as large and small (B06): the words that the study of a system and the look at a job share. */

/** Jobs that the limits are taken from: all with counters, those that moved bytes, those that wrote. */
export const POPULATIONS = ["all", "withIO", "withWrites"] as const;
export type Population = (typeof POPULATIONS)[number];

/** Mean of every job's bytes per call, or all bytes over all calls. */
export const PER_CALL = ["meanOfRatios", "ratioOfSums"] as const;

/** From fewer jobs no limits are taken: ours, the same number that observations of the study need. */
export const CLASS_JOBS_MIN = 30;
