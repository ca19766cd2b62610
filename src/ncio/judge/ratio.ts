/**
 * Speed-up of one point over another, with the interval from the spreads of both: from slowest over fastest to fastest over
 * slowest. An interval that contains 1 means "no difference seen".
 */
import type { NcioPoint } from "../../model/index.ts";
import { METHOD_WORDS } from "./methods.ts";

export interface Ratio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Both make the same requests: differences are noise. */
  readonly same?: true;
  /** One of both has a single counted repetition: its spread is assumed, so it confirms nothing. */
  readonly single?: true;
}

/** faster, slower: the whole interval is on one side of 1. */
export type Seen = "faster" | "slower" | "no difference seen";

/** Ours: with one counted repetition the spread is unknown; this fraction of the mean is assumed, from low to high. */
export const ASSUMED_SPREAD = 0.5;
/**
 * Ours: the paper's six repeats leave four, and their range contains the true median in 78 % of cases. With fewer the range is
 * too narrow (with two it contains it in 38 %), so it is widened accordingly.
 */
export const ENOUGH_REPEATS = 4;

/** Counted repetitions: from three on without the fastest and the slowest. */
export const countingRepeats = ({ repeats }: NcioPoint): number => (repeats < 3 ? repeats : repeats - 2);

/** From low to high, bytes per second. */
function rangeOf(point: NcioPoint): { readonly low: number; readonly high: number } {
  const { bandwidthBytesPerSecond: mean, spread } = point;
  const counting = countingRepeats(point);
  if (counting < 2) return { low: mean * (1 - ASSUMED_SPREAD / 2), high: mean * (1 + ASSUMED_SPREAD / 2) };
  const wider = Math.max(1, ENOUGH_REPEATS / counting);
  // On logarithms, so that nothing becomes negative.
  return { low: mean * (spread.low / mean) ** wider, high: mean * (spread.high / mean) ** wider };
}

export function ratioOf(of: NcioPoint, to: NcioPoint): Ratio {
  const [a, b] = [rangeOf(of), rangeOf(to)];
  return {
    value: of.bandwidthBytesPerSecond / to.bandwidthBytesPerSecond,
    low: a.low / b.high,
    high: a.high / b.low,
    ...(isSameAccess(of, to) && { same: true }),
    ...(Math.min(countingRepeats(of), countingRepeats(to)) < 2 && { single: true }),
  };
}

/** Independent methods make the same requests for one contiguous range in memory and in the file. */
function isSameAccess(a: NcioPoint, b: NcioPoint): boolean {
  const individual = METHOD_WORDS[a.method].individual && METHOD_WORDS[b.method].individual;
  if (!individual || a.method === b.method || a.case !== b.case || a.direction !== b.direction) return false;
  if (a.count !== b.count || a.size !== b.size) return false;
  return a.case === "c-c" || (a.case === "nc-c" && a.spacing <= a.size && b.spacing <= b.size);
}

export function seen({ low, high, same }: Ratio): Seen {
  if (same) return "no difference seen";
  if (low > 1) return "faster";
  return high < 1 ? "slower" : "no difference seen";
}

/** `12.5× (9.1 to 16)`. */
export const ratioText = ({ value, low, high }: Ratio): string =>
  `${factor(value)}× (${factor(low)} to ${factor(high)})`;

/** Three digits from 10 on, two below: measurements are not more precise. */
export function factor(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)));
}

/** The median; for an even number between the two middle ones, with the interval of both. */
export function middle(ratios: readonly Ratio[]): Ratio | undefined {
  const sorted = [...ratios].sort((a, b) => a.value - b.value);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (lower === undefined || upper === undefined || lower === upper) return lower;
  return {
    value: Math.sqrt(lower.value * upper.value),
    low: Math.min(lower.low, upper.low),
    high: Math.max(lower.high, upper.high),
    ...((lower.single || upper.single) && { single: true }),
  };
}

export interface Tally {
  readonly faster: number;
  readonly slower: number;
  readonly open: number;
  /** Ratios with a single counted repetition; excluded from the counts above. */
  readonly few: number;
  readonly all: number;
}

export function tally(ratios: readonly Ratio[]): Tally {
  const count = (what: Seen) => ratios.filter((ratio) => !ratio.single && seen(ratio) === what).length;
  return {
    faster: count("faster"),
    slower: count("slower"),
    open: count("no difference seen"),
    few: ratios.filter(({ single }) => single).length,
    all: ratios.length,
  };
}
