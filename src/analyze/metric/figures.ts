/** Figures of a collection: accesses over time with their union, and concurrency. */
import { formatCount, formatMany } from "../../base/units.ts";
import type { BarsChart, Figure, Role, SpansChart } from "../../model/index.ts";
import type { Metrics, Picture, WindowRow } from "./metrics.ts";
import { shortNumber, shortTime } from "./words.ts";

type Spans = SpansChart["spans"];

/** Columns of a lane if there are too many accesses to draw. */
const LANE_COLUMNS = 300;
const PROFILE_COLUMNS = 50;
const LEVELS_MAX = 24;
const WINDOW_BARS_MAX = 120;

const UNION = "T: any access";

export function timelineFigure(metrics: Metrics, picture: Picture): Figure {
  const { lanes, spans, processes } = picture;
  const shown = spans === null ? cellSpans(picture) : accessSpans(picture);
  const union = lanes.length;
  const laneNames = [...lanes.map(({ name }) => name), UNION];
  const width = shortTime(joinedWidth(picture));
  const how =
    spans === null
      ? `${formatCount(metrics.accesses)} accesses are too many to draw one by one: a lane is coloured where a process had an access within ${width}.`
      : `Each of the ${formatMany(metrics.accesses, "access", "accesses")} is drawn; short ones are widened to be visible.`;
  const others =
    lanes.at(-1)?.processes === 1
      ? ""
      : ` Only the processes with most bytes, of ${formatCount(processes)}, have a lane.`;
  const busy = metrics.spanSeconds > 0 ? metrics.ioTimeSeconds / metrics.spanSeconds : 0;
  return {
    id: "bps-timeline",
    title: "Accesses over time, and their union",
    caption: `${how}${others} The last lane is the union of all: its length is T, ${shortTime(metrics.ioTimeSeconds)} of ${shortTime(metrics.spanSeconds)}.`,
    summary: `${formatMany(processes, "process", "processes")} over ${shortTime(metrics.spanSeconds)}; I/O is active ${(100 * busy).toFixed(1)} % of the time, in ${formatMany(metrics.stretches, "stretch", "stretches")}.`,
    definition: "C02@1",
    options: {},
    chart: {
      kind: "spans",
      x: { label: "seconds since the first start", unit: "seconds" },
      y: { label: "process", unit: "index" },
      laneNames,
      spans: [...shown, ...unionSpans(picture, union)],
    },
  };
}

function accessSpans({ spans }: Picture): Spans {
  return (spans ?? []).map(({ startSeconds, endSeconds, lane, write, bytes, file }) => ({
    ...{ x1: startSeconds, x2: endSeconds, y1: lane, y2: lane + 1 },
    role: write ? "write" : "read",
    note: `${formatCount(bytes)} bytes in ${shortTime(endSeconds - startSeconds)} from ${startSeconds} s${file === "" ? "" : `, ${file}`}`,
  }));
}

const joinedWidth = ({ columns, columnSeconds }: Picture) =>
  columnSeconds * Math.max(1, Math.ceil(columns / LANE_COLUMNS));

/** Stretches of joined columns with something in them, in the role that took more time. */
function cellSpans(picture: Picture): Spans {
  const { lanes, columns, readSeconds, writeSeconds, columnSeconds } = picture;
  const join = Math.max(1, Math.ceil(columns / LANE_COLUMNS));
  const spans: Spans[number][] = [];
  lanes.forEach((_, lane) => {
    const sums = (cells: Float64Array) => joined(cells.subarray(lane * columns, (lane + 1) * columns), join);
    const [read, write] = [sums(readSeconds), sums(writeSeconds)];
    const roleOf = (column: number): Role | undefined => {
      const [reading, writing] = [read[column] as number, write[column] as number];
      return reading + writing === 0 ? undefined : writing > reading ? "write" : "read";
    };
    for (let from = 0; from < read.length; ) {
      const role = roleOf(from);
      let to = from + 1;
      while (to < read.length && roleOf(to) === role) to++;
      const [x1, x2] = [from * join * columnSeconds, Math.min(columns, to * join) * columnSeconds];
      if (role !== undefined) spans.push({ x1, x2, y1: lane, y2: lane + 1, role });
      from = to;
    }
  });
  return spans;
}

function unionSpans({ stretches, busySeconds, columnSeconds }: Picture, lane: number): Spans {
  const span = (x1: number, x2: number) => ({ x1, x2, y1: lane, y2: lane + 1, role: "neutral" as const });
  if (stretches !== null) {
    const spans: Spans[number][] = [];
    for (let i = 0; i < stretches.length; i += 2)
      spans.push(span(stretches[i] as number, stretches[i + 1] as number));
    return spans;
  }
  // Each column is filled from its left by the share of it that was busy: lengths stay true, places nearly.
  const spans: Spans[number][] = [];
  busySeconds.forEach((seconds, column) => {
    if (seconds === 0) return;
    const from = column * columnSeconds;
    const last = spans.at(-1);
    // Edges of columns lie on a grain of time.
    if (last !== undefined && Math.abs(last.x2 - from) < 0.002 * columnSeconds)
      spans[spans.length - 1] = { ...last, x2: from + seconds };
    else spans.push(span(from, from + seconds));
  });
  return spans;
}

