/** How far the numbers behind the findings could move: bootstrap intervals over files, or over runs. */
import { type Interval, risingOrder, UnitMeans, weightedQuantile } from "../../../base/bootstrap.ts";
import { leastOverMostInterval } from "../../../base/extremes.ts";
import { mean, spearman } from "../../../base/statistics.ts";
import { type DrawnInterval, intervalsOf } from "../common/intervals.ts";
import { HOURS_MIN } from "./a14-hours.ts";
import type { Prepared } from "./prepare.ts";
import { sampled } from "./sample.ts";
import { type Column, eachPage, NO_CLASS } from "./sweep/index.ts";

/** Runs that a bootstrap draws from; more are thinned by hash, and the interval is scaled to the full number. */
const SAMPLE_RUNS = 5000;

/** The larger over the smaller. */
export const larger = (a: number, b: number) => Math.max(a / b, b / a);

const FILE_NAMES = [
  ...(["readWrite", "heavyRatio", "readLong", "writeLong", "gapRatio", "streakRatio", "readTwo"] as const),
  ...(["shared", "sharedReadWrite", "applicationHours", "covRatio", "readHeavyTime"] as const),
];

export type DrawnIntervals = Awaited<ReturnType<typeof drawnIntervals>>;

/** The intervals for which units are resampled. They take long, so others have their turn in between. */
export async function drawnIntervals(prepared: Prepared, pause: () => Promise<void> = async () => {}) {
  const files = fileIntervals(prepared);
  await pause();
  const layers = layerIntervals(prepared);
  await pause();
  const hours = hourInterval(prepared);
  await pause();
  // Last: another thread may still group them.
  return { files, layers, hours, runs: await runIntervals(prepared) };
}

/** The files that intervals are made of. */
const sampleOf = (files: number): Uint32Array => {
  const chosen = sampled(files);
  return Uint32Array.from({ length: files }, (_, file) => file).filter(chosen);
};

function fileIntervals(prepared: Prepared): Record<(typeof FILE_NAMES)[number], DrawnInterval> {
  const { options, files } = prepared;
  const { sequences, sharing, spreads } = prepared.scan;
  const chosen = sampleOf(files);
  const units = chosen.length;
  const picked = (column: Column) => column.at(chosen);
  const flag = (of: (i: number) => number) => Float64Array.from({ length: units }, (_, i) => of(i));
  /** 1 or 0 where the value is known. */
  const test = (values: Float64Array, is: (value: number) => boolean) =>
    values.map((value) => (Number.isNaN(value) ? Number.NaN : Number(is(value))));
  const classes = Float64Array.from(chosen, (file) => prepared.classes[file] as number);
  const [both, read, written] = [0, 1, -1].map((code) =>
    classes.map((one) => (one === NO_CLASS ? Number.NaN : Number(one === code))),
  ) as [Float64Array, Float64Array, Float64Array];
  const shared = test(picked(sharing.applications), (count) => count >= 2);
  const asked = options.streakShare === "rounded" ? Math.round : (value: number) => value;
  const streaks = (column: Column) =>
    picked(column).map((value) => (value === 0 && options.absentType === "exclude" ? Number.NaN : value));
  const streakRead = streaks(sequences.streakRead);
  const [gapRead, gapWrite] = [picked(sequences.gapRead), picked(sequences.gapWrite)];
  const hours = picked(sharing.handoverHours ?? sharing.hours);
  // Over pairs each file counts as often as it has pairs; otherwise once.
  const pairs = options.applicationGap === "pairs" ? picked(sharing.pairsWithGap) : flag(() => 1);
  const times = picked(spreads.covTime);
  const means = new UnitMeans(units, [
    both,
    read,
    written,
    gapRead,
    gapWrite,
    streakRead,
    streaks(sequences.streakWrite),
    test(streakRead, (value) => asked(value) >= 2),
    shared,
    flag((i) => (shared[i] === 1 ? (both[i] as number) : Number.NaN)),
    flag((i) => (hours[i] as number) * (pairs[i] as number)),
    flag((i) => (Number.isNaN(hours[i]) ? Number.NaN : (pairs[i] as number))),
    times,
    picked(spreads.covBytes),
    flag((i) => (read[i] === 1 ? (times[i] as number) : Number.NaN)),
    test(gapRead, (hours) => hours >= options.gapHours),
    test(gapWrite, (hours) => hours >= options.gapHours),
  ]);
  return intervalsOf(options, units, files, FILE_NAMES, (weights) => {
    const m = means.of(weights);
    const ratio = (a: number, b: number) => (m[a] as number) / (m[b] as number);
    return [
      m[0] as number,
      ratio(1, 2),
      m[15] as number,
      m[16] as number,
      larger(m[3] as number, m[4] as number),
      ratio(5, 6),
      m[7] as number,
      m[8] as number,
      m[9] as number,
      ratio(10, 11),
      ratio(12, 13),
      ratio(14, 12),
    ];
  });
}

