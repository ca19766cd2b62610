/** Figures that tests draw, made up but of the shapes that analyses give. */

import { expect } from "vitest";
import { cmfPoints, kernelDensity, logBins } from "../base/density.ts";
import { Random } from "../base/prng.ts";
import type {
  BarsChart,
  Chart,
  CmfChart,
  DensityChart,
  Figure,
  HeatChart,
  PointsChart,
  Role,
  SpansChart,
  StripChart,
  ViolinChart,
} from "../model/figure.ts";
import { renderSvg } from "./render.ts";

export function figureOf(chart: Chart, changes: Partial<Figure> = {}): Figure {
  return {
    id: `sample-${chart.kind}`,
    title: "What the job did",
    caption: "All 128 ranks; 3 records without a name were left out.",
    summary: "Most writes are smaller than 4 KiB.",
    definition: "J05@1",
    options: { module: "POSIX", bins: 10 },
    chart,
    ...changes,
  };
}

const WIDTHS = [280, 360, 720, 900] as const;

/** Draws at every width, both ways, and gives the text; it is well-formed each time. */
export function svgTexts(chart: Chart): string {
  const figure = figureOf(chart);
  let all = "";
  for (const width of WIDTHS)
    for (const standalone of [true, false]) {
      const svg = renderSvg(figure, { width, standalone });
      expect(xmlFault(svg)).toBeUndefined();
      expect(svg).not.toMatch(/NaN|Infinity|undefined|<script/i);
      all += svg;
    }
  return all;
}

export const accessSizes: BarsChart = {
  kind: "bars",
  direction: "vertical",
  stacked: false,
  categories: [
    "0–100 B",
    "100 B–1 KiB",
    "1–10 KiB",
    "10–100 KiB",
    "100 KiB–1 MiB",
    "1–4 MiB",
    "4–10 MiB",
    "10–100 MiB",
    "100 MiB–1 GiB",
    "> 1 GiB",
  ],
  categoryLabel: "access size",
  value: { label: "calls", unit: "calls", scale: "log" },
  series: [
    { name: "read", role: "read", values: [12, 40, 3, 0, 1, 880, 0, 0, 0, 0] },
    { name: "write", role: "write", values: [1_204_331, 40_112, 5000, 12, 0, 64, 2, 0, Number.NaN, 0] },
  ],
};

export const costs: BarsChart = {
  kind: "bars",
  direction: "horizontal",
  stacked: true,
  categories: [
    "POSIX, average",
    "POSIX, slowest rank",
    "MPI-IO, average",
    "MPI-IO, slowest rank",
    "STDIO, average",
    "STDIO, slowest rank",
  ],
  categoryLabel: "module",
  value: { label: "share of run time", unit: "share" },
  series: [
    { name: "read", role: "read", values: [0.11, 0.18, 0.02, 0.04, 0, 0] },
    { name: "write", role: "write", values: [0.21, 0.39, 0.12, 0.3, 0.001, 0.01] },
    { name: "metadata", role: "metadata", values: [0.09, 0.21, 0.01, 0.02, 0, 0.003] },
    { name: "wait", role: "wait", values: [Number.NaN, Number.NaN, 0.2, 0.11, Number.NaN, Number.NaN] },
    { name: "other", role: "other", values: [0.59, 0.22, 0.65, 0.53, 0.999, 0.987] },
  ],
};

export const files: BarsChart = {
  kind: "bars",
  direction: "horizontal",
  stacked: false,
  categories: [
    "/lustre/scratch/projects/climate/u1234567/runs/2024-05-01/experiment-with-a-long-name/output/atmosphere/restart.0001.nc",
    "/lustre/scratch/projects/climate/u1234567/runs/2024-05-01/experiment-with-a-long-name/output/ocean/restart.0001.nc",
    "/home/u/namelist",
    "all others (1 204 files)",
  ],
  categoryLabel: "file",
  value: { label: "bytes", unit: "bytes" },
  series: [
    { name: "read", role: "read", values: [0, 12_000_000, 4096, 9_500_000_000] },
    { name: "write", role: "write", values: [31_000_000_000, 18_400_000_000, 0, 2_300_000_000] },
  ],
};

/** Means with the least and the greatest sample; one has none. */
export const whiskers: BarsChart = {
  kind: "bars",
  direction: "vertical",
  stacked: false,
  categories: ["512", "2048", "8192"],
  categoryLabel: "writers",
  value: { label: "bandwidth", unit: "bytes/s" },
  series: [
    {
      name: "1 MB",
      role: "read",
      values: [7e9, 23e9, 49e9],
      low: [5e9, 20e9, 31e9],
      high: [8e9, 29e9, 60e9],
    },
    {
      name: "128 MB",
      role: "write",
      values: [17e9, 37e9, 31e9],
      low: [3e9, 12e9, Number.NaN],
      high: [30e9, 44e9, 40e9],
    },
  ],
};

