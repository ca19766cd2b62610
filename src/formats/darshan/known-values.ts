/**
 * Values of a record without those that say nothing: times of a clock that ran backwards or of a damaged record,
 * stripes whose OST is not known.
 */

/** 30 million years: more than any job spends, over all of its ranks. Sums of smaller times stay finite. */
const SECONDS_MAX = 1e15;
/** No clock tells less than a picosecond. Quotients of longer times stay finite. */
const SECONDS_MIN = 1e-12;
/** Counters are below 2^63, so no variance of theirs reaches this. */
const VARIANCE_MAX = 1e40;

export const isTime = (seconds: number): boolean =>
  seconds === 0 || (seconds >= SECONDS_MIN && seconds < SECONDS_MAX);

/** NaN when it is no time. */
export const timeOf = (seconds: number | undefined): number =>
  seconds !== undefined && isTime(seconds) ? seconds : Number.NaN;

export const varianceOf = (value: number | undefined): number =>
  value !== undefined && value >= 0 && value < VARIANCE_MAX ? value : Number.NaN;

/** Sum of what is known of a rank's times; NaN when nothing is. */
export function knownSeconds(...times: readonly number[]): number {
  let sum = Number.NaN;
  for (const seconds of times) if (isTime(seconds)) sum = Number.isNaN(sum) ? seconds : sum + seconds;
  return sum;
}

/** Separated by blanks. -1 is a stripe that has no OST yet, or none that was told. */
export function knownOsts(osts: Iterable<bigint>): string {
  let text = "";
  for (const ost of osts) if (ost >= 0n) text += text === "" ? String(ost) : ` ${ost}`;
  return text;
}
