/** Figures as CSV (RFC 4180) and as tables: what is drawn, in exact numbers. */

import type { Figure } from "../model/figure.ts";
import type { FigureTable } from "./charts/chart.ts";
import { kindOf } from "./charts/index.ts";
import { unitName } from "./format.ts";

/**
 * A header with units, then one row per drawn value. What was not recorded is an empty field, never zero. Lines end
 * with CR LF.
 */
export function figureCsv(figure: Figure): string {
  const { columns, rows } = kindOf(figure.chart).csv(figure.chart);
  const header = columns.map(({ label, unit }) => {
    const name = unitName(unit);
    return field(name === "" ? label : `${label} (${name})`);
  });
  const lines = [header.join(",")];
  for (const row of rows) lines.push(row.map(field).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

/** Columns and rows for a table beside the picture; null is "not recorded". */
export function figureTable(figure: Figure): FigureTable {
  return kindOf(figure.chart).table(figure.chart);
}

function field(value: number | string): string {
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  // A lone surrogate has no bytes in UTF-8.
  const text = value.replace(/\p{Surrogate}/gu, "\ufffd");
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
