/** Sections that the reports of all studies over a store have: verdicts, chapters of items, and options. */
import { formatCount, formatShare } from "../../../base/units.ts";
import type { Block, Cell, Figure, Section, TableBlock } from "../../../model/index.ts";
import type { StudyFinding } from "./finding.ts";
import type { OptionInfo } from "./options.ts";
import { table } from "./table.ts";

/** What a report of a study is made from. */
export interface StudyDocumentInput<Study> {
  readonly study: Study;
  readonly store: string;
  readonly command: string;
  readonly madeBy: string;
}

/** How a study speaks of its findings. */
export interface StudyWords {
  /** "The ten findings" */
  readonly title: string;
  /** How intervals were made: "by resampling files". */
  readonly drawn: string;
  /** "at this centre", and the place alone: "this centre". */
  readonly here: string;
  readonly place: string;
  /** "Finding" */
  readonly finding: string;
  /** What the columns of the table of verdicts mean in this study. */
  readonly about: Readonly<Record<"id" | "title" | "published", string>>;
  /** Who published it. */
  readonly paper: string;
  /** Of a finding's further numbers: what the table is, and its two columns. */
  readonly sensitivity: {
    readonly caption: string;
    readonly setting: readonly [label: string, about: string];
    readonly value: string;
  };
  /** Name of a finding in a sentence: "Finding 3". */
  nameOf(id: string): string;
  /** A number of a claim with its natural precision. */
  claimText(key: string, value: number | null): string;
  sensitivityText(key: string, value: number): string;
}

export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly intro: string;
  readonly items: readonly string[];
  readonly findings: readonly string[];
}

export const dayText = (unix: number): string =>
  Number.isNaN(unix) ? "not known" : new Date(unix * 1000).toISOString().slice(0, 10);

/** How many hold, and which do not: "Of the ten published findings 7 are confirmed …". */
export function countsText(findings: readonly StudyFinding[], what: string, { here }: StudyWords): string {
  const count = (verdict: string) => findings.filter((one) => one.verdict === verdict).length;
  const refuted = findings
    .filter(({ verdict }) => verdict === "refuted")
    .map(({ id, title }) => `${id} (${title})`);
  const against = refuted.length === 0 ? "" : ` Against the paper: ${refuted.join(", ")}.`;
  return `Of ${what} ${count("confirmed")} are confirmed ${here}, ${count("refuted")} refuted, and ${count("insufficient")} cannot be judged from this data.${against}`;
}

const intervalText = (key: string, [low, high]: readonly [number, number], { claimText }: StudyWords) =>
  Number.isNaN(low) ? "none" : `${claimText(key, low)} to ${claimText(key, high)}`;

export function findingsSection(
  findings: readonly StudyFinding[],
  { level, seed }: { readonly level: number; readonly seed: number },
  words: StudyWords,
): Section {
  const { claimText, about } = words;
  return {
    id: "findings",
    title: words.title,
    intro: `Published beside measured, with a ${formatShare(level)} interval by ${words.drawn}, seed ${seed}. Confirmed: every claim holds with its whole interval. Refuted: one fails with its whole interval. Insufficient: too few data, or an interval that covers the bound.`,
    blocks: [
      table(
        "findings",
        `Verdicts for ${words.place}.`,
        [
          ["id", words.finding, "text", about.id],
          ["title", "Claim", "text", about.title],
          ["verdict", "Here", "text", `Verdict for ${words.place}.`],
          ["published", "Published", "text", about.published],
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
            intervalText(key, one.interval, words),
            one.reason,
          ];
        }),
      ),
    ],
  };
}

export function chapterSection(
  { id, title, intro, items, findings }: Chapter,
  all: readonly StudyFinding[],
  words: StudyWords,
  blocksOf: (item: string) => readonly Block[],
): Section {
  const blocks = items.flatMap((item) => [...blocksOf(item)]);
  for (const one of all) if (findings.includes(one.id)) blocks.push(...findingBlocks(one, words));
  return { id, title, intro, blocks, detail: true };
}

