/** Effect of a change at a site, as a document: recorded runs replayed with and without it. */
import {
  type Block,
  type Cell,
  type Document,
  type Figure,
  type Section,
  type TableBlock,
  table,
} from "../../model/index.ts";
import { formatBytes, formatMany, formatSeconds, formatShare } from "../../base/units.ts";
import type { PolicyAnswer, RunChange, TargetChange, WhatIfData } from "../sim/what-if/what-if.ts";

interface WhatIfOptions {
  readonly command: string;
  readonly madeBy: string;
}

export function whatIfDocument(data: WhatIfData, { command, madeBy }: WhatIfOptions): Document {
  const { fit } = data;
  return {
    title: `What if: ${data.question}`,
    facts: [
      { label: "Store", text: data.store },
      { label: "From", text: time(data.from) },
      { label: "To", text: time(data.to) },
      { label: "Runs replayed", text: String(data.runs) },
      {
        label: "Fit error",
        text: `${formatShare(fit.error.median)} median, ${formatShare(fit.error.p90)} at 90 %`,
      },
    ],
    verdict: whatIfVerdict(data),
    sections: [fitSection(data), ...(data.reproduced ? answered(data) : [notReproduced(data)])],
    command,
    madeBy,
  };
}

const answered = (data: WhatIfData): Section[] => [
  ...(data.answer === undefined ? [] : answerSections(data)),
  ...(data.policy === undefined ? [] : [policySection(data, data.policy)]),
];

const COMPARED_ROWS = 20;

/** Recorded and replayed times of the runs in question, without an answer. */
function notReproduced({ answer, policy, why }: WhatIfData): Section {
  const about = [...(answer?.removed === undefined ? [] : [answer.removed]), ...(answer?.changed ?? [])];
  const rows: Cell[][] = about
    .slice(0, COMPARED_ROWS)
    .map((one) => [one.id, one.application, one.recordedSeconds, one.before]);
  if (policy !== undefined)
    rows.push([policy.run.id, policy.run.application, policy.recordedSeconds, policy.replayedSeconds]);
  const compared = table(
    "not-reproduced",
    `I/O time as recorded and as replayed without a change${about.length > COMPARED_ROWS ? `; the first ${COMPARED_ROWS} of ${about.length}` : ""}.`,
    [
      ["run", "Run", "text", "runs.run_id"],
      ["application", "Program", "text", "Base name of the executable."],
      ["recorded", "Recorded", "seconds", "I/O time by the log."],
      ["replayed", "Replayed", "seconds", "I/O time in the unchanged replay."],
    ],
    rows,
  );
  return {
    id: "not-reproduced",
    title: "No answer",
    blocks: [
      { kind: "notice", level: "warning", text: `The replay does not reproduce the recorded times: ${why}.` },
      ...(rows.length === 0 ? [] : [compared]),
    ],
  };
}

