/** Alternatives to adaptive writing as a document: waits of the application with each, and the effect of staggered opens. */
import { formatCount, formatMany, formatSeconds, formatShare } from "../../base/units.ts";
import { type Block, type Cell, type Document, type Figure, type Section, table } from "../../model/index.ts";
import { mean } from "../../base/statistics.ts";
import type { AlternativeResult, AlternativesSetting } from "../sim/alternatives/alternatives.ts";
import type { OpenResult } from "../sim/alternatives/opens.ts";

interface AlternativesData {
  readonly machines: readonly {
    readonly setting: AlternativesSetting;
    readonly results: readonly AlternativeResult[];
  }[];
  /** As many files as targets, and as many as writers. */
  readonly opens: readonly OpenResult[];
}

/** The paper: output may take up to 5 % of the time (I). */
const ALLOWED_SHARE = 0.05;

export function alternativesDocument(
  { machines, opens }: AlternativesData,
  { command, madeBy }: { readonly command: string; readonly madeBy: string },
): Document {
  return {
    title: "Alternatives to adaptive writing",
    facts: machines.map(({ setting: { machine, writers, bytes, targets, steps } }) => ({
      label: machine.title,
      text: `${formatCount(writers)} writers of ${formatCount(Math.round(bytes / 2 ** 20))} MB, ${formatMany(targets, "target")}, ${formatMany(steps, "step")}`,
    })),
    verdict: `Simulated: ${machines.map(verdictOf).join(" ")}`,
    sections: [...machines.map(machineSection), opensSection(opens)],
    command,
    madeBy,
  };
}

type One = AlternativesData["machines"][number];

const find = (results: readonly AlternativeResult[], id: string, interference: boolean): AlternativeResult =>
  results.find((one) => one.id === id && one.interference === interference) as AlternativeResult;

const storage = (one: AlternativeResult): number => mean(one.storageSeconds);

function verdictOf({ setting, results }: One): string {
  const { machine } = setting;
  const [mpi, paper] = ["mpi-io", "paper"].map((id) => storage(find(results, id, false))) as [number, number];
  return `On ${machine.name} the adaptive method writes a step in ${formatSeconds(paper)}, MPI-IO in ${formatSeconds(mpi)} (${(mpi / paper).toFixed(2)} times as long).`;
}

/** Statements of the paper on each alternative (II.3), with the results of the model. */
function alternativeTexts({ setting, results }: One): string[] {
  const { periodSeconds, bufferedSteps, machine } = setting;
  const at = (id: string, interference = false) => find(results, id, interference);
  const async = at("asynchronous");
  const needs = storage(at("mpi-io"));
  const worse = (id: string) => storage(at(id, true)) / storage(at(id));
  const parts = Math.ceil(setting.targets / machine.targetsPerFile);
  return [
    needs > periodSeconds
      ? `Asynchronous: the paper expects that applications still block if storage is permanently too slow. Here a step takes ${formatSeconds(needs)} and comes every ${formatSeconds(periodSeconds)}: with memory for ${formatMany(bufferedSteps, "step")} the application waits ${formatSeconds(async.meanWaitSeconds)} a step, ${formatSeconds(async.worstWaitSeconds)} at worst.`
      : `Asynchronous: a step takes ${formatSeconds(needs)} and comes every ${formatSeconds(periodSeconds)}, so memory for ${formatMany(bufferedSteps, "step")} hides all but ${formatSeconds(async.worstWaitSeconds)} at worst; the paper's case, storage that is permanently too slow, does not occur.`,
    `Staging: the paper says that it helps and does not address interference. Here the application waits ${formatSeconds(at("staging").meanWaitSeconds)} a step, and the staging nodes need ${formatSeconds(storage(at("staging")))} to write it; with adaptive writing inside, ${formatSeconds(storage(at("staging-adaptive")))}. Interference makes that ${worse("staging").toFixed(2)} times as long without it, and ${worse("staging-adaptive").toFixed(2)} times with it.`,
    parts > 1
      ? `${formatMany(parts, "file")}: the paper says that several files relieve internal but not external interference. Here they take ${formatSeconds(storage(at("several-files")))} where one file takes ${formatSeconds(needs)}; interference makes them ${worse("several-files").toFixed(2)} times as slow, the adaptive method ${worse("paper").toFixed(2)} times.`
      : `Several files: one file reaches all ${formatMany(setting.targets, "target")} here, so there is nothing to split.`,
    `Adaptive: ${formatSeconds(storage(at("paper")))} (paper) and ${formatSeconds(storage(at("plimsoll")))} (plimsoll) a step; under interference ${formatSeconds(storage(at("paper", true)))} and ${formatSeconds(storage(at("plimsoll", true)))}.`,
  ];
}

