/** The paper's figures, drawn from simulated runs. */
import { standardDeviation } from "../../base/statistics.ts";
import { formatCount, formatMany } from "../../base/units.ts";
import type { Figure, ReplayData, ReplayPair, ReplaySeries, Role } from "../../model/index.ts";
import { distinct, rangeOf, TABLE_1 } from "./replay-data.ts";

const SIZE_ROLES: readonly Role[] = ["read", "write", "metadata", "wait", "after", "neutral"];

const about = (data: ReplayData, more: Figure["options"] = {}) => ({
  definition: "S02@1",
  options: { seed: data.seed, ...more },
  simulated: true,
});

const samplesOf = (series: readonly ReplaySeries[]): string => {
  const counts = distinct(series.map(({ results }) => results.length));
  return formatMany(counts[0] ?? 0, "sample");
};

/** Fig 1: bars by number of writers, one series per size, with min and max over samples. */
export function fig1(data: ReplayData): Figure[] {
  const series = data.series.filter(
    (one) => one.machine === "jaguar" && one.method === "posix" && !one.hourly && !one.twoJobs,
  );
  if (series.length === 0) return [];
  const make = (
    part: "a" | "b",
    title: string,
    label: string,
    value: "bandwidth" | "writerBandwidth",
  ): Figure => {
    const chart = sizeBars(series, value, label);
    return {
      ...about(data),
      id: `fig-1${part}`,
      title: `Fig 1(${part}): ${title}`,
      caption: `IOR with a file per process on 512 targets of Jaguar. Mean of ${samplesOf(series)}; whiskers from min to max. Simulated.`,
      summary:
        part === "a"
          ? "Small writes gain from more writers; large ones pass a peak and fall."
          : "More writers get less bandwidth each.",
      chart,
    };
  };
  return [
    make("a", "aggregate write bandwidth", "aggregate bandwidth, MB/s", "bandwidth"),
    make("b", "write bandwidth per writer", "bandwidth per writer, MB/s", "writerBandwidth"),
  ];
}

function sizeBars(series: readonly ReplaySeries[], value: "bandwidth" | "writerBandwidth", label: string) {
  const writers = distinct(series.map((one) => one.writers));
  const sizes = distinct(series.map((one) => one.sizeMb));
  return {
    kind: "bars" as const,
    direction: "vertical" as const,
    stacked: false,
    categories: writers.map(String),
    categoryLabel: "writers",
    value: { label, unit: "none" as const },
    series: sizes.map((sizeMb, i) => {
      const ranges = writers.map((count) =>
        rangeOf(
          series
            .find((one) => one.sizeMb === sizeMb && one.writers === count)
            ?.results.map((one) => one[value]) ?? [],
        ),
      );
      return { name: `${sizeMb} MB`, role: SIZE_ROLES[i % SIZE_ROLES.length] as Role, ...ends(ranges) };
    }),
  };
}

const ends = (ranges: readonly { low: number; mean: number; high: number }[]) => ({
  values: ranges.map(({ mean }) => mean),
  low: ranges.map(({ low }) => low),
  high: ranges.map(({ high }) => high),
});

const HOURLY_NAMES: readonly { machine: string; twoJobs: boolean; part: string; title: string }[] = [
  { machine: "jaguar", twoJobs: false, part: "a", title: "Jaguar/Lustre" },
  { machine: "franklin", twoJobs: false, part: "b", title: "Franklin/Lustre" },
  { machine: "xtp", twoJobs: true, part: "c", title: "XTP/PanFS, two jobs at once" },
  { machine: "xtp", twoJobs: false, part: "d", title: "XTP/PanFS, one job" },
];

const BINS = 24;

/** Fig 2: histogram of the bandwidth of hourly tests. */
export function fig2(data: ReplayData): Figure[] {
  return HOURLY_NAMES.flatMap(({ machine, twoJobs, part, title }) => {
    const series = data.series.find(
      (one) => one.hourly && one.machine === machine && one.twoJobs === twoJobs,
    );
    if (series === undefined) return [];
    const values = series.results.map(({ bandwidth }) => bandwidth);
    const { mean } = rangeOf(values);
    const sd = standardDeviation(values, 1);
    return [
      {
        ...about(data),
        id: `fig-2${part}`,
        title: `Fig 2(${part}): bandwidth of hourly tests, ${title}`,
        caption: `${formatMany(values.length, "test")} of ${series.writers} writers with ${series.sizeMb} MB each: mean ${mean.toFixed(0)} MB/s, standard deviation ${sd.toFixed(0)}, ${((100 * sd) / mean).toFixed(1)} % of the mean. Simulated.`,
        summary: `Tests reached between ${rangeOf(values).low.toFixed(0)} and ${rangeOf(values).high.toFixed(0)} MB/s.`,
        chart: histogram(
          values,
          TABLE_1.find((one) => one.machine === machine && one.twoJobs === twoJobs)?.mean,
        ),
      },
    ];
  });
}

