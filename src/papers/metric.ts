/** He, Sun and Yin, IPDPSW '13: BPS, a metric of the whole I/O system. */
import {
  METRIC_NAMES,
  METRICS,
  type MetricName,
  PUBLISHED,
  PUBLISHED_BPS,
  PUBLISHED_OVERHEAD,
  PUBLISHED_POINTS,
  SET_IDS,
  SETS,
  type SetId,
} from "../analyze/study/metric/index.ts";
import { type Answer, computed, notJudged, type Paper, type PaperItem, parts, unjudged } from "./item.ts";
import type { PaperResults, StudyOutcome } from "./results.ts";
import { figureItem, findingAnswer } from "./study-items.ts";

const COMMAND = "plimsoll study metric -o study";
const MANUAL = "docs/study-metric.md";
const SETS_OF_PAPER = SET_IDS.filter((set) => !SETS[set].extra);

const RECORDED = "plimsoll record -- PROGRAM | test/record/record.test.ts | docs/record.md";
const COMPUTED = "plimsoll bps TRACE | src/analyze/metric/access-metrics.test.ts | docs/bps.md";
const WORKLOADS = `${COMMAND} | test/analyze/study-metric-run.long.test.ts | ${MANUAL}`;
const EXPLAINED = `plimsoll study metric --explain | src/analyze/study/metric/explain.test.ts | ${MANUAL}`;

const COMPONENTS = [
  ...parts(`
  component bps | III.A, (1) | BPS: blocks that the application asked for over I/O time | B / T
    ${COMPUTED}
  component others | II | IOPS, bandwidth and mean response time next to it
    ${COMPUTED}
  component inactive | III.A | Time without any access does not count
    ${COMPUTED}
  component failed | III.A | B counts failed and concurrent accesses too
    plimsoll bps TRACE | src/analyze/metric/collector.test.ts | docs/bps.md
  component step-1 | III.B | Step 1: records of every access, without changing the application
    ${RECORDED}
  component step-1-mpi | III.B | Step 1 for MPI-IO: records at the middleware
    plimsoll record -- PROGRAM | test/record/programs.test.ts | docs/record.md
  component step-2 | III.B | Step 2: accesses of all processes and applications in one collection
    plimsoll bps TRACE | test/cli/bps.test.ts | docs/bps.md
  algorithm step-3 | III.B, Fig. 3 | Step 3: the overlapped time; misprinted as T = instead of T +=
    plimsoll bps TRACE | src/analyze/metric/access-metrics.test.ts | docs/bps.md
  algorithm correlation | IV.A, (2) | Correlation with execution time, positive if the direction is that of Table 1
    ${COMMAND} | test/analyze/study-metric.test.ts | ${MANUAL}
  component iozone | IV.B | Workloads like IOzone: sequential records, one process or a file each
    ${WORKLOADS}
  component ior | IV.B | Workload like IOR: parts of one shared file
    ${WORKLOADS}
  component hpio | IV.B | Workload like Hpio: regions with holes, read with data sieving
    ${WORKLOADS}
  component cold | IV.B | Caches flushed before each run, runs repeated and averaged
    ${WORKLOADS}
  component while-running | III.C | T of the records so far, computed while the application runs
    plimsoll bps TRACE | test/record/while-running.test.ts | docs/record.md
  component block | III.A | A block of 512 bytes; --block sets another | 512 bytes
    ${COMPUTED}
  `),
  unjudged(
    "component",
    "drive",
    "II",
    "Seek time and rotational latency, metrics of one drive",
    "no input records the seeks of a drive, and the paper measures none",
    ["plimsoll bps TRACE", "docs/bps.md"],
  ),
  unjudged(
    "algorithm",
    "cost",
    "III.C",
    "Steps to compute T from n records",
    "it is a bound, not a time; times that are already in order are not sorted here. The manual has seconds for 100 million accesses",
    ["plimsoll bps TRACE", "docs/bps.md"],
    "O(n log n)",
  ),
  unjudged(
    "component",
    "cluster",
    "IV.B",
    "The cluster of the experiments: 65 nodes, disks and SSDs, Gigabit Ethernet, PVFS2",
    "it belongs to the paper; a study names its own machine in its header, and emulates slower devices by delays",
    [COMMAND, MANUAL],
  ),
  ...parts(`
  component toolkit | V | A toolkit for everyone that measures BPS
    ${RECORDED}
  component optimisations | V | Optimisations ranked by BPS, against execution time
    plimsoll bps --rank A B | src/analyze/metric/ranking.test.ts | docs/bps.md
  table table-1 | Table 1 | Expected direction of each metric | ${directionsText()}
    ${WORKLOADS}
  `),
  ...SETS_OF_PAPER.flatMap((set) =>
    parts(`
  component set-up-${set} | ${PUBLISHED[set].bps.source} | Set-up of set ${set} | ${SETS[set].paper}
    ${WORKLOADS}
  `),
  ),
  ...parts(`
  table table-2 | Table 2 | The four sets of experiments
    ${WORKLOADS}
  figure fig-1a | Fig. 1(a) | Same IOPS, different times: sizes differ
    ${EXPLAINED}
  figure fig-1b | Fig. 1(b) | More bandwidth, same time: additional data
    ${EXPLAINED}
  figure fig-1c | Fig. 1(c) | Same response time, different times: concurrency
    ${EXPLAINED}
  figure fig-2 | Fig. 2 | T of four requests, three of which overlap
    ${COMPUTED}
  `),
];

