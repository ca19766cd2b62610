/** The study as a report that reads like the paper, with the reader's own numbers beside the published ones. */
import { formatBytes, formatCount, formatShare } from "../../base/units.ts";
import type { Block, Cell, Document, Section, TableBlock } from "../../model/document.ts";
import { CONTRADICTIONS, WRITE_CONTRADICTIONS } from "./contradictions.ts";
import type { StudyFinding } from "./findings.ts";
import { type ItemResult, table } from "./item.ts";
import { SYSTEM_ITEMS } from "./items.ts";
import { labelOf, printedText, valueText } from "./labels.ts";
import { narrative } from "./narrative.ts";
import { optionsSection } from "./options-section.ts";
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

export function studyDocument({ study, store, command, madeBy }: StudyDocumentInput): Document {
  const census = study.items.B02 as ItemResult;
  const day = (unix: number) =>
    Number.isNaN(unix) ? "not known" : new Date(unix * 1000).toISOString().slice(0, 10);
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
      { label: "From", text: day(study.fromUnix) },
      { label: "To", text: day(study.toUnix) },
      { label: "Time zone", text: study.options.zone },
    ],
    verdict: verdictOf(study),
    sections: [
      recommendationsSection(study),
      findingsSection(study),
      ...CHAPTERS.map((chapter) => chapterSection(chapter, study)),
      contradictionsSection(),
      optionsSection(study),
    ],
    command,
    madeBy,
  };
}

/** One or two sentences: how many of the observations hold here. */
export function verdictOf({ findings, jobs, series }: Pick<Study, "findings" | "jobs" | "series">): string {
  if (jobs === 0 && series === 0)
    return "Not enough data: the store has no job that can be studied, and no minutes of jobs.";
  const count = (verdict: string) => findings.filter((one) => one.verdict === verdict).length;
  const refuted = findings
    .filter(({ verdict }) => verdict === "refuted")
    .map(({ id, title }) => `${id} (${title})`);
  const against = refuted.length === 0 ? "" : ` Against the paper: ${refuted.join(", ")}.`;
  return `Of ${findings.length} published observations ${count("confirmed")} are confirmed on this system, ${count("refuted")} refuted, and ${count("insufficient")} cannot be judged from this data.${against}`;
}

/** A number of a claim with its natural precision. */
export function claimText(key: string, value: number | null): string {
  if (value === null) return "not published";
  if (Number.isNaN(value)) return "not known";
  return valueText(key.split(".").slice(1).join("."), value);
}

const interval = (key: string, [low, high]: readonly [number, number]) =>
  Number.isNaN(low) ? "none" : `${claimText(key, low)} to ${claimText(key, high)}`;

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

function findingsSection({ findings, options }: Study): Section {
  return {
    id: "findings",
    title: "The observations",
    intro: `Published beside measured, with a ${formatShare(options.level)} interval by drawing jobs, users or days anew (for O06 from the opens that jobs make), seed ${options.seed}. Confirmed: every claim holds with its whole interval. Refuted: one fails with its whole interval. Insufficient: too few data, or an interval that covers the bound.`,
    blocks: [
      table(
        "findings",
        "Verdicts for this system.",
        [
          ["id", "Observation", "text", "Number here; the paper has none."],
          ["title", "Claim", "text", "What the paper observed."],
          ["verdict", "Here", "text", "Verdict for this system."],
          [
            "published",
            "Published",
            "text",
            "Main number of the paper; of Quartz where both clusters have one.",
          ],
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
  const item = SYSTEM_ITEMS.find((one) => one.id === id);
  const result = items[id];
  if (item === undefined || result === undefined) return [];
  const blocks: Block[] = [];
  const told = narrative(id, result);
  if (result.n === 0)
    blocks.push({ kind: "notice", level: "missing", text: `${id} ${item.title}: not enough data.` });
  else if (told !== "") blocks.push({ kind: "text", text: told });
  for (const figure of result.figures) blocks.push({ kind: "figure", figure });
  for (const one of result.tables) blocks.push({ ...one, searchable: one.rows.length > 20 });
  blocks.push(valuesTable(id, item.title, result));
  const left = Object.entries(result.dropped).map(([reason, count]) => `${formatCount(count)} ${reason}`);
  const out = left.length > 0 ? ` Left out: ${left.join("; ")}.` : "";
  const notes = [
    `${item.definition}: ${item.about}`,
    item.reading,
    ...result.notes.filter((note) => !WRITE_CONTRADICTIONS.includes(note)),
  ];
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
  // Readings of B06, kinds of correlation, single targets and hours have tables of their own.
  const shown = Object.entries(values).filter(
    ([key]) =>
      !/^(all|withIo|withWrites|users)\.|\.(opens|closes)$|(RAllJobs|RawR|CallsR|sSpearman)$|^(hour|percentOfMost)\d\d$/.test(
        key,
      ),
  );
  return table(
    `${id.toLowerCase()}-values`,
    `${id} ${title}: n = ${formatCount(n)} ${unit}. Options: ${settings.join(", ") || "none"}.`,
    [
      ["value", "Value", "text", "Name in study.json."],
      ["here", "Here", "text", "Measured on this system."],
      ["published", "Published", "text", "Paul et al. 2020; – where the paper gives none."],
    ],
    shown.map(([key, value]): Cell[] => [
      labelOf(key),
      valueText(key, value),
      printedText(key, published[key]),
    ]),
  );
}

function findingBlocks(finding: StudyFinding): Block[] {
  const { id, title, statement, verdict, reason, n, unit, minimum, claims, sensitivity } = finding;
  return [
    {
      kind: "notice",
      level: verdict === "confirmed" ? "note" : "warning",
      text: `Observation ${id}, ${title}: ${verdict}. ${statement} ${reason} (${formatCount(n)} ${unit}; at least ${minimum} are needed.)`,
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
      `${id}: other numbers that bear on it.`,
      [
        ["setting", "Number", "text", "What it is."],
        ["value", "Value", "text", "Measured here."],
      ],
      sensitivity.map(({ setting, value, key }) => [setting, claimText(key, value)]),
    ),
  ];
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
