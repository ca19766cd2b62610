/**
 * A report as data: sections of blocks. Analyses compose one; report/ turns it into HTML or terminal text. A new kind of
 * report (a job, a comparison, a study) is a new composition of the same blocks.
 *
 * Text is plain text everywhere and may hold anything a log held: renderers escape it.
 */
import { assert } from "../base/assert.ts";
import { textRows } from "../base/text-rows.ts";
import type { Figure } from "./figure.ts";
import type { Confidence, Cost, Finding, Severity, Unit } from "./finding.ts";
import type { Trace } from "./trace.ts";

export interface Document {
  readonly title: string;
  /** Facts under the title: program, job, ranks, date, run time. */
  readonly facts: readonly Fact[];
  /** What to take away, as text: the headline and what follows from it. */
  readonly verdict: string;
  /** The same as data, where a report answers the four questions about a job. */
  readonly answers?: Answers;
  /** The picture that shows it, beside the headline. */
  readonly figure?: Figure;
  /** The same from another side, below it: the rates of targets that ranks wait for. */
  readonly secondFigure?: Figure;
  readonly sections: readonly Section[];
  /** How to make it again; shown at the end. */
  readonly command: string;
  /** Name and version of the program. */
  readonly madeBy: string;
}

/**
 * What a reader wants to know first: is I/O to blame, what would the job gain, what to change first, how sure is that. Each
 * text is a sentence that is true by itself.
 */
export interface Answers {
  /** Cause, then cost, in at most twelve words. */
  readonly headline: string;
  /** At most two: why, and what to do. */
  readonly lead: readonly string[];
  /** Of the cause in the headline; good: nothing to mend; unknown: the log cannot tell. */
  readonly level: Severity | "good" | "unknown";
  /** Finding that the headline names; null when it names none. */
  readonly finding: string | null;
  readonly blame: { readonly answer: "yes" | "partly" | "no" | "unknown"; readonly text: string };
  readonly gain: Gain;
  readonly change: { readonly text: string; readonly finding: string | null };
  readonly sure: { readonly confidence: Confidence | null; readonly text: string };
}

/** What the job would gain without the cause of the headline; nulls where the log cannot tell. */
interface Gain {
  readonly seconds: number | null;
  readonly shareOfRun: number | null;
  /** Of this run, and of one without the cause. */
  readonly runSeconds: number | null;
  readonly withoutSeconds: number | null;
  readonly basis: Cost["basis"];
  readonly atMost: boolean;
  /** Without all causes at once, where there are more than one. */
  readonly togetherSeconds: number | null;
  readonly text: string;
}

export interface Fact {
  readonly label: string;
  readonly text: string;
  /** Exact or longer form, shown on hover. */
  readonly exact?: string;
  /** Short enough, and asked for often enough, to stand in the bar of a page; without its label. */
  readonly inBar?: string;
}

export interface Section {
  /** Stable; the anchor in the page. */
  readonly id: string;
  readonly title: string;
  /** A sentence or two: what this shows and how to read it. */
  readonly intro?: string;
  readonly blocks: readonly Block[];
  /** What there is to see, in a few words: beside the link to it. */
  readonly fact?: string;
  /** A sentence or two after the blocks: what was looked at, and what could not be. */
  readonly foot?: string;
  /** Left out of the terminal summary, which has room for the main things only. */
  readonly detail?: boolean;
}

export type Block =
  | { readonly kind: "text"; readonly text: string }
  | NoticeBlock
  | TilesBlock
  | { readonly kind: "findings"; readonly findings: readonly Finding[]; readonly none: string }
  | { readonly kind: "figure"; readonly figure: Figure }
  | TableBlock
  | { readonly kind: "trace"; readonly trace: Trace }
  | { readonly kind: "code"; readonly language: string; readonly code: string };