/** Ranks in bursts, the first of them reading at the start. */
export function heatOf(rows: number, columns: number): HeatChart {
  const [read, write] = [new Float64Array(rows * columns), new Float64Array(rows * columns)];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const noise = ((row * 7919 + column * 104_729) % 1000) / 1000;
      const cell = row * columns + column;
      if (column < columns / 8) read[cell] = Math.round(1e6 * (1 + noise * 9));
      if (column % Math.ceil(columns / 5) > (columns / 5) * 0.7)
        write[cell] = Math.round((row % 16 === 0 ? 40 : 1) * 10 ** (4 + 3.5 * noise));
    }
  return {
    kind: "heat",
    x: {
      label: "time since start",
      unit: "seconds",
      edges: Float64Array.from({ length: columns + 1 }, (_, i) => (i * 742) / columns),
    },
    y: { label: "rank", unit: "index", edges: Float64Array.from({ length: rows + 1 }, (_, i) => i) },
    value: { label: "bytes", unit: "bytes", scale: "log" },
    parts: [
      { name: "read", role: "read", cells: read },
      { name: "write", role: "write", cells: write },
    ],
    topLabel: "bytes over time",
    rightLabel: "bytes per rank",
  };
}

export function stripOf(count: number): StripChart {
  return {
    kind: "strip",
    itemLabel: "OSTs",
    items: Array.from({ length: count }, (_, index) => ({
      name: `OST${String(index).padStart(4, "0")}`,
      height: index % 5 === 3 ? 0 : 1e9 * (1 + ((index * 37) % 11)) * (index === 42 ? 6 : 1),
      colour: ((index * 53) % 17) * 0.9,
      ...(index === 42 ? { note: "most loaded" } : {}),
    })),
    height: { label: "bytes per OST", unit: "bytes" },
    colour: { label: "time in I/O", unit: "seconds" },
    ofTotal: 248,
  };
}

export const lanes: SpansChart = {
  kind: "spans",
  x: { label: "time since start", unit: "seconds" },
  y: { label: "rank", unit: "index" },
  laneNames: Array.from({ length: 12 }, (_, rank) => `rank ${rank}`),
  spans: Array.from({ length: 96 }, (_, index) => {
    const [lane, turn] = [index % 12, Math.floor(index / 12)];
    const x1 = turn * 1.5 + (lane * 0.07) ** 2;
    const role = turn === 0 ? "metadata" : turn < 3 ? "read" : "write";
    return { x1, x2: x1 + 0.3 + 0.05 * lane, y1: lane, y2: lane + 1, role, note: `call ${index}` } as const;
  }),
};

export function offsetsOf(count: number): SpansChart {
  return {
    kind: "spans",
    x: { label: "time since start", unit: "seconds" },
    y: { label: "offset in file", unit: "bytes" },
    spans: Array.from({ length: count }, (_, index) => ({
      x1: index * (60 / count),
      x2: index * (60 / count) + 0.2,
      y1: ((index * 7919) % 64) * 1_048_576,
      y2: ((index * 7919) % 64) * 1_048_576 + 900_000,
      role: index % 3 === 0 ? ("read" as const) : ("write" as const),
    })),
  };
}

/** Spread around `middle` by factors of about ten to the power of `decades`. */
function lognormals(count: number, middle: number, decades: number, seed: number): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: count }, () => {
    const sum = random.unit() + random.unit() + random.unit() + random.unit() - 2;
    // Few digits: engines differ in the last bit of powers, and goldens must not.
    return Number((middle * 10 ** (sum * 1.73 * decades)).toPrecision(6));
  });
}

function cmfSeries(name: string, role: Role, values: Float64Array, pointsMax: number) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { name, role, ...cmfPoints(values.slice().sort(), pointsMax), mean, n: values.length };
}

/** Times between two accesses of a file; some come back at once. */
export function gapsOf(pointsMax: number): CmfChart {
  const [read, write] = [lognormals(4210, 60_000, 0.6, 1), lognormals(2833, 110_000, 0.5, 2)];
  return {
    kind: "cmf",
    x: { label: "mean time between accesses", unit: "seconds", scale: "log" },
    series: [
      cmfSeries(
        "read",
        "read",
        read.map((value, index) => (index % 12 === 0 ? 0 : value)),
        pointsMax,
      ),
      cmfSeries("write", "write", write, pointsMax),
    ],
  };
}

/** How one-sided runs are, on a linear axis: most are at one. */
export const oneSided: CmfChart = {
  kind: "cmf",
  x: { label: "|read - written| / (read + written)", unit: "ratio", scale: "linear" },
  series: [
    {
      ...{ name: "runs", role: "neutral", mean: 0.91, n: 401_233 },
      values: [0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95, 0.99, 1],
      shares: [0.01, 0.02, 0.04, 0.06, 0.09, 0.12, 0.15, 0.18, 0.22, 1],
    },
  ],
};

