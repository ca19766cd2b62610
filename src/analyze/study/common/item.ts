/** What items of all studies have in common: what they say of themselves, what they return, and the numbers in it. */
import type { Figure, SqlValue, TableBlock } from "../../../model/index.ts";

/** Shares and coefficients of variation are fractions, bytes exact. NaN: not enough data to say. */
export type Value = number | bigint | string;
export type Values = Readonly<Record<string, Value>>;

export interface ItemFacts<Option extends string, Published> {
  readonly id: string;
  /** "A05@1": a definition never changes under its number. */
  readonly definition: string;
  readonly title: string;
  /** What is computed, in sentences, for the manual and the report. */
  readonly about: string;
  /** How to read it. */
  readonly reading: string;
  readonly options: readonly Option[];
  /** What the paper prints, under the keys of `values`. */
  readonly published: Published;
}

export interface StudyResult<Published> {
  readonly definition: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** How many rows (files, runs, jobs: the item says which) the numbers stand on. */
  readonly n: number;
  /** What `n` counts. */
  readonly unit: string;
  /** Rows that were left out, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly values: Values;
  readonly published: Published;
  readonly figures: readonly Figure[];
  readonly tables: readonly TableBlock[];
  /** What a reader should know to trust the numbers, in sentences. */
  readonly notes: readonly string[];
}

/** Twelve digits: the order in which threads add shows in the last of sixteen, and a study should repeat to the letter. */
export const steady = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(12));

const steadyCell = <T>(cell: T): T | number => (typeof cell === "number" ? steady(cell) : cell);

export const steadyValues = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, steadyCell(value)]));

export const steadyTables = (tables: readonly TableBlock[]): TableBlock[] =>
  tables.map((one) => ({ ...one, rows: one.rows.map((row) => row.map(steadyCell)) }));

/** Reasons for which something was left out indeed. */
export const counted = (dropped: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(dropped).filter(([, count]) => count > 0));

/** An option as a figure shows it. */
export const optionText = (value: unknown): string | number | boolean =>
  Array.isArray(value) ? value.join(" ") : (value as string | number | boolean);

/** A figure whose definition and options the item fills in. */
export type Drawing = Omit<Figure, "definition" | "options">;
export const drawn = (figure: Drawing): Figure => ({ ...figure, definition: "", options: {} });

/** A number of SQL as a double; NULL is NaN. For counts, means and shares. */
export function number(value: SqlValue | undefined): number {
  return value === null || value === undefined ? Number.NaN : Number(value);
}

/** A number of SQL that is exact: sums of bytes. NULL is zero, as of the sum of nothing. */
export function exact(value: SqlValue | undefined): bigint {
  return value === null || value === undefined ? 0n : BigInt(value as bigint);
}

export const share = (part: number, whole: number): number => (whole === 0 ? Number.NaN : part / whole);
