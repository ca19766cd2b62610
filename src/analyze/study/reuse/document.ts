/** The study as a report that reads like the paper, with the reader's own numbers beside the published ones. */
import { formatBytes, formatCount, formatShare } from "../../../base/units.ts";
import type { Block, Cell, Document, Section, Unit } from "../../../model/index.ts";
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
import type { ItemResult } from "./item.ts";
import { STUDY_ITEMS } from "./items.ts";
import { labelOf, unitOf } from "./labels.ts";
import { narrative } from "./narrative.ts";
import { REUSE_OPTIONS } from "./options.ts";
import type { Study } from "./study.ts";

const CHAPTERS: readonly Chapter[] = [
  {
    id: "data",
    title: "Data and selection",
    intro: "What the logs hold, and which files are I/O-intensive enough to study.",
    items: ["A01", "A02", "A03", "A04"],
    findings: [],
  },
  {
    id: "types",
    title: "Types of files and runs",
    intro: "Files by what they are used for, runs by what they do.",
    items: ["A05", "A06"],
    findings: ["F01", "F02"],
  },
  {
    id: "reuse",
    title: "Reuse over runs",
    intro: "How long files rest between runs, and how runs of one type follow each other.",
    items: ["A07", "A08", "A09"],
    findings: ["F03", "F04"],
  },
  {
    id: "sharing",
    title: "Sharing between applications",
    intro: "Who produces and who consumes.",
    items: ["A10"],
    findings: ["F05"],
  },
  {
    id: "load",
    title: "Data per run, and load in space",
    intro: "How much runs move, and how evenly it falls on the OSTs.",
    items: ["A11", "A12"],
    findings: ["F06", "F07"],
  },
  {
    id: "ranks",
    title: "Variation within a run",
    intro: "How ranks differ, by interface.",
    items: ["A13"],
    findings: ["F08"],
  },
  {
    id: "hours",
    title: "Load in time",
    intro: "How the hour of the day changes I/O time and its variation.",
    items: ["A14"],
    findings: ["F09"],
  },
  {
    id: "variation",
    title: "Variation from run to run",
    intro: "What repeats and what does not.",
    items: ["A15", "A16"],
    findings: ["F10"],
  },
];

export function studyDocument({ study, store, command, madeBy }: StudyDocumentInput<Study>): Document {
  const census = study.items.A01 as ItemResult;
  return {
    title: "File reuse at this centre",
    facts: [
      { label: "Store", text: store },
      { label: "Logs", text: formatCount(Number(census.values.logs)) },
      { label: "Files", text: formatCount(Number(census.values.files)) },
      { label: "Data", text: formatBytes(Number(census.values.bytes)), exact: `${census.values.bytes} B` },
      { label: "Studied", text: `${formatCount(study.files)} files` },
      { label: "From", text: dayText(study.fromUnix) },
      { label: "To", text: dayText(study.toUnix) },
      { label: "Time zone", text: study.options.zone },
    ],
    verdict: verdictOf(study),
    sections: [
      findingsSection(study.findings, study.options, WORDS),
      ...CHAPTERS.map((chapter) =>
        chapterSection(chapter, study.findings, WORDS, (id) => blocksOf(id, study)),
      ),
      outputsSection(study),
      optionsSection(REUSE_OPTIONS, study.options, METHOD),
    ],
    command,
    madeBy,
  };
}

/** One or two sentences: how many of the ten findings hold here. */
export function verdictOf({ findings, files }: Pick<Study, "findings" | "files">): string {
  if (files === 0)
    return "Not enough data: no file of this store moved enough bytes in enough runs to be studied.";
  return countsText(findings, "the ten published findings", WORDS);
}

/** A number of a finding with its natural precision. */
export function claimText(key: string, value: number | null): string {
  if (value === null) return "not published";
  if (Number.isNaN(value)) return "not known";
  if (!Number.isFinite(value)) return "infinite";
  const name = key.split(".")[1] ?? "";
  if (unitOf(name) === "share" || /Spread$/.test(name)) return formatShare(value);
  if (/Hours$/.test(name)) return `${Number(value.toPrecision(3))} h`;
  return String(Number(value.toPrecision(3)));
}

const METHOD =
  "T. Patel, S. Byna, G. K. Lockwood, N. J. Wright, P. Carns, R. Ross, D. Tiwari, Uncovering Access, Reuse, and Sharing Characteristics of I/O-Intensive Files on Large-Scale Production HPC Systems, FAST '20.";

const WORDS: StudyWords = {
  title: "The ten findings",
  drawn: "resampling files (runs for F02 and F06; for F07 from the loads that runs make)",
  here: "at this centre",
  place: "this centre",
  finding: "Finding",
  about: {
    id: "Number in the paper.",
    title: "What the paper found.",
    published: "Main number of the paper.",
  },
  paper: "Patel et al., FAST '20",
  sensitivity: {
    caption: "how the numbers move with the choice",
    setting: ["Setting", "Threshold or statistic."],
    value: "Measured with it.",
  },
  nameOf: (id) => `Finding ${Number(id.slice(1))}`,
  claimText,
  sensitivityText: (key, value) => valueText(key.split(".")[1] ?? "", value),
};

function blocksOf(id: string, { items }: Study): Block[] {
  const item = STUDY_ITEMS.find((one) => one.id === id);
  const result = items[id];
  if (item === undefined || result === undefined) return [];
  const values = valuesTable(item, result, WORDS, valueRows(result));
  const tables = [values, ...result.tables.map(searchable)];
  return itemBlocks(item, result, narrative(id, result), tables, result.notes);
}

const valueRows = ({ values, published }: ItemResult): Cell[][] =>
  Object.entries(values).map(([key, value]) => [
    labelOf(key),
    valueText(key, value),
    key in published ? valueText(key, published[key] as number) : "–",
  ]);

export function valueText(key: string, value: number | bigint | string): string {
  if (typeof value === "string") return value;
  const number = Number(value);
  if (Number.isNaN(number)) return "not enough data";
  const texts: Partial<Record<Unit, (value: number) => string>> = {
    bytes: formatBytes,
    share: formatShare,
    ratio: (one) => `${Number(one.toPrecision(3))}×`,
    seconds: (one) => `${Number(one.toPrecision(3))} s`,
    count: (one) => (Number.isInteger(one) ? formatCount(one) : String(Number(one.toPrecision(4)))),
  };
  return texts[unitOf(key)]?.(number) ?? `${Number(number.toPrecision(4))}${/Hours$/.test(key) ? " h" : ""}`;
}

/** The page shows the largest; the CSV files have all. */
const ROWS_SHOWN = 200;

function outputsSection({ outputs }: Study): Section {
  return {
    id: "outlook",
    title: "What to do with it",
    intro:
      "Candidates from the findings. Predictions are the last access plus the mean gap, and only as good as the past.",
    detail: true,
    blocks:
      outputs.length === 0
        ? [{ kind: "notice", level: "missing", text: "Not enough data." }]
        : outputs.map((one) => ({
            ...one,
            rows: one.rows.slice(0, ROWS_SHOWN),
            rowsTotal: one.rowsTotal ?? one.rows.length,
            searchable: true,
          })),
  };
}
