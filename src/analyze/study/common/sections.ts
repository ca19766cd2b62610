/** Sections that the reports of all studies over a store have: verdicts, chapters of items, and options. */
import { formatCount, formatShare } from "../../../base/units.ts";
import {
  type Block,
  type Document,
  isSynthetic,
  markSynthetic,
  type Provenance,
  provenancePrefix,
  type Section,
  type TableBlock,
  table,
} from "../../../model/index.ts";
import type { StudyFinding, Verdict } from "./finding.ts";
import { type ItemFacts, itemTitle, type StudyItem, type StudyResult } from "./item.ts";
import type { OptionInfo } from "./options.ts";
import { overviewFigure } from "./overview.ts";
import { infoOf, itemAndKey, publishedText, type ValueInfo, type ValueUnit, valueText } from "./values.ts";

/** What a report of a study is made from. */
export interface StudyDocumentInput<Study> {
  readonly study: Study;
  readonly store: string;
  readonly command: string;
  readonly madeBy: string;
  /** How much of the store a generator made. */
  readonly origin: Provenance;
}

/** A study as its report shows it; the items say the rest. */
export interface StudyKind<Published> {
  readonly items: readonly (ItemFacts<string, Published> &
    Pick<StudyItem<never, string, Published>, "narrative">)[];
  /** Sections of items, in the order of the report; an item names its own. */
  readonly sections: readonly Pick<Section, "id" | "title" | "intro">[];
  readonly words: StudyWords;
  readonly options: Readonly<Record<string, OptionInfo>>;
  /** Where the method is from. */
  readonly method: string;
  /** Whether the table of values stands before the other tables of an item. */
  readonly valuesFirst: boolean;
  /** Notes of results that have a section of their own. */
  readonly notesElsewhere?: readonly string[];
  publishedText(unit: ValueUnit, published: Published): string;
}

/** How a study speaks of its findings. */
interface StudyWords {
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
  claimText(unit: ValueUnit, value: number): string;
}

/** A number of a finding, by its key. */
export function claimText<Published>(kind: StudyKind<Published>, key: string, value: number | null): string {
  if (value === null) return "not published";
  if (Number.isNaN(value)) return "not known";
  if (!Number.isFinite(value)) return "infinite";
  return kind.words.claimText(infoOf(kind.items, key)[0], value);
}

/** The paper's number of a claim, in its words where it has more than the number. */
export function claimPublished<Published>(
  kind: StudyKind<Published>,
  key: string,
  value: number | null,
): string {
  const [, , published, words] = infoOf(kind.items, key);
  return words !== undefined && value !== null && numbersIn(published).includes(value)
    ? words
    : claimText(kind, key, value);
}

/** One number, or one for each cluster of the paper. */
const numbersIn = (published: unknown): readonly unknown[] =>
  typeof published === "object" && published !== null ? Object.values(published) : [published];

interface StudyData<Published> {
  readonly items: Readonly<Record<string, StudyResult<Published>>>;
  readonly findings: readonly StudyFinding[];
  readonly options: { readonly level: number; readonly seed: number };
}

/** A whole report: `first`, the verdicts, the sections of items, `last`, and the options. */
export function composeDocument<Published>(
  kind: StudyKind<Published>,
  { study, command, madeBy, origin }: StudyDocumentInput<StudyData<Published>>,
  own: Pick<Document, "title" | "facts" | "verdict"> & {
    readonly first: readonly Section[];
    readonly last: readonly Section[];
  },
): Document {
  const { first, last, ...head } = own;
  const figure = overviewFigure(study.findings, study.options);
  const document = {
    ...head,
    ...(figure !== undefined && { figure }),
    sections: [
      ...first,
      findingsSection(kind, study, isSynthetic(origin)),
      ...kind.sections.map((section) => itemSection(kind, section, study, isSynthetic(origin))),
      ...last,
      optionsSection(kind, study.options),
    ],
    command,
    madeBy,
  };
  return markSynthetic(document, origin);
}

export const dayText = (unix: number): string =>
  Number.isNaN(unix) ? "not known" : new Date(unix * 1000).toISOString().slice(0, 10);

/** A verdict in words: what holds in generated data is not confirmed by it. */
export const verdictText = (verdict: Verdict, synthetic: boolean): string =>
  synthetic && verdict === "confirmed" ? "reproduced" : verdict;

/**
 * Findings as JSON has them for data that no machine recorded. `verdict` keeps its three words, which scripts compare;
 * what it means here stands beside it.
 */
