/** What the page hands to its script, as JSON: tables whole, the data of figures, findings as Markdown. */
import type { Cell, TableBlock, Unit } from "../../model/index.ts";
import { domId, plainAddress, visible } from "./escape.ts";

export interface PageData {
  readonly tables: readonly PageTable[];
  readonly figures: readonly { readonly id: string; readonly csv: string }[];
  /** Markdown of each finding, in the order of the page. */
  readonly findings: readonly string[];
  /** The first screen as Markdown. */
  readonly markdown: string;
}

export interface PageTable {
  /** Without dots: addresses separate it from its settings with one. */
  readonly id: string;
  /** Id of the section that it stands in. */
  readonly section: string;
  readonly columns: readonly PageColumn[];
  readonly rows: readonly (readonly PageCell[])[];
  readonly rowsTotal?: number;
  readonly groups?: readonly { readonly cells: readonly PageCell[]; readonly rows: readonly number[] }[];
  readonly sortedBy?: string;
  readonly rowKey?: string;
  readonly searchable?: boolean;
  /** What a last column says of the rows when they are saved; those from `publishedFrom` on are a paper's. */
  readonly origin?: string;
  readonly publishedFrom?: number;
  /** Numbers of the pale rows. */
  readonly pale?: readonly number[];
}

interface PageColumn {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  readonly hidden?: true;
  readonly signed?: true;
  readonly none?: string;
  readonly look?: ColumnLook;
  /** Place of the column with the addresses of its cells, each plain or null. */
  readonly link?: number;
}

/** How text of a column is set: short words on one line, numbers at the right, or blocks in cells of one width. */
export type ColumnLook = "short" | "blocks" | "numbers";

/** `n`: an exact integer in decimal. `t` and `v`: text as it is, and as it can be shown when that differs. */
export type PageCell =
  | number
  | string
  | null
  | { readonly n: string }
  | { readonly t: string; readonly v: string };

export function pageTable(table: TableBlock, section: string): PageTable {
  const pale = (table.pale ?? []).flatMap((isPale, row) => (isPale ? [row] : []));
  const links = table.columns.map((_, at) => linkColumn(table, at));
  return {
    id: domId(table.id),
    section,
    columns: table.columns.map(({ key, label, unit, hidden, signed, none }, at) => {
      const look = lookOf(table, at);
      const link = links[at];
      return {
        ...{ key, label: visible(label), unit },
        ...(hidden && { hidden: true as const }),
        ...(signed && { signed: true as const }),
        ...(none !== undefined && { none }),
        ...(look !== undefined && { look }),
        ...(link !== undefined && { link }),
      };
    }),
    rows: table.rows.map((row) =>
      row.map((cell, at) => (links.includes(at) ? plainAddress(cell) : pageCell(cell))),
    ),
    ...(table.rowsTotal !== undefined && { rowsTotal: table.rowsTotal }),
    ...(table.groups && {
      groups: table.groups.map(({ cells, rows }) => ({ cells: cells.map(pageCell), rows })),
    }),
    ...(table.sortedBy !== undefined && { sortedBy: table.sortedBy }),
    ...(table.rowKey !== undefined && { rowKey: table.rowKey }),
    ...(table.searchable && { searchable: true }),
    ...(table.origin !== undefined && { origin: table.origin }),
    ...(table.publishedFrom !== undefined && { publishedFrom: table.publishedFrom }),
    ...(pale.length > 0 && { pale }),
  };
}

/** Place of the column that has the addresses of another one's cells. */
export function linkColumn({ columns }: TableBlock, at: number): number | undefined {
  const key = columns[at]?.link;
  const found = key === undefined ? -1 : columns.findIndex((column) => column.key === key);
  return found < 0 ? undefined : found;
}

/** Longer text is sentences, which wrap. */
const SHORT_CHARACTERS_MAX = 26;
/** A number with at most a unit and a word, as a bound too, or a dash: `-2.69 s`, `1.67×`, `over 80 %`, `–`. */
const NUMBER =
  /^(?:[–-]|not published|not recorded|(?:about |below |over |more than )?[+−-]?\d[\d.,]*(?:e[+-]?\d+)?(?:×| %| [A-Za-zµ/%]{1,10}){0,2})$/;
const BLOCKS = /^[ \u2581-\u258f]*$/;

/** Of a column of text; undefined: sentences, or no text. */
export function lookOf({ columns, rows, groups = [] }: TableBlock, at: number): ColumnLook | undefined {
  if (columns[at]?.unit !== "text") return undefined;
  let look: ColumnLook | undefined = "blocks";
  let isNumeric = true;
  for (const cells of [...rows, ...groups.map((group) => group.cells)]) {
    const cell = cells[at];
    if (typeof cell !== "string") continue;
    if (cell.length > SHORT_CHARACTERS_MAX) return undefined;
    if (!BLOCKS.test(cell)) look = "short";
    if (!NUMBER.test(cell)) isNumeric = false;
  }
  return look === "short" && isNumeric && at > 0 ? "numbers" : look;
}

/** From this many rows on, a sentence that each of them repeats is said once, in the caption. */
const REPEATED_ROWS_MIN = 3;

/** The table without columns of sentences that say the same in every row, and of values that no row has; the caption says so. */
export function withoutRepeats(table: TableBlock): TableBlock {
  const { rows, columns } = table;
  if (rows.length < REPEATED_ROWS_MIN || table.groups !== undefined) return table;
  const repeated = columns.flatMap((column, at) => {
    const first = rows[0]?.[at];
    const isSentence = typeof first === "string" && first.length > SHORT_CHARACTERS_MAX;
    const isSame = at > 0 && !column.hidden && isSentence && rows.every((row) => row[at] === first);
    return isSame ? [{ at, text: `${column.label}: ${first}` }] : [];
  });
  // Sums of others have a blank there.
  const unknown = columns.flatMap((column, at) => {
    const cells = rows.map((row) => row[at] ?? null);
    const isUnknown = cells.filter((cell) => cell === null).length >= REPEATED_ROWS_MIN;
    return isUnknown &&
      at > 0 &&
      !column.hidden &&
      column.none === undefined &&
      cells.every((cell) => cell === null || cell === "")
      ? [{ at, label: column.label }]
      : [];
  });
  if (repeated.length + unknown.length === 0) return table;
  const places = new Set([...repeated, ...unknown].map(({ at }) => at));
  return {
    ...table,
    caption: [
      ...[table.caption, ...repeated.map(({ text }) => text)],
      ...(unknown.length === 0 ? [] : [`Not recorded: ${unknown.map(({ label }) => label).join(", ")}.`]),
    ].join(" "),
    columns: columns.map((column, at) => (places.has(at) ? { ...column, hidden: true } : column)),
  };
}

function pageCell(cell: Cell): PageCell {
  if (cell === null) return null;
  if (typeof cell === "bigint") return { n: cell.toString() };
  if (typeof cell === "number") {
    // JSON has no infinity.
    if (!Number.isFinite(cell)) return Number.isNaN(cell) ? null : String(cell);
    return cell;
  }
  const shown = visible(cell);
  return shown === cell ? cell : { t: cell, v: shown };
}