export function concurrencyFigure(metrics: Metrics, picture: Picture): Figure {
  const join = Math.max(1, Math.ceil(picture.columns / PROFILE_COLUMNS));
  const width = join * picture.columnSeconds;
  const values = [...joined(picture.accessSeconds, join)].map((seconds) => seconds / width);
  const { max, mean } = metrics.concurrency;
  return {
    id: "bps-concurrency",
    title: "Concurrency over time",
    caption: `Mean number of concurrent accesses per ${shortTime(width)}, including idle time. At most ${formatCount(max)}; mean ${shortNumber(mean ?? 0)} while there are any.`,
    summary: `At most ${formatCount(max)} concurrent accesses, ${shortNumber(mean ?? 0)} on average over T.`,
    definition: "C07@1",
    options: { columnSeconds: Number(width.toPrecision(6)) },
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: values.map((_, column) => shortTime(column * width)),
      categoryLabel: "seconds since the first start",
      value: { label: "concurrent accesses (mean)", unit: "count" },
      series: [{ name: "concurrent", role: "neutral", values }],
    },
  };
}

export function levelsFigure({ concurrency, ioTimeSeconds, idleSeconds }: Metrics): Figure {
  const bars = levelBars(concurrency.levels);
  const alone = concurrency.levels.find(({ level }) => level === 1)?.seconds ?? 0;
  const share = ioTimeSeconds > 0 ? alone / ioTimeSeconds : 0;
  return {
    id: "bps-levels",
    title: "Time at each concurrency",
    caption: `Time by number of concurrent accesses. The bars sum to T, ${shortTime(ioTimeSeconds)}; the other ${shortTime(idleSeconds)} between the first start and the last end are idle.`,
    summary: `${(100 * share).toFixed(1)} % of T had a single access; the maximum concurrency is ${formatCount(concurrency.max)}.`,
    definition: "C07@1",
    options: {},
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: bars.map(({ name }) => name),
      categoryLabel: "concurrent accesses",
      value: { label: "time", unit: "seconds" },
      series: [{ name: "time", role: "neutral", values: bars.map(({ seconds }) => seconds) }],
    },
  };
}

/** One bar per number of accesses, or per range that doubles when there are many. */
function levelBars(levels: Metrics["concurrency"]["levels"]): { name: string; seconds: number }[] {
  if (levels.length <= LEVELS_MAX)
    return levels.map(({ level, seconds }) => ({ name: formatCount(level), seconds }));
  const ranges = new Map<number, number>();
  for (const { level, seconds } of levels) {
    const power = Math.floor(Math.log2(level));
    ranges.set(power, (ranges.get(power) ?? 0) + seconds);
  }
  return [...ranges].map(([power, seconds]) => {
    const [low, high] = [2 ** power, 2 ** (power + 1) - 1];
    return { name: low === high ? String(low) : `${formatCount(low)}–${formatCount(high)}`, seconds };
  });
}

/** Bytes per window; windows side by side are joined when there are many. */
export function windowsFigure(rows: readonly WindowRow[], everyNs: number): Figure {
  const join = Math.max(1, Math.ceil(rows.length / WINDOW_BARS_MAX));
  const seconds = everyNs / 1e9;
  const pick = (value: (row: WindowRow) => number) => [...joined(Float64Array.from(rows, value), join)];
  const best = rows.reduce((most, { bytes }) => Math.max(most, Number(bytes)), 0);
  const chart: BarsChart = {
    kind: "bars",
    direction: "vertical",
    stacked: true,
    categories: Array.from(
      { length: Math.ceil(rows.length / join) },
      (_, i) => `${Number((i * join * seconds).toPrecision(6))} s`,
    ),
    categoryLabel: "start of the window, since the first start",
    value: { label: "bytes requested", unit: "bytes" },
    series: [
      { name: "read", role: "read", values: pick(({ readBytes }) => Number(readBytes)) },
      { name: "written", role: "write", values: pick(({ writtenBytes }) => Number(writtenBytes)) },
    ],
  };
  return {
    id: "bps-windows",
    title: "Bytes per window",
    caption: `Bytes requested in windows of ${shortTime(seconds)}${join > 1 ? `, ${join} per bar` : ""}; bytes of an access are spread over its duration.`,
    summary: `${formatMany(rows.length, "window")} of ${shortTime(seconds)}; the busiest has ${formatCount(best)} bytes.`,
    definition: "C08@1",
    options: { everySeconds: seconds, joined: join },
    chart,
  };
}

/** Sums of `join` neighbours. */
function joined(values: Float64Array, join: number): Float64Array {
  const sums = new Float64Array(Math.ceil(values.length / join));
  values.forEach((value, at) => {
    sums[Math.floor(at / join)]! += value;
  });
  return sums;
}