async function runIntervals(prepared: Prepared) {
  const runs = await prepared.scan.runs;
  const { x, side, bytes } = runs.sample.take(SAMPLE_RUNS);
  const is = (code: number) => side.map((one) => Number(one === code));
  const pick = (code: number) => bytes.map((value, i) => (side[i] === code ? value : Number.NaN));
  const oneSided = x.map((value) => Number(value >= 0.95));
  const means = new UnitMeans(x.length, [oneSided, is(1), is(-1), pick(1), pick(-1)]);
  const names = ["oneSided", "readOverWrite", "writeOverRead"] as const;
  return intervalsOf(prepared.options, x.length, runs.moving, names, (weights) => {
    const [one, reads, writes, read, written] = means.of(weights);
    return [one as number, (reads as number) / (writes as number), (written as number) / (read as number)];
  });
}

/**
 * The least and the most loaded OST are extremes of many, which resampling files only makes more extreme. So the load of
 * an OST is taken as a sum of what independent runs move, and the interval is that of the loads in the long run.
 */
export async function ostInterval(prepared: Prepared): Promise<{ least: Interval; ratio: Interval }> {
  const { loads } = await prepared.osts();
  const files = loads.map((load) => load.files);
  const even = Math.min(...files) / Math.max(...files);
  const least = leastOverMostInterval(
    loads.map(({ bytes, squares, largest }) => ({ sum: Number(bytes), squares, largest })),
    prepared.options.level,
  );
  return { least, ratio: { low: least.low / even, high: least.high / even } };
}

/** Values as numbers from 0 in the order in which they first occur. */
function numbered(values: Float64Array): { of: Uint32Array; count: number } {
  const known = new Map<number, number>();
  const of = Uint32Array.from(values, (value) => {
    let at = known.get(value);
    if (at === undefined) known.set(value, (at = known.size));
    return at;
  });
  return { of, count: known.size };
}

function layerIntervals(prepared: Prepared) {
  const { files, scan } = prepared;
  const { layers } = scan;
  const chosen = sampled(files);
  const places: number[] = [];
  eachPage([layers.file], ([files], from) => {
    for (let i = 0; i < files.length; i++) if (chosen(files[i] as number)) places.push(from + i);
  });
  const index = numbered(layers.file.at(places));
  const layer = layers.layer.at(places);
  const spread = (values: Float64Array, code: number) => {
    const column = new Float64Array(index.count).fill(Number.NaN);
    values.forEach((value, i) => {
      if (layer[i] === code) column[index.of[i] as number] = value;
    });
    return column;
  };
  const [time, sd, bytes] = [layers.sdSeconds.at(places), layers.sdBytes.at(places), layers.bytes.at(places)];
  const means = new UnitMeans(index.count, [
    spread(time, 0),
    spread(time, 1),
    spread(sd, 0),
    spread(bytes, 0),
  ]);
  return intervalsOf(
    prepared.options,
    index.count,
    files,
    ["timeRatio", "bytesRatio"] as const,
    (weights) => {
      const [posix, mpiio, posixSd, posixBytes] = means.of(weights);
      return [(posix as number) / (mpiio as number), (posixSd as number) / (posixBytes as number)];
    },
  );
}