function directionsText(): string {
  return METRIC_NAMES.map(
    (metric) => `${METRICS[metric].label} ${METRICS[metric].expected < 0 ? "negative" : "positive"}`,
  ).join(", ");
}

const figure = (number: number, title: string) =>
  figureItem(
    "metric",
    `fig-${number}`,
    `Fig. ${number}`,
    title,
    `figure-${String(number).padStart(2, "0")}`,
    COMMAND,
    MANUAL,
  );

const FIGURES = SETS_OF_PAPER.flatMap((set) => {
  const { title, figure: number, detail } = SETS[set];
  return [
    figure(number, `${title}: coefficients`),
    ...(detail === undefined
      ? []
      : [figure(detail.figure, `${title}: ${METRICS[detail.metric].label} and execution time`)]),
  ];
}).sort((a, b) => Number(a.id.slice(4)) - Number(b.id.slice(4)));

const finding = (
  id: string,
  kind: "finding" | "number",
  place: string,
  title: string,
  published: string,
): PaperItem => ({
  id,
  kind,
  place,
  title,
  published,
  command: COMMAND,
  manual: MANUAL,
  answer: (results) =>
    results.metric === undefined
      ? notJudged("no study was given")
      : findingAnswer(
          results.metric,
          id,
          ({ measured }) => (Number.isNaN(measured) ? "" : measured.toFixed(2)),
          // Each set has a section; claims on all sets are in the verdicts.
          /^C06\.\d/.test(id) ? `set-${id.split(".")[1]}` : "verdicts",
        ),
});

/** Coefficients of one set: a number if the text has one, otherwise a direction. */
const COEFFICIENTS = SETS_OF_PAPER.flatMap((set) =>
  METRIC_NAMES.map((metric) => {
    const { value, direction, source } = PUBLISHED[set][metric];
    const place = `${source}, Fig. ${SETS[set].figure}`;
    const title = `${SETS[set].title}: ${METRICS[metric].label}`;
    const text = value === null ? `${direction} direction` : value.toFixed(2);
    return finding(`C06.${set}.${metric}`, "number", place, title, text);
  }),
);

const FINDINGS = [
  ...SETS_OF_PAPER.map((set) => {
    const misled = METRIC_NAMES.filter((metric) => PUBLISHED[set][metric].direction === "wrong");
    const said =
      misled.length === 0
        ? "all four metrics are right"
        : `${misled.map((metric) => METRICS[metric].label).join(" and ")} mislead`;
    return finding(`C06.${set}`, "finding", PUBLISHED[set].bps.source, SETS[set].title, said);
  }),
  ...METRIC_NAMES.map((metric) =>
    finding(
      `C06.${metric}`,
      "finding",
      metric === "bps" ? "I, IV.C.5" : "IV.C.5",
      metric === "bps" ? "BPS is right in every set" : `${METRICS[metric].label} misleads in some set`,
      metric === "bps" ? `mean coefficient ${PUBLISHED_BPS}` : "",
    ),
  ),
];

const POINT_WORDS = [
  ["iops", "IOPS", ""],
  ["arpt", "ARPT", " s"],
  ["executionSeconds", "execution time", " s"],
] as const;