const time = (unix: number): string =>
  `${new Date(unix * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** The verdict in one sentence, with its error. */
export function whatIfVerdict({ question, answer, policy, fit, why }: WhatIfData): string {
  if (why !== undefined)
    return `No answer to "${question}": the replay does not reproduce the recorded times: ${why}. They depend on something that bytes, targets, hours and other runs of the store do not show.`;
  const error = `fit error ${formatShare(fit.error.median)} median, ${formatShare(fit.error.p90)} at 90 %`;
  if (policy !== undefined) {
    const said = policy.times
      .map(({ policy: name, seconds }) => `${name} ${formatSeconds(seconds)}`)
      .join(", ");
    return `Simulated, ${error}: run ${policy.run.id} wrote ${formatBytes(policy.bytes)} in ${formatSeconds(policy.recordedSeconds)} (replayed ${formatSeconds(policy.replayedSeconds)}); on ${formatMany(policy.targets, "target")} ${said}.`;
  }
  if (answer === undefined || answer.changed.length === 0)
    return `Simulated, ${error}: ${question}, nothing changes by more than 0.1 %: no other run used the same targets at the same time, or none was slowed down.`;
  const gain = answer.changed.filter(({ before, after }) => after < before);
  const lose = answer.changed.length - gain.length;
  const most = answer.changed[0] as RunChange;
  // Recorded times scaled by the replay: the gain never exceeds the recorded time.
  const total = answer.changed.reduce(
    (sum, { recordedSeconds, expected }) => sum + expected - recordedSeconds,
    0,
  );
  return `Simulated, ${error}: ${question}, ${formatMany(gain.length, "run")} would have been faster and ${formatMany(lose, "run")} slower, ${formatSeconds(Math.abs(total))} of I/O time ${total <= 0 ? "less" : "more"} in total; largest change: run ${most.id} (${most.application}), ${formatSeconds(most.recordedSeconds)} to ${formatSeconds(most.expected)}.`;
}

function fitSection({ fit, leftOut }: WhatIfData): Section {
  const { lean: ratio } = fit.error;
  const lean =
    Math.abs(ratio - 1) < 0.005
      ? "right"
      : ratio > 1
        ? `${ratio.toFixed(2)} times too long`
        : `${(1 / ratio).toFixed(2)} times too short`;
  const blocks: Block[] = [
    {
      kind: "notice",
      level: "note",
      text: "Simulated: recorded runs are replayed on a model of the storage that was fitted to them. Logs do not record when the bytes of a run moved: reads are placed first, writes last.",
    },
    {
      kind: "tiles",
      tiles: [
        {
          label: "Fit error, median",
          value: fit.error.median,
          unit: "share",
          note: `on ${formatMany(fit.error.runs, "run")} held out`,
          about: "Relative error of the predicted I/O time of runs left out of the fit; the median.",
        },
        {
          label: "Fit error, 90 %",
          value: fit.error.p90,
          unit: "share",
          note: `the median prediction is ${lean}`,
          about: "90th percentile of the relative error.",
        },
        {
          label: "Target rate",
          value: fit.usualRate,
          unit: "bytes/s",
          note: `median of ${formatMany(fit.targets, "target")}`,
          about:
            "Throughput of a target per busy second (95th percentile); with hourly loads the highest of all transfers.",
        },
        {
          label: "Fitted to",
          value: fit.runs,
          unit: "count",
          note: formatMany(fit.transfers, "transfer"),
          about: "Runs and transfers used in the fit.",
        },
      ],
    },
    {
      kind: "text",
      text: `${modelText(fit)} ${sharingText(fit.error)} ${leftOut === 0 ? "" : `${formatMany(leftOut, "access", "accesses")} without bytes, time or targets left out.`}`.trim(),
    },
  ];
  return { id: "fit", title: "Accuracy", blocks };
}

function modelText({
  loadByHour,
  slope,
  usualRate,
  lossPerStream,
  limitQuantile,
}: WhatIfData["fit"]): string {
  if (loadByHour)
    return `Model: the rate of each file (of its program and size if it was used once), a load for each hour that slows down all transfers, and other transfers on the same target: at an offered load equal to the fastest transfer seen, a transfer takes ${(1 + slope * usualRate).toFixed(2)} times as long.`;
  return `Model: each further transfer on a target costs it ${formatShare(lossPerStream)}. The limit of a program is quantile ${limitQuantile} of the rates of its transfers, per file for reused files. Hourly loads did not predict other runs better.`;
}

/** Answers are about concurrent runs, so about the part that sharing explains. */
function sharingText({ median, alone, met }: WhatIfData["fit"]["error"]): string {
  if (met.runs < MET_RUNS_LEAST)
    return `Only ${formatMany(met.runs, "held-out run")} shared a target with others that slow it down, too few to judge that part of the model; without sharing the error of all would be ${formatShare(alone)} instead of ${formatShare(median)}.`;
  const said = `Of the held-out runs, others slow down ${met.runs}; their median error is ${formatShare(met.median)}, and ${formatShare(met.alone)} without sharing`;
  return met.median < met.alone
    ? `${said}: sharing explains part of the recorded times, and the answer rests on that part.`
    : `${said}: sharing explains nothing here, so an answer about other runs is a bound by capacity, not a forecast.`;
}

const MET_RUNS_LEAST = 5;

const RUN_ROWS = 200;

function answerSections(data: WhatIfData): Section[] {
  const answer = data.answer as NonNullable<WhatIfData["answer"]>;
  const { changed, unchanged, removed, targets } = answer;
  const affected = targets.filter(
    (one) => Math.abs(one.bytesAfter - one.bytesBefore) > 0 || one.busyAfter !== one.busyBefore,
  );
  return [
    {
      id: "runs",
      title: "Runs that gain and lose",
      intro: `${formatMany(changed.length, "run")} changed, ${unchanged} did not.`,
      blocks: [
        ...(removed === undefined
          ? []
          : [
              {
                kind: "text" as const,
                text: `Removed: run ${removed.id} (${removed.application}), which did I/O for ${formatSeconds(removed.recordedSeconds)} (replayed ${formatSeconds(removed.before)}).`,
              },
            ]),
        ...(changed.length === 0 ? [] : [runTable(changed)]),
      ],
    },
    {
      id: "targets",
      title: "Target load",
      blocks:
        affected.length === 0
          ? [{ kind: "text", text: "No target's load changes." }]
          : [{ kind: "figure", figure: targetFigure(data, affected) }, targetTable(affected, targets.length)],
    },
  ];
}

function runTable(changed: readonly RunChange[]): TableBlock {
  return {
    kind: "table",
    id: "runs",
    caption: `I/O time of each run that changed${changed.length > RUN_ROWS ? `; the first ${RUN_ROWS} of ${changed.length}` : ""}.`,
    columns: [
      { key: "run", label: "Run", unit: "text", about: "runs.run_id" },
      { key: "application", label: "Program", unit: "text", about: "Base name of the executable." },
      { key: "start", label: "Start", unit: "unix-seconds", about: "Of the run." },
      { key: "recorded", label: "Recorded", unit: "seconds", about: "I/O time by the log." },
      { key: "before", label: "Replayed", unit: "seconds", about: "I/O time in the unchanged replay." },
      { key: "after", label: "With the change", unit: "seconds", about: "I/O time in the replay." },
      { key: "change", label: "Change", unit: "share", about: "Of the replayed time." },
      { key: "expected", label: "Expected", unit: "seconds", about: "Recorded time scaled by the change." },
    ],
    rows: changed
      .slice(0, RUN_ROWS)
      .map((one): Cell[] => [
        one.id,
        one.application,
        one.start,
        one.recordedSeconds,
        one.before,
        one.after,
        one.after / one.before - 1,
        one.expected,
      ]),
    rowsTotal: changed.length,
    rowKey: "run",
  };
}

function targetTable(targets: readonly TargetChange[], all: number): TableBlock {
  return table(
    "targets",
    `Targets whose load changed, ${targets.length} of ${all}.`,
    [
      ["target", "Target", "index", "OST number."],
      ["bytes-before", "Bytes", "bytes", "In the window, without the change."],
      ["bytes-after", "with the change", "bytes", "In the window."],
      ["busy-before", "Busy", "seconds", "With a transfer in progress."],
      ["busy-after", "with the change", "seconds", "The same."],
      ["streams-before", "Concurrency", "none", "Mean transfers while busy."],
      ["streams-after", "with the change", "none", "The same."],
    ],
    targets.map((one): Cell[] => [
      one.target,
      one.bytesBefore,
      one.bytesAfter,
      one.busyBefore,
      one.busyAfter,
      one.streamsBefore,
      one.streamsAfter,
    ]),
  );
}

const BARS_MAX = 40;

function targetFigure({ question }: WhatIfData, affected: readonly TargetChange[]): Figure {
  const shown = affected
    .toSorted((a, b) => Math.abs(b.bytesAfter - b.bytesBefore) - Math.abs(a.bytesAfter - a.bytesBefore))
    .slice(0, BARS_MAX)
    .sort((a, b) => a.target - b.target);
  return {
    id: "target-load",
    title: "Bytes on each target, before and after",
    caption: `${question}; ${shown.length < affected.length ? `the ${shown.length} that change most of ${affected.length}` : formatMany(shown.length, "target")}. Simulated.`,
    summary: "Bytes of each target as recorded and with the change.",
    definition: "S04@1",
    options: { question },
    simulated: true,
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: shown.map(({ target }) => String(target)),
      categoryLabel: "target",
      value: { label: "bytes", unit: "bytes" },
      series: [
        { name: "unchanged", role: "before", values: shown.map(({ bytesBefore }) => bytesBefore) },
        { name: "with the change", role: "after", values: shown.map(({ bytesAfter }) => bytesAfter) },
      ],
    },
  };
}

function policySection({ question }: WhatIfData, policy: PolicyAnswer): Section {
  const rows: Cell[][] = [
    [
      "as recorded",
      policy.ownTargets,
      policy.recordedSeconds,
      policy.replayedSeconds / policy.recordedSeconds,
      null,
    ],
    ["replayed, unchanged", policy.ownTargets, policy.replayedSeconds, 1, null],
    ...policy.times.map(({ policy: name, seconds, moved }): Cell[] => [
      name,
      policy.targets,
      seconds,
      policy.replayedSeconds / seconds,
      moved,
    ]),
  ];
  return {
    id: "policy",
    title: "The run's writes under a policy",
    intro: `${question}. ${formatMany(policy.run.ranks, "rank")} of ${policy.run.application}, ${formatBytes(policy.bytes)}. All ranks write the same amount, to every target of the fit; the load of the other runs is that of the replay, and does not react.`,
    blocks: [
      table(
        "policy",
        "Time of the write phase.",
        [
          ["how", "How", "text", "As recorded, replayed, or under a policy."],
          ["targets", "Targets", "count", "Number of targets written to."],
          ["seconds", "Write time", "seconds", "Of the whole phase."],
          ["speedup", "Speed-up", "ratio", "Over the unchanged replay."],
          ["moved", "Moved", "share", "Bytes that adapted to another target."],
        ],
        rows,
      ),
    ],
  };
}
