/**
 * What the paper explains with drawings, computed: Figure 1 (three pairs of cases that an older metric cannot tell apart, or tells
 * apart where nothing differs), Figure 2 (the time T of four requests), Figure 3 (the algorithm as printed and as meant), and what
 * measuring costs (III.C).
 */
import { type Cell, type Document, type Figure, type Section, table } from "../../../model/index.ts";
import { accessMetrics } from "../../metric/index.ts";
import { PUBLISHED_OVERHEAD } from "./published.ts";
import { METRIC_NAMES, METRICS, type MetricName } from "./sets.ts";

interface Request {
  readonly name: string;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  /** Asked for, and moved, in units of S. */
  readonly size: number;
  readonly moved: number;
}

interface Side {
  readonly name: string;
  readonly requests: readonly Request[];
}

interface Pair {
  readonly part: "a" | "b" | "c";
  readonly title: string;
  /** Metric that the paper shows to fail, and what it says there. */
  readonly failing: MetricName;
  readonly said: string;
  readonly left: Side;
  readonly right: Side;
}

/** S of the drawing; T is a second. */
const S_BYTES = 2 ** 20;

const request = (name: string, start: number, end: number, size = 1, moved = size): Request => ({
  ...{ name, start, end, size, moved },
});

const FIGURE_1: readonly Pair[] = [
  {
    part: "a",
    title: "different I/O sizes",
    failing: "iops",
    said: "IOPS is 1/T in both; the right one takes half the time",
    left: { name: "two requests of S", requests: [request("R1", 0, 1), request("R2", 1, 2)] },
    right: { name: "served together, 2S", requests: [request("R1 and R2", 0, 1, 2)] },
  },
  {
    part: "b",
    title: "different amounts of data moved",
    failing: "bandwidth",
    said: "bandwidth is higher at the right; the time is the same",
    left: { name: "S moved for S", requests: [request("R1", 0, 1), request("R2", 1, 2)] },
    right: { name: "2S moved for S", requests: [request("R1", 0, 1, 1, 2), request("R2", 1, 2, 1, 2)] },
  },
  {
    part: "c",
    title: "different concurrency",
    failing: "arpt",
    said: "ARPT is T in both; the right one takes half the time",
    left: { name: "one after the other", requests: [request("R1", 0, 1), request("R2", 1, 2)] },
    right: { name: "at the same time", requests: [request("R1", 0, 1), request("R2", 0, 1)] },
  },
];

/** Four requests as in Figure 2: three overlap from t1 to t6, the fourth stands alone from t7 to t8. */
const FIGURE_2: readonly Request[] = [
  request("R1", 1, 3),
  request("R2", 2, 5),
  request("R3", 4, 6),
  request("R4", 7, 8),
];

type Values = Readonly<Record<MetricName, number>> & { readonly seconds: number };

/** By the same code as `plimsoll bps`. */
function valuesOf(requests: readonly Request[]): Values {
  const { overall } = accessMetrics({
    startNs: requests.map(({ start }) => start * 1e9),
    endNs: requests.map(({ end }) => end * 1e9),
    bytes: requests.map(({ size }) => size * S_BYTES),
    movedBytes: requests.map(({ moved }) => moved * S_BYTES),
  });
  return {
    bps: overall.bps ?? Number.NaN,
    iops: overall.iops ?? Number.NaN,
    bandwidth: overall.bandwidthBytesPerSecond ?? Number.NaN,
    arpt: overall.arptSeconds ?? Number.NaN,
    seconds: overall.ioTimeSeconds,
  };
}

/** The algorithm of Figure 3; printed, a new stretch replaces T instead of adding to it. */
function overlappedTime(requests: readonly Request[], printed: boolean): number {
  const sorted = [...requests].sort((a, b) => a.start - b.start);
  let total = 0;
  const add = ({ start, end }: { readonly start: number; readonly end: number }) => {
    total = printed ? end - start : total + end - start;
  };
  let [held] = sorted as { start: number; end: number }[];
  if (held === undefined) return 0;
  for (const next of sorted.slice(1)) {
    if (held.end < next.start) {
      add(held);
      held = next;
    } else held = { start: held.start, end: Math.max(held.end, next.end) };
  }
  add(held);
  return total;
}

export function explainDocument(command: string, madeBy: string, recordBytes: number): Document {
  const meant = overlappedTime(FIGURE_2, false);
  const printed = overlappedTime(FIGURE_2, true);
  return {
    title: "BPS and related metrics, explained",
    facts: [{ label: "Source", text: "computed from the paper's figures; S is 1 MiB, T is 1 s" }],
    verdict: `In each of three pairs, IOPS, bandwidth or ARPT misses the difference in time, and BPS does not. The printed algorithm gives ${printed} s for Figure 2 where ${meant} s are meant.`,
    sections: [pairsSection(), timeSection(printed, meant), overheadSection(recordBytes)],
    command,
    madeBy,
  };
}

export const explainFigures = (): Figure[] => [...FIGURE_1.map(pairFigure), timeFigure()];

export function explainJson(recordBytes: number) {
  return {
    figure1: FIGURE_1.map(({ part, failing, said, left, right }) => ({
      ...{ part, failing, said },
      left: { name: left.name, ...valuesOf(left.requests) },
      right: { name: right.name, ...valuesOf(right.requests) },
    })),
    figure2: {
      plimsollSeconds: valuesOf(FIGURE_2).seconds,
      meantSeconds: overlappedTime(FIGURE_2, false),
      printedSeconds: overlappedTime(FIGURE_2, true),
    },
    overhead: PUBLISHED_OVERHEAD,
    recordBytes,
  };
}