function hourInterval(prepared: Prepared) {
  const { kept } = prepared.scan.hours;
  const index = numbered(kept.file.values());
  const medians = prepared.options.hourStatistic === "median";
  const averages = medians ? hourMedians(kept, index.of) : hourMeans(kept, index.of);
  return intervalsOf(
    prepared.options,
    index.count,
    prepared.files,
    ["rho", "meanCov"] as const,
    (weights) => {
      const { longs, variations } = averages(weights);
      if (longs.length < HOURS_MIN) return [Number.NaN, Number.NaN];
      return [spearman(longs, variations), mean(variations)];
    },
  );
}

type Cells = Prepared["scan"]["hours"]["kept"];
/** I/O time and variation of the hours that have both, of files with these weights. */
type HourAverages = (weights: Float64Array) => {
  readonly longs: readonly number[];
  readonly variations: readonly number[];
};

function hourMeans(kept: Cells, fileOf: Uint32Array): HourAverages {
  // Per pair of file and hour: share of time, times, variation, 1 if there is one; side by side, without NaN.
  const [hourOf, times, shares, covs] = [kept.hour, kept.times, kept.share, kept.cov].map((column) =>
    column.values(),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const places = Uint8Array.from(hourOf, (hour) => 4 * hour);
  const cells = new Float64Array(4 * places.length);
  for (let i = 0; i < places.length; i++) {
    const [share, cov] = [shares[i] as number, covs[i] as number];
    if (!Number.isNaN(share)) cells.set([share, times[i] as number], 4 * i);
    if (!Number.isNaN(cov)) cells.set([cov, 1], 4 * i + 2);
  }
  const sums = new Float64Array(4 * 24);
  return (weights) => {
    sums.fill(0);
    for (let i = 0; i < places.length; i++) {
      const weight = weights[fileOf[i] as number] as number;
      if (weight === 0) continue;
      const at = places[i] as number;
      const from = 4 * i;
      sums[at] = (sums[at] as number) + weight * (cells[from] as number);
      sums[at + 1] = (sums[at + 1] as number) + weight * (cells[from + 1] as number);
      sums[at + 2] = (sums[at + 2] as number) + weight * (cells[from + 2] as number);
      sums[at + 3] = (sums[at + 3] as number) + weight * (cells[from + 3] as number);
    }
    const longs: number[] = [];
    const variations: number[] = [];
    for (let at = 0; at < sums.length; at += 4) {
      if (sums[at + 1] === 0 || sums[at + 3] === 0) continue;
      longs.push((sums[at] as number) / (sums[at + 1] as number));
      variations.push((sums[at + 2] as number) / (sums[at + 3] as number));
    }
    return { longs, variations };
  };
}

/** Medians of the hours: a pair of file and hour counts as often as it has I/O times, with the mean of these. */
function hourMedians(kept: Cells, fileOf: Uint32Array): HourAverages {
  const [hourOf, times] = [kept.hour.values(), kept.times.values()];
  const covs = kept.cov.values();
  const means = kept.share.values().map((share, i) => share / (times[i] as number));
  const ordersOf = (values: Float64Array) => {
    const order = risingOrder(values);
    return Array.from({ length: 24 }, (_, hour) => order.filter((i) => hourOf[i] === hour));
  };
  const [byMean, byCov] = [ordersOf(means), ordersOf(covs)];
  const [timed, once] = [new Float64Array(hourOf.length), new Float64Array(hourOf.length)];
  return (weights) => {
    for (let i = 0; i < hourOf.length; i++) {
      const weight = weights[fileOf[i] as number] as number;
      timed[i] = weight * (times[i] as number);
      once[i] = weight;
    }
    const hours = byMean.map((order, hour) => ({
      long: weightedQuantile(means, order, timed, 0.5),
      variation: weightedQuantile(covs, byCov[hour] as Uint32Array, once, 0.5),
    }));
    const both = hours.filter(({ long, variation }) => !Number.isNaN(long) && !Number.isNaN(variation));
    return { longs: both.map(({ long }) => long), variations: both.map(({ variation }) => variation) };
  };
}
