/** Output steps as a document: one run, or the same step under several policies. */
import {
  type Block,
  type Cell,
  type Document,
  type Section,
  type Tile,
  type WriteRun,
  table,
} from "../../model/index.ts";
import { formatBytes, formatMany, formatRate, formatSeconds, formatShare } from "../../base/units.ts";
import { type StepFacts, stepFacts, type TargetFacts } from "./facts.ts";
import { targetName, targetStrip, timeline, writerTimes } from "./figures.ts";

export interface StepDocumentOptions {
  readonly command: string;
  readonly madeBy: string;
  /** Further sections, such as those of a simulator's parameters. */
  readonly more?: readonly Section[];
}

interface Judged {
  readonly run: WriteRun;
  readonly facts: StepFacts;
}

const TARGET_ROWS = 200;

export function stepDocument(runs: readonly WriteRun[], options: StepDocumentOptions): Document {
  const judged = runs.map((run): Judged => ({ run, facts: stepFacts(run) }));
  const [first] = judged as [Judged, ...Judged[]];
  const { run } = first;
  return {
    title: run.title,
    facts: [
      { label: "Writers", text: String(run.writers) },
      { label: "Targets", text: String(run.targets) },
      { label: "Data", text: formatBytes(run.bytes), exact: `${run.bytes} bytes` },
      {
        label: run.simulated ? "Simulated" : "Measured",
        text: judged.map((one) => one.run.label).join(", "),
      },
    ],
    verdict: verdictOf(judged),
    sections: [
      judged.length > 1 ? comparison(judged) : overview(first),
      ...judged.map(runSection),
      ...(options.more ?? []),
    ],
    command: options.command,
    madeBy: options.madeBy,
  };
}

function verdictOf(judged: readonly Judged[]): string {
  const [first, ...others] = judged as [Judged, ...Judged[]];
  const said = `${first.run.simulated ? "Simulated: " : ""}`;
  const failed = judged.find(({ run }) => run.outcome !== "complete");
  if (failed !== undefined) return `${said}${failed.run.label} did not complete: ${failed.run.outcome}.`;
  if (others.length === 0) {
    const { run, facts } = first;
    return `${said}${formatBytes(run.bytes)} in ${formatSeconds(run.seconds)}, ${formatRate(facts.bytesPerSecond)}; the slowest writer took ${facts.imbalance.toFixed(1)} times as long as the fastest; ${formatMany(facts.movedWrites, "write")} moved to another target.`;
  }
  const parts = others.map(
    ({ run }) => `${run.label} ${timesAs(first.run.seconds / run.seconds)} ${first.run.label}`,
  );
  return `${said}${parts.join("; ")} (${judged.map(({ run }) => `${run.label} ${formatSeconds(run.seconds)}`).join(", ")}).`;
}

const timesAs = (ratio: number): string =>
  ratio >= 1 ? `is ${ratio.toFixed(2)} times as fast as` : `takes ${(1 / ratio).toFixed(2)} times as long as`;

function notices(run: WriteRun): Block[] {
  const note = (text: string): Block => ({ kind: "notice", level: "note", text });
  if (run.simulated) return [note("Simulated: these times come from a storage model, not from a machine.")];
  const { slowed = [] } = run;
  if (slowed.length === 0) return [];
  const each = slowed.map(({ target, how }) => `${targetName(run, target)} ${how}`);
  return [note(`Targets were throttled on purpose: ${each.join("; ")}.`)];
}

function overview({ run, facts }: Judged): Section {
  return {
    id: "overview",
    title: "Overview",
    blocks: [...notices(run), { kind: "tiles", tiles: tilesOf(run, facts) }],
  };
}

function tilesOf(run: WriteRun, facts: StepFacts): Tile[] {
  return [
    {
      label: "Write time",
      value: run.seconds,
      unit: "seconds",
      ...(Number.isNaN(run.commitSeconds)
        ? {}
        : { note: `${formatSeconds(run.commitSeconds)} until it was durable` }),
      about: "From the last open to the end of the last write; opens are not included.",
    },
    {
      label: "Bandwidth",
      value: facts.bytesPerSecond,
      unit: "bytes/s",
      about: "All bytes over the write time, as IOR counts it.",
    },
    {
      label: "Imbalance",
      value: facts.imbalance,
      unit: "ratio",
      note: `spread ${formatSeconds(facts.spreadSeconds)}, ${formatShare(facts.spreadShare)} of the mean`,
      about:
        "Write time of the slowest writer over that of the fastest. Spread: standard deviation of the write times.",
    },
    {
      label: "Moved",
      value: facts.movedWrites,
      unit: "count",
      note: `${formatBytes(facts.movedBytes)}${facts.unusedWrites > 0 ? `; ${formatMany(facts.unusedWrites, "write")} unused` : ""}`,
      about: "Writes to a file of another group.",
    },
    {
      label: "BPS",
      value: facts.bps ?? Number.NaN,
      unit: "blocks/s",
      about: "512 B blocks requested by the application per second with at least one write in progress.",
    },
  ];
}

