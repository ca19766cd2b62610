import { formatSeconds } from "../../../base/units.ts";
import { type Block, type Figure, type Section, table } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import type { Job } from "../job.ts";
import { type LayerTimes, layerName, layerTimes } from "../layer-times.ts";
import { longestWaits } from "../phases.ts";
import { counted } from "./counted.ts";
import { countedProcesses, whoOf } from "../who.ts";

export function cost({ job }: ReportInput): Section {
  const common = { id: "cost", title: "Where the time goes" };
  const times = layerTimes(job).filter(({ average }) => average >= 0);
  if (times.length === 0)
    return {
      ...common,
      detail: true,
      blocks: [
        {
          kind: "notice",
          level: "missing",
          text: "No times of reads, writes or metadata operations were recorded.",
        },
      ],
    };
  return {
    ...common,
    intro:
      "Time in reads, writes, metadata operations (open, close, stat, seek, sync) and waits. Layers nest: the time of MPI-IO contains that of POSIX below it, so do not add bars of different layers.",
    blocks: [
      { kind: "figure", figure: averageFigure(job, times) },
      { kind: "figure", figure: slowestFigure(job, times) },
      ...waitsBlocks(job),
    ],
    detail: true,
  };
}

const WAITS_MAX = 20;

/** The ranks that the job waits for, where phases are known and ranks differ. */
function waitsBlocks({ ledger: { path, seconds }, ranks }: Job): Block[] {
  if (path === undefined || ranks < 2 || path.waits.size === 0) return [];
  const from = path.source === "calls" ? "traced calls" : "the heat map";
  const waits = longestWaits(path.waits);
  return [
    table(
      "cost-waits",
      `Ranks that the job waits for, phase by phase: ${counted(path.phases, "phase")} of I/O from ${from}, ${formatSeconds(seconds)} in all.`,
      [
        ["rank", "Rank", "count", "The one with the most time in a phase, or whose turn it is."],
        ["seconds", "Waiting for it", "seconds", "Its time in these phases."],
        ["next", "Without it", "seconds", "Time that the phases would take with the next-slowest rank."],
      ],
      waits.slice(0, WAITS_MAX).map((one) => [one.rank, one.seconds, one.nextSeconds]),
      waits.length,
    ),
  ];
}

const secondsOf = (seconds: number) => (Number.isNaN(seconds) ? "not recorded" : formatSeconds(seconds));

function averageFigure(job: Job, times: readonly LayerTimes[]): Figure {
  const series = [
    { name: "read", role: "read" as const, values: times.map(({ read }) => read) },
    { name: "write", role: "write" as const, values: times.map(({ write }) => write) },
    { name: "metadata", role: "metadata" as const, values: times.map(({ metadata }) => metadata) },
    { name: "wait", role: "wait" as const, values: times.map(({ wait }) => wait) },
  ].filter(({ values }) => values.some((value) => value >= 0));
  const words = times.map(
    ({ layer, read, write, metadata }) =>
      `${layerName(layer)} ${secondsOf(read)} read, ${secondsOf(write)} write, ${secondsOf(metadata)} metadata`,
  );
  return {
    id: "cost-average",
    title: `Time of an average ${whoOf(job).one}, per layer`,
    caption: `Time summed over ${whoOf(job).many} / ${countedProcesses(job)}${Number.isNaN(job.runSeconds) ? "" : `; the run took ${formatSeconds(job.runSeconds)}`}.`,
    summary: `Average ${whoOf(job).one}: ${words.join("; ")}.`,
    definition: DEFINITIONS.cost.id,
    options: { ranks: job.ranks },
    chart: {
      kind: "bars",
      direction: "horizontal",
      stacked: true,
      categories: times.map(({ layer }) => layerName(layer)),
      categoryLabel: "layer",
      value: { label: `time of an average ${whoOf(job).one}`, unit: "seconds" },
      series,
    },
  };
}

function slowestFigure(job: Job, times: readonly LayerTimes[]): Figure {
  const average = times.map((one) => one.average);
  const worst = times.map(({ slowest }) => slowest);
  return {
    id: "cost-slowest",
    title: `Average against slowest ${whoOf(job).one}, per layer`,
    caption: `The slowest ${whoOf(job).one} delays the others when they wait for it. ${countedProcesses(job)}; each shared file has its own slowest ${whoOf(job).one}, which can differ.`,
    summary: `${times
      .map(
        ({ layer }, i) =>
          `${layerName(layer)}: average ${secondsOf(average[i] as number)}, slowest ${secondsOf(worst[i] as number)}`,
      )
      .join("; ")}.`,
    definition: DEFINITIONS.cost.id,
    options: { ranks: job.ranks },
    chart: {
      kind: "bars",
      direction: "horizontal",
      stacked: false,
      categories: times.map(({ layer }) => layerName(layer)),
      categoryLabel: "layer",
      value: { label: "time", unit: "seconds" },
      series: [
        { name: `average ${whoOf(job).one}`, role: "neutral", values: average },
        { name: `slowest ${whoOf(job).one}`, role: "other", values: worst },
      ],
    },
  };
}
