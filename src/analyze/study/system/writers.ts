/** Who writes much, and in small calls: limits and classes of B06 under every reading of the paper. */
import { mean, quantileOf, sum } from "../../../base/statistics.ts";
import { type PER_CALL, type Population, type WriteLimits, writeClass } from "../common/write-classes.ts";
import type { UserTotals } from "./users.ts";
import { thresholdOf } from "./options.ts";
import type { Prepared } from "./prepare.ts";

export const USER_PER_CALL = ["sumOfRatios", "ratioOfSums"] as const;

export interface Classes {
  readonly heavy: number;
  readonly inefficient: number;
  readonly efficient: number;
  readonly tie: number;
}

type Limits = WriteLimits;

/** Jobs with write calls. */
export interface Writers {
  readonly places: Uint32Array;
  readonly bytes: Float64Array;
  readonly ratios: Float64Array;
  /** Bytes written without a counted call. */
  readonly withoutCalls: number;
  readonly sizes: Readonly<Record<Population, number>>;
  readonly calls: number;
  readonly total: number;
  /** Rising. */
  readonly sortedBytes: Float64Array;
  readonly sortedRatios: Float64Array;
}

export function writersOf({ jobs, counted }: Prepared): Writers {
  const places = new Uint32Array(counted.length);
  let [n, withIo, withoutCalls, calls] = [0, 0, 0, 0];
  for (const job of counted) {
    if ((jobs.read[job] as number) + (jobs.written[job] as number) > 0) withIo++;
    if ((jobs.writes[job] as number) > 0) {
      places[n++] = job;
      calls += jobs.writes[job] as number;
    } else if ((jobs.written[job] as number) > 0) withoutCalls++;
  }
  const bytes = new Float64Array(n);
  const ratios = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const job = places[i] as number;
    bytes[i] = jobs.written[job] as number;
    ratios[i] = (bytes[i] as number) / (jobs.writes[job] as number);
  }
  return {
    places: places.slice(0, n),
    bytes,
    ratios,
    withoutCalls,
    sizes: { all: counted.length, withIO: withIo, withWrites: n },
    calls,
    total: sum(bytes),
    sortedBytes: bytes.slice().sort(),
    sortedRatios: ratios.slice().sort(),
  };
}

/** Median of rising values with this many zeros before them. */
export function medianWithZeros(rising: Float64Array, zeros = 0): number {
  const n = rising.length + zeros;
  if (n === 0) return Number.NaN;
  const at = (place: number) => (place < zeros ? 0 : (rising[place - zeros] as number));
  return (at(Math.floor((n - 1) / 2)) + at(Math.floor(n / 2))) / 2;
}

export function jobLimits(
  writers: Writers,
  population: Population,
  perCall: (typeof PER_CALL)[number],
  threshold: "mean" | "median" | number,
): Limits {
  const size = writers.sizes[population];
  if (threshold === "median")
    return {
      bytes: medianWithZeros(writers.sortedBytes, size - writers.bytes.length),
      perCall: medianWithZeros(writers.sortedRatios),
    };
  return {
    bytes: threshold === "mean" ? writers.total / size : threshold,
    perCall: perCall === "meanOfRatios" ? mean(writers.ratios) : writers.total / writers.calls,
  };
}

/** More than the limit of bytes: less, more or as much as the limit per call. */
export function classify(bytes: ArrayLike<number>, ratios: ArrayLike<number>, limits: Limits): Classes {
  const counts = { light: 0, inefficient: 0, efficient: 0, tie: 0 };
  for (let i = 0; i < bytes.length; i++)
    counts[writeClass(bytes[i] as number, ratios[i] as number, limits)]++;
  const { inefficient, efficient, tie } = counts;
  return { heavy: inefficient + efficient + tie, inefficient, efficient, tie };
}

interface UserWrites {
  readonly users: readonly UserTotals[];
  readonly bytes: Float64Array;
  readonly ratios: Float64Array;
  readonly limits: Limits;
}

/** Users of a population: those with a job in it. */
export function userWrites(
  prepared: Prepared,
  population: Population,
  way: (typeof USER_PER_CALL)[number],
  threshold: "mean" | "median" | number,
): UserWrites {
  const users = prepared
    .users()
    .filter((one) => population === "all" || (population === "withIO" ? one.withIo : one.withWrites) > 0);
  const bytes = Float64Array.from(users, ({ written }) => written);
  const ratios = Float64Array.from(users, (one) =>
    way === "sumOfRatios" ? one.ratios : one.writes === 0 ? 0 : one.written / one.writes,
  );
  const limits =
    threshold === "median"
      ? { bytes: quantileOf(bytes, 0.5), perCall: quantileOf(ratios, 0.5) }
      : { bytes: threshold === "mean" ? mean(bytes) : threshold, perCall: mean(ratios) };
  return { users, bytes, ratios, limits };
}

/** The chosen reading: what jobs and users were classed with. */
export function chosen(prepared: Prepared) {
  const { options } = prepared;
  const threshold = thresholdOf(options.threshold);
  const writers = prepared.writers();
  const limits = jobLimits(writers, options.population, options.perCall, threshold);
  const users = userWrites(prepared, options.population, options.userPerCall, threshold);
  return {
    writers,
    limits,
    jobs: classify(writers.bytes, writers.ratios, limits),
    users,
    userClasses: classify(users.bytes, users.ratios, users.limits),
  };
}
