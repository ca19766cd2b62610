/** How far the numbers behind the observations could move: intervals by resampling users, days or jobs. */
import { risingOrder, UnitMeans, weightedQuantile } from "../../../base/bootstrap.ts";
import { gini } from "../../../base/statistics.ts";
import { mixed } from "../common/hash.ts";
import { type DrawnInterval, intervalsOf } from "../common/intervals.ts";
import { sharesOf } from "./b12-share.ts";
import { periodFlags } from "./b13-periods.ts";
import { mostlyFlags } from "./b16-burst-sizes.ts";
import { largestShares } from "./burst-classes.ts";
import { hourCorrelation, hoursOf } from "./contention.ts";
import { bookedBytes } from "./days.ts";
import { readShares } from "./users.ts";
import { weekdayGroups } from "./b09-calendar.ts";
import type { SystemOptions } from "./options.ts";
import type { Prepared } from "./prepare.ts";
import { kruskalWallis } from "./statistics.ts";
import { chosen } from "./writers.ts";

/** Units that a bootstrap draws from; more are thinned by hash, and the interval is scaled to the full number. */
const SAMPLE = 3000;

/** Places of a sample of `count` units. */
function sampleOf(count: number): Uint32Array {
  const every = Math.max(1, Math.ceil(count / SAMPLE));
  const places: number[] = [];
  for (let i = 0; i < count; i++) if (every === 1 || mixed(i, 2) % every === 0) places.push(i);
  return Uint32Array.from(places);
}

/** Intervals of statistics of a sample of `of` units. */
function drawn<Name extends string>(
  options: SystemOptions,
  of: number,
  names: readonly Name[],
  make: (places: Uint32Array) => (weights: Float64Array) => readonly number[],
): Record<Name, DrawnInterval> {
  const places = sampleOf(of);
  return intervalsOf(options, places.length, of, names, make(places));
}

/** Means over `count` units of what the columns say of each, with intervals; what is NaN is left out. */
function meansOf<Name extends string>(
  options: SystemOptions,
  count: number,
  columns: Readonly<Record<Name, (i: number) => number>>,
) {
  const names = Object.keys(columns) as Name[];
  return drawn(options, count, names, (places) => {
    const means = new UnitMeans(
      places.length,
      names.map((name) => Float64Array.from(places, columns[name])),
    );
    return (weights) => means.of(weights);
  });
}

const at = (values: ArrayLike<number>) => (i: number) => values[i] as number;

export function jobIntervals(prepared: Prepared) {
  const { jobs, studied, counted, options } = prepared;
  const shape = meansOf(options, studied.length, {
    short: (i) => ((jobs.duration[studied[i] as number] as number) < 7200 ? 1 : 0),
    small: (i) => {
      const nodes = jobs.nodes[studied[i] as number] as number;
      return Number.isNaN(nodes) ? Number.NaN : nodes < 100 ? 1 : 0;
    },
  });
  const moved = (job: number) => (jobs.read[job] as number) + (jobs.written[job] as number);
  const io = meansOf(options, counted.length, { io: (i) => (moved(counted[i] as number) > 0 ? 1 : 0) });
  return { ...shape, ...io };
}

export function writeIntervals(prepared: Prepared) {
  const { options } = prepared;
  const { writers, limits, users } = chosen(prepared);
  const heavy: number[] = [];
  writers.bytes.forEach((bytes, i) => {
    if (bytes > limits.bytes) heavy.push(i);
  });
  const heavyUsers = [...users.bytes.keys()].filter((i) => (users.bytes[i] as number) > users.limits.bytes);
  return {
    ...meansOf(options, heavy.length, {
      inefficient: (i) => ((writers.ratios[heavy[i] as number] as number) < limits.perCall ? 1 : 0),
    }),
    ...meansOf(options, heavyUsers.length, {
      usersEfficient: (i) =>
        (users.ratios[heavyUsers[i] as number] as number) > users.limits.perCall ? 1 : 0,
    }),
  };
}

export function userIntervals(prepared: Prepared) {
  const { options } = prepared;
  const shares = readShares(prepared);
  return drawn(options, shares.length, ["distance", "read", "written"] as const, (places) => {
    const own = Float64Array.from(places, (i) => shares[i] as number);
    return (weights) => {
      // The values rise, so one pass gives the largest distance.
      const all = weights.reduce((sum, one) => sum + one, 0);
      let [passed, distance, read, written] = [0, 0, 0, 0];
      for (let i = 0; i < own.length; i++) {
        const [value, weight] = [own[i] as number, weights[i] as number];
        if (weight === 0) continue;
        distance = Math.max(distance, value - passed / all);
        passed += weight;
        distance = Math.max(distance, passed / all - value);
        if (value > 0.8) read += weight;
        if (value < 0.2) written += weight;
      }
      return [distance, read / all, written / all];
    };
  });
}

/** Correlations of logarithms over jobs that wrote. */
export function metadataIntervals({ jobs, counted, options }: Prepared) {
  const writers = counted.filter((job) => (jobs.written[job] as number) > 0);
  const log = (value: number) => Math.log10(1 + (value > 0 ? value : 0));
  return drawn(options, writers.length, ["mkdirs", "mknods"] as const, (places) => {
    const column = (values: Float64Array) =>
      Float64Array.from(places, (i) => log(values[writers[i] as number] as number));
    const [bytes, mkdirs, mknods] = [
      column(jobs.written),
      column(jobs.operations.mkdirs),
      column(jobs.operations.mknods),
    ];
    return (weights) => [weightedPearson(mkdirs, bytes, weights), weightedPearson(mknods, bytes, weights)];
  });
}

