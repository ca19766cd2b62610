/** All items of all papers as rows, with totals; as a document, and as JSON. */
import { formatCount, formatMany } from "../base/units.ts";
import type { Cell, Document, Section, TableBlock } from "../model/index.ts";
import { ADAPTIVE_PAPER } from "./adaptive.ts";
import type { Answer, ItemKind, Paper, PaperItem } from "./item.ts";
import { METRIC_PAPER } from "./metric.ts";
import { NCIO_PAPER } from "./ncio.ts";
import type { PaperResults } from "./results.ts";
import { REUSE_PAPER } from "./reuse.ts";
import { SYSTEM_PAPER } from "./system.ts";

/** In the order of the folders with their texts. */
export const PAPERS: readonly Paper[] = [REUSE_PAPER, METRIC_PAPER, ADAPTIVE_PAPER, SYSTEM_PAPER, NCIO_PAPER];

interface PaperRow {
  readonly paper: Paper;
  readonly item: PaperItem;
  readonly answer: Answer;
}

export const paperRows = (results: PaperResults): PaperRow[] =>
  PAPERS.flatMap((paper) => paper.items.map((item) => ({ paper, item, answer: item.answer(results) })));

/**
 * Groups rows that are one statement of the paper: panels of a figure, a finding with its numbers, numbers of one item of a
 * study. Comparable to a count by hand, which does not count every number separately.
 */
function groupOf({ id, kind }: PaperItem): string {
  if (kind === "figure") return /^fig-\d+/.exec(id)?.[0] ?? id;
  if (kind !== "number" && kind !== "finding") return id;
  const set = /^(?:C06\.)?([1-4][ab]?)\./.exec(`${id}.`)?.[1];
  if (set !== undefined) return `C06.${set}`;
  return /^([A-Z]+\d+)(?=[. ]|$)/.exec(id)?.[0] ?? id;
}

interface Totals {
  readonly items: number;
  /** Statements of the papers: grouped rows count once. */
  readonly groups: number;
  readonly kinds: Readonly<Partial<Record<ItemKind, number>>>;
  /** Items with a value or a drawing here. */
  readonly here: number;
  readonly verdicts: Readonly<Record<string, number>>;
  /** Parts without a number, covered by a test. */
  readonly shown: number;
  readonly notJudged: number;
}

export function totalsOf(rows: readonly PaperRow[]): Totals {
  const kinds: Partial<Record<ItemKind, number>> = {};
  const verdicts: Record<string, number> = {};
  for (const { item, answer } of rows) {
    kinds[item.kind] = (kinds[item.kind] ?? 0) + 1;
    if (answer.verdict !== "") verdicts[answer.verdict] = (verdicts[answer.verdict] ?? 0) + 1;
  }
  const judged = Object.values(verdicts).reduce((sum, count) => sum + count, 0);
  const shown = rows.filter(({ answer }) => answer.test !== undefined).length;
  return {
    items: rows.length,
    groups: new Set(rows.map(({ paper, item }) => `${paper.id} ${groupOf(item)}`)).size,
    kinds,
    here: rows.filter(({ answer }) => answer.here !== "").length,
    verdicts,
    shown,
    notJudged: rows.length - judged - shown,
  };
}

interface PapersInput {
  readonly results: PaperResults;
  readonly command: string;
  readonly madeBy: string;
}

export function papersDocument({ results, command, madeBy }: PapersInput): Document {
  const rows = paperRows(results);
  return {
    title: "Five papers, item by item",
    facts: [
      { label: "Items", text: formatCount(rows.length) },
      { label: "Results", text: sourcesOf(results).join(", ") || "none given" },
    ],
    verdict: papersVerdict(rows),
    sections: [totalsSection(rows), ...PAPERS.map((paper) => paperSection(paper, rows))],
    command,
    madeBy,
  };
}

const sourcesOf = (results: PaperResults): string[] =>
  Object.values(results).map((one: { readonly source: string }) => one.source);

/** "Synthetic or simulated data: …" if any verdict uses such data. */
export function papersVerdict(rows: readonly PaperRow[]): string {
  const { items, groups, here, verdicts, shown, notJudged } = totalsOf(rows);
  const made = new Set(rows.flatMap(({ answer: { verdict, origin } }) => (verdict === "" ? [] : [origin])));
  const unreal = (["synthetic", "simulated"] as const).filter((origin) => made.has(origin));
  const prefix = unreal.length === 0 ? "" : `Partly ${unreal.join(" and ")} data: `;
  const counts = Object.entries(verdicts).map(([verdict, count]) => `${count} × ${verdict}`);
  const judged = [...counts, `${notJudged} × not judged, with reasons`].join(", ");
  return `${prefix}${formatMany(items, "item")} of five papers: ${shown} are parts covered by tests, ${here} ${here === 1 ? "has" : "have"} a value here. Verdicts: ${judged}. With panels of a figure, and findings with their numbers, counted once: ${formatMany(groups, "statement")}.`;
}

const KINDS: readonly ItemKind[] = ["component", "algorithm", "figure", "table", "finding", "number"];