function comparison(judged: readonly Judged[]): Section {
  const [base] = judged as [Judged];
  const rows = table(
    "policies",
    `The same step on the same storage under each policy; speed-up against ${base.run.label}.`,
    [
      ["policy", "Policy", "text", "Who writes where."],
      ["seconds", "Write time", "seconds", "To the end of the last write."],
      ["speedup", "Speed-up", "ratio", "Time of the first over time of this."],
      ["bandwidth", "Bandwidth", "bytes/s", "All bytes over the write time."],
      ["imbalance", "Imbalance", "ratio", "Slowest over fastest writer."],
      ["spread", "Spread", "seconds", "Standard deviation of the write times."],
      ["moved", "Moved", "bytes", "Bytes written to a file of another group."],
    ],
    judged.map(({ run, facts }): Cell[] => [
      run.label,
      run.seconds,
      base.run.seconds / run.seconds,
      facts.bytesPerSecond,
      facts.imbalance,
      facts.spreadSeconds,
      facts.movedBytes,
    ]),
  );
  return {
    id: "comparison",
    title: "Policies side by side",
    blocks: [...notices(base.run), rows, { kind: "figure", figure: writerTimes(judged) }],
  };
}

function runSection({ run, facts }: Judged, _: number, all: readonly Judged[]): Section {
  return {
    id: `run-${run.label}`,
    title: all.length > 1 ? `Who wrote where: ${run.label}` : "Who wrote where",
    intro: "Each target over time. A target that finishes early is idle unless work is moved to it.",
    blocks: [
      { kind: "figure", figure: timeline(run) },
      { kind: "figure", figure: targetStrip(run, facts) },
      ...(all.length > 1 ? [] : [{ kind: "figure" as const, figure: writerTimes([{ run, facts }]) }]),
      targetTable(run, facts),
      ...(run.openSeconds.length > 0 ? [opensText(run)] : []),
      ...(run.messages === undefined ? [] : [messageTable(run)]),
    ],
  };
}

function targetTable(run: WriteRun, facts: StepFacts): Block {
  const slowest = (a: TargetFacts, b: TargetFacts) => b.endSeconds - a.endSeconds || a.target - b.target;
  const rows = facts.perTarget.toSorted(slowest).slice(0, TARGET_ROWS);
  return table(
    `targets-${run.label}`,
    `Targets, latest end first${rows.length < run.targets ? `; the first ${rows.length} of ${run.targets}` : ""}.`,
    [
      ["target", "Target", "text", "Storage target."],
      ["bytes", "Bytes", "bytes", "Written to it."],
      ["writes", "Writes", "count", "Finished writes."],
      ["end", "Last end", "seconds", "When its last write ended."],
      ["rate", "Rate", "bytes/s", "Bytes over the time with a write in progress."],
      ["moved", "Moved here", "bytes", "Bytes of writers of other groups."],
    ],
    rows.map(({ target, bytes, writes, endSeconds, bytesPerSecond, movedBytes }): Cell[] => [
      targetName(run, target),
      bytes,
      writes,
      endSeconds,
      Number.isNaN(bytesPerSecond) ? null : bytesPerSecond,
      movedBytes,
    ]),
    run.targets,
  );
}

function opensText(run: WriteRun): Block {
  const longest = run.openSeconds.reduce((high, one) => Math.max(high, one), 0);
  const total = run.openSeconds.reduce((sum, one) => sum + one, 0);
  return {
    kind: "text",
    text: `${formatMany(run.openSeconds.length, "file")} opened, not part of the write time: ${formatSeconds(total)} in total, the longest ${formatSeconds(longest)}.`,
  };
}

function messageTable(run: WriteRun): Block {
  return {
    kind: "table",
    id: `messages-${run.label}`,
    caption: "Messages of the protocol.",
    columns: [
      { key: "kind", label: "Message", unit: "text", about: "See docs/protocol.md." },
      { key: "count", label: "Sent", unit: "count", about: "Number sent." },
    ],
    rows: (run.messages ?? []).map(({ kind, count }): Cell[] => [kind, count]),
    sortedBy: "count",
  };
}
