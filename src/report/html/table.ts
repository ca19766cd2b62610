/** Tables: the first rows as markup, which can be read without the script; the script has all rows as data. */
import { formatCount } from "../../base/units.ts";
import type { Cell, Figure, TableBlock, TableColumn, Unit } from "../../model/index.ts";
import { NOT_RECORDED, plusSign, verdictClass } from "../../plot/index.ts";
import { type ColumnLook, linkColumn, lookOf } from "./data.ts";
import { attribute, cellName, domId, escapeHtml, plainAddress, prose } from "./escape.ts";
import type { HtmlParts } from "./parts.ts";

/** More rows, or more cells, stay with the script: the page remains small. */
const STATIC_ROWS_MAX = 200;
const STATIC_CELLS_MAX = 1500;
const FIGURE_ROWS_MAX = 50;
const NAME_CHARACTERS_MAX = 64;
/** Sentences wrap and may be long; names of files stand in the first column. */
const TEXT_CHARACTERS_MAX = 1200;

/** From this many columns on they stand closer together, so that all are in sight on a small screen. */
const WIDE_COLUMNS_MIN = 8;

/** `rowIds`: the first table with a row key gives its rows the anchors that links to files lead to. */
export function tableHtml(table: TableBlock, index: number, parts: HtmlParts, rowIds: boolean): string {
  const id = `table-${domId(table.id)}`;
  const shown = table.columns.flatMap((column, at) => (column.hidden ? [] : [at]));
  const keyAt = table.columns.findIndex((column) => column.key === table.rowKey);
  const rowsMax = Math.min(STATIC_ROWS_MAX, Math.floor(STATIC_CELLS_MAX / Math.max(1, shown.length)));
  const looks = table.columns.map((_, at) => lookOf(table, at));
  const links = table.columns.map((_, at) => linkColumn(table, at));
  const line = (cells: readonly Cell[], attributes: string): string =>
    `<tr${attributes}>${shown
      .map((at, nth) =>
        cellHtml(cells[at] ?? null, table.columns[at] ?? PLAIN, nth === 0, parts, {
          look: looks[at],
          address: plainAddress(cells[links[at] ?? -1]),
        }),
      )
      .join("")}\n`;
  const row = (at: number, kind: string): string => {
    const cells = table.rows[at] ?? [];
    const key = rowIds && keyAt >= 0 ? String(cells[keyAt] ?? "") : "";
    const anchor = /^[\w.-]{1,80}$/.test(key) ? ` id="file=${key}"` : "";
    const classes = `${kind}${table.pale?.[at] ? " pale" : ""}`.trim();
    return line(cells, `${anchor}${classes ? ` class="${classes}"` : ""}`);
  };
  const lines = table.groups
    ? groupLines(table.groups, rowsMax, row, (cells) => line(cells, ' class="group"'))
    : table.rows.slice(0, rowsMax).map((_, at) => row(at, ""));
  const header = shown.map((at) => headerHtml(table.columns[at]!, looks[at])).join("");
  return `<div class="table-block" id="${id}" data-table="${index}">
<div class="block-head"><p class="caption" id="${id}-caption">${prose(table.caption)}</p><div class="tools"></div></div>
<div class="table-box" tabindex="0" role="region" aria-labelledby="${id}-caption">
<table${shown.length >= WIDE_COLUMNS_MIN ? ' class="wide"' : ""}><thead><tr>${header}</thead><tbody>
${lines.join("")}</tbody></table></div>
${cutNotes(table, lines.length)}<p class="table-foot" role="status"></p></div>`;
}

type Group = NonNullable<TableBlock["groups"]>[number];

/** Summary rows first in line for the room there is; what is left goes to the rows of each, in equal parts. */
function groupLines(
  groups: readonly Group[],
  rowsMax: number,
  row: (at: number, kind: string) => string,
  summary: (cells: readonly Cell[]) => string,
): string[] {
  const some = groups.slice(0, rowsMax);
  const each = Math.floor((rowsMax - some.length) / Math.max(1, some.length));
  return some.flatMap(({ cells, rows }) =>
    rows.length === 1
      ? [row(rows[0]!, "")]
      : [summary(cells), ...rows.slice(0, each).map((at) => row(at, "member"))],
  );
}