function pairsSection(): Section {
  const rows = FIGURE_1.flatMap((pair) =>
    [pair.left, pair.right].map((side): Cell[] => {
      const values = valuesOf(side.requests);
      return [`1(${pair.part})`, side.name, values.seconds, ...METRIC_NAMES.map((metric) => values[metric])];
    }),
  );
  return {
    id: "figure-1",
    title: "Figure 1: what older metrics miss",
    intro: "Rectangles are requests: length is time, height the size. Values by the code of plimsoll bps.",
    blocks: [
      ...FIGURE_1.map((pair) => ({ kind: "figure" as const, figure: pairFigure(pair) })),
      table(
        "figure-1-values",
        "The six cases of Figure 1.",
        [
          ["figure", "Figure", "text", "Part of Figure 1."],
          ["case", "Case", "text", "Left or right of the drawing."],
          ["seconds", "I/O time", "seconds", "Time that the application waits."],
          ...METRIC_NAMES.map(
            (metric) => [metric, METRICS[metric].label, METRICS[metric].unit, METRICS[metric].about] as const,
          ),
        ],
        rows,
      ),
    ],
  };
}

/** Lanes of requests: the left case above, the right one below. Height of a rectangle is its size. */
function pairFigure({ part, title, failing, said, left, right }: Pair): Figure {
  const lanes = [left, right].flatMap((side) => side.requests.map((one) => ({ side, one })));
  const most = Math.max(...lanes.map(({ one }) => one.moved));
  const [a, b] = [valuesOf(left.requests), valuesOf(right.requests)];
  const text = (values: Values) =>
    `${METRICS[failing].label} ${Number(values[failing].toPrecision(4))}, BPS ${Number(values.bps.toPrecision(4))}, ${values.seconds} s`;
  return {
    id: `figure-01${part}`,
    title: `Figure 1(${part}): ${title}`,
    caption: `Each rectangle is a request; its height is the bytes moved, pale if not requested. In the paper: ${said}.`,
    summary: `${left.name}: ${text(a)}. ${right.name}: ${text(b)}.`,
    definition: "C09@1",
    options: {},
    chart: {
      kind: "spans",
      x: { label: "Time, in T", unit: "none" },
      y: { label: "Requests", unit: "index" },
      laneNames: lanes.map(({ side, one }) => `${side.name}: ${one.name}`),
      namedByLane: true,
      spans: lanes.flatMap(({ one }, lane) => {
        const height = (size: number) => (0.9 * size) / most;
        const base = { x1: one.start, x2: one.end, y1: lane };
        const asked = {
          ...base,
          y2: lane + height(one.size),
          role: "read" as const,
          note: `${one.name}, ${one.size} S requested`,
        };
        return one.moved > one.size
          ? [
              {
                ...base,
                y2: lane + height(one.moved),
                role: "context" as const,
                note: `${one.moved} S moved`,
              },
              asked,
            ]
          : [asked];
      }),
    },
  };
}

function timeSection(printed: number, meant: number): Section {
  return {
    id: "figure-2",
    title: "Figures 2 and 3: the time T",
    intro:
      "T is the length of the union of all requests. The printed algorithm has T = where T += is meant: it keeps only the last interval.",
    blocks: [
      { kind: "figure", figure: timeFigure() },
      table(
        "figure-3-time",
        "T of Figure 2 by the algorithm of Figure 3.",
        [
          ["algorithm", "Algorithm", "text", "As printed, as meant, and the code of plimsoll bps."],
          ["seconds", "T", "seconds", "Of the four requests of Figure 2."],
        ],
        [
          ["as printed (T =)", printed],
          ["as meant (T +=)", meant],
          ["plimsoll bps", valuesOf(FIGURE_2).seconds],
        ],
      ),
    ],
  };
}

function timeFigure(): Figure {
  const stretches = [
    [1, 6],
    [7, 8],
  ] as const;
  return {
    id: "figure-02",
    title: "Figure 2: measurement of T",
    caption: "Four requests, and below them the intervals of T. Nothing is in progress between t6 and t7.",
    summary: `R1, R2 and R3 overlap for ${6 - 1} s, R4 stands alone for 1 s: T is ${overlappedTime(FIGURE_2, false)} s.`,
    definition: "C02@1",
    options: {},
    chart: {
      kind: "spans",
      x: { label: "Time", unit: "seconds" },
      y: { label: "Requests", unit: "index" },
      laneNames: [...FIGURE_2.map(({ name }) => name), "T"],
      namedByLane: true,
      spans: [
        ...FIGURE_2.map(({ name, start, end }, lane) => ({
          ...{ x1: start, x2: end, y1: lane, y2: lane + 0.8, role: "read" as const, note: name },
        })),
        ...stretches.map(([x1, x2], i) => ({
          ...{ x1, x2, y1: FIGURE_2.length, y2: FIGURE_2.length + 0.8, role: "neutral" as const },
          note: `Δt${i + 1}`,
        })),
      ],
    },
  };
}

function overheadSection(recordBytes: number): Section {
  return {
    id: "overhead",
    title: "What measuring costs",
    intro:
      "The paper's numbers (III.C), and the same computed. T takes O(n log n), and is computed here as calls come in.",
    blocks: [
      table(
        "overhead",
        "Space of records.",
        [
          ["what", "What", "text", "Quantity."],
          ["published", "Published", "text", "In the paper."],
          ["here", "Computed", "text", "Calculated, or measured on our records."],
        ],
        [
          ...PUBLISHED_OVERHEAD.map(({ title, published, here }): Cell[] => [title, published, here]),
          ["Bytes of a record of plimsoll record", "32 bytes", `${recordBytes} bytes`],
        ],
      ),
    ],
  };
}
