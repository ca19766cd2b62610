import { density } from "./charts.ts";
import { clusterId, clusterTitle } from "./cluster-parts.ts";
import type { ValueInfos } from "../common/values.ts";
import { defineItem, drawn, type Published, table } from "./item.ts";
import { OPERATIONS } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";
import { correlation, ranksOf } from "./statistics.ts";

/** Logarithms of small whole numbers, which most counts are. */
const SMALL = Float64Array.from({ length: 65_536 }, (_, value) => Math.log10(1 + value));

function logs(values: Float64Array): Float64Array {
  const made = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) made[i] = logOf(values[i] as number);
  return made;
}

const logOf = (value: number): number => SMALL[value] ?? Math.log10(1 + value);

/** Values at these places. Plain loops: of millions of values every call counts. */
function gather(values: Float64Array, places: Uint32Array): Float64Array {
  const made = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) made[i] = values[places[i] as number] as number;
  return made;
}

interface Columns {
  /** Operations that some job has counted. */
  readonly present: readonly string[];
  readonly all: Readonly<Record<string, Float64Array>>;
  readonly written: Float64Array;
  readonly writes: Float64Array;
}

/** Counts of the jobs with counters; a kind that a job lacks counts as none, one that all lack is left out. */
function columnsOf({ jobs, counted }: Prepared): Columns {
  const all: Record<string, Float64Array> = {};
  const total = new Float64Array(counted.length);
  const present: string[] = [];
  const pick = (column: Float64Array) => gather(column, counted);
  for (const name of OPERATIONS) {
    const values = pick(jobs.operations[name]);
    if (values.every(Number.isNaN)) continue;
    present.push(name);
    for (let i = 0; i < values.length; i++) {
      if (!((values[i] as number) > 0)) values[i] = 0;
      total[i] = (total[i] as number) + (values[i] as number);
    }
    all[name] = values;
  }
  all.sum = total;
  return { present, all, written: pick(jobs.written), writes: pick(jobs.writes) };
}

/** Where a job wrote. */
function placesOf(written: Float64Array): Uint32Array {
  const places = new Uint32Array(written.length);
  let count = 0;
  for (let i = 0; i < written.length; i++) if ((written[i] as number) > 0) places[count++] = i;
  return places.subarray(0, count);
}

/** What the paper prints for mkdir and for mknod. */
const PUBLISHED = { cab: 0.93, quartz: 0.93 };
const COUNTED = [...OPERATIONS, "sum"] as const;

const VALUES: ValueInfos<Published> = Object.fromEntries(
  COUNTED.map((name) => {
    const published = name === "mkdirs" || name === "mknods" ? PUBLISHED : undefined;
    return [`${name}R`, ["none", `${name}, r`, published] as const];
  }),
);

/** Other correlations, in the order of the table. */
const OTHER_KINDS = [
  ["RAllJobs", "r, all jobs"],
  ["RawR", "r, raw"],
  ["Spearman", "Spearman's ρ"],
  ["CallsR", "r with write calls"],
] as const;

const TABLED: ValueInfos<Published> = Object.fromEntries(
  COUNTED.flatMap((name) =>
    OTHER_KINDS.map(([suffix, label]) => [`${name}${suffix}`, ["none", `${name}, ${label}`] as const]),
  ),
);

