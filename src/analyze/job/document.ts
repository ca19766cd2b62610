/** The report on a job as a document. A new section is a file in sections/ and a line here. */
import { formatCount, formatSeconds } from "../../base/units.ts";
import { type Document, type Fact, markSynthetic, type Section } from "../../model/index.ts";
import { originOfRuns } from "./origin.ts";
import { answersOf } from "./headline.ts";
import type { ReportInput } from "./input.ts";
import type { Job } from "./job.ts";
import { about } from "./sections/about.ts";
import { cost } from "./sections/cost.ts";
import { rawCounters } from "./sections/counters.ts";
import { counts } from "./sections/counts.ts";
import { files } from "./sections/files.ts";
import { findings } from "./sections/findings.ts";
import { folders } from "./sections/folders.ts";
import { heat } from "./sections/heat.ts";
import { layers } from "./sections/layers.ts";
import { metrics } from "./sections/metrics.ts";
import { mpi } from "./sections/mpi.ts";
import { network } from "./sections/network.ts";
import { overview, recordersOf } from "./sections/overview.ts";
import { sizes } from "./sections/sizes.ts";
import { storage } from "./sections/storage.ts";
import { timeline } from "./sections/timeline.ts";
import { withFact } from "./sections/section-facts.ts";
import { secondFigure, timeFigure } from "./pictures/index.ts";
import { countedProcesses } from "./who.ts";

const SECTIONS: readonly ((input: ReportInput) => Section | undefined)[] = [
  findings,
  overview,
  heat,
  timeline,
  metrics,
  sizes,
  cost,
  counts,
  layers,
  folders,
  files,
  storage,
  mpi,
  network,
  rawCounters,
  about,
];

export function jobDocument(input: ReportInput): Document {
  const { job, verdicts, command, madeBy } = input;
  const answers = answersOf(job, verdicts);
  const isLog = job.runs.every(({ kind }) => kind === "darshan");
  const sections = SECTIONS.flatMap((make) => {
    const section = make(input);
    return section === undefined ? [] : withFact(section, job);
  });
  const cause = sections
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.kind === "findings" ? block.findings : []))
    .find(({ id }) => id === answers.finding);
  const figure = cause?.figure ?? timeFigure(job);
  const second = cause?.figure === undefined ? undefined : secondFigure(job, cause);
  const document = {
    title: titleOf(job),
    facts: factsOf(job),
    verdict: [answers.headline, ...answers.lead].join(" "),
    answers,
    ...(figure !== undefined && { figure }),
    ...(second !== undefined && { secondFigure: second }),
    sections: sections.filter((section) => isLog || !isMissing(section)),
    command,
    madeBy,
  };
  return markSynthetic(document, originOfRuns(job.runs));
}

/** Before the sections on how the report was made. */
export function withSection(document: Document, section: Section): Document {
  const isEnd = ({ id }: Section) => id === "counters" || id === "about";
  const { sections } = document;
  const at = sections.findIndex(isEnd);
  return { ...document, sections: sections.toSpliced(at < 0 ? sections.length : at, 0, section) };
}

/** A section that only says what a log would need is of no use for a trace. */
const isMissing = ({ blocks }: Section) =>
  blocks.every((block) => block.kind === "notice" && block.level === "missing");

function titleOf(job: Job): string {
  const programs = [...new Set(job.runs.map(({ application }) => application || "(program not recorded)"))];
  const jobs = [...new Set(job.runs.map(({ jobId }) => jobId))];
  const name = programs.length > 3 ? `${programs.length} programs` : programs.join(", ");
  if (jobs.every((id) => id === "")) return name;
  return `${name}, job ${jobs.length > 3 ? `${jobs[0]} and ${jobs.length - 1} others` : jobs.join(", ")}`;
}

function factsOf(job: Job): Fact[] {
  const [first] = job.runs;
  const start = new Date(job.startUnixSeconds * 1000);
  const iso = Number.isNaN(start.getTime()) ? undefined : start.toISOString();
  const users = [...new Set(job.runs.map(({ userId }) => userId))].filter((id) => id !== "").slice(0, 3);
  return [
    { label: "Program", text: first?.commandLine || "not recorded", exact: first?.commandLine ?? "" },
    {
      label: "Processes",
      text: `${job.ranks}${job.runs.length > 1 ? ` in ${job.runs.length} logs` : ""}`,
      inBar: countedProcesses(job),
    },
    {
      label: "Run time",
      ...(Number.isNaN(job.runSeconds)
        ? { text: "not recorded" }
        : {
            text: formatSeconds(job.runSeconds),
            exact: `${job.runSeconds} s`,
            inBar:
              job.runSeconds >= 1000 ? `${formatCount(job.runSeconds)} s` : formatSeconds(job.runSeconds),
          }),
    },
    {
      label: "Start",
      ...(iso === undefined
        ? { text: "not recorded" }
        : {
            text: `${iso.slice(0, -8).replace("T", " ")} UTC`,
            exact: iso,
            inBar: `${iso.slice(0, -8).replace("T", " ")} UTC`,
          }),
    },
    ...(users.length === 0 ? [] : [{ label: "User", text: users.join(", ") }]),
    {
      label: "Files",
      text:
        job.filter === undefined
          ? String(job.files.length)
          : `${job.files.length} of ${job.files.length + job.filter.filesLeftOut}, chosen by name`,
    },
    { label: "Recorded by", text: recordersOf(job).join(", ") },
    {
      label: job.runs.every(({ kind }) => kind === "darshan") ? "Modules" : "Layers",
      text: [...job.modules].join(" ") || "none",
    },
  ];
}
