/**
 * Several runs of a writer side by side, as the adaptive I/O paper shows its own: bandwidth of each method (its Figures 5 and
 * 6), write time of each writer (Figure 3), and variation of the time between runs (Figure 7).
 */
import {
  type Block,
  type Cell,
  type Document,
  type Figure,
  type Role,
  type Section,
  type WriteRun,
  table,
} from "../../model/index.ts";
import { mean, standardDeviation } from "../../base/statistics.ts";
import { formatMany, formatRate, formatSeconds } from "../../base/units.ts";
import { stepDocument, type StepDocumentOptions } from "./document.ts";
import { type StepFacts, stepFacts } from "./facts.ts";

/** Runs of one method under one condition, in the order they were made. */
interface Method {
  readonly name: string;
  readonly role: Role;
  readonly runs: readonly { readonly run: WriteRun; readonly facts: StepFacts }[];
}

const ROLES: readonly Role[] = ["before", "after", "write", "read", "other", "metadata"];
/** More bars than this are thinner than a pixel; a distribution shows more. */
const WRITERS_MAX = 512;

/** The last run of each method in full, and all of them side by side. */
export function runsDocument(runs: readonly WriteRun[], options: StepDocumentOptions): Document {
  const methods = methodsOf(runs);
  const last = methods.map(({ name, runs: own }) => ({
    ...(own.at(-1) as Method["runs"][number]).run,
    label: name,
  }));
  return stepDocument(last, { ...options, more: [runsSection(methods), ...(options.more ?? [])] });
}

/** Data, targets and throttles define a condition; the same method under a different condition gets a number. */
function methodsOf(runs: readonly WriteRun[]): Method[] {
  const groups = new Map<string, WriteRun[]>();
  for (const run of runs) {
    const condition = [
      run.label,
      run.writers,
      run.targets,
      run.bytes,
      JSON.stringify(run.slowed ?? []),
    ].join();
    groups.set(condition, [...(groups.get(condition) ?? []), run]);
  }
  const seen = new Map<string, number>();
  return [...groups.values()].map((own, i) => {
    const { label } = own[0] as WriteRun;
    const count = 1 + (seen.get(label) ?? 0);
    seen.set(label, count);
    return {
      name: count === 1 ? label : `${label}-${count}`,
      role: ROLES[i % ROLES.length] as Role,
      runs: own.map((run) => ({ run, facts: stepFacts(run) })),
    };
  });
}

function runsSection(methods: readonly Method[]): Section {
  const several = methods.some(({ runs }) => runs.length > 1);
  const blocks: Block[] = [];
  const show = (figure: Figure) => blocks.push({ kind: "figure", figure });
  if (methods.length > 1 || several) show(bandwidths(methods));
  if (several) show(timeSpread(methods));
  if (methods.length > 1 || several) show(imbalances(methods));
  for (const method of methods) {
    const { facts } = method.runs.at(-1) as Method["runs"][number];
    if (facts.writerSeconds.length <= WRITERS_MAX) show(writerBars(method));
  }
  blocks.push(runTable(methods));
  return {
    id: "runs",
    title: several ? "Runs side by side" : "Time of each writer",
    intro: several
      ? "As in Figures 3 and 5 to 7 of the adaptive I/O paper: bandwidth, its variation between runs, and the time of each writer."
      : "As in Figure 3 of the adaptive I/O paper.",
    blocks,
  };
}

const about = (methods: readonly Method[]) => {
  const run = methods[0]?.runs[0]?.run as WriteRun;
  return {
    definition: "S01@1",
    options: { writers: run.writers, targets: run.targets },
    ...(run.simulated ? { simulated: true } : {}),
  };
};

const countsOf = (methods: readonly Method[]): string =>
  methods.map(({ name, runs }) => `${name}: ${formatMany(runs.length, "run")}`).join(", ");

/** A bar for each method: the mean of its runs, with whiskers from min to max. */
function methodBars(
  methods: readonly Method[],
  value: { readonly label: string; readonly unit: "bytes/s" | "seconds" | "ratio" },
  of: (one: Method["runs"][number]) => number,
) {
  return {
    kind: "bars" as const,
    direction: "vertical" as const,
    stacked: false,
    categories: methods.map(({ name }) => name),
    categoryLabel: "method",
    value,
    series: [
      {
        name: value.label,
        role: "write" as const,
        values: methods.map(({ runs }) => mean(runs.map(of))),
        low: methods.map(({ runs }) => Math.min(...runs.map(of))),
        high: methods.map(({ runs }) => Math.max(...runs.map(of))),
      },
    ],
  };
}

