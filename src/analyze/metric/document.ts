/** The metrics of a collection as a document. */
import {
  type Block,
  type Document,
  type Fact,
  type NoticeBlock,
  type Section,
  type Tile,
  markSynthetic,
  SYNTHETIC_NOTE,
  table,
} from "../../model/index.ts";
import { formatBytes, formatCount, formatMany, formatRate } from "../../base/units.ts";
import { definitionsOf } from "./definitions.ts";
import { outliersBlock, percentilesBlock } from "./duration-tables.ts";
import { concurrencyFigure, levelsFigure, timelineFigure, windowsFigure } from "./figures.ts";
import { type CollectionNote, type Metrics, originOf } from "./metrics.ts";
import { groupBlock, groupTitle, inputsBlock, leftOutBlock, windowBlock } from "./tables.ts";
import { shortNumber, shortTime } from "./words.ts";

interface MetricDocumentInput {
  readonly metrics: Metrics;
  /** Subject of the measurement; default: the names of the inputs. */
  readonly title?: string;
  readonly command: string;
  readonly madeBy: string;
}

export function metricDocument({ metrics, title, command, madeBy }: MetricDocumentInput): Document {
  const sections = [
    overview(metrics),
    timeline(metrics),
    windows(metrics),
    ...groups(metrics),
    about(metrics),
  ];
  const document: Document = {
    title: title ?? titleOf(metrics),
    facts: factsOf(metrics),
    verdict: verdictOf(metrics),
    sections: sections.filter((section) => section !== undefined),
    ...{ command, madeBy },
  };
  return markSynthetic(document, originOf(metrics));
}

function titleOf({ inputs }: Metrics): string {
  const names = inputs.map(({ name }) => name);
  return names.length > 3
    ? `${names[0]} and ${names.length - 1} other inputs`
    : names.join(", ") || "no input";
}

function factsOf(metrics: Metrics): Fact[] {
  const { inputs, processes, files, spanSeconds, options } = metrics;
  return [
    { label: "Inputs", text: formatCount(inputs.length) },
    { label: "Processes", text: formatCount(processes) },
    { label: "Files", text: formatCount(files) },
    ...startOf(metrics),
    {
      label: "Span",
      text: shortTime(spanSeconds),
      exact: `${spanSeconds} s from the first start to the last end`,
    },
    {
      label: "Blocks",
      text: `${options.blockBytes} B, ${options.ceilPerAccess ? "rounded up per access" : "exact"}`,
    },
  ];
}