/** Single points in the text, with the case of the same size. */
const POINTS = PUBLISHED_POINTS.flatMap((point) =>
  POINT_WORDS.flatMap(([key, label, unit]): PaperItem[] => {
    const value = point[key];
    if (value === undefined) return [];
    return [
      {
        id: `${point.set}.${point.x}.${key}`,
        kind: "number",
        place: point.source,
        title: `${SETS[point.set].title}: ${label} at ${point.label}`,
        published: `${value}${unit}`,
        command: COMMAND,
        manual: MANUAL,
        answer: (results) => pointAnswer(results, point.set, point.x, key, unit),
      },
    ];
  }),
);

type PointCase = Readonly<Record<"x" | MetricName | "executionSeconds", number>>;

function casesOf(study: StudyOutcome, set: SetId): readonly PointCase[] {
  const { cases } = (study.items.C06?.[set] ?? {}) as { readonly cases?: unknown };
  return Array.isArray(cases) ? (cases as readonly PointCase[]) : [];
}

function pointAnswer(
  { metric: study }: PaperResults,
  set: SetId,
  x: number,
  key: MetricName | "executionSeconds",
  unit: string,
): Answer {
  if (study === undefined) return notJudged("no study was given");
  const found = casesOf(study, set).find((one) => one.x === x)?.[key];
  if (typeof found !== "number") return notJudged(`${study.source} has no case of this size`);
  const link = study.report === undefined ? {} : { link: `${study.report}#set-${set}` };
  return {
    ...notJudged(
      "a different device and amount of data; only directions are compared",
      `${Number(found.toPrecision(4))}${unit}`,
      study.simulated ? "simulated" : "measured",
    ),
    ...link,
  };
}

/** Relations between the points of a set in the text; each case has the metric and the execution time. */
const relation = (
  set: SetId,
  id: string,
  place: string,
  title: string,
  published: string,
  judge: (cases: readonly PointCase[]) => readonly [here: string, holds: boolean],
): PaperItem => ({
  ...{ id, kind: "finding", place, title, published, command: COMMAND, manual: MANUAL },
  answer: ({ metric: study }) => {
    if (study === undefined) return notJudged("no study was given");
    const cases = casesOf(study, set);
    if (cases.length < 2) return notJudged(`${study.source} has no two cases of set ${set}`);
    const [here, holds] = judge(cases);
    const origin = study.simulated ? "simulated" : "measured";
    const held = study.simulated ? "reproduced on simulated data" : "confirmed";
    return { here, origin, verdict: holds ? held : "refuted", because: `cases of set ${set}` };
  },
});

const RELATIONS = [
  relation(
    "3a",
    "arpt-range",
    "IV.C.3, Fig. 10",
    "ARPT varies less than execution time",
    "smaller variation",
    (cases) => {
      const range = (key: "arpt" | "executionSeconds") => {
        const values = cases.map((one) => one[key]);
        return Math.max(...values) / Math.min(...values);
      };
      const [arpt, time] = [range("arpt"), range("executionSeconds")];
      return [`max over min ${arpt.toFixed(2)} and ${time.toFixed(2)}`, arpt < time];
    },
  ),
];

/** Time for the file of set 2 with a record size and IOPS of the text. */
const secondsBy = (record: number, iops: number) => 2 ** 34 / record / iops;
const TIMES = (
  [
    ["time-4k", "4 KB", 4096, 5156.39, 809.6],
    ["time-64k", "64 KB", 65_536, 732.3, 358.1],
  ] as const
).map(([id, record, bytes, iops, seconds]) => {
  const here = secondsBy(bytes, iops);
  return computed(
    id,
    "IV.C.2, Fig. 7",
    `Time of 16 GB in records of ${record} at ${iops} IOPS`,
    `${seconds} s`,
    `${here.toFixed(1)} s`,
    COMMAND,
    MANUAL,
    Math.abs(here / seconds - 1) < 0.01,
  );
});

/** Overhead of measuring: published and computed. */
const OVERHEAD = PUBLISHED_OVERHEAD.map(
  ({ id, place, title, published, here, holds }): PaperItem =>
    computed(id, place, title, published, here, "plimsoll study metric --explain", MANUAL, holds),
);

export const METRIC_PAPER: Paper = {
  id: "metric",
  short: "He, Sun and Yin, IPDPSW '13",
  title: "BPS: A Performance Metric of I/O System",
  items: [
    ...COMPONENTS,
    ...FIGURES,
    ...FINDINGS,
    ...COEFFICIENTS,
    ...POINTS,
    ...RELATIONS,
    ...TIMES,
    ...OVERHEAD,
  ],
};