export const b07 = defineItem({
  id: "B07",
  definition: "B07@1",
  title: "Metadata operations and writes",
  place: "figure 4",
  section: "metadata",
  about:
    "Per job with counters: metadata operations against bytes written. R: Pearson's r of log10(1 + calls) and log10(1 + bytes) over the jobs that wrote, for each kind of call and their sum; RAllJobs: over all jobs with counters; rawR: of the raw numbers; spearman: of ranks; callsR: with write calls instead of bytes. All but RAllJobs are over jobs that wrote.",
  reading:
    "The paper does not say which correlation it means. It sums close and link, which it did not collect: here the sum covers the recorded counters.",
  options: ["cluster", "from", "to", "maxHours"],
  values: VALUES,
  tabled: TABLED,
  narrative: ({ text }) =>
    `Metadata operations and bytes written have a correlation of ${text("sumR")}; mkdir ${text("mkdirsR")}, mknod ${text("mknodsR")} (paper: 0.93 for both).`,
  measure(prepared) {
    const { present, all, written, writes } = columnsOf(prepared);
    const places = placesOf(written);
    const ofWriters = (values: Float64Array) => gather(values, places);
    const [bytes, calls] = [ofWriters(written), ofWriters(writes).map((value) => (value > 0 ? value : 0))];
    const [logBytes, logCalls, byteRanks, logAll] = [logs(bytes), logs(calls), ranksOf(bytes), logs(written)];
    const values: Record<string, number> = {};
    const tabled: Record<string, number> = {};
    const rows = COUNTED.map((name) => {
      const column = all[name];
      const none = column === undefined || (name === "sum" && present.length === 0);
      const own = none ? undefined : ofWriters(column);
      const own10 = own === undefined ? undefined : logs(own);
      const numbers = [
        own10 === undefined ? Number.NaN : correlation(own10, logBytes),
        none ? Number.NaN : correlation(logs(column), logAll),
        own === undefined ? Number.NaN : correlation(own, bytes),
        own === undefined ? Number.NaN : correlation(ranksOf(own), byteRanks),
        own10 === undefined ? Number.NaN : correlation(own10, logCalls),
      ];
      values[`${name}R`] = numbers[0] as number;
      OTHER_KINDS.forEach(([suffix], i) => {
        tabled[`${name}${suffix}`] = numbers[i + 1] as number;
      });
      return [name, ...numbers];
    });
    const n = places.length;
    return {
      n,
      unit: "jobs that wrote",
      dropped: {
        "jobs without counters": prepared.studied.length - prepared.counted.length,
        "jobs with counters that wrote nothing (all but RAllJobs)": prepared.counted.length - n,
      },
      values,
      tabled,
      tables:
        n === 0
          ? []
          : [
              table(
                "metadata-correlations",
                "Correlations of metadata operations with writes.",
                [
                  ["operation", "Operation", "text", "Kind of call."],
                  ["r", "r", "none", "Correlation of logarithms, over jobs that wrote."],
                  ["rAll", "r, all jobs", "none", "Correlation of logarithms, over all jobs with counters."],
                  ["rRaw", "r, raw", "none", "Correlation of the raw values."],
                  ["spearman", "ρ", "none", "Correlation of ranks (Spearman)."],
                  ["rCalls", "r with calls", "none", "Correlation of logarithms, with write calls."],
                ],
                rows,
              ),
            ],
      notes: [`Summed here: ${present.length === 0 ? "nothing, no kind is recorded" : present.join(", ")}.`],
      figures: () =>
        prepared
          .clusterParts()
          .flatMap(({ name, prepared: part }) =>
            figureOf(part, name, name === "" ? (values.sumR as number) : undefined),
          ),
    };
  },
});

/** `known`: r of these jobs, where it was computed before. */
function figureOf(prepared: Prepared, cluster: string, known?: number) {
  const { all, written } = columnsOf(prepared);
  const places = placesOf(written);
  const [calls, bytes] = [gather(all.sum as Float64Array, places), gather(written, places)];
  const chart = density(
    { x: calls, y: bytes },
    {
      x: { label: "metadata operations", unit: "count", scale: "log" },
      y: { label: "bytes written", unit: "bytes", scale: "log" },
      countLabel: "jobs",
    },
  );
  if (chart === undefined) return [];
  const r = (known ?? correlation(logs(calls), logs(bytes))).toFixed(2);
  return [
    drawn({
      id: clusterId("figure-4-metadata-and-writes", cluster),
      title: clusterTitle("Metadata operations and bytes written", cluster),
      caption: `${places.length} jobs that wrote; colour is the decade of the number of jobs. r of the logarithms ${r}.`,
      summary: `Jobs that write more do more metadata operations: r is ${r}.`,
      chart,
    }),
  ];
}
