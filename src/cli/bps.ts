/** `plimsoll bps`: BPS and the metrics it is compared with, of accesses of any recorder. */
import { thisCommand, wholeText } from "./again.ts";
import { availableParallelism } from "node:os";
import {
  type CollectorOptions,
  type Grouping,
  GROUPINGS,
  metricDocument,
  metricsJson,
  rankingDocument,
  rankingJson,
  rankingOf,
} from "../analyze/metric/index.ts";
import { UsageError } from "../base/errors.ts";
import type { NameFilter } from "../base/glob.ts";
import { formatsWith } from "../formats/catalogue.ts";
import { TIME_UNITS, type TimeUnit } from "../formats/input-format.ts";
import { markSynthetic } from "../model/index.ts";
import type { ReadSetting } from "../inputs/measure/collect.ts";
import { measurePaths, measureVariants, type TimeRange } from "../inputs/measure/measure.ts";
import { nameFilter } from "../inputs/job/index.ts";
import { parseDuration } from "./values.ts";
import { parseChoice } from "../base/choice.ts";
import { FILE_OPTIONS } from "./job/read.ts";
import { defineCommand, type OptionValues } from "./command.ts";
import type { Context } from "./context.ts";
import { showDocument } from "./show-document.ts";
import { version } from "../../package.json";
import { option } from "./option.ts";

const PAGE_TOP = 100;

const OPTIONS = {
  output: option.output("FILE.html", "write the full report as one HTML file"),
  figures: option.text("DIR", "write every figure as SVG and CSV to a folder; replaces earlier figures"),
  by: option.list("GROUP", `also per ${GROUPINGS.join(", ")}`),
  top: option.whole("show the N largest groups by bytes (default: 10; 100 in HTML)", { min: 1 }),
  every: option.text("TIME", "also per time window, such as 1s or 250ms"),
  block: option.bytes("block size", { min: 1, default: 512 }),
  ceil: option.flag("round each call up to whole blocks, as in the paper"),
  "execution-time": option.text("TIME", "compute IOPS over this time instead of the I/O time"),
  only: option.choice(["read", "write"], "count only reads or only writes"),
  file: option.list("GLOB", "the same as --include"),
  ...FILE_OPTIONS,
  "include-nonfile": option.flag("also count pipes, sockets and terminals"),
  from: option.text("TIME", "start time, relative to the first call"),
  to: option.text("TIME", "end time (exclusive), relative to the first call"),
  align: option.choice(
    ["clock", "start"],
    "start: shift each input to begin at 0, for inputs without a common clock",
    { default: "clock" },
  ),
  format: option.choice(
    formatsWith("calls").map(({ id }) => id),
    "input format (default: detect)",
    { grows: true },
  ),
  time: option.choice(TIME_UNITS, "time unit of CSV (default: s) and of fio log times (default: ms)"),
  latency: option.choice(TIME_UNITS, "latency unit of fio logs (default: ns)"),
  "keep-going": option.flag("use the readable part of a damaged input"),
  memory: option.bytes("memory limit; 100 million calls take about 1 GiB", {
    default: 2 ** 31,
    min: 2 ** 25,
  }),
  threads: option.whole("threads for large plimsoll record traces (default: one per core)", { min: 1 }),
  rank: option.flag("rank the inputs as variants of the same work: by time, and by each metric"),
  brief: option.flag("metrics only: no timeline, no groups; faster on large traces"),
  full: option.flag("print all sections on the terminal"),
};

type BpsValues = OptionValues<typeof OPTIONS>;

