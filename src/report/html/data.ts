/** What the page hands to its script, as JSON: tables whole, the data of figures, findings as Markdown. */
import type { Cell, TableBlock } from "../../model/document.ts";
import type { Unit } from "../../model/finding.ts";
import { domId, visible } from "./escape.ts";

export interface PageData {
  readonly tables: readonly PageTable[];
  readonly figures: readonly { readonly id: string; readonly csv: string }[];
  /** Markdown of each finding, in the order of the page. */
  readonly findings: readonly string[];
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
  /** Numbers of the pale rows. */
  readonly pale?: readonly number[];
}

export interface PageColumn {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  readonly hidden?: true;
}

/** `n`: an exact integer in decimal. `t` and `v`: text as it is, and as it can be shown when that differs. */
export type PageCell =
  | number
  | string
  | null
  | { readonly n: string }
  | { readonly t: string; readonly v: string };

export function pageTable(table: TableBlock, section: string): PageTable {
  const pale = (table.pale ?? []).flatMap((isPale, row) => (isPale ? [row] : []));
  return {
    id: domId(table.id),
    section,
    columns: table.columns.map(({ key, label, unit, hidden }) => ({
      key,
      label: visible(label),
      unit,
      ...(hidden && { hidden: true as const }),
    })),
    rows: table.rows.map((row) => row.map(pageCell)),
    ...(table.rowsTotal !== undefined && { rowsTotal: table.rowsTotal }),
    ...(table.groups && {
      groups: table.groups.map(({ cells, rows }) => ({ cells: cells.map(pageCell), rows })),
    }),
    ...(table.sortedBy !== undefined && { sortedBy: table.sortedBy }),
    ...(table.rowKey !== undefined && { rowKey: table.rowKey }),
    ...(table.searchable && { searchable: true }),
    ...(pale.length > 0 && { pale }),
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