function bandwidths(methods: readonly Method[]): Figure {
  const rate = ({ facts }: Method["runs"][number]) => facts.bytesPerSecond;
  return {
    ...about(methods),
    id: "bandwidth",
    title: "Bandwidth of each method",
    caption: `Mean over runs; whiskers from min to max (${countsOf(methods)}).`,
    summary: methods.map(({ name, runs }) => `${name} ${formatRate(mean(runs.map(rate)))}`).join(", "),
    chart: methodBars(methods, { label: "bandwidth", unit: "bytes/s" }, rate),
  };
}

/** Not a value for a method with one run. */
export const secondsSpread = (runs: readonly WriteRun[]): number =>
  runs.length < 2
    ? Number.NaN
    : standardDeviation(
        runs.map(({ seconds }) => seconds),
        1,
      );

function timeSpread(methods: readonly Method[]): Figure {
  const values = methods.map(({ runs }) => secondsSpread(runs.map(({ run }) => run)));
  return {
    ...about(methods),
    id: "time-spread",
    title: "Standard deviation of the write time over runs",
    caption: `Of the time of the whole step (${countsOf(methods)}). A method with one run has none.`,
    summary: methods
      .flatMap(({ name }, i) =>
        Number.isNaN(values[i]) ? [] : [`${name} ${formatSeconds(values[i] as number)}`],
      )
      .join(", "),
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: methods.map(({ name }) => name),
      categoryLabel: "method",
      value: { label: "standard deviation", unit: "seconds" },
      series: [{ name: "standard deviation", role: "write", values }],
    },
  };
}

function imbalances(methods: readonly Method[]): Figure {
  const factor = ({ facts }: Method["runs"][number]) => facts.imbalance;
  return {
    ...about(methods),
    id: "imbalance",
    title: "Imbalance of each method",
    caption: `Write time of the slowest writer over that of the fastest: mean over runs, whiskers from min to max (${countsOf(methods)}).`,
    summary: methods.map(({ name, runs }) => `${name} ${mean(runs.map(factor)).toFixed(2)}`).join(", "),
    chart: methodBars(methods, { label: "slowest over fastest", unit: "ratio" }, factor),
  };
}

function writerBars({ name, role, runs }: Method): Figure {
  const { run, facts } = runs.at(-1) as Method["runs"][number];
  return {
    definition: "S01@1",
    options: { policy: run.policy, writers: run.writers, targets: run.targets },
    ...(run.simulated ? { simulated: true } : {}),
    id: `writers-${name}`,
    title: `Write time of each writer (${name})`,
    caption: `From the start of its first write to the end of its last${runs.length > 1 ? "; the last run" : ""}. Imbalance factor ${facts.imbalance.toFixed(2)}.`,
    summary: `The slowest writer took ${facts.imbalance.toFixed(2)} times as long as the fastest.`,
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: facts.writerSeconds.map((_, writer) => String(writer)),
      categoryLabel: "writer",
      value: { label: "write time", unit: "seconds" },
      series: [{ name: "write time", role, values: [...facts.writerSeconds] }],
    },
  };
}

function runTable(methods: readonly Method[]): Block {
  return table(
    "run-list",
    "Every run.",
    [
      ["method", "Method", "text", "Policy; numbered if conditions differ."],
      ["run", "Run", "count", "In order of time."],
      ["what", "What", "text", "Data, processes, targets."],
      ["seconds", "Write time", "seconds", "To the end of the last write."],
      ["bandwidth", "Bandwidth", "bytes/s", "All bytes over the write time."],
      ["imbalance", "Imbalance", "ratio", "Slowest over fastest writer."],
      ["spread", "Spread", "seconds", "Standard deviation of the writers' times."],
    ],
    methods.flatMap(({ name, runs }) =>
      runs.map(({ run, facts }, i): Cell[] => [
        name,
        i + 1,
        run.title,
        run.seconds,
        facts.bytesPerSecond,
        facts.imbalance,
        facts.spreadSeconds,
      ]),
    ),
  );
}
