/** What an item of the study is, and what it returns. */
import type { TableBlock } from "../../model/document.ts";
import type { Figure } from "../../model/figure.ts";
import type { Queryable, SqlValue } from "../../model/query.ts";
import type { OptionName, ReuseOptions } from "./options.ts";

export { table } from "../study/table.ts";

/** Shares and coefficients of variation are fractions, bytes exact. NaN: not enough data to say. */
export type Value = number | bigint | string;
export type Values = Readonly<Record<string, Value>>;

export interface ItemResult {
  /** "A05@1": a definition never changes under its number. */
  readonly definition: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** How many rows (files, runs, accesses: the item says which) the numbers stand on. */
  readonly n: number;
  /** What `n` counts. */
  readonly unit: string;
  /** Rows that were left out, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly values: Values;
  /** What the paper prints, under the keys of `values`. */
  readonly published: Values;
  readonly figures: readonly Figure[];
  readonly tables: readonly TableBlock[];
  /** What a reader should know to trust the numbers, in sentences. */
  readonly notes: readonly string[];
}

export interface StudyItem {
  readonly id: string;
  readonly definition: string;
  readonly title: string;
  /** What is computed, in sentences, for the manual and the report. */
  readonly about: string;
  /** How to read it. */
  readonly reading: string;
  readonly options: readonly OptionName[];
  /** What the paper prints. */
  readonly published: Values;
  /** Figures take time of their own; without `draw` there are none. */
  run(db: Queryable, options: ReuseOptions, draw?: boolean): Promise<ItemResult>;
}

type Outcome = Pick<ItemResult, "n" | "unit" | "values"> &
  Partial<Pick<ItemResult, "dropped" | "published" | "tables" | "notes">> & {
    /** Called when figures are wanted. */
    readonly figures?: () => readonly Figure[] | Promise<readonly Figure[]>;
  };

/** Makes an item: what all results share is filled in here. */
export function defineItem(
  item: Omit<StudyItem, "run" | "published"> & {
    readonly published?: Values;
    measure(db: Queryable, options: ReuseOptions): Promise<Outcome>;
  },
): StudyItem {
  const { measure, published = {}, ...rest } = item;
  return {
    ...rest,
    published,
    async run(db, options, draw = true) {
      const used = Object.fromEntries(item.options.map((name) => [name, options[name]]));
      const { figures, ...outcome } = await measure(db, options);
      const dropped = Object.fromEntries(
        Object.entries(outcome.dropped ?? {}).filter(([, count]) => count > 0),
      );
      const stamp = (figure: Figure): Figure => ({
        ...figure,
        definition: item.definition,
        options: plain(used),
      });
      return {
        definition: item.definition,
        options: used,
        published,
        notes: [],
        ...outcome,
        values: Object.fromEntries(
          Object.entries(outcome.values).map(([key, value]) => [
            key,
            typeof value === "number" ? steady(value) : value,
          ]),
        ),
        tables: (outcome.tables ?? []).map((one) => ({
          ...one,
          rows: one.rows.map((row) => row.map((cell) => (typeof cell === "number" ? steady(cell) : cell))),
        })),
        dropped,
        figures: draw && figures !== undefined ? (await figures()).map(stamp) : [],
      };
    },
  };
}

/** Twelve digits: the order in which threads add shows in the last of sixteen, and a study should repeat to the letter. */
export const steady = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(12));

/** Options as a figure shows them. */
function plain(options: Readonly<Record<string, unknown>>): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(" ") : (value as string),
    ]),
  );
}

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
