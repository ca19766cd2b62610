/** How far the numbers behind the findings could move: bootstrap intervals over files, or over runs. */
import {
  bootstrap,
  type Interval,
  risingOrder,
  weightedMean,
  weightedQuantile,
} from "../../base/bootstrap.ts";
import { mean, spearman } from "../../base/statistics.ts";
import { MOVING, ONE_SIDED } from "./a06-one-sided-runs.ts";
import { HOURS_MIN } from "./a14-hours.ts";
import { drawnPart } from "./charts.ts";
import type { Prepared } from "./prepare.ts";

/** Units that a bootstrap draws from; more are thinned by hash, and the interval is scaled to the full number. */
const UNITS_MAX = 5000;

/** The least and the most loaded target are among all of them, so here a part of the files would tell nothing. */
const LAYOUT_UNITS_MAX = 2_000_000;
/** Draws of one bootstrap, under a second; and the fewest replicates that give an interval of 95 %. */
const DRAWS_MAX = 20_000_000;
const REPLICATES_LEAST = 100;

/** The larger over the smaller. */
export const larger = (a: number, b: number) => Math.max(a / b, b / a);

/** An interval, and where its units alone put the number, when they are a part of all. */
export interface DrawnInterval extends Interval {
  readonly partAt?: number;
}

/**
 * The interval around the number that all units give. A part of them gives a number of its own, and the interval that it
 * gives lies around that one.
 */
export function around(measured: number, { low, high, partAt }: DrawnInterval): Interval {
  if (partAt === undefined || Number.isNaN(measured) || Number.isNaN(partAt)) return { low, high };
  return { low: measured + (low - partAt), high: measured + (high - partAt) };
}

/** Intervals of `names` statistics of units of which `drawn` of `all` were fetched. */
function intervals<Name extends string>(
  { options }: Prepared,
  units: number,
  all: number,
  names: readonly Name[],
  statistics: (weights: Float64Array) => readonly number[],
): Record<Name, DrawnInterval> {
  const none = { low: Number.NaN, high: Number.NaN };
  if (units === 0)
    return Object.fromEntries(names.map((name) => [name, none])) as Record<Name, DrawnInterval>;
  const estimates = statistics(new Float64Array(units).fill(1));
  // Of very many units each replicate is long, and fewer of them tell as much.
  const replicates = Math.max(REPLICATES_LEAST, Math.min(options.replicates, Math.floor(DRAWS_MAX / units)));
  const raw = bootstrap(units, statistics, {
    ...options,
    replicates: Math.min(options.replicates, replicates),
  });
  // A part of the units spreads more than all of them would, by the root of their numbers.
  const scale = Math.sqrt(units / Math.max(units, all));
  return Object.fromEntries(
    names.map((name, i) => {
      const { low, high } = raw[i] ?? none;
      const at = estimates[i] as number;
      return [
        name,
        scale === 1
          ? { low, high }
          : { low: at + (low - at) * scale, high: at + (high - at) * scale, partAt: at },
      ];
    }),
  ) as Record<Name, DrawnInterval>;
}

type FileName =
  | "readWrite"
  | "heavyRatio"
  | "readP80"
  | "writeP80"
  | "gapRatio"
  | "streakRatio"
  | "readTwo"
  | "shared"
  | "sharedReadWrite"
  | "applicationHours"
  | "covRatio"
  | "readHeavyTime";