function histogram(values: readonly number[], published: number | undefined) {
  const { high } = rangeOf(values);
  const width = niceWidth(high / BINS);
  // The axis reaches the published mean.
  const counts = new Array<number>(Math.floor(Math.max(high, published ?? 0) / width) + 1).fill(0);
  for (const value of values) counts[Math.floor(value / width)]!++;
  return {
    kind: "bars" as const,
    direction: "vertical" as const,
    stacked: false,
    categories: counts.map((_, i) => `${i * width}–${(i + 1) * width}`),
    categoryLabel: "bandwidth, MB/s",
    value: { label: "tests", unit: "count" as const },
    series: [{ name: "tests", role: "write" as const, values: counts }],
    ...(published !== undefined && {
      publishedPlaces: [{ from: published / width, label: `paper, mean ${formatCount(published)} MB/s` }],
    }),
  };
}

/** 1, 2 or 5 times a power of ten, at least `width`. */
function niceWidth(width: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(width, 1)));
  return power * ([1, 2, 5, 10].find((step) => step * power >= width) ?? 10);
}

export const imbalanceOf = (times: Float64Array): number => {
  const { low, high } = rangeOf([...times]);
  return high / low;
};

const PUBLISHED_PAIR = [3.44, 1.86] as const;

/** The pair of tests nearest to the published one, in both factors. */
function nearestPair(pairs: readonly ReplayPair[]): ReplayPair | undefined {
  const distance = ({ first, second }: ReplayPair) =>
    Math.abs(Math.log(imbalanceOf(first) / PUBLISHED_PAIR[0])) +
    Math.abs(Math.log(imbalanceOf(second) / PUBLISHED_PAIR[1]));
  return pairs.toSorted((a, b) => distance(a) - distance(b) || a.sample - b.sample)[0];
}

/** Fig 3: write time of each writer, in two tests three minutes apart. */
export function fig3(data: ReplayData): Figure[] {
  const pair = nearestPair(data.pairs);
  if (pair === undefined) return [];
  return [pair.first, pair.second].map((times, i) => ({
    ...about(data, { sample: pair.sample }),
    id: `fig-3${"ab"[i]}`,
    title: `Fig 3(${"ab"[i]}): write time of each writer, test ${i + 1}`,
    caption: `${times.length} writers with 128 MB each, one per target of Jaguar${i === 0 ? "" : ", 180 s after test 1 began"}. Imbalance factor ${imbalanceOf(times).toFixed(2)} (published: ${PUBLISHED_PAIR[i]}). The pair nearest to the published factors, out of ${data.pairs.length}. Simulated.`,
    summary: `The slowest writer took ${imbalanceOf(times).toFixed(2)} times as long as the fastest.`,
    chart: {
      kind: "bars" as const,
      direction: "vertical" as const,
      stacked: false,
      categories: Array.from(times, (_, writer) => String(writer)),
      categoryLabel: "writer",
      value: { label: "write time, s", unit: "none" as const },
      series: [{ name: "write time", role: "write" as const, values: [...times] }],
    },
  }));
}

const METHODS: readonly { method: string; interference: boolean; name: string; role: Role }[] = [
  { method: "mpi-io", interference: false, name: "MPI-IO", role: "before" },
  { method: "paper", interference: false, name: "adaptive", role: "after" },
  { method: "mpi-io", interference: true, name: "MPI-IO, interference", role: "neutral" },
  { method: "paper", interference: true, name: "adaptive, interference", role: "read" },
];

const OUTPUTS: readonly { sizeMb: number; fig: string; spread: string; name: string }[] = [
  { sizeMb: 2, fig: "5(a)", spread: "7(a)", name: "Pixie3D small, 2 MB per process" },
  { sizeMb: 128, fig: "5(b)", spread: "7(b)", name: "Pixie3D large, 128 MB per process" },
  { sizeMb: 1024, fig: "5(c)", spread: "7(c)", name: "Pixie3D extra large, 1 GB per process" },
  { sizeMb: 38, fig: "6", spread: "7(d)", name: "XGC1, 38 MB per process" },
];