/** Bytes per access by interface; the last group has too few for a shape, and one has none. */
export function violinsOf(points: number): ViolinChart {
  const groups = [
    ["POSIX", "read", lognormals(5120, 4e10, 0.7, 3)],
    ["MPI-IO", "write", lognormals(1871, 2e9, 0.9, 4)],
    ["STDIO", "metadata", lognormals(640, 3e6, 0.5, 5)],
    ["HDF5", "other", Float64Array.of(2e9, 4e9, 9e9)],
    ["PnetCDF", "neutral", new Float64Array(0)],
  ] as const;
  return {
    kind: "violin",
    value: { label: "bytes per run and file", unit: "bytes", scale: "log" },
    groupLabel: "interface",
    groups: groups.map(([name, role, values]) => {
      const sorted = values.slice().sort();
      const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
      return {
        ...{ name, role, n: values.length, ...kernelDensity(values, { log: true, points }) },
        mean: values.length === 0 ? Number.NaN : values.reduce((sum, v) => sum + v, 0) / values.length,
        ...{ median: at(0.5), lowerQuartile: at(0.25), upperQuartile: at(0.75) },
      };
    }),
  };
}

/** Bytes read and written of files in three clusters: mostly read, only written, both. */
export function clustersOf(perDecade: number, files: number): DensityChart {
  const edges = logBins(1e5, 9e13, perDecade);
  const size = edges.length - 1;
  const [zeroX, zeroY] = [new Array<number>(size).fill(0), new Array<number>(size).fill(0)];
  const counts = new Float64Array(size * size);
  const binOf = (value: number) => edges.findLastIndex((edge) => edge <= value);
  const add = (share: number, read: number, written: number, spread: number, seed: number) => {
    const count = Math.round(share * files);
    const [reads, writes] = [
      lognormals(count, read, spread, seed),
      lognormals(count, written, spread, seed + 50),
    ];
    for (let index = 0; index < count; index++) {
      const [column, row] = [binOf(reads[index]!), binOf(writes[index]!)];
      if (written === 0 && column >= 0) zeroY[column]! += 1;
      else if (read === 0 && row >= 0) zeroX[row]! += 1;
      else if (column >= 0 && column < size && row >= 0 && row < size) counts[row * size + column]! += 1;
    }
  };
  add(0.15, 3e11, 2e7, 0.45, 11);
  add(0.07, 3e11, 0, 0.4, 12);
  add(0.07, 0, 2e11, 0.4, 13);
  add(0.71, 4e11, 3e11, 0.5, 14);
  return {
    kind: "density",
    x: { label: "bytes read", unit: "bytes", edges },
    y: { label: "bytes written", unit: "bytes", edges },
    countLabel: "files",
    ...{ counts, zeroX, zeroY, zeroBoth: 3 },
    marks: [
      { axis: "x", value: 1e9, label: "1 GB read" },
      { axis: "y", value: 1e9, label: "1 GB written" },
    ],
  };
}

/** One point per application, before and after a change. */
export function pointsOf(count: number): PointsChart {
  const roles = ["before", "after"] as const;
  return {
    kind: "points",
    x: { label: "bytes per run", unit: "bytes", scale: "log" },
    y: { label: "I/O time per run", unit: "seconds", scale: "log" },
    points: Array.from({ length: count }, (_, index) => ({
      x: index === 3 ? 0 : 1e6 * 2 ** ((index * 7) % 19),
      y: 0.5 * 1.7 ** ((index * 5) % 17),
      label: `app-${String(index).padStart(2, "0")}`,
      role: roles[index % 2]!,
    })),
  };
}

/** Says what is wrong with a piece of XML, or nothing: tags match, attributes are quoted and unique, text is legal. */
export function xmlFault(text: string): string | undefined {
  const token = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
  const open: string[] = [];
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (match === null) return `no markup at ${at}: ${text.slice(at, at + 40)}`;
    const [, close, name = "", attributes = "", empty, plain] = match;
    const content = plain ?? attributes;
    if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(content)) return `bare & at ${at}`;
    if (/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.test(content))
      return `forbidden character at ${at}`;
    const names = [...attributes.matchAll(/\s([\w:-]+)=/g)].map((of) => of[1]);
    if (new Set(names).size < names.length) return `attribute twice at ${at}: ${attributes}`;
    if (plain !== undefined || empty === "/") continue;
    if (close !== "/") open.push(name);
    else if (open.pop() !== name) return `</${name}> at ${at} closes another element`;
  }
  return open.length === 0 ? undefined : `<${open.at(-1)}> is not closed`;
}