export async function fileIntervals(prepared: Prepared): Promise<Record<FileName, DrawnInterval>> {
  const { db, options, files } = prepared;
  const part = drawnPart(files, "file_no", UNITS_MAX);
  const gone = (name: string) => (options.absentType === "zero" ? name : `nullif(${name}, 0) as ${name}`);
  const columns =
    await db.columns(`select class, gap_read, gap_write, ${gone("streak_read")}, ${gone("streak_write")},
    applications, application_hours, application_pairs, cov_bytes, cov_time from reuse_matrix where ${part.where} order by file_no`);
  const column = (name: string) => columns[name] ?? new Float64Array();
  const classes = column("class");
  const units = classes.length;
  const flag = (of: (i: number) => number) => Float64Array.from({ length: units }, (_, i) => of(i));
  const isClass = (code: number) =>
    flag((i) => (Number.isNaN(classes[i]) ? Number.NaN : Number(classes[i] === code)));
  const [both, read, written] = [isClass(0), isClass(1), isClass(-1)];
  const applications = column("applications");
  const shared = flag((i) =>
    Number.isNaN(applications[i]) ? Number.NaN : Number((applications[i] as number) >= 2),
  );
  const sharedBoth = flag((i) => (shared[i] === 1 ? (both[i] as number) : Number.NaN));
  const asked = options.streakShare === "rounded" ? Math.round : (value: number) => value;
  const streaks = column("streak_read");
  const two = flag((i) => (Number.isNaN(streaks[i]) ? Number.NaN : Number(asked(streaks[i] as number) >= 2)));
  const [gapRead, gapWrite] = [column("gap_read"), column("gap_write")];
  const [orderRead, orderWrite] = [risingOrder(gapRead), risingOrder(gapWrite)];
  const [hours, pairs] = [column("application_hours"), column("application_pairs")];
  // Over pairs each file counts as often as it has pairs; otherwise once.
  const perPair = options.applicationGap === "pairs";
  const hoursSum = flag((i) => (hours[i] as number) * (perPair ? (pairs[i] as number) : 1));
  const hoursCount = flag((i) => (Number.isNaN(hours[i]) ? Number.NaN : perPair ? (pairs[i] as number) : 1));
  const times = column("cov_time");
  const readTimes = flag((i) => (read[i] === 1 ? (times[i] as number) : Number.NaN));
  return intervals(
    prepared,
    units,
    files,
    [
      "readWrite",
      "heavyRatio",
      "readP80",
      "writeP80",
      "gapRatio",
      "streakRatio",
      "readTwo",
      "shared",
      "sharedReadWrite",
      "applicationHours",
      "covRatio",
      "readHeavyTime",
    ],
    (weights) => {
      const of = (values: Float64Array) => weightedMean(values, weights);
      const allTimes = of(times);
      return [
        of(both),
        of(read) / of(written),
        weightedQuantile(gapRead, orderRead, weights, 0.8),
        weightedQuantile(gapWrite, orderWrite, weights, 0.8),
        larger(of(gapRead), of(gapWrite)),
        of(streaks) / of(column("streak_write")),
        of(two),
        of(shared),
        of(sharedBoth),
        of(hoursSum) / of(hoursCount),
        allTimes / of(column("cov_bytes")),
        of(readTimes) / allTimes,
      ];
    },
  );
}

export async function runIntervals(prepared: Prepared) {
  const { db, runs } = prepared;
  const part = drawnPart(runs, "run_id", UNITS_MAX);
  const { x, side, bytes } =
    await db.columns(`select ${ONE_SIDED} as x, case when r > w then 1 when r < w then -1 else 0 end as side,
    cast(r + w as double) as bytes from reuse_runs where ${MOVING} and ${part.where} order by run_id`);
  const n = x?.length ?? 0;
  const pick = (code: number) =>
    Float64Array.from({ length: n }, (_, i) => (side?.[i] === code ? (bytes?.[i] as number) : Number.NaN));
  const oneSided = Float64Array.from(x ?? [], (value) => Number(value >= 0.95));
  const [reads, writes] = [pick(1), pick(-1)];
  const is = (code: number) => Float64Array.from(side ?? [], (value) => Number(value === code));
  const [isRead, isWrite] = [is(1), is(-1)];
  return intervals(prepared, n, runs, ["oneSided", "readOverWrite", "writeOverRead"] as const, (weights) => [
    weightedMean(oneSided, weights),
    weightedMean(isRead, weights) / weightedMean(isWrite, weights),
    weightedMean(writes, weights) / weightedMean(reads, weights),
  ]);
}