function totalsSection(rows: readonly PaperRow[]): Section {
  const words = [...new Set(rows.map(({ answer }) => answer.verdict))].filter((word) => word !== "").sort();
  const line = (name: string, some: readonly PaperRow[]): Cell[] => {
    const { items, groups, kinds, here, verdicts, shown, notJudged } = totalsOf(some);
    return [
      name,
      items,
      groups,
      ...KINDS.map((kind) => kinds[kind] ?? 0),
      shown,
      here,
      ...words.map((word) => verdicts[word] ?? 0),
      notJudged,
    ];
  };
  const column = (key: string, label: string, about: string) => ({
    key,
    label,
    unit: "count" as const,
    about,
  });
  return {
    id: "totals",
    title: "Totals",
    intro:
      "Counted from the lists below. An item is one row: a number, a panel of a figure, a claim, or a part of the method; a statement joins rows that a reader would count once. A count by hand gave 227 statements; the list is longer since it has rows for set-ups, single steps and contradictions too. Published numbers are those used by the studies. Items without a verdict give the reason; a component names its test.",
    blocks: [
      {
        kind: "table",
        id: "totals",
        caption: "Items by paper.",
        columns: [
          { key: "paper", label: "Paper", unit: "text", about: "Who, where and when." },
          column("items", "Items", "All of them."),
          column("groups", "Statements", "Panels of a figure, and a finding with its numbers, count once."),
          ...KINDS.map((kind) =>
            column(kind, `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`, `Items of kind ${kind}.`),
          ),
          column("shown", "Shown", "Parts without a number; the row names their test."),
          column("here", "Here", "With a value or a drawing in the given results."),
          ...words.map((word) =>
            column(word, word.charAt(0).toUpperCase() + word.slice(1), `Items with the verdict ${word}.`),
          ),
          column("notJudged", "Not judged", "Each row gives the reason."),
        ],
        rows: [
          ...PAPERS.map((paper) =>
            line(
              paper.short,
              rows.filter((row) => row.paper === paper),
            ),
          ),
          line("All", rows),
        ],
      },
    ],
  };
}

function paperSection(paper: Paper, rows: readonly PaperRow[]): Section {
  const own = rows.filter((row) => row.paper === paper);
  return {
    id: paper.id,
    title: paper.short,
    intro: `${paper.title}: ${formatMany(own.length, "item")}.`,
    blocks: [itemsTable(paper, own)],
  };
}

function itemsTable(paper: Paper, rows: readonly PaperRow[]): TableBlock {
  const text = (key: string, label: string, about: string) => ({ key, label, unit: "text" as const, about });
  return {
    kind: "table",
    id: `items-${paper.id}`,
    caption: "Every item, the published value, and the value here.",
    columns: [
      {
        ...text("id", "Item", "Id in the study, or short name; links to the report."),
        link: "link",
      },
      text("title", "What", "Short description."),
      text("published", "Published", "Value in the paper; – without a comparable value."),
      text("here", "Here", "Value in the given results."),
      text("verdict", "Verdict", "Verdict of the study; there: a part covered by a test."),
      text("because", "Because", "The deciding claim, or the reason without a verdict."),
      text("place", "Place", "Section, figure or table of the paper."),
      text("kind", "Kind", "Component, algorithm, figure, table, finding or number."),
      text("command", "Command", "Computes the item."),
      { ...text("origin", "Origin", "Source of the value here."), hidden: true },
      text("manual", "Manual", "Page of the documentation."),
      { ...text("link", "Address", "Place in the report."), hidden: true },
    ],
    rows: rows.map(({ item, answer }): Cell[] => [
      item.id,
      item.title,
      item.published || "–",
      hereText(answer),
      verdictText(answer),
      becauseText(answer),
      item.place,
      item.kind,
      item.command || "–",
      answer.origin,
      item.manual,
      answer.link ?? null,
    ]),
    searchable: true,
    pale: rows.map(({ answer }) => answer.here === "" && answer.verdict === "" && answer.test === undefined),
  };
}

/** Marks values that were not measured. */
export const hereText = ({ here, origin }: Answer): string =>
  here === "" ? "–" : origin === "synthetic" || origin === "simulated" ? `${here} (${origin})` : here;

/** Parts have no number to judge: a test covers them. */
export const verdictText = ({ verdict, test }: Answer): string =>
  test === undefined ? verdict || "not judged" : "there";

export const becauseText = ({ because, test }: Answer): string =>
  test === undefined ? because : `${test} shows it`;

export function papersJson({ results }: Pick<PapersInput, "results">): object {
  const rows = paperRows(results);
  return {
    items: rows.map(({ paper, item, answer }) => ({
      paper: paper.id,
      id: item.id,
      item: item.title,
      ...{ kind: item.kind, group: groupOf(item), place: item.place },
      ...{ command: item.command, manual: item.manual },
      published: item.published === "" ? null : item.published,
      measured: answer.here === "" ? null : answer.here,
      verdict: answer.verdict === "" ? null : answer.verdict,
      because: answer.because,
      origin: answer.origin === "" ? null : answer.origin,
      test: answer.test ?? null,
      link: answer.link ?? null,
    })),
    totals: totalsOf(rows),
    results: sourcesOf(results),
    papers: PAPERS.map((paper) => ({
      id: paper.id,
      paper: paper.short,
      title: paper.title,
      totals: totalsOf(rows.filter((row) => row.paper === paper)),
    })),
  };
}