/** Start of the first access, for wall clocks. */
function startOf({ accesses, clock }: Metrics): Fact[] {
  if (clock.kind !== "realtime") return [];
  if (accesses === 0) return [{ label: "First start", text: "none, no access" }];
  const { ns } = clock.origin;
  const start = new Date(Number(ns / 1_000_000n));
  if (Number.isNaN(start.getTime())) return [];
  const text = `${start.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return [{ label: "First start", text, exact: `${ns} ns since 1970` }];
}

/** One or two sentences: BPS and its terms. */
function verdictOf(metrics: Metrics): string {
  const { accesses, bytes, ioTimeSeconds, bps, concurrency, dropped } = metrics;
  if (accesses === 0)
    return dropped.total > 0
      ? `No access can be used: ${formatMany(dropped.total, "was", "were")} dropped.`
      : "No accesses to measure.";
  const asked = `${formatMany(accesses, "access", "accesses")} requested ${formatBytes(Number(bytes))}`;
  if (bps === null) return `BPS is not defined: ${asked}, and none took any time.`;
  const mean = concurrency.mean ?? 0;
  return `BPS ${bps < 1000 ? shortNumber(bps) : formatCount(bps)}: ${asked} in ${shortTime(ioTimeSeconds)} of I/O time, with a mean concurrency of ${shortNumber(mean)}.`;
}

function overview(metrics: Metrics): Section {
  return {
    id: "overview",
    title: "BPS and related metrics",
    blocks: [
      { kind: "tiles", tiles: tilesOf(metrics) },
      // That data is synthetic stands in the headline.
      ...metrics.notes.filter(({ id }) => id !== SYNTHETIC_NOTE).map(noticeOf),
      ...[percentilesBlock(metrics), outliersBlock(metrics), leftOutBlock(metrics)].filter(
        (block) => block !== undefined,
      ),
    ],
  };
}

function tilesOf(metrics: Metrics): Tile[] {
  const { concurrency, movedBytes, options } = metrics;
  const [t, bps, iops, bandwidth, arpt] = definitionsOf(options).map(({ text }) => text) as string[];
  const moved =
    movedBytes === null
      ? "of requested bytes; moved bytes unknown"
      : `${formatBytes(Number(movedBytes))} moved`;
  return [
    {
      label: "BPS",
      value: metrics.bps ?? Number.NaN,
      unit: "blocks/s",
      note:
        metrics.bps === null
          ? "not defined without time"
          : `${formatRate(metrics.bps * options.blockBytes)} requested`,
      about: bps as string,
    },
    { label: "IOPS", value: metrics.iops ?? Number.NaN, unit: "calls/s", about: iops as string },
    {
      label: "Bandwidth",
      value: metrics.bandwidthBytesPerSecond ?? Number.NaN,
      unit: "bytes/s",
      note: moved,
      about: bandwidth as string,
    },
    { label: "ARPT", value: metrics.arptSeconds ?? Number.NaN, unit: "seconds", about: arpt as string },
    {
      label: "T",
      value: metrics.ioTimeSeconds,
      unit: "seconds",
      note: `idle ${shortTime(metrics.idleSeconds)} of ${shortTime(metrics.spanSeconds)}`,
      exact: `${formatCount(metrics.ioTimeNs)} ns`,
      about: t as string,
    },
    {
      label: "Bytes requested",
      value: Number(metrics.bytes),
      unit: "bytes",
      note: `${formatBytes(Number(metrics.readBytes))} read, ${formatBytes(Number(metrics.writtenBytes))} written`,
      exact: `${metrics.bytes} B`,
      about: "B in bytes: requested by all accesses, successful or not.",
    },
    {
      label: "Accesses",
      value: metrics.accesses,
      unit: "count",
      note: [
        metrics.nestedAccesses > 0 ? `plus ${formatMany(metrics.nestedAccesses, "nested call")}` : "",
        metrics.failedAccesses > 0 ? `${formatCount(metrics.failedAccesses)} failed` : "",
      ]
        .filter((text) => text !== "")
        .join(", "),
      about: "N: reads and writes that the application made.",
    },
    {
      label: "Concurrency",
      value: concurrency.mean ?? Number.NaN,
      unit: "count",
      note: `mean over T; max ${formatCount(concurrency.max)}`,
      about: "Calls in progress at once: the sum of all durations / T.",
    },
  ].map(({ note, ...tile }) => (note === "" || note === undefined ? tile : { ...tile, note })) as Tile[];
}

/** Notes that say that numbers are off are warnings. */
const WARNINGS = new Set([
  "dropped",
  "truncated",
  "bad-line",
  "duplicates",
  "inflated-times",
  "killed",
  "incomplete",
]);

function noticeOf({ id, text, input }: CollectionNote): NoticeBlock {
  const where = input === undefined ? "" : `${input}: `;
  return { kind: "notice", level: WARNINGS.has(id) ? "warning" : "note", text: `${where}${text}` };
}

function timeline(metrics: Metrics): Section | undefined {
  const { picture } = metrics;
  if (picture === null || metrics.accesses === 0) return undefined;
  const figures = [timelineFigure(metrics, picture), concurrencyFigure(metrics, picture)];
  if (metrics.concurrency.levels.length > 0) figures.push(levelsFigure(metrics));
  return {
    id: "time",
    title: "Over time",
    intro:
      "T is the length of the lowest lane. Where lanes above it overlap, accesses are concurrent: T counts the time once, B counts the bytes of each. Where it is empty, there is no I/O, and the time does not count.",
    blocks: figures.map((figure): Block => ({ kind: "figure", figure })),
  };
}

function windows({ windows: table }: Metrics): Section | undefined {
  if (table === null) return undefined;
  return {
    id: "windows",
    title: "Time windows",
    blocks: [{ kind: "figure", figure: windowsFigure(table.rows, table.everyNs) }, windowBlock(table)],
  };
}

function groups(metrics: Metrics): Section[] {
  return metrics.groups
    .filter(({ rows }) => rows.length > 0)
    .map((table) => ({
      id: `by-${table.by}`,
      title: groupTitle(table.by),
      blocks: [groupBlock(table, metrics)],
    }));
}

function about(metrics: Metrics): Section {
  const { uncertaintyNs } = metrics.clock;
  const clock =
    uncertaintyNs === null
      ? []
      : [
          {
            kind: "text" as const,
            text: `The clocks of the inputs agree with wall-clock time to within ${formatCount(uncertaintyNs)} ns.`,
          },
        ];
  return {
    id: "about",
    title: "Inputs and definitions",
    detail: true,
    blocks: [
      inputsBlock(metrics),
      ...clock,
      table(
        "definitions",
        "Definitions after He, Sun and Yin, BPS: A Performance Metric of I/O System (IPDPSW 2013), with the options used.",
        [
          ["id", "Id", "text", "With its version; a definition never changes under its id."],
          ["title", "What", "text", "Name."],
          ["text", "Definition", "text", "Definition."],
        ],
        definitionsOf(metrics.options).map(({ id, title, text }) => [id, title, text]),
      ),
    ],
  };
}