export const markedFindings = <Finding extends { readonly verdict: Verdict }>(
  findings: readonly Finding[],
  origin: "synthetic" | "simulated",
  words: string = origin,
) =>
  findings.map((finding) => ({
    ...finding,
    origin,
    verdictText: `${verdictText(finding.verdict, true)} on ${words} data`,
  }));

/** How many hold, and which do not: "Of the ten published findings 7 are confirmed …". */
export function countsText(
  findings: readonly StudyFinding[],
  what: string,
  { here }: StudyWords,
  origin: Provenance,
): string {
  const count = (verdict: string) => findings.filter((one) => one.verdict === verdict).length;
  const refuted = findings
    .filter(({ verdict }) => verdict === "refuted")
    .map(({ id, title }) => `${id} (${title})`);
  const against = refuted.length === 0 ? "" : ` Against the paper: ${refuted.join(", ")}.`;
  const synthetic = isSynthetic(origin);
  const held = synthetic ? "reproduced" : `confirmed ${here}`;
  const unjudged = count("insufficient");
  const rest =
    unjudged === 0
      ? ` and ${count("refuted")} refuted`
      : `, ${count("refuted")} refuted, and ${unjudged} cannot be judged from this data`;
  const counts = `Of ${what} ${count("confirmed")} are ${held}${rest}.${against}`;
  // A generator that was fitted to the published values proves nothing.
  return `${provenancePrefix(origin)}${synthetic ? `${counts} This says nothing about a real system.` : counts}`;
}

function intervalText<Published>(
  kind: StudyKind<Published>,
  key: string,
  [low, high]: readonly [number, number],
): string {
  return Number.isNaN(low) ? "none" : `${claimText(kind, key, low)} to ${claimText(kind, key, high)}`;
}

function findingsSection<Published>(
  kind: StudyKind<Published>,
  { findings, options: { level, seed } }: StudyData<Published>,
  synthetic: boolean,
): Section {
  const { words } = kind;
  const { about } = words;
  return {
    id: "findings",
    title: words.title,
    intro: `Published and measured values, with a ${formatShare(level)} interval by ${words.drawn}, seed ${seed}. ${synthetic ? "Reproduced (on synthetic data)" : "Confirmed"}: every claim holds with its whole interval. Refuted: one fails with its whole interval. Insufficient: too little data, or an interval that covers the bound.`,
    blocks: [
      table(
        "findings",
        `Verdicts for ${words.place}.`,
        [
          ["id", words.finding, "text", about.id],
          ["title", "Claim", "text", about.title],
          ["verdict", "Here", "text", `Verdict for ${words.place}.`],
          ["published", "Published", "text", about.published],
          ["measured", "Measured", "text", "Measured value."],
          ["interval", "Interval", "text", "Confidence interval."],
          ["reason", "Why", "text", "Reason of the verdict."],
        ],
        findings.map((one) => {
          const key = one.decidedBy;
          return [
            one.id,
            one.title,
            verdictText(one.verdict, synthetic),
            claimPublished(kind, key, one.published),
            claimText(kind, key, one.measured),
            intervalText(kind, key, one.interval),
            one.reason,
          ];
        }),
      ),
    ],
  };
}

/** The items that name the section, then the findings that judge one of them first of all. */
function itemSection<Published>(
  kind: StudyKind<Published>,
  { id, title, intro }: StudyKind<Published>["sections"][number],
  { items: results, findings }: StudyData<Published>,
  synthetic: boolean,
): Section {
  const items = kind.items.filter((item) => item.section === id);
  const judges = ({ claims }: StudyFinding) =>
    items.some((item) => item.id === itemAndKey(claims[0]?.key ?? "")[0]);
  const blocks = [
    ...items.flatMap((item) => {
      const result = results[item.id];
      return result === undefined ? [] : itemBlocks(kind, item, result);
    }),
    ...findings.filter(judges).flatMap((finding) => findingBlocks(kind, finding, synthetic)),
  ];
  return { id, title, ...(intro === undefined ? {} : { intro }), blocks, detail: true };
}

/** An item: a sentence, its figures, its tables in their order, and how to read all of it. */
function itemBlocks<Published>(
  kind: StudyKind<Published>,
  item: StudyKind<Published>["items"][number],
  result: StudyResult<Published>,
): Block[] {
  const { n, figures, dropped } = result;
  const told = item.narrative(result);
  const blocks: Block[] = [];
  if (n === 0)
    blocks.push({
      kind: "notice",
      level: "missing",
      text: `${item.id} ${itemTitle(item)}: not enough data.`,
    });
  else if (told !== "") blocks.push({ kind: "text", text: told });
  for (const figure of figures) blocks.push({ kind: "figure", figure });
  const tables = result.tables.map(searchable);
  const values = valuesTable(kind, item, result);
  blocks.push(...(kind.valuesFirst ? [values, ...tables] : [...tables, values]));
  const left = Object.entries(dropped).map(([reason, count]) => `${formatCount(count)} ${reason}`);
  const out = left.length > 0 ? ` Left out: ${left.join("; ")}.` : "";
  const notes = result.notes.filter((note) => !kind.notesElsewhere?.includes(note));
  const all = [`${item.definition}: ${item.about}`, item.reading, ...notes];
  blocks.push({ kind: "notice", level: "note", text: `${all.join(" ")}${out}` });
  return blocks;
}