function cutNotes(table: TableBlock, shownRows: number): string {
  const rows = Math.max(table.rowsTotal ?? 0, table.rows.length);
  if (rows <= shownRows) return "";
  const cut = `${formatCount(shownRows)} of ${formatCount(rows)} rows`;
  return `<noscript><p class="cut">The first ${cut}. Sorting, search and the other rows need JavaScript.</p></noscript>
<p class="cut print-only">Shortened for printing: at most ${STATIC_ROWS_MAX} of ${formatCount(rows)} rows. The page has all.</p>
`;
}

function headerHtml(column: TableBlock["columns"][number], look: ColumnLook | undefined): string {
  const kind = isText(column.unit) ? ` class="t${look === "numbers" ? " numbers" : ""}"` : "";
  return `<th scope="col"${kind} data-key="${attribute(column.key)}"><span class="label">${prose(column.label)}</span>${aboutButton(column.label, column.about)}`;
}

const PLAIN = { unit: "none" } as const;

function cellHtml(
  cell: Cell,
  { unit, signed, none = NOT_RECORDED }: Pick<TableColumn, "unit" | "signed" | "none">,
  first: boolean,
  parts: HtmlParts,
  { look, address = null }: { readonly look?: ColumnLook | undefined; readonly address?: string | null } = {},
): string {
  const isName = typeof cell === "string";
  const word = isName && !first ? verdictClass(cell) : undefined;
  const classes = ["t", look, word].filter((one) => one !== undefined).join(" ");
  const kind = isText(unit) ? ` class="${classes}"` : "";
  const tag = first ? `<th scope="row"${kind}>` : `<td${kind}>`;
  if (cell === null || (typeof cell === "number" && Number.isNaN(cell)))
    return `${tag}<i>${escapeHtml(none)}</i>`;
  const text = isName ? cellName(cell, first ? NAME_CHARACTERS_MAX : TEXT_CHARACTERS_MAX) : "";
  if (address !== null && isName) return `${tag}<a href="${attribute(address)}">${text}</a>`;
  if (isName) return tag + text;
  return tag + plusSign(cell, signed) + escapeHtml(parts.format(cell, unit));
}

function isText(unit: Unit): boolean {
  return unit === "text";
}

/** The "i" beside a number. Its text is a `title`, so it can be read without the script too. */
export function aboutButton(label: string, about: string): string {
  if (about === "") return "";
  return `<button type="button" class="about" aria-label="About ${attribute(label)}" title="${attribute(about)}">i</button>`;
}

/** What a figure draws, for those who do not see it: its first rows; the CSV has all. */
export function figureTableHtml(figure: Figure, parts: HtmlParts): string {
  const { columns, rows } = parts.figureTable(figure);
  const header = columns
    .map(({ label, unit }) => `<th scope="col"${isText(unit) ? ' class="t"' : ""}>${prose(label)}`)
    .join("");
  const lines = rows
    .slice(0, FIGURE_ROWS_MAX)
    .map(
      (row) =>
        `<tr>${row.map((cell, at) => cellHtml(cell, columns[at] ?? PLAIN, at === 0, parts)).join("")}\n`,
    );
  const cut =
    rows.length > FIGURE_ROWS_MAX
      ? `<p class="cut">The first ${FIGURE_ROWS_MAX} of ${formatCount(rows.length)} rows; the CSV has all.</p>`
      : "";
  return `<details class="as-table"><summary>As a table</summary>
<div class="table-box" tabindex="0" role="region" aria-label="${attribute(figure.title)}, as a table"><table><thead><tr>${header}</thead><tbody>
${lines.join("")}</tbody></table></div>${cut}</details>`;
}