export async function ostInterval(prepared: Prepared) {
  const { db, files } = prepared;
  const part = drawnPart(files, "file_no", LAYOUT_UNITS_MAX);
  const { file, ost, bytes } = await db.columns(`select file_no as file, ost, cast(bytes as double) as bytes
    from reuse_layouts where ${part.where} order by file_no, ost`);
  const index = numbered(file);
  const targets = numbered(ost);
  const loads = new Float64Array(targets.count);
  const counts = new Float64Array(targets.count);
  return intervals(prepared, index.count, files, ["least", "ratio"] as const, (weights) => {
    loads.fill(0);
    counts.fill(0);
    for (let i = 0; i < index.of.length; i++) {
      const at = targets.of[i] as number;
      const weight = weights[index.of[i] as number] as number;
      loads[at] = (loads[at] as number) + weight * (bytes?.[i] as number);
      counts[at] = (counts[at] as number) + weight;
    }
    const least = leastOverMost(loads);
    return [least, least / leastOverMost(counts)];
  });
}

function leastOverMost(values: Float64Array): number {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least / most;
}

/** Values as numbers from 0 in the order in which they first occur. */
function numbered(values: Float64Array | undefined): { of: Uint32Array; count: number } {
  const known = new Map<number, number>();
  const of = Uint32Array.from(values ?? [], (value) => {
    let at = known.get(value);
    if (at === undefined) known.set(value, (at = known.size));
    return at;
  });
  return { of, count: known.size };
}

export async function layerIntervals(prepared: Prepared) {
  const { db, files } = prepared;
  const part = drawnPart(files, "file_no", UNITS_MAX);
  const c =
    await db.columns(`select file_no as file, case layer when 'POSIX' then 0 when 'MPI-IO' then 1 else 2 end as layer,
    bytes, sd_bytes, sd_seconds from reuse_layers where ${part.where} order by file_no, layer`);
  const index = numbered(c.file);
  const spread = (name: string, code: number) => {
    const values = new Float64Array(index.count).fill(Number.NaN);
    index.of.forEach((file, i) => {
      if (c.layer?.[i] === code) values[file] = c[name]?.[i] as number;
    });
    return values;
  };
  const [posixTime, mpiioTime] = [spread("sd_seconds", 0), spread("sd_seconds", 1)];
  const [posixSd, posixBytes] = [spread("sd_bytes", 0), spread("bytes", 0)];
  return intervals(prepared, index.count, files, ["timeRatio", "bytesRatio"] as const, (weights) => [
    weightedMean(posixTime, weights) / weightedMean(mpiioTime, weights),
    weightedMean(posixSd, weights) / weightedMean(posixBytes, weights),
  ]);
}

export async function hourInterval(prepared: Prepared) {
  const { db, files } = prepared;
  const part = drawnPart(files, "file_no", UNITS_MAX);
  const c = await db.columns(`select file_no as file, hour, n_io, share_sum, cov from reuse_cells
    where ${part.where} order by file_no, hour`);
  const index = numbered(c.file);
  const sums = Array.from({ length: 4 }, () => new Float64Array(24));
  return intervals(prepared, index.count, files, ["rho", "meanCov"] as const, (weights) => {
    for (const sum of sums) sum.fill(0);
    const [time, runs, cov, cells] = sums as [Float64Array, Float64Array, Float64Array, Float64Array];
    for (let i = 0; i < index.of.length; i++) {
      const weight = weights[index.of[i] as number] as number;
      if (weight === 0) continue;
      const hour = c.hour?.[i] as number;
      const [part1, variation] = [c.share_sum?.[i] as number, c.cov?.[i] as number];
      if (!Number.isNaN(part1)) {
        time[hour] = (time[hour] as number) + weight * part1;
        runs[hour] = (runs[hour] as number) + weight * (c.n_io?.[i] as number);
      }
      if (Number.isNaN(variation)) continue;
      cov[hour] = (cov[hour] as number) + weight * variation;
      cells[hour] = (cells[hour] as number) + weight;
    }
    const both = [...time.keys()].filter((hour) => (runs[hour] as number) > 0 && (cells[hour] as number) > 0);
    const covs = both.map((hour) => (cov[hour] as number) / (cells[hour] as number));
    if (both.length < HOURS_MIN) return [Number.NaN, Number.NaN];
    const times = both.map((hour) => (time[hour] as number) / (runs[hour] as number));
    return [spearman(times, covs), mean(covs)];
  });
}