function machineSection(one: One): Section {
  const { machine, periodSeconds } = one.setting;
  return {
    id: `machine-${machine.name}`,
    title: machine.title,
    intro: `An output step every ${formatSeconds(periodSeconds)} of computing; all methods get the same background load. Wait is the time that the application notices, write time that of the storage.`,
    blocks: [
      {
        kind: "notice",
        level: "note",
        text: "Simulated: these times come from a storage model, not from a machine.",
      },
      ...alternativeTexts(one).map((text): Block => ({ kind: "text", text })),
      { kind: "figure", figure: waitsFigure(one) },
      resultsTable(one),
    ],
  };
}

function waitsFigure({ setting, results }: One): Figure {
  const ids = [...new Set(results.map(({ id }) => id))];
  const of = (interference: boolean) => ids.map((id) => find(results, id, interference));
  const least = Math.min(...results.map(({ meanWaitSeconds }) => meanWaitSeconds));
  return {
    id: `alternatives-${setting.machine.name}`,
    title: `${setting.machine.title}: waiting for output`,
    caption: `Mean wait of an application per output step over ${formatMany(setting.steps, "step")}; whiskers from min to max. Simulated.`,
    summary: `The shortest mean wait is ${formatSeconds(least)}.`,
    definition: "S04@1",
    options: { seed: setting.seed },
    simulated: true,
    chart: {
      kind: "bars",
      direction: "horizontal",
      stacked: false,
      categories: of(false).map(({ label }) => label),
      categoryLabel: "method",
      value: { label: "waiting per step", unit: "seconds" },
      series: [false, true].map((interference) => ({
        name: interference ? "interference" : "base",
        role: interference ? ("high" as const) : ("write" as const),
        values: of(interference).map((one) => one.meanWaitSeconds),
        low: of(interference).map((one) => Math.min(...one.waitSeconds)),
        high: of(interference).map((one) => one.worstWaitSeconds),
      })),
    },
  };
}

function resultsTable({ setting, results }: One): Block {
  return table(
    `alternatives-${setting.machine.name}`,
    `Every method; the paper allows ${formatShare(ALLOWED_SHARE)} of the time for output.`,
    [
      ["method", "Method", "text", "How output is written."],
      ["interference", "Interference", "text", "Three processes on each of eight targets."],
      ["storage", "Writing", "seconds", "Mean time until a step is on storage."],
      ["wait", "Waiting", "seconds", "Mean time that the application waits."],
      ["worst", "At worst", "seconds", "The longest wait of a step."],
      ["share", "Share", "share", "Waiting / (waiting + computing)."],
      ["allowed", "Within 5 %", "text", "The paper's limit."],
    ],
    results.map((one): Cell[] => [
      one.label,
      one.interference ? "yes" : "no",
      storage(one),
      one.meanWaitSeconds,
      one.worstWaitSeconds,
      one.waitShare,
      one.waitShare <= ALLOWED_SHARE ? "yes" : "no",
    ]),
  );
}

function opensSection(opens: readonly OpenResult[]): Section {
  const counts = [...new Set(opens.map(({ files }) => files))];
  const texts = counts.flatMap((files) => {
    const own = opens.filter((one) => one.files === files);
    const [at] = own as [OpenResult];
    const best = own.reduce((a, b) => (b.seconds < a.seconds - 1e-12 ? b : a));
    return [
      `${formatCount(files)} files at once: the last is open after ${formatSeconds(at.seconds)}, an open takes ${formatSeconds(at.meanOpenSeconds)} on average. One every ${formatSeconds(best.staggerSeconds)}: ${formatSeconds(best.seconds)} and ${formatSeconds(best.meanOpenSeconds)}; another request waits ${formatSeconds(best.othersWaitSeconds)} instead of ${formatSeconds(at.othersWaitSeconds)}.`,
    ];
  });
  return {
    id: "opens",
    title: "Staggered opens",
    intro:
      "Opens at one metadata server, all at once or one after the other. The paper staggers them (I, V) and gives no numbers. We assume that a queue slows the server down to 1/4 of its speed; without that, staggering only shortens the wait of each open and of other requests.",
    blocks: [
      ...texts.map((text): Block => ({ kind: "text", text })),
      table(
        "opens",
        "Opens of one file per target (adaptive), and of one file per writer.",
        [
          ["files", "Files", "count", "Opened by one output step."],
          ["stagger", "Apart", "seconds", "Time between two opens; 0 s: all at once."],
          ["last", "Last open", "seconds", "From the first open to the reply to the last."],
          ["mean", "Mean open", "seconds", "As the client sees it."],
          ["worst", "Longest open", "seconds", "As the client sees it."],
          ["queue", "Queue", "count", "Max opens waiting at the server."],
          ["others", "Others wait", "seconds", "Mean wait of another request in the meantime."],
        ],
        opens.map((one): Cell[] => [
          one.files,
          one.staggerSeconds,
          one.seconds,
          one.meanOpenSeconds,
          one.worstOpenSeconds,
          one.queue,
          one.othersWaitSeconds,
        ]),
      ),
    ],
    detail: true,
  };
}
