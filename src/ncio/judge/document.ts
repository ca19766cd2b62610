/** A sweep as a report: verdict, guidelines, figures, crossovers, all points, and measurement method. */
import { formatCount, formatMany } from "../../base/units.ts";
import type { Block, Document, NcioSweep, Section } from "../../model/index.ts";
import { capital, type FigureKind, panels } from "./figures.ts";
import { METHOD_WORDS, methodName, VARIABLE_WORDS } from "./methods.ts";
import { ASSUMED_SPREAD, countingRepeats, ENOUGH_REPEATS } from "./ratio.ts";
import { SweepPoints } from "./series.ts";
import {
  claimsTable,
  crossoverTable,
  guidelinesTable,
  leadersTable,
  measuresTable,
  pointsTable,
} from "./tables.ts";
import { judgeSweep, type SweepVerdict } from "./verdict.ts";

export function sweepDocument(
  sweep: NcioSweep,
  { command, madeBy }: { readonly command: string; readonly madeBy: string },
): Document {
  const points = new SweepPoints(sweep);
  const judged = judgeSweep(sweep);
  return {
    title: "Noncontiguous I/O: fast patterns and methods on this storage",
    facts: factsOf(sweep, points),
    verdict: judged.verdict,
    sections: [
      guidelineSection(judged),
      {
        id: "claims",
        title: "Published and measured numbers",
        intro:
          "A relation is confirmed or refuted where the intervals of both points leave no doubt of its direction; its size depends on the machine.",
        blocks: [claimsTable(judged.claims)],
      },
      ...points.variables.map((variable): Section => {
        const { label, figure } = VARIABLE_WORDS[variable];
        return {
          id: `figure-${figure}`,
          title: `Figure ${figure}: bandwidth over ${label}`,
          intro:
            "One panel per case, one bar per method, each panel with its own log scale: compare bars within a panel by height, panels by their axis. Whiskers span the counted repetitions.",
          blocks: figureBlocks(points, [variable], ["bandwidth"]),
          detail: true,
        };
      }),
      crossoverSection(judged),
      ...countsSections(points),
      {
        id: "points",
        title: "All points",
        intro: "One row per method and pattern; points.csv has the exact numbers.",
        blocks: [pointsTable(sweep.points)],
        detail: true,
      },
      methodSection(sweep, points),
    ],
    command,
    madeBy,
  };
}

function factsOf(sweep: NcioSweep, points: SweepPoints) {
  const [first] = sweep.points;
  const { count, size, spacing } = sweep.defaults;
  const storage = first?.servers === undefined ? first?.backend : `${formatMany(first.servers, "server")}`;
  return [
    { label: "Storage", text: storage ?? "none" },
    { label: "Machine", text: sweep.machine },
    { label: "Ranks", text: first === undefined ? "none" : `${formatCount(first.ranks)}, ${first.launch}` },
    {
      label: "Points",
      text: `${formatCount(sweep.points.length)}${sweep.complete ? "" : " so far; the sweep is not finished"}`,
    },
    { label: "Methods", text: points.methods.map(methodName).join(", ") },
    {
      label: "Defaults",
      text: `${formatCount(count)} regions of ${formatCount(size)} B every ${formatCount(spacing)} B`,
    },
    ...(Number.isFinite(sweep.startedUnixMs)
      ? [{ label: "Started", text: new Date(sweep.startedUnixMs).toISOString().replace(/\.\d+Z$/, "Z") }]
      : []),
  ];
}

function guidelineSection({ guidelines, cautions, direction }: SweepVerdict): Section {
  return {
    id: "guidelines",
    title: "The seven guidelines, tested on these results",
    intro: `Judged by ${direction === "write" ? "writes" : "reads"}. A guideline is confirmed when more than half of its patterns show it by more than their spreads, and refuted when more than half show the opposite. Factors are ratios of mean bandwidths, with the interval from the spreads of both.`,
    blocks: [
      ...cautions.map((text): Block => ({ kind: "notice", level: "warning", text })),
      guidelinesTable(guidelines),
      // Sentences in a table are hard to read on a phone.
      ...guidelines.map(
        ({ number, verdict, statement }): Block => ({
          kind: "text",
          text: `Guideline ${number}, ${verdict}: ${statement}`,
        }),
      ),
      measuresTable(guidelines),
    ],
  };
}

