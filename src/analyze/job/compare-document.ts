/** The comparison of two jobs as a document, and as JSON. */
import { formatBytes, formatMany, formatSeconds, formatShare } from "../../base/units.ts";
import { type Document, type Figure, markSynthetic } from "../../model/index.ts";
import { originOfRuns } from "./origin.ts";
import {
  type Change,
  factor,
  findingChanges,
  isNoise,
  isSameWork,
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
import { DEFINITIONS } from "./definitions.ts";
import type { Job } from "./job.ts";

export function compareDocument(input: CompareInput): Document {
  const { before, after, names } = input;
  const document = {
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
    figure: timesFigure(before.job, after.job),
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
  return markSynthetic(document, originOfRuns([...before.job.runs, ...after.job.runs]));
}

/** Run time and I/O time of both, beside the headline. */
function timesFigure(before: Job, after: Job): Figure {
  const rows = [
    ["run", before.runSeconds, after.runSeconds],
    ["I/O, slowest rank", before.io.slowestSeconds, after.io.slowestSeconds],
    ["I/O, mean rank", before.io.meanSeconds, after.io.meanSeconds],
  ] as const;
  const text = (seconds: number) => (Number.isNaN(seconds) ? "not recorded" : formatSeconds(seconds));
  return {
    id: "compared-times",
    title: "Time before and after",
    caption: "The slowest rank: most time in its own files, plus the slowest rank of each shared file.",
    summary: `${rows.map(([name, was, is]) => `${name} ${text(was)} → ${text(is)}`).join("; ")}.`,
    definition: DEFINITIONS.share.id,
    options: {},
    chart: {
      kind: "bars",
      direction: "horizontal",
      stacked: false,
      categories: rows.map(([name]) => name),
      categoryLabel: "",
      value: { label: "time", unit: "seconds" },
      series: [
        { name: "before", role: "before", values: rows.map(([, was]) => was) },
        { name: "after", role: "after", values: rows.map(([, , is]) => is) },
      ],
    },
  };
}

/** One or two sentences: is it faster, and what came and went. */
export function compareVerdict({ before, after, noise }: CompareInput): string {
  const [a, b] = [before.job.io, after.job.io];
  const changes = findingChanges(before.verdicts, after.verdicts);
  const titles = (kind: "appeared" | "gone") =>
    changes
      .filter(({ change }) => change === kind)
      .map(({ finding }) => finding.title.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()));
  const list = (what: string, names: readonly string[]) =>
    names.length === 0 ? "" : ` ${what}: ${names.join(", ")}.`;
  const share = ` It is ${formatShare(a.meanShare)} → ${formatShare(b.meanShare)} of the run time on average.`;
  const same = changes.every(({ change }) => change === "stayed") ? " The findings are the same." : "";
  return `${speedText(before.job, after.job, noise)}.${share}${list("Gone", titles("gone"))}${list("New", titles("appeared"))}${same}`;
}

/** How the time of I/O changed; a factor only where both did the same work. */
function speedText(a: Job, b: Job, noise: number): string {
  const [was, is] = [a.io.slowestSeconds, b.io.slowestSeconds];
  const seconds = `${formatSeconds(was)} → ${formatSeconds(is)} on the slowest rank`;
  if (!isSameWork(a, b))
    return `I/O takes ${seconds}, but the work differs (${workText(a)} → ${workText(b)})`;
  const time = mainChanges(a, b).find(({ id }) => id === "ioSecondsSlowest") as Change;
  if (isNoise(time, noise)) return `I/O takes about as long as before (${seconds})`;
  if (!(was > 0) || !(is > 0)) return `I/O time changed: ${seconds}`;
  return is < was
    ? `I/O is ${factor(was / is)} times faster (${seconds})`
    : `I/O is ${factor(is / was)} times slower (${seconds})`;
}

function workText({ io, files }: Job): string {
  const bytes = (io.bytesRead || 0) + (io.bytesWritten || 0);
  return `${formatBytes(bytes)} in ${formatMany(files.length, "file")}`;
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
  synthetic: job.runs.some(({ isSynthetic }) => isSynthetic),
});
