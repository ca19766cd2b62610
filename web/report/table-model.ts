/** Sorting, searching and grouping of one table, without a page. */
import { naturalOrder } from "../../src/base/order.ts";
import { csvText } from "../../src/base/csv.ts";
import type { PageCell, PageTable } from "../../src/report/html/index.ts";

export type Cell = number | bigint | string | null;

export interface TableState {
  /** Key of a column; empty for the order of the document. */
  sort: string;
  rising: boolean;
  search: string;
  /** Numbers of the open groups. */
  open: ReadonlySet<number>;
  /** Single rows although there are groups. */
  flat: boolean;
}

/** What stands on one line of the table. */
export type Line =
  | { readonly kind: "row"; readonly row: number; readonly member: boolean }
  | { readonly kind: "group"; readonly group: number; readonly open: boolean; readonly rows: number };

export class TableModel {
  readonly rows: readonly (readonly Cell[])[];
  readonly groups:
    | readonly { readonly cells: readonly Cell[]; readonly rows: readonly number[] }[]
    | undefined;
  readonly initial: TableState;
  /** Text that must not be shown as it is, and what is shown instead. */
  readonly #shown = new Map<string, string>();
  readonly #keyAt: number;
  #searchTexts: string[] | undefined;

  constructor(readonly table: PageTable) {
    this.rows = table.rows.map((row) => row.map((cell) => this.#cell(cell)));
    this.groups = table.groups?.map(({ cells, rows }) => ({
      cells: cells.map((cell) => this.#cell(cell)),
      rows,
    }));
    this.#keyAt = this.columnAt(table.rowKey ?? "");
    this.initial = { sort: table.sortedBy ?? "", rising: false, search: "", open: new Set(), flat: false };
  }

  columnAt(key: string): number {
    return this.table.columns.findIndex((column) => column.key === key);
  }

  /** Number of the row with this key, or -1. */
  rowWithKey(key: string): number {
    if (this.#keyAt < 0 || key === "") return -1;
    return this.rows.findIndex((row) => String(row[this.#keyAt]) === key);
  }

  keyOfRow(row: number): string {
    const cell = this.#keyAt < 0 ? null : (this.rows[row]?.[this.#keyAt] ?? null);
    return cell === null ? "" : String(cell);
  }

  groupOfRow(row: number): number {
    return this.groups?.findIndex((group) => group.rows.includes(row)) ?? -1;
  }

  shown(text: string): string {
    return this.#shown.get(text) ?? text;
  }

  /** The lines to show, and how many rows the search found. */
  lines(state: TableState): { lines: Line[]; found: number } {
    const matches = this.#matcher(state.search);
    const sorted = this.#sorter(state);
    const searching = state.search.trim() !== "";
    if (!this.groups || state.flat) {
      const found = sorted(range(this.rows.length).filter(matches), this.rows);
      return { lines: found.map((row) => ({ kind: "row", row, member: false })), found: found.length };
    }
    const lines: Line[] = [];
    let found = 0;
    const summaries = this.groups.map((group) => group.cells);
    for (const group of sorted(range(this.groups.length), summaries)) {
      const rows = (this.groups[group]?.rows ?? []).filter(matches);
      found += rows.length;
      if (rows.length === 0) continue;
      // A group of one is that one.
      if (this.groups[group]?.rows.length === 1) {
        lines.push({ kind: "row", row: rows[0]!, member: false });
        continue;
      }
      const open = state.open.has(group) !== searching;
      lines.push({ kind: "group", group, open, rows: rows.length });
      if (open) for (const row of sorted(rows, this.rows)) lines.push({ kind: "row", row, member: true });
    }
    return { lines, found };
  }

  /** All columns, hidden ones too, all rows, exact numbers. */
  csv(): string {
    const { columns, origin, publishedFrom = this.rows.length } = this.table;
    const heads = columns.map(({ key }) => key);
    if (origin === undefined) return csvText([heads, ...this.rows]);
    const rows = this.rows.map((row, at) => [...row, at < publishedFrom ? origin : "published"]);
    return csvText([[...heads, "origin"], ...rows]);
  }

  #cell(cell: PageCell): Cell {
    if (cell === null || typeof cell !== "object") return cell;
    if ("n" in cell) return BigInt(cell.n);
    this.#shown.set(cell.t, cell.v);
    return cell.t;
  }

  #matcher(search: string): (row: number) => boolean {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return () => true;
    // Only what can be seen is found: a row without the word in sight would look like a mistake.
    const seen = this.table.columns.map(({ hidden }) => hidden !== true);
    this.#searchTexts ??= this.rows.map((row) =>
      row
        .filter((cell, at) => seen[at] && (typeof cell === "string" || typeof cell === "bigint"))
        .join("\n")
        .toLowerCase(),
    );
    const texts = this.#searchTexts;
    return (row) => words.every((word) => texts[row]?.includes(word));
  }

  #sorter(state: TableState): (indexes: number[], rows: readonly (readonly Cell[])[]) => number[] {
    const at = this.columnAt(state.sort);
    if (at < 0) return (indexes) => indexes;
    const sign = state.rising ? 1 : -1;
    return (indexes, rows) =>
      indexes.sort((a, b) => compareCells(rows[a]?.[at] ?? null, rows[b]?.[at] ?? null, sign) || a - b);
  }
}

const compareTexts = naturalOrder();

/** Numbers and exact integers by value, then text; what was not recorded comes last either way. */
function compareCells(a: Cell, b: Cell, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "string" || typeof b === "string") {
    if (typeof a === "string" && typeof b === "string") return sign * compareTexts(a, b);
    return typeof a === "string" ? 1 : -1;
  }
  return a === b ? 0 : sign * (a < b ? -1 : a > b ? 1 : 0);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}
