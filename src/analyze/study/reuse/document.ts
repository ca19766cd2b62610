/** The study as a report that reads like the paper, with the reader's own numbers beside the published ones. */
import { formatBytes, formatCount, formatShare } from "../../../base/units.ts";
import type { Document, Provenance, Section } from "../../../model/index.ts";
import {
  composeDocument,
  countsText,
  dayText,
  type StudyDocumentInput,
  type StudyKind,
} from "../common/sections.ts";
import { zoneText } from "../common/stored-zone.ts";
import { printedText, type ValueUnit } from "../common/values.ts";
import type { ItemResult, Published } from "./item.ts";
import { STUDY_ITEMS } from "./items.ts";
import { REUSE_OPTIONS } from "./options.ts";
import type { Study } from "./study.ts";

const SECTIONS = [
  {
    id: "data",
    title: "Data and selection",
    intro: "Content of the logs, and the I/O-intensive files to study.",
  },
  {
    id: "types",
    title: "Types of files and runs",
    intro: "Files by their use, runs by their I/O.",
  },
  {
    id: "reuse",
    title: "Reuse over runs",
    intro: "Idle time of files between runs, and streaks of runs of one type.",
  },
  { id: "sharing", title: "Sharing between applications", intro: "Producers and consumers." },
  {
    id: "load",
    title: "Data per run, and load in space",
    intro: "Bytes per run, and the balance over OSTs.",
  },
  { id: "ranks", title: "Variation within a run", intro: "Variation over ranks, by interface." },
  {
    id: "hours",
    title: "Load in time",
    intro: "I/O time and its variation by hour of the day.",
  },
  {
    id: "variation",
    title: "Variation from run to run",
    intro: "Variation of bytes and I/O time between runs.",
  },
];

export function studyDocument(input: StudyDocumentInput<Study>): Document {
  const { study, store, origin } = input;
  const census = study.items.A01 as ItemResult;
  return composeDocument(REUSE_STUDY, input, {
    title: "File reuse at this centre",
    facts: [
      { label: "Store", text: store },
      { label: "Logs", text: formatCount(Number(census.values.logs)) },
      { label: "Files", text: formatCount(Number(census.values.files)) },
      { label: "Data", text: formatBytes(Number(census.values.bytes)), exact: `${census.values.bytes} B` },
      { label: "Studied", text: `${formatCount(study.files)} files` },
      { label: "From", text: dayText(study.fromUnix) },
      { label: "To", text: dayText(study.toUnix) },
      { label: "Time zone", text: zoneText({ zone: study.options.zone, zoneFrom: study.zoneFrom }) },
    ],
    verdict: verdictOf(study, origin),
    first: [],
    last: [outputsSection(study)],
  });
}

/** One or two sentences: how many of the ten findings hold here. */
export function verdictOf(
  { findings, files }: Pick<Study, "findings" | "files">,
  origin: Provenance,
): string {
  if (files === 0)
    return "Not enough data: no file of this store moved enough bytes in enough runs to be studied.";
  return countsText(findings, "the ten published findings", REUSE_STUDY.words, origin);
}

/** Three digits, and no unit but hours and percent. */
function claimNumber(unit: ValueUnit, value: number): string {
  if (unit === "share") return formatShare(value);
  return `${Number(value.toPrecision(3))}${unit === "hours" ? " h" : ""}`;
}

export const REUSE_STUDY: StudyKind<Published> = {
  items: STUDY_ITEMS,
  sections: SECTIONS,
  options: REUSE_OPTIONS,
  method:
    "T. Patel, S. Byna, G. K. Lockwood, N. J. Wright, P. Carns, R. Ross, D. Tiwari, Uncovering Access, Reuse, and Sharing Characteristics of I/O-Intensive Files on Large-Scale Production HPC Systems, FAST '20.",
  valuesFirst: true,
  publishedText: printedText,
  words: {
    title: "The ten findings",
    drawn: "resampling files (runs for F02 and F06; for F07 from the loads that runs make)",
    here: "at this centre",
    place: "this centre",
    finding: "Finding",
    about: {
      id: "Number of the finding in the paper.",
      title: "Finding of the paper.",
      published: "Main number of the paper.",
    },
    paper: "Patel et al., FAST '20",
    sensitivity: {
      caption: "sensitivity of the numbers to this choice",
      setting: ["Setting", "Threshold or statistic."],
      value: "Measured with this choice.",
    },
    nameOf: (id) => `Finding ${Number(id.slice(1))}`,
    claimText: claimNumber,
  },
};

/** The page shows the largest; the CSV files have all. */
const ROWS_SHOWN = 200;

function outputsSection({ outputs }: Study): Section {
  return {
    id: "outlook",
    title: "Recommendations",
    intro: "Candidates from the findings. Predictions are the last access plus the mean gap.",
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