function crossoverSection({ leaders, pairs }: SweepVerdict): Section {
  const blocks: Block[] =
    leaders.length === 0
      ? [{ kind: "text", text: "No variable was measured at two values with two methods." }]
      : [leadersTable(leaders), crossoverTable(pairs)];
  return {
    id: "crossovers",
    title: "Where the fastest method changes",
    intro:
      "A method leads until another is faster by more than the spreads. A crossover lies between the last value where one method is seen to be faster and the first where the other is; its position is interpolated on logarithms.",
    blocks,
  };
}

function countsSections(points: SweepPoints): Section[] {
  const kinds: readonly (readonly [FigureKind, string, string])[] = [
    [
      "requests",
      "Requests",
      "Requests to the storage in one operation of all ranks. These numbers do not depend on the machine and agree with closed formulas.",
    ],
    [
      "sync",
      "Time of the sync",
      "Time until data is durable: the longest of all ranks. Two-phase I/O syncs once for all ranks.",
    ],
  ];
  return kinds.flatMap(([kind, title, intro]) => {
    const blocks = figureBlocks(points, points.variables, [kind]);
    return blocks.length === 0 ? [] : [{ id: kind, title, intro, blocks, detail: true }];
  });
}

function figureBlocks(
  points: SweepPoints,
  variables: SweepPoints["variables"],
  kinds: readonly FigureKind[],
): Block[] {
  return kinds.flatMap((kind) =>
    points.directions.flatMap((direction) =>
      variables.flatMap((variable) =>
        panels(points, direction, variable, kind).map((figure): Block => ({ kind: "figure", figure })),
      ),
    ),
  );
}

function methodSection(sweep: NcioSweep, points: SweepPoints): Section {
  const [first] = sweep.points;
  const measured =
    first === undefined
      ? ""
      : `Each point is measured ${formatCount(first.repeats)} times after ${formatCount(first.warmUps)} warm-ups; ${countingRepeats(first) < first.repeats ? "the fastest and the slowest repetition are dropped" : "all repeats count"}. ${sweep.points.every(({ verified }) => verified) ? "Every byte is verified after each point." : "Not all points were verified."}`;
  const texts = [
    "Bandwidth is the data of all ranks over the time from a barrier until the last rank is done, with the sync: the wait of a program. The spread is from the slowest to the fastest counted repetition; repetitions of a point follow each other, so it does not include changes of a shared machine over minutes.",
    measured,
    `A factor is a ratio of two means. Its interval goes from slowest over fastest to fastest over slowest; if it contains 1, no difference is seen. With fewer than ${ENOUGH_REPEATS} counted repetitions spreads are widened (to the power of ${ENOUGH_REPEATS} over their number, around the mean); with one, ${100 * ASSUMED_SPREAD} % is assumed. Methods that make the same requests for contiguous data are not compared.`,
    `Layout: ${sweep.layout}. Regions with a spacing below their size are adjacent. Holes keep their contents: data sieving and two phase read a range with holes before they write it.`,
    "The paper: A. Ching, A. Choudhary, W. Liao, L. Ward, N. Pundit, Evaluating I/O Characteristics and Methods for Storing Structured Scientific Data (IPDPS '06): 64 processes, 16 PVFS2 servers on disks, Myrinet. Published numbers are from its text; its figures have no table.",
  ].filter((text) => text !== "");
  return {
    id: "method",
    title: "How it was measured",
    blocks: [
      ...texts.map((text): Block => ({ kind: "text", text })),
      ...points.methods.map(
        (method): Block => ({
          kind: "text",
          text: `${capital(methodName(method))}: ${METHOD_WORDS[method].how}.`,
        }),
      ),
    ],
    detail: true,
  };
}