/** missing: not recorded, with how to record it next time; warning: read with care; error: data is incomplete. */
export interface NoticeBlock {
  readonly kind: "notice";
  readonly level: "missing" | "note" | "warning" | "error";
  readonly text: string;
  /** What to do about it. */
  readonly how?: string;
}

interface TilesBlock {
  readonly kind: "tiles";
  readonly tiles: readonly Tile[];
}

export interface Tile {
  readonly label: string;
  /** NaN: not recorded. */
  readonly value: number;
  readonly unit: Unit;
  /** Stands in place of the number where it is none. */
  readonly text?: string;
  /** A second line under the number. */
  readonly note?: string;
  /** Exact value, all digits. */
  readonly exact?: string;
  /** What it is: definition, formula, source counters. */
  readonly about: string;
}

/** A number, exact integer, text, or null for "not recorded". */
export type Cell = number | bigint | string | null;

export interface TableBlock {
  readonly kind: "table";
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Cell[])[];
  /** How many there are in all, when not every row is here; the caption says which are. */
  readonly rowsTotal?: number;
  /** What gives the rows that are not here; --json and pages by default. */
  readonly more?: string;
  /** Keys of columns, the most important first: a terminal that has no room for all shows as many as fit. */
  readonly important?: readonly string[];
  /** Rows in groups: one summary row each, opened on demand. Every row belongs to one. */
  readonly groups?: readonly { readonly cells: readonly Cell[]; readonly rows: readonly number[] }[];
  /** The last column has sentences, which a terminal shows whole, below the row. */
  readonly prose?: true;
  /** Column that rows are sorted by at first, falling. */
  readonly sortedBy?: string;
  /** Column whose value names the row for links: `#file=ID`. */
  readonly rowKey?: string;
  /** Show a search field. */
  readonly searchable?: boolean;
  /** Rows from this one on are those of a paper: never synthetic. */
  readonly publishedFrom?: number;
  /** Of rows that no machine recorded, in a column of its own when they are saved: "synthetic". */
  readonly origin?: string;
  /** Per row: draw it pale, since it says little (zero counts, differences below noise). */
  readonly pale?: readonly boolean[];
}

export interface TableColumn {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  /** Definition, formula, source counters. */
  readonly about: string;
  /** In the data and the CSV, but not shown. */
  readonly hidden?: boolean;
  /** Key of the column with the address that its cells lead to: a path beside the page, an anchor, or both. */
  readonly link?: string;
  /** Differences: what rose has a plus sign. */
  readonly signed?: boolean;
  /** Stands where there is no value, such as a mean of nothing; usually "not recorded". */
  readonly none?: string;
}

/**
 * Columns of a table, a line each: key, label, unit, and what it is; `hidden` behind it where it is not shown.
 *
 *     tableColumns`
 *       path | Path | text | Name as recorded.
 *     `
 */
export function tableColumns(texts: TemplateStringsArray, ...values: readonly string[]): TableColumn[] {
  return textRows(texts, values).map(([key = "", label = "", unit, about, hidden]) => {
    assert(about !== undefined, `a column has key, label, unit and what it is: ${key}`);
    return { key, label, unit: unit as Unit, about, ...(hidden === "hidden" && { hidden: true }) };
  });
}

/** A column of a table in short: key, label, unit, what it is, and how it is shown where that is unusual. */
export type ShortColumn = readonly [
  key: string,
  label: string,
  unit: TableColumn["unit"],
  about: string,
  look?: Pick<TableColumn, "signed" | "none">,
];

/** A table from short columns and rows. */
export function table(
  id: string,
  caption: string,
  columns: readonly ShortColumn[],
  rows: readonly (readonly Cell[])[],
  rowsTotal?: number,
): TableBlock {
  return {
    kind: "table",
    id,
    caption,
    columns: columns.map(([key, label, unit, about, look]) => ({ key, label, unit, about, ...look })),
    rows,
    ...(rowsTotal === undefined ? {} : { rowsTotal }),
  };
}
