/** Figures as CSV (RFC 4180) and as tables: what is drawn, in exact numbers. */

import { csvText } from "../base/csv.ts";
import { type Chart, type Figure, figureOrigin } from "../model/index.ts";
import { type FigureTable, kindOf } from "./charts/index.ts";
import { unitName } from "./format.ts";

/**
 * A header with units, then one row per drawn value. What was not recorded is an empty field, never zero. Lines end
 * with CR LF. A last column says what is of a simulator or a generator, and what a paper prints: those rows come last.
 */
export function figureCsv(figure: Figure): string {
  const { columns, rows } = kindOf(figure.chart).csv(figure.chart);
  const header = columns.map(({ label, unit }) => {
    const name = unitName(unit);
    return name === "" ? label : `${label} (${name})`;
  });
  const origin = figureOrigin(figure);
  if (origin === undefined) return csvText([header, ...rows]);
  const all = Array.from(rows);
  const own = all.length - publishedRows(figure.chart);
  return csvText([[...header, "origin"], ...all.map((row, i) => [...row, i < own ? origin : "published"])]);
}

const publishedRows = (chart: Chart): number =>
  ("published" in chart ? (chart.published?.length ?? 0) : 0) +
  ("publishedPlaces" in chart ? (chart.publishedPlaces?.length ?? 0) : 0);

/** Columns and rows for a table beside the picture; null is "not recorded". */
export function figureTable(figure: Figure): FigureTable {
  return kindOf(figure.chart).table(figure.chart);
}