interface DescribedItem {
  readonly id: string;
  readonly title: string;
  readonly definition: string;
  readonly about: string;
  readonly reading: string;
}

interface ShownResult {
  readonly n: number;
  readonly unit: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly dropped: Readonly<Record<string, number>>;
  readonly figures: readonly Figure[];
}

/** An item: a sentence, its figures, its tables in their order, and how to read all of it. */
export function itemBlocks(
  item: DescribedItem,
  { n, figures, dropped }: ShownResult,
  told: string,
  tables: readonly TableBlock[],
  notes: readonly string[],
): Block[] {
  const blocks: Block[] = [];
  if (n === 0)
    blocks.push({ kind: "notice", level: "missing", text: `${item.id} ${item.title}: not enough data.` });
  else if (told !== "") blocks.push({ kind: "text", text: told });
  for (const figure of figures) blocks.push({ kind: "figure", figure });
  blocks.push(...tables);
  const left = Object.entries(dropped).map(([reason, count]) => `${formatCount(count)} ${reason}`);
  const out = left.length > 0 ? ` Left out: ${left.join("; ")}.` : "";
  const all = [`${item.definition}: ${item.about}`, item.reading, ...notes];
  blocks.push({ kind: "notice", level: "note", text: `${all.join(" ")}${out}` });
  return blocks;
}

/** Long tables can be searched. */
export const searchable = (one: TableBlock): TableBlock => ({ ...one, searchable: one.rows.length > 20 });

/** Values of an item; cells of one column have many units, so they stand as text. Exact values are in study.json. */
export function valuesTable(
  { id, title }: DescribedItem,
  { n, unit, options }: ShownResult,
  { here, paper }: StudyWords,
  rows: readonly (readonly Cell[])[],
): TableBlock {
  const settings = Object.entries(options)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0) && value !== "")
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(" ") : String(value)}`);
  return table(
    `${id.toLowerCase()}-values`,
    `${id} ${title}: n = ${formatCount(n)} ${unit}. Options: ${settings.join(", ") || "none"}.`,
    [
      ["value", "Value", "text", "Name in study.json."],
      ["here", "Here", "text", `Measured ${here}.`],
      ["published", "Published", "text", `${paper}; – where the paper gives none.`],
    ],
    rows,
  );
}

function findingBlocks(finding: StudyFinding, words: StudyWords): Block[] {
  const { id, title, statement, verdict, reason, n, unit, minimum, claims } = finding;
  const { claimText, sensitivity } = words;
  return [
    {
      kind: "notice",
      level: verdict === "confirmed" ? "note" : "warning",
      text: `${words.nameOf(id)}, ${title}: ${verdict}. ${statement} ${reason} (${formatCount(n)} ${unit}; at least ${minimum} are needed.)`,
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
        intervalText(one.key, one.interval, words),
        one.state,
      ]),
    ),
    table(
      `${id.toLowerCase()}-sensitivity`,
      `${id}: ${sensitivity.caption}.`,
      [
        ["setting", sensitivity.setting[0], "text", sensitivity.setting[1]],
        ["value", "Value", "text", sensitivity.value],
      ],
      finding.sensitivity.map(({ setting, value, key }) => [setting, words.sensitivityText(key, value)]),
    ),
  ];
}

/** The last section: every choice, and where the method is from. */
export function optionsSection<Options extends object>(
  infos: Readonly<Record<keyof Options & string, OptionInfo>>,
  options: Options,
  method: string,
): Section {
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
        Object.entries<OptionInfo>(infos).map(([name, info]) => [
          name,
          String(options[name as keyof Options]),
          String(info.default),
          info.help,
        ]),
      ),
      {
        kind: "text",
        text: `Method: ${method} Not every choice of the paper is printed in it; ours are named above.`,
      },
    ],
  };
}
