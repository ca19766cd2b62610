/** The study as a report that reads like the paper, with the reader's own numbers beside the published ones. */
import { formatBytes, formatCount } from "../../../base/units.ts";
import { type Document, type Provenance, type Section, table } from "../../../model/index.ts";
import {
  composeDocument,
  countsText,
  dayText,
  type StudyDocumentInput,
  type StudyKind,
} from "../common/sections.ts";
import { zoneText } from "../common/stored-zone.ts";
import { valueText } from "../common/values.ts";
import { CONTRADICTIONS, WRITE_CONTRADICTIONS } from "./contradictions.ts";
import type { ItemResult, Published } from "./item.ts";
import { SYSTEM_ITEMS } from "./items.ts";
import { SYSTEM_OPTIONS } from "./options.ts";
import { publishedText } from "./published-text.ts";
import type { Study } from "./study.ts";

const SECTIONS = [
  { id: "data", title: "Data", intro: "Clusters, jobs, and collector coverage." },
  { id: "shape", title: "Duration and nodes", intro: "Run times and node counts of jobs." },
  { id: "users", title: "Readers and writers", intro: "Bytes read and written by user." },
  {
    id: "writes",
    title: "Efficient and inefficient writes",
    intro: "Heavy writers, and their bytes per call.",
  },
  {
    id: "metadata",
    title: "Metadata",
    intro: "Metadata operations of jobs, and their distribution over MDTs.",
  },
  {
    id: "calendar",
    title: "I/O traffic over time",
    intro: "Days and weekdays, the longest job, and the top user.",
  },
  { id: "run", title: "I/O within a run", intro: "Share of the run with I/O, and its period." },
  {
    id: "bursts",
    title: "Write bursts and memory",
    intro: "Output sizes, in bytes and relative to job memory.",
  },
  { id: "contention", title: "Contention", intro: "I/O time by hour of the day." },
];

export function studyDocument(input: StudyDocumentInput<Study>): Document {
  const { study, store, origin } = input;
  const census = study.items.B02 as ItemResult;
  const names = study.clusters.filter((name) => name !== "");
  return composeDocument(SYSTEM_STUDY, input, {
    title: "Job I/O of this system",
    facts: [
      { label: "Store", text: store },
      { label: "Clusters", text: study.options.cluster || names.join(", ") || "not named" },
      { label: "Jobs", text: formatCount(study.jobs) },
      { label: "With minutes", text: formatCount(study.series) },
      { label: "Users", text: formatCount(Number(census.values.users)) },
      { label: "Data", text: formatBytes(Number(census.values.bytes)), exact: `${census.values.bytes} B` },
      { label: "From", text: dayText(study.fromUnix) },
      { label: "To", text: dayText(study.toUnix) },
      { label: "Time zone", text: zoneText({ zone: study.options.zone, zoneFrom: study.zoneFrom }) },
    ],
    verdict: verdictOf(study, origin),
    first: [recommendationsSection(study)],
    last: [contradictionsSection()],
  });
}

/** One or two sentences: how many of the observations hold here. */
export function verdictOf(
  { findings, jobs, series }: Pick<Study, "findings" | "jobs" | "series">,
  origin: Provenance,
): string {
  if (jobs === 0 && series === 0)
    return "Not enough data: the store has no suitable jobs, and no minutes of jobs.";
  return countsText(findings, `${findings.length} published observations`, SYSTEM_STUDY.words, origin);
}

export const SYSTEM_STUDY: StudyKind<Published> = {
  items: SYSTEM_ITEMS,
  sections: SECTIONS,
  options: SYSTEM_OPTIONS,
  method:
    "A. K. Paul, O. Faaland, A. Moody, E. Gonsiorowski, K. Mohror, A. R. Butt, Understanding HPC Application I/O Behavior Using System Level Statistics, 2020.",
  valuesFirst: false,
  notesElsewhere: WRITE_CONTRADICTIONS,
  publishedText,
  words: {
    title: "The observations",
    drawn: "resampling jobs, users or days",
    here: "on this system",
    place: "this system",
    finding: "Observation",
    about: {
      id: "Value here; the paper has none.",
      title: "Observation of the paper.",
      published: "Main number of the paper; of Quartz if both clusters have one.",
    },
    paper: "Paul et al. 2020",
    sensitivity: {
      caption: "related numbers",
      setting: ["Number", "Description of the value."],
      value: "Measured value.",
    },
    nameOf: (id) => `Observation ${id}`,
    claimText: valueText,
  },
};

function recommendationsSection({ recommendations, items }: Study): Section {
  const rules = items.B18?.tables[0]?.rows ?? [];
  const named = (state: string) => rules.filter((row) => row[2] === state).map(([name]) => String(name));
  const [not, unknown] = [named("no"), named("not enough data")];
  const rest = [
    ...(not.length > 0 ? [`Do not apply here: ${not.join(", ")}.`] : []),
    ...(unknown.length > 0 ? [`Not enough data to judge: ${unknown.join(", ")}.`] : []),
  ];
  return {
    id: "recommendations",
    title: "Recommendations",
    intro: "Rules from the study, with the numbers behind each. Plimsoll sets the limits.",
    blocks: [
      { kind: "findings", findings: recommendations, none: "No rule applies, or there is not enough data." },
      ...(rest.length === 0 ? [] : [{ kind: "text" as const, text: rest.join(" ") }]),
    ],
  };
}

function contradictionsSection(): Section {
  return {
    id: "contradictions",
    title: "Contradictions in the paper",
    intro:
      "Numbers of the paper that contradict each other or are undefined, and how this study handles them. No data can match all published numbers at once.",
    detail: true,
    blocks: [
      table(
        "contradictions",
        "Points to know before comparing.",
        [["point", "Point", "text", "Statement of the paper, and the contradiction."]],
        [...WRITE_CONTRADICTIONS, ...CONTRADICTIONS].map((text) => [text]),
      ),
    ],
  };
}
