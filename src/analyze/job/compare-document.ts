/** The comparison of two jobs as a document, and as JSON. */
import { formatSeconds, formatShare } from "../../base/units.ts";
import type { Document } from "../../model/document.ts";
import {
  type Change,
  factor,
  findingChanges,
  isNoise,
  layerChanges,
  mainChanges,
  mismatches,
  tracedChanges,
} from "./compare.ts";
import {
  type CompareInput,
  counters,
  files,
  findings,
  heats,
  layers,
  overview,
  sizes,
  storage,
} from "./compare-sections.ts";
import type { Job } from "./job.ts";

export function compareDocument(input: CompareInput): Document {
  const { before, after, names } = input;
  return {
    title: `${names[0]} → ${names[1]}`,
    facts: [
      { label: "Before", text: names[0] },
      { label: "After", text: names[1] },
      { label: "Program", text: after.job.runs[0]?.commandLine || "not recorded" },
      {
        label: "Run time",
        text: [before, after]
          .map(({ job }) => (Number.isNaN(job.runSeconds) ? "not recorded" : formatSeconds(job.runSeconds)))
          .join(" → "),
      },
    ],
    verdict: compareVerdict(input),
    sections: [
      overview(input),
      findings(input),
      heats(input),
      layers(input),
      sizes(input),
      files(input),
      storage(input),
      counters(input),
    ],
    command: input.command,
    madeBy: input.madeBy,
  };
}

/** One or two sentences: is it faster, and what came and went. */
export function compareVerdict({ before, after, noise }: CompareInput): string {
  const [a, b] = [before.job.io, after.job.io];
  const changes = findingChanges(before.verdicts, after.verdicts);
  const titles = (kind: "appeared" | "gone") =>
    changes
      .filter(({ change }) => change === kind)
      .map(({ finding }) => finding.title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()));
  const list = (what: string, names: readonly string[]) =>
    names.length === 0 ? "" : ` ${what}: ${names.join(", ")}.`;
  const time = mainChanges(before.job, after.job).find(({ id }) => id === "ioSecondsSlowest") as Change;
  const seconds = `${formatSeconds(a.slowestSeconds)} → ${formatSeconds(b.slowestSeconds)} on the slowest rank`;
  const speed = isNoise(time, noise)
    ? `I/O takes about as long as before (${seconds})`
    : !(b.slowestSeconds > 0) || !(a.slowestSeconds > 0)
      ? `I/O time changed: ${seconds}`
      : b.slowestSeconds < a.slowestSeconds
        ? `I/O is ${factor(a.slowestSeconds / b.slowestSeconds)} times faster (${seconds})`
        : `I/O is ${factor(b.slowestSeconds / a.slowestSeconds)} times slower (${seconds})`;
  const share = ` It is ${formatShare(a.meanShare)} → ${formatShare(b.meanShare)} of the run time on average.`;
  const same = changes.every(({ change }) => change === "stayed") ? " The findings are the same." : "";
  return `${speed}.${share}${list("Gone", titles("gone"))}${list("New", titles("appeared"))}${same}`;
}

/** The comparison as JSON. */
export function compareSummary(input: CompareInput) {
  const { before, after, noise } = input;
  const orNull = (value: number) => (Number.isFinite(value) ? value : null);
  const all = [
    ...mainChanges(before.job, after.job),
    ...layerChanges(before.job, after.job),
    ...tracedChanges(before.job, after.job),
  ];
  return {
    before: facts(before.job),
    after: facts(after.job),
    verdict: compareVerdict(input),
    comparable: mismatches(before, after).length === 0,
    warnings: mismatches(before, after),
    findings: findingChanges(before.verdicts, after.verdicts).map(({ change, finding }) => ({
      change,
      ...finding,
    })),
    noise,
    metrics: Object.fromEntries(
      all.map((change) => [
        change.id,
        {
          unit: change.unit,
          before: orNull(change.before),
          after: orNull(change.after),
          difference: orNull(change.after - change.before),
          ratio: change.before > 0 ? orNull(change.after / change.before) : null,
          belowNoise: isNoise(change, noise),
        },
      ]),
    ),
  };
}

const facts = (job: Job) => ({
  logs: job.runs.map(({ source }) => source),
  application: job.runs[0]?.application ?? "",
  jobId: job.runs[0]?.jobId ?? "",
  ranks: job.ranks,
  runSeconds: Number.isNaN(job.runSeconds) ? null : job.runSeconds,
});
