/** Values of a record without those that say nothing: times of a clock that ran backwards, stripes whose OST is not known. */

/** NaN when it is negative. */
export const timeOf = (seconds: number | undefined): number =>
  seconds !== undefined && seconds >= 0 ? seconds : Number.NaN;

/** Sum of what is known of a rank's times; NaN when nothing is. */
export function knownSeconds(...times: readonly number[]): number {
  let sum = Number.NaN;
  for (const seconds of times) if (seconds >= 0) sum = Number.isNaN(sum) ? seconds : sum + seconds;
  return sum;
}

/** Separated by blanks. -1 is a stripe that has no OST yet, or none that was told. */
export const knownOsts = (osts: Iterable<bigint>): string =>
  Array.from(osts)
    .filter((ost) => ost >= 0n)
    .join(" ");