/** Long tables can be searched. */
const searchable = (one: TableBlock): TableBlock => ({ ...one, searchable: one.rows.length > 20 });

/** Values of an item; cells of one column have many units, so they stand as text. Exact values are in study.json. */
function valuesTable<Published>(
  kind: StudyKind<Published>,
  item: ItemFacts<string, Published>,
  { n, unit, options, values, clusters = {} }: StudyResult<Published>,
): TableBlock {
  const parts = Object.entries(clusters);
  const printed = (info: ValueInfo<Published>) => publishedText(info, kind.publishedText) || "–";
  const settings = Object.entries(options)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0) && value !== "")
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(" ") : String(value)}`);
  return table(
    `${item.id.toLowerCase()}-values`,
    `${item.id} ${itemTitle(item)}: n = ${formatCount(n)} ${unit}. Options: ${settings.join(", ") || "none"}.`,
    [
      ["value", "Value", "text", "Description of the value."],
      ["here", "Here", "text", `Measured ${kind.words.here}.`],
      ...parts.map(
        ([name], i) =>
          [`cluster${i}`, name, "text", `Of ${name}; – where the paper has one number.`] as const,
      ),
      ["published", "Published", "text", `${kind.words.paper}; – where the paper gives none.`],
    ],
    [
      ...Object.entries(values).flatMap(([key, value]) => {
        const info = item.values[key];
        if (info === undefined) return [];
        const [valueUnit, label] = info;
        const apart = parts.map(([, own]) => (own[key] === undefined ? "–" : valueText(valueUnit, own[key])));
        return [[label, valueText(valueUnit, value), ...apart, printed(info)]];
      }),
      ...Object.values(item.others ?? {}).flatMap((info) =>
        info[2] === undefined ? [] : [[info[1], "–", ...parts.map(() => "–"), printed(info)]],
      ),
    ],
  );
}

function findingBlocks<Published>(
  kind: StudyKind<Published>,
  finding: StudyFinding,
  synthetic: boolean,
): Block[] {
  const { id, title, statement, verdict, reason, n, unit, minimum, claims } = finding;
  const { words } = kind;
  const { sensitivity } = words;
  return [
    {
      kind: "notice",
      level: verdict === "confirmed" ? "note" : "warning",
      text: `${words.nameOf(id)}, ${title}: ${verdictText(verdict, synthetic)}. ${statement} ${reason} (${formatCount(n)} ${unit}; minimum ${minimum}.)`,
    },
    table(
      `${id.toLowerCase()}-claims`,
      `${id}: the claims, each with its bound.`,
      [
        ["claim", "Claim", "text", "Claim."],
        ["bound", "Bound", "text", "The value must lie beyond it."],
        ["published", "Published", "text", "Published value."],
        ["measured", "Measured", "text", "Here."],
        ["interval", "Interval", "text", "Confidence interval."],
        ["state", "State", "text", "holds, fails, or open."],
      ],
      claims.map((one) => [
        one.text,
        `${one.side} ${claimText(kind, one.key, one.bound)}`,
        claimPublished(kind, one.key, one.published),
        claimText(kind, one.key, one.measured),
        intervalText(kind, one.key, one.interval),
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
      finding.sensitivity.map(({ setting, value, key }) => [
        setting,
        valueText(infoOf(kind.items, key)[0], value),
      ]),
    ),
  ];
}

/** The last section: every choice, and where the method is from. */
function optionsSection<Published>(
  { options: infos, method }: StudyKind<Published>,
  options: object,
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
          ["value", "Value", "text", "Value used."],
          ["default", "Default", "text", "Default value."],
          ["meaning", "Meaning", "text", "Meaning."],
        ],
        Object.entries<OptionInfo>(infos).map(([name, info]) => [
          name,
          String(options[name as keyof typeof options]),
          String(info.default),
          info.help,
        ]),
      ),
      {
        kind: "text",
        text: `Method: ${method} The paper leaves some choices open; those made here are listed above.`,
      },
    ],
  };
}
