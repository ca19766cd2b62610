/** Time in MPI calls: which calls, how evenly over ranks, how much of it waits for others. */
import { formatBytes, formatCount, formatSeconds, formatShare } from "../../../base/units.ts";
import {
  type Cell,
  type Figure,
  type Section,
  type ShortColumn,
  type Tile,
  table,
} from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import type { MpiFacts, MpiOperation, MpiRank } from "../mpi.ts";
import { counted } from "./counted.ts";
import { known } from "./layers.ts";

const BARS_MAX = 10;

const CALLS: readonly ShortColumn[] = [
  ["call", "Call", "text", "MPI function."],
  ["seconds", "Time, all ranks", "seconds", "Time in the call, summed over ranks."],
  ["share", "Share of MPI time", "share", "Of the time in all MPI calls."],
  ["calls", "Calls", "calls", "Over all ranks."],
  ["bytes", "Bytes", "bytes", "Of its messages, over all ranks."],
  ["ranks", "Ranks", "ranks", "That called it."],
  ["slowest", "Slowest rank", "seconds", "Time of the rank with the most."],
  ["rank", "Which", "index", "Number of that rank."],
  ["spread", "Slowest / mean", "ratio", "Slowest rank over the mean of all ranks."],
  ["longest", "Longest call", "seconds", "The longest single call."],
];
const SYNC: ShortColumn = [
  "sync",
  "Sync time",
  "seconds",
  "Waiting for others before it, summed over ranks.",
];

const RANKS: readonly ShortColumn[] = [
  ["rank", "Rank", "index", "Number of the rank."],
  ["node", "Node", "text", "Where it ran."],
  ["seconds", "Time in MPI", "seconds", "In all MPI calls."],
  ["ofMean", "Of the mean", "ratio", "Over the mean of all ranks."],
];

/** Undefined without APMPI. */
export function mpi({ job: { mpi: facts, ranks, runSeconds } }: ReportInput): Section | undefined {
  if (facts === undefined) return undefined;
  const hasSync = !Number.isNaN(facts.syncSeconds);
  const few = facts.perRank.length === facts.ranks;
  return {
    id: "mpi",
    title: "MPI calls",
    detail: true,
    fact: Number.isNaN(facts.share)
      ? formatSeconds(facts.meanSeconds)
      : `${formatShare(facts.share)} of the run`,
    intro: `Time in MPI calls other than MPI-IO, from ${facts.ranks === ranks ? counted(ranks, "rank") : `${formatCount(facts.ranks)} of ${counted(ranks, "rank")}`}. It is not part of the I/O time; if a rank is late with its I/O, the waiting of the others shows here.`,
    blocks: [
      { kind: "tiles", tiles: tilesOf(facts, runSeconds, hasSync) },
      ...(facts.seconds > 0 ? [{ kind: "figure" as const, figure: figureOf(facts) }] : []),
      table(
        "mpi-calls",
        "MPI calls, most time first.",
        hasSync ? [...CALLS, SYNC] : CALLS,
        facts.operations.map((one) => callRow(one, facts.seconds, hasSync)),
      ),
      table(
        "mpi-ranks",
        few
          ? "Ranks, most time in MPI calls first."
          : "Ranks with the most and the least time in MPI calls. The others may have waited for one with little.",
        hasSync ? [...RANKS, SYNC] : RANKS,
        facts.perRank.map((one) => rankRow(one, facts.meanSeconds, hasSync)),
        facts.ranks,
      ),
    ],
  };
}

function tilesOf(facts: MpiFacts, runSeconds: number, hasSync: boolean): Tile[] {
  const { meanSeconds, share, slowest, fastest, spread, syncSeconds, calls, bytes } = facts;
  return [
    {
      ...{ label: "MPI share of the run", value: share, unit: "share" },
      note: `${formatSeconds(meanSeconds)}${Number.isNaN(runSeconds) ? "" : ` of ${formatSeconds(runSeconds)}`}, mean rank`,
      about: DEFINITIONS.mpi.text,
    },
    {
      ...{ label: "Slowest rank / mean", value: spread, unit: "ratio" },
      note: `rank ${slowest.rank}: ${formatSeconds(slowest.seconds)}; least: rank ${fastest.rank}, ${formatSeconds(fastest.seconds)}`,
      about: "MPI time of the rank with the most / mean of all ranks.",
    },
    {
      ...{ label: "Sync time", value: hasSync ? syncSeconds / facts.ranks : Number.NaN, unit: "seconds" },
      ...(hasSync ? { note: "waiting for others, mean rank" } : { text: "not measured" }),
      about:
        "Waiting for the other ranks before collectives (MPI_TOTAL_COMM_SYNC_TIME). APMPI measures it only when set to.",
    },
    {
      ...{ label: "MPI calls", value: Number(calls), unit: "calls", exact: String(calls) },
      note: `${formatBytes(Number(bytes))} in messages`,
      about: "Over all ranks.",
    },
  ];
}

const callRow = (one: MpiOperation, all: number, hasSync: boolean): Cell[] => [
  ...[label(one), one.seconds, all > 0 ? one.seconds / all : null, one.calls, one.bytes, one.ranks],
  ...[one.slowestSeconds, one.slowestRank, known(one.spread), one.longestSeconds],
  ...(hasSync ? [Number.isNaN(one.syncSeconds) ? "-" : one.syncSeconds] : []),
];

const rankRow = (one: MpiRank, mean: number, hasSync: boolean): Cell[] => [
  ...[one.rank, one.node || null, one.seconds, known(one.seconds / mean)],
  ...(hasSync ? [known(one.syncSeconds)] : []),
];

/** `MPI_Allreduce`, as programs write it. */
const label = ({ name }: MpiOperation) =>
  name.replace(/^MPI_(.)(.*)$/, (_, first: string, rest: string) => `MPI_${first}${rest.toLowerCase()}`);

function figureOf({ operations, ranks, seconds }: MpiFacts): Figure {
  const shown = operations.filter((one) => one.seconds > 0).slice(0, BARS_MAX);
  const most = shown[0] as MpiOperation;
  return {
    id: "mpi-calls",
    title: "Time in MPI calls, mean and slowest rank",
    caption: `${shown.length < operations.length ? `The ${shown.length} calls with the most time, of ${operations.length}` : counted(shown.length, "call")}, ${counted(ranks, "rank")}. The slowest rank need not be the same in each.`,
    summary: `${label(most)} takes the most time: ${formatSeconds(most.seconds / ranks)} of ${formatSeconds(seconds / ranks)} on the mean rank, ${formatSeconds(most.slowestSeconds)} on rank ${most.slowestRank}.`,
    definition: DEFINITIONS.mpi.id,
    options: { ranks },
    chart: {
      kind: "bars",
      direction: "horizontal",
      stacked: false,
      categories: shown.map(label),
      categoryLabel: "call",
      value: { label: "time", unit: "seconds" },
      series: [
        { name: "mean rank", role: "neutral", values: shown.map((one) => one.seconds / ranks) },
        { name: "slowest rank", role: "other", values: shown.map((one) => one.slowestSeconds) },
      ],
    },
  };
}
