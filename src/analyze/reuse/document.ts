/** The study as a report that reads like the paper, with the reader's own numbers beside the published ones. */
import { formatBytes, formatCount, formatShare } from "../../base/units.ts";
import type { Block, Cell, Document, Section, TableBlock } from "../../model/document.ts";
import type { Unit } from "../../model/finding.ts";
import type { StudyFinding } from "./findings.ts";
import { type ItemResult, table } from "./item.ts";
import { STUDY_ITEMS } from "./items.ts";
import { labelOf, unitOf } from "./labels.ts";
import { narrative } from "./narrative.ts";
import { REUSE_OPTIONS } from "./options.ts";
import type { Study } from "./study.ts";

export interface StudyDocumentInput {
  readonly study: Study;
  readonly store: string;
  readonly command: string;
  readonly madeBy: string;
}

const CHAPTERS: readonly {
  id: string;
  title: string;
  intro: string;
  items: readonly string[];
  findings: readonly string[];
}[] = [
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

export function studyDocument({ study, store, command, madeBy }: StudyDocumentInput): Document {
  const census = study.items.A01 as ItemResult;
  const day = (unix: number) =>
    Number.isNaN(unix) ? "not known" : new Date(unix * 1000).toISOString().slice(0, 10);
  return {
    title: "Reuse of files at this centre",
    facts: [
      { label: "Store", text: store },
      { label: "Logs", text: formatCount(Number(census.values.logs)) },
      { label: "Files", text: formatCount(Number(census.values.files)) },
      { label: "Data", text: formatBytes(Number(census.values.bytes)), exact: `${census.values.bytes} B` },
      { label: "Studied", text: `${formatCount(study.files)} files` },
      { label: "From", text: day(study.fromUnix) },
      { label: "To", text: day(study.toUnix) },
      { label: "Time zone", text: study.options.zone },
    ],
    verdict: verdictOf(study),
    sections: [
      findingsSection(study),
      ...CHAPTERS.map((chapter) => chapterSection(chapter, study)),
      outputsSection(study),
      aboutSection(study),
    ],
    command,
    madeBy,
  };
}

/** One or two sentences: how many of the ten findings hold here. */
export function verdictOf({ findings, files }: Pick<Study, "findings" | "files">): string {
  if (files === 0)
    return "Not enough data: no file of this store moved enough bytes in enough runs to be studied.";
  const count = (verdict: string) => findings.filter((one) => one.verdict === verdict).length;
  const refuted = findings
    .filter(({ verdict }) => verdict === "refuted")
    .map(({ id, title }) => `${id} (${title})`);
  const against = refuted.length === 0 ? "" : ` Against the paper: ${refuted.join(", ")}.`;
  return `Of the ten published findings ${count("confirmed")} are confirmed at this centre, ${count("refuted")} refuted, and ${count("insufficient")} cannot be judged from this data.${against}`;
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

const interval = (key: string, [low, high]: readonly [number, number]) =>
  Number.isNaN(low) ? "none" : `${claimText(key, low)} to ${claimText(key, high)}`;

function findingsSection({ findings, options }: Study): Section {
  return {
    id: "findings",
    title: "The ten findings",
    intro: `Published beside measured, with a ${formatShare(options.level)} interval by resampling files (runs for F02 and F06; for F07 from the loads that runs make), seed ${options.seed}. Confirmed: every claim holds with its whole interval. Refuted: one fails with its whole interval. Insufficient: too few data, or an interval that covers the bound.`,
    blocks: [
      table(
        "findings",
        "Verdicts for this centre.",
        [
          ["id", "Finding", "text", "Number in the paper."],
          ["title", "Claim", "text", "What the paper found."],
          ["verdict", "Here", "text", "Verdict for this centre."],
          ["published", "Published", "text", "Main number of the paper."],
          ["measured", "Measured", "text", "The same here."],
          ["interval", "Interval", "text", "How far chance could have moved it."],
          ["reason", "Why", "text", "What decided."],
        ],
        findings.map((one) => {
          const key = one.claims[0]?.key ?? "";
          return [
            one.id,
            one.title,
            one.verdict,
            claimText(key, one.published),
            claimText(key, one.measured),
            interval(key, one.interval),
            one.reason,
          ];
        }),
      ),
    ],
  };
}

function chapterSection(
  { id, title, intro, items, findings }: (typeof CHAPTERS)[number],
  study: Study,
): Section {
  const blocks: Block[] = [];
  for (const item of items) blocks.push(...itemBlocks(item, study));
  for (const one of study.findings) if (findings.includes(one.id)) blocks.push(...findingBlocks(one));
  return { id, title, intro, blocks, detail: true };
}

function itemBlocks(id: string, { items }: Study): Block[] {
  const item = STUDY_ITEMS.find((one) => one.id === id);
  const result = items[id];
  if (item === undefined || result === undefined) return [];
  const blocks: Block[] = [];
  const told = narrative(id, result);
  if (result.n === 0)
    blocks.push({ kind: "notice", level: "missing", text: `${id} ${item.title}: not enough data.` });
  else blocks.push({ kind: "text", text: told });
  for (const figure of result.figures) blocks.push({ kind: "figure", figure });
  blocks.push(valuesTable(id, item.title, result));
  for (const one of result.tables) blocks.push({ ...one, searchable: one.rows.length > 20 });
  const left = Object.entries(result.dropped).map(([reason, count]) => `${formatCount(count)} ${reason}`);
  const out = left.length > 0 ? ` Left out: ${left.join("; ")}.` : "";
  const notes = [`${item.definition}: ${item.about}`, item.reading, ...result.notes];
  blocks.push({ kind: "notice", level: "note", text: `${notes.join(" ")}${out}` });
  return blocks;
}

/** Cells of one column have many units here, so they stand as text; exact values are in study.json. */
function valuesTable(
  id: string,
  title: string,
  { values, published, n, unit, options }: ItemResult,
): TableBlock {
  const settings = Object.entries(options)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0) && value !== "")
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(" ") : String(value)}`);
  return table(
    `${id.toLowerCase()}-values`,
    `${id} ${title}: n = ${formatCount(n)} ${unit}. Options: ${settings.join(", ") || "none"}.`,
    [
      ["value", "Value", "text", "Name in study.json."],
      ["here", "Here", "text", "Measured at this centre."],
      ["published", "Published", "text", "Patel et al., FAST '20; – where the paper gives none."],
    ],
    Object.entries(values).map(([key, value]): Cell[] => [
      labelOf(key),
      valueText(key, value),
      key in published ? valueText(key, published[key] as number) : "–",
    ]),
  );
}

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

function findingBlocks(finding: StudyFinding): Block[] {
  const { id, title, statement, verdict, reason, n, unit, minimum, claims, sensitivity } = finding;
  return [
    {
      kind: "notice",
      level: verdict === "confirmed" ? "note" : "warning",
      text: `Finding ${Number(id.slice(1))}, ${title}: ${verdict}. ${statement} ${reason} (${formatCount(n)} ${unit}; at least ${minimum} are needed.)`,
    },
    table(
      `${id.toLowerCase()}-claims`,
      `${id}: the claims, each with its bound.`,
      [
        ["claim", "Claim", "text", "What must hold."],
        ["bound", "Bound", "text", "The number must lie beyond it."],
        ["published", "Published", "text", "In the paper."],
        ["measured", "Measured", "text", "Here."],
        ["interval", "Interval", "text", "How far chance could have moved it."],
        ["state", "State", "text", "holds, fails, or open."],
      ],
      claims.map((one) => [
        one.text,
        `${one.side} ${claimText(one.key, one.bound)}`,
        claimText(one.key, one.published),
        claimText(one.key, one.measured),
        interval(one.key, one.interval),
        one.state,
      ]),
    ),
    table(
      `${id.toLowerCase()}-sensitivity`,
      `${id}: how the numbers move with the choice.`,
      [
        ["setting", "Setting", "text", "Threshold or statistic."],
        ["value", "Value", "text", "Measured with it."],
      ],
      sensitivity.map(({ setting, value, key }) => [setting, valueText(key.split(".")[1] ?? "", value)]),
    ),
  ];
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

function aboutSection({ options }: Study): Section {
  return {
    id: "options",
    title: "Options",
    detail: true,
    blocks: [
      table(
        "options",
        "Every choice that the paper leaves open, as used here.",
        [
          ["option", "Option", "text", "Name."],
          ["value", "Value", "text", "As used."],
          ["default", "Default", "text", "If not given."],
          ["meaning", "Meaning", "text", "What it does."],
        ],
        Object.entries(REUSE_OPTIONS).map(([name, info]) => [
          name,
          String(options[name as keyof typeof options]),
          String(info.default),
          info.help,
        ]),
      ),
      {
        kind: "text",
        text: "Method: T. Patel, S. Byna, G. K. Lockwood, N. J. Wright, P. Carns, R. Ross, D. Tiwari, Uncovering Access, Reuse, and Sharing Characteristics of I/O-Intensive Files on Large-Scale Production HPC Systems, FAST '20. Not every choice of the paper is printed in it; ours are named above.",
      },
    ],
  };
}
