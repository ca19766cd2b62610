/** The study as a report that reads like the paper, with the reader's own numbers beside the published ones. */
import { formatBytes, formatCount } from "../../../base/units.ts";
import type { Block, Cell, Document, Section } from "../../../model/index.ts";
import {
  type Chapter,
  chapterSection,
  countsText,
  dayText,
  findingsSection,
  itemBlocks,
  optionsSection,
  searchable,
  type StudyDocumentInput,
  type StudyWords,
  valuesTable,
} from "../common/sections.ts";
import { table } from "../common/table.ts";
import { CONTRADICTIONS, WRITE_CONTRADICTIONS } from "./contradictions.ts";
import type { ItemResult } from "./item.ts";
import { SYSTEM_ITEMS } from "./items.ts";
import { labelOf, printedText, valueText } from "./labels.ts";
import { narrative } from "./narrative.ts";
import { SYSTEM_OPTIONS } from "./options.ts";
import type { Study } from "./study.ts";

const CHAPTERS: readonly Chapter[] = [
  {
    id: "data",
    title: "Data",
    intro: "Clusters, jobs, and how much of them the collectors saw.",
    items: ["B01", "B02", "B03"],
    findings: [],
  },
  {
    id: "shape",
    title: "Duration and nodes",
    intro: "How long jobs run, and on how many nodes.",
    items: ["B04"],
    findings: ["O01"],
  },
  {
    id: "users",
    title: "Readers and writers",
    intro: "What users do with the file system.",
    items: ["B05"],
    findings: ["O02"],
  },
  {
    id: "writes",
    title: "Efficient and inefficient writes",
    intro: "Who writes much, and in small calls.",
    items: ["B06"],
    findings: ["O03"],
  },
  {
    id: "metadata",
    title: "Metadata",
    intro: "Metadata operations of jobs, and the targets that handle them.",
    items: ["B07", "B08"],
    findings: ["O04", "O06", "O07"],
  },
  {
    id: "calendar",
    title: "I/O traffic over time",
    intro: "Days and weekdays, the longest job, and the top user.",
    items: ["B09", "B10", "B11"],
    findings: ["O08", "O09", "O10"],
  },
  {
    id: "run",
    title: "I/O within a run",
    intro: "How much of a run has I/O, and in what rhythm.",
    items: ["B12", "B13"],
    findings: ["O05", "O11", "O12"],
  },
  {
    id: "bursts",
    title: "Bursts of writes and memory",
    intro: "How large outputs are, in bytes and beside the memory of the job.",
    items: ["B14", "B15", "B16"],
    findings: ["O13", "O14"],
  },
  {
    id: "contention",
    title: "Contention",
    intro: "How the hour of the day changes I/O time.",
    items: ["B17"],
    findings: ["O15"],
  },
];

export function studyDocument({ study, store, command, madeBy }: StudyDocumentInput<Study>): Document {
  const census = study.items.B02 as ItemResult;
  const names = study.clusters.filter((name) => name !== "");
  return {
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
      { label: "Time zone", text: study.options.zone },
    ],
    verdict: verdictOf(study),
    sections: [
      recommendationsSection(study),
      findingsSection(study.findings, study.options, WORDS),
      ...CHAPTERS.map((chapter) =>
        chapterSection(chapter, study.findings, WORDS, (id) => blocksOf(id, study)),
      ),
      contradictionsSection(),
      optionsSection(SYSTEM_OPTIONS, study.options, METHOD),
    ],
    command,
    madeBy,
  };
}

/** One or two sentences: how many of the observations hold here. */
export function verdictOf({ findings, jobs, series }: Pick<Study, "findings" | "jobs" | "series">): string {
  if (jobs === 0 && series === 0)
    return "Not enough data: the store has no job that can be studied, and no minutes of jobs.";
  return countsText(findings, `${findings.length} published observations`, WORDS);
}

/** A number of a claim with its natural precision. */
export function claimText(key: string, value: number | null): string {
  if (value === null) return "not published";
  if (Number.isNaN(value)) return "not known";
  return valueText(key.split(".").slice(1).join("."), value);
}

const METHOD =
  "A. K. Paul, O. Faaland, A. Moody, E. Gonsiorowski, K. Mohror, A. R. Butt, Understanding HPC Application I/O Behavior Using System Level Statistics, 2020.";

const WORDS: StudyWords = {
  title: "The observations",
  drawn: "drawing jobs, users or days anew (for O06 from the opens that jobs make)",
  here: "on this system",
  place: "this system",
  finding: "Observation",
  about: {
    id: "Number here; the paper has none.",
    title: "What the paper observed.",
    published: "Main number of the paper; of Quartz where both clusters have one.",
  },
  paper: "Paul et al. 2020",
  sensitivity: {
    caption: "other numbers that bear on it",
    setting: ["Number", "What it is."],
    value: "Measured here.",
  },
  nameOf: (id) => `Observation ${id}`,
  claimText,
  sensitivityText: claimText,
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
    title: "What to do",
    intro: "Rules from the study, with the numbers behind each. The limits are ours.",
    blocks: [
      { kind: "findings", findings: recommendations, none: "No rule applies, or there is not enough data." },
      ...(rest.length === 0 ? [] : [{ kind: "text" as const, text: rest.join(" ") }]),
    ],
  };
}

function blocksOf(id: string, { items }: Study): Block[] {
  const item = SYSTEM_ITEMS.find((one) => one.id === id);
  const result = items[id];
  if (item === undefined || result === undefined) return [];
  const values = valuesTable(item, result, WORDS, valueRows(result));
  const notes = result.notes.filter((note) => !WRITE_CONTRADICTIONS.includes(note));
  return itemBlocks(item, result, narrative(id, result), [...result.tables.map(searchable), values], notes);
}

function valueRows({ values, published }: ItemResult): Cell[][] {
  // Readings of B06, kinds of correlation, single targets and hours have tables of their own.
  const shown = Object.entries(values).filter(
    ([key]) =>
      !/^(all|withIo|withWrites|users)\.|\.(opens|closes)$|(RAllJobs|RawR|CallsR|sSpearman)$|^(hour|percentOfMost)\d\d$/.test(
        key,
      ),
  );
  return shown.map(([key, value]) => [labelOf(key), valueText(key, value), printedText(key, published[key])]);
}

function contradictionsSection(): Section {
  return {
    id: "contradictions",
    title: "What does not add up in the paper",
    intro:
      "Numbers of the paper that contradict each other or are not defined, and what is done about it here. Do not expect to meet all published numbers at once.",
    detail: true,
    blocks: [
      table(
        "contradictions",
        "Points to know before comparing.",
        [["point", "Point", "text", "What the paper says, and what is wrong with it."]],
        [...WRITE_CONTRADICTIONS, ...CONTRADICTIONS].map((text) => [text]),
      ),
    ],
  };
}