function weightedPearson(x: Float64Array, y: Float64Array, weights: Float64Array): number {
  let [n, sx, sy, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number;
    if (weight === 0) continue;
    const [a, b] = [x[i] as number, y[i] as number];
    n += weight;
    sx += weight * a;
    sy += weight * b;
    xx += weight * a * a;
    yy += weight * b * b;
    xy += weight * a * b;
  }
  const [vx, vy] = [xx - (sx * sx) / n, yy - (sy * sy) / n];
  return vx <= 1e-12 || vy <= 1e-12 ? Number.NaN : (xy - (sx * sy) / n) / Math.sqrt(vx * vy);
}

/** Jobs resampled with all that they did on every target: how unequal the loads would be had other jobs been seen. */
export function mdtIntervals({ mdts, options }: Prepared): Record<"gini" | "closed", DrawnInterval> {
  const { sample, targets, jobs } = mdts;
  const { job, target, opens, closes } = sample;
  const loads = new Float64Array(targets.length);
  return intervalsOf(options, sample.jobs, jobs, ["gini", "closed"] as const, (weights) => {
    loads.fill(0);
    let [opened, closed] = [0, 0];
    for (let i = 0; i < job.length; i++) {
      const weight = weights[job[i] as number] as number;
      if (weight === 0) continue;
      const own = weight * (opens[i] as number);
      loads[target[i] as number]! += own;
      opened += own;
      closed += weight * (closes[i] as number);
    }
    return opened === 0 ? [Number.NaN, Number.NaN] : [gini(loads), closed / opened];
  });
}

export function dayIntervals(prepared: Prepared) {
  const { options } = prepared;
  const median = (shares: readonly number[]) =>
    drawn(options, shares.length, ["median"] as const, (places) => {
      const values = Float64Array.from(places, (i) => shares[i] as number);
      const order = risingOrder(values);
      return (weights) => [weightedQuantile(values, order, weights, 0.5)];
    }).median;
  const longest = median(prepared.days().map(({ longestBytes, bytes }) => longestBytes / bytes));
  const top = median(prepared.userDays().map(({ topBytes, bytes }) => topBytes / bytes));
  const booked = [...bookedBytes(prepared)];
  // Ranks of days drawn twice are shared, and a test of ranks takes time: a few hundred draws are enough.
  const weekday = drawn(
    { ...options, replicates: Math.min(options.replicates, 400) },
    booked.length,
    ["effect"] as const,
    (places) => (weights) => {
      const rows: [number, number][] = [];
      places.forEach((at, i) => {
        for (let k = 0; k < (weights[i] as number); k++) rows.push(booked[at] as [number, number]);
      });
      return [kruskalWallis(groupRows(rows)).effect];
    },
  );
  return { longest, top, ...weekday };
}

function groupRows(rows: readonly [number, number][]): number[][] {
  const groups = weekdayGroups(new Map());
  for (const [day, bytes] of rows) groups[(((day + 4) % 7) + 7) % 7]?.push(bytes);
  return groups;
}

export function seriesIntervals(prepared: Prepared) {
  const { options } = prepared;
  const { io, write } = sharesOf(prepared);
  const { periodic, heavy } = periodFlags(prepared);
  const { all } = largestShares(prepared);
  const { small } = mostlyFlags(prepared);
  return {
    ...meansOf(options, io.length, { io: at(io) }),
    ...meansOf(options, write.length, { write: at(write) }),
    ...meansOf(options, periodic.length, {
      periodic: at(periodic),
      heavyPeriodic: (i) => (heavy[i] === 1 ? (periodic[i] as number) : Number.NaN),
    }),
    ...meansOf(options, all.length, {
      below5: (i) => ((all[i] as number) < 0.05 ? 1 : 0),
      below1: (i) => ((all[i] as number) <= 0.01 ? 1 : 0),
    }),
    ...meansOf(options, small.length, { small: at(small) }),
  };
}

/** Correlation of data and I/O time over the hours, groups of similar jobs resampled. */
export function hourIntervals(prepared: Prepared): Record<"rho", DrawnInterval> {
  const { bytes } = hoursOf(prepared);
  const similar = prepared.similar();
  const load = bytes.some((one) => one > 0) ? bytes : similar.bytes;
  return drawn(prepared.options, similar.groups, ["rho"] as const, (places) => {
    const placeOf = new Int32Array(similar.groups).fill(-1);
    places.forEach((group, place) => {
      placeOf[group] = place;
    });
    return (weights) => {
      const [sums, counts] = [new Float64Array(24), new Float64Array(24)];
      for (let i = 0; i < similar.hour.length; i++) {
        const place = placeOf[similar.group[i] as number] as number;
        const weight = place < 0 ? 0 : (weights[place] as number);
        if (weight === 0) continue;
        const hour = similar.hour[i] as number;
        sums[hour]! += weight * (similar.share[i] as number);
        counts[hour]! += weight;
      }
      const shares = sums.map((sum, hour) =>
        counts[hour] === 0 ? Number.NaN : sum / (counts[hour] as number),
      );
      return [hourCorrelation(load, shares)];
    };
  });
}