export default defineCommand({
  name: "bps",
  description:
    "Reads I/O traces and computes BPS (blocks requested by the application per second of I/O time), IOPS, bandwidth, average response time and concurrency. Inputs: plimsoll record folders and files, strace text, Darshan logs with DXT, DFTracer traces, fio latency logs, CSV and Parquet with pid, bytes, start and end, and - for standard input. Several inputs are merged: calls that overlap in time count once in the I/O time T. Skipped calls are counted with the reason.",
  arguments: [
    { name: "input", help: "a trace, a folder of traces, or - for stdin", kind: "file", variadic: true },
  ],
  options: OPTIONS,
  examples: {
    "plimsoll bps trace/": "metrics of a recorded run",
    "plimsoll bps app1.csv app2.csv --by input -o bps.html": "two applications together, as HTML",
    "plimsoll bps run.darshan --every 1s --json": "per second, as JSON",
    "plimsoll bps --rank plain/ buffered/ collective/": "three variants of a program by BPS against time",
    "strace -f -ttt -T -y -o /dev/stdout cp a b | plimsoll bps -": "from a pipe",
  },
  async run({ arguments: words, options }, context) {
    const wantsPicture =
      !options.brief && (!context.json || options.output !== undefined || options.figures !== undefined);
    const filter = nameFilter({ include: [...options.file, ...options.include], exclude: options.exclude });
    const collector = collectorOptions(options, wantsPicture, filter);
    const setting: ReadSetting = {
      read: {
        blockBytes: options.block,
        keepGoing: options.keepGoing,
        ...(options.time === undefined ? {} : { time: options.time as TimeUnit }),
        ...(options.latency === undefined ? {} : { latency: options.latency as TimeUnit }),
      },
      ...(options.format === undefined ? {} : { format: options.format }),
      memoryBytes: options.memory,
      threads: options.threads ?? availableParallelism(),
    };
    if (options.rank) return rank(words, { ...collector, by: [], picture: false }, setting, options, context);
    const metrics = await measurePaths(words, collector, rangeOf(options), setting, context);
    filter?.requireMatches();
    const command = thisCommand(context);
    const document = metricDocument({ metrics, command, madeBy: `Plimsoll ${version}` });
    const more = options.brief ? "" : wholeText("report", context, "bps.html");
    const json = () => metricsJson(metrics, context.skipped);
    await showDocument(document, { ...options, json, more }, context);
  },
});

/** Each input by itself, as one way to do the same work. */
async function rank(
  words: readonly string[],
  options: CollectorOptions,
  setting: ReadSetting,
  given: BpsValues,
  context: Context,
): Promise<void> {
  if (words.length < 2) throw new UsageError("--rank compares inputs: name two or more");
  const { variants, origin } = await measureVariants(words, options, setting, context);
  const ranking = rankingOf(variants);
  const command = thisCommand(context);
  const document = markSynthetic(rankingDocument(ranking, command, `Plimsoll ${version}`), origin);
  const json = () => rankingJson(ranking, origin);
  await showDocument(document, { output: given.output, full: given.full, json }, context);
}

function collectorOptions(
  given: BpsValues,
  picture: boolean,
  filter: NameFilter | undefined,
): CollectorOptions {
  const asked = parseGroupings(given.by);
  const by: Grouping[] = asked.length > 0 || !picture ? asked : ["process", "file"];
  const everyNs = given.every === undefined ? undefined : parseDuration("--every", given.every);
  if (everyNs === 0) throw new UsageError(`--every ${given.every}: windows need a width`);
  return {
    blockBytes: given.block,
    ceilPerAccess: given.ceil,
    align: given.align as "clock" | "start",
    includeNonFile: given.includeNonfile,
    memoryBytes: given.memory,
    top: given.top ?? (given.output === undefined ? 10 : PAGE_TOP),
    ...{ by, picture },
    ...(everyNs === undefined ? {} : { everyNs }),
    ...(given.only === undefined ? {} : { only: given.only as "read" | "write" }),
    ...(filter === undefined ? {} : { file: (path: string) => filter.keeps(path) }),
    ...(given.executionTime === undefined
      ? {}
      : { executionSeconds: parseDuration("--execution-time", given.executionTime) / 1e9 }),
  };
}

function rangeOf({ from, to }: BpsValues): TimeRange | undefined {
  if (from === undefined && to === undefined) return undefined;
  const fromNs = from === undefined ? 0 : parseDuration("--from", from);
  const toNs = to === undefined ? Number.POSITIVE_INFINITY : parseDuration("--to", to);
  if (!(fromNs < toNs)) throw new UsageError(`--from ${from} is not before --to ${to}`);
  return { fromNs, toNs };
}

/** `--by process,file` and `--by process --by file` are the same. */
function parseGroupings(words: readonly string[]): Grouping[] {
  const names = words.flatMap((word) => word.split(",")).filter((name) => name !== "");
  return [...new Set(names.map((name) => parseChoice("--by", GROUPINGS, name) as Grouping))];
}