const idOf = (fig: string): string => `fig-${fig.replace(/[()]/g, "")}`;

/** Output runs of a size on the paper's number of targets; runs on all targets are a separate experiment. */
export const outputSeries = (data: ReplayData, sizeMb: number): ReplaySeries[] =>
  data.series.filter(
    (one) =>
      one.machine === "jaguar" &&
      one.sizeMb === sizeMb &&
      (one.method === "mpi-io" || (one.method === "paper" && one.targets === 512)),
  );

/** Figs 5 and 6: bandwidth of MPI-IO and of the adaptive method, with and without interference. */
export function fig56(data: ReplayData, which: "5" | "6"): Figure[] {
  return OUTPUTS.filter(({ fig }) => fig.startsWith(which)).flatMap(({ sizeMb, fig, name }) => {
    const series = outputSeries(data, sizeMb);
    if (series.every(({ interference }) => !interference)) return [];
    return [
      {
        ...about(data),
        id: idOf(fig),
        title: `Fig ${fig}: ${name}`,
        caption: `MPI-IO on 160 targets, the adaptive method on 512. Mean of ${samplesOf(series)}; whiskers from min to max. Interference: three processes write continuously to each of eight targets. Simulated.`,
        summary: gainSummary(series),
        chart: methodBars(series, METHODS, "bandwidth, MB/s", (results) =>
          rangeOf(results.map(({ bandwidth }) => bandwidth)),
        ),
      },
    ];
  });
}

/** Fig 7: standard deviation of the write time, base conditions. */
export function fig7(data: ReplayData): Figure[] {
  return OUTPUTS.flatMap(({ sizeMb, spread, name }) => {
    const series = outputSeries(data, sizeMb).filter(({ interference }) => !interference);
    if (series.length === 0) return [];
    const sd = (results: ReplaySeries["results"]) => {
      const value = standardDeviation(
        results.map(({ seconds }) => seconds),
        1,
      );
      return { low: Number.NaN, mean: value, high: Number.NaN };
    };
    return [
      {
        ...about(data),
        id: idOf(spread),
        title: `Fig ${spread}: standard deviation of the write time, ${name}`,
        caption: `Over ${samplesOf(series)}, base conditions. Simulated.`,
        summary: "Variation of the output step time between runs.",
        chart: methodBars(
          series,
          METHODS.filter(({ interference }) => !interference),
          "standard deviation, s",
          sd,
        ),
      },
    ];
  });
}

function methodBars(
  series: readonly ReplaySeries[],
  methods: typeof METHODS,
  label: string,
  of: (results: ReplaySeries["results"]) => { low: number; mean: number; high: number },
) {
  const writers = distinct(series.map((one) => one.writers));
  return {
    kind: "bars" as const,
    direction: "vertical" as const,
    stacked: false,
    categories: writers.map(String),
    categoryLabel: "processes",
    value: { label, unit: "none" as const },
    series: methods.map(({ method, interference, name, role }) => {
      const ranges = writers.map((count) =>
        of(
          series.find(
            (one) => one.method === method && one.interference === interference && one.writers === count,
          )?.results ?? [],
        ),
      );
      const { values, low, high } = ends(ranges);
      return low.every(Number.isNaN) ? { name, role, values } : { name, role, values, low, high };
    }),
  };
}

/** Mean bandwidth of the adaptive method over that of MPI-IO, by number of processes. */
export function gains(series: readonly ReplaySeries[], interference: boolean) {
  const mean = (method: string, writers: number) =>
    rangeOf(
      series
        .find((one) => one.method === method && one.interference === interference && one.writers === writers)
        ?.results.map(({ bandwidth }) => bandwidth) ?? [],
    ).mean;
  return distinct(series.map((one) => one.writers)).map((writers) => ({
    writers,
    gain: mean("paper", writers) / mean("mpi-io", writers),
  }));
}

function gainSummary(series: readonly ReplaySeries[]): string {
  const [base, busy] = [false, true].map((one) => rangeOf(gains(series, one).map(({ gain }) => gain)));
  return `The adaptive method is ${base!.low.toFixed(2)} to ${base!.high.toFixed(2)} times as fast as MPI-IO, under interference ${busy!.low.toFixed(2)} to ${busy!.high.toFixed(2)} times.`;
}
