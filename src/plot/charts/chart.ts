/** What a kind of chart is: how it is drawn, and what of it goes into CSV and into a table. */

import type { Chart, Role, Unit } from "../../model/index.ts";

export interface DrawContext {
  readonly width: number;
  /** What to fill with; hatched where the role is. */
  fill(role: Role): string;
}

interface Drawing {
  readonly height: number;
  /** Markup inside the figure's <svg>. */
  readonly body: string;
}

export interface FigureTable {
  readonly columns: readonly { readonly label: string; readonly unit: Unit }[];
  readonly rows: readonly (readonly (number | string | null)[])[];
}

interface CsvColumns {
  readonly columns: readonly { readonly label: string; readonly unit: Unit }[];
  readonly rows: Iterable<readonly (number | string)[]>;
}

export interface ChartKind<C extends Chart> {
  draw(chart: C, context: DrawContext): Drawing;
  /** What is drawn, one row per value. */
  csv(chart: C): CsvColumns;
  /** For those who do not see the picture; short where the picture is a summary of very many values. */
  table(chart: C): FigureTable;
}

export const FONT = 11;
export const FONT_SMALL = 10;

/** A message in place of a picture. */
export function nothingToDraw(width: number): Drawing {
  const at = `x="${Math.round(width / 2)}" y="44" text-anchor="middle"`;
  return {
    height: 80,
    body: `<text ${at} font-style="italic" fill="var(--plot-muted)">nothing to draw</text>`,
  };
}

/** NaN in the model, null in a table. */
export function recorded(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
