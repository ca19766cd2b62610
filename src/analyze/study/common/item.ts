/** An item of a study: what it says of itself, how it is measured, what it returns, and the numbers in it as text. */
import { assert } from "../../../base/assert.ts";
import type { Figure, SqlValue, TableBlock } from "../../../model/index.ts";
import { asInPaper, type PaperFigures } from "./paper-figure.ts";
import {
  type Formatters,
  formatters,
  publishedOf,
  type Value,
  type ValueInfos,
  type Values,
} from "./values.ts";

/** Its title with its place in the paper. */
export const itemTitle = ({ title, place }: { readonly title: string; readonly place?: string }): string =>
  place === undefined ? title : `${title} (${place})`;

/** What an item says of itself. A file has all of it, and how it is measured. */
export interface ItemFacts<Option extends string, Published> {
  readonly id: string;
  /** "A05@1": a definition never changes under its number. */
  readonly definition: string;
  readonly title: string;
  /** Figure, table, section or finding of the paper; without one the paper says nothing of it. */
  readonly place?: string;
  /** Section of the report that shows it; without one the study shows it in its own way. */
  readonly section?: string;
  /** What is computed, in sentences, for the manual and the report. */
  readonly about: string;
  /** How to read it. */
  readonly reading: string;
  readonly options: readonly Option[];
  /** What it measures, by key of study.json. */
  readonly values: ValueInfos<Published>;
  /** Values that one of its tables has already, so that the table of values leaves them out. */
  readonly tabled?: ValueInfos<Published>;
  /** Those of which an earlier item has the published number. */
  readonly repeats?: readonly string[];
  /** What `measure` does not give: numbers that findings make of the values, and numbers that only the paper has. */
  readonly others?: ValueInfos<Published>;
  /** Values that are measured for each cluster too, since the paper keeps them apart: all that it prints, or these. */
  readonly byCluster?: true | readonly string[];
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
  /** What the paper prints, under the keys of `values`. */
  readonly published: Readonly<Record<string, Published>>;
  /** Those values that the paper prints for each of its clusters, by name of a cluster here; only where there are several. */
  readonly clusters?: Readonly<Record<string, Values>>;
  readonly figures: readonly Figure[];
  readonly tables: readonly TableBlock[];
  /** What a reader should know to trust the numbers, in sentences. */
  readonly notes: readonly string[];
}

/** What `measure` gives. */
interface Outcome<Key extends string> {
  readonly n: number;
  readonly unit: string;
  readonly values: Readonly<Record<Key, Value>>;
  /** Values that a table has; their keys may depend on the data (a target's name). */
  readonly tabled?: Values;
  readonly dropped?: Readonly<Record<string, number>>;
  readonly tables?: readonly TableBlock[];
  readonly notes?: readonly string[];
  /** Called when figures are wanted. */
  readonly figures?: () => readonly Figure[] | Promise<readonly Figure[]>;
}

export interface StudyItem<Prepared, Option extends string, Published> extends ItemFacts<Option, Published> {
  /** What the paper prints, under the keys of its values. */
  readonly published: Readonly<Record<string, Published>>;
  /** One paragraph: the sentences of the paper with the reader's own numbers in them. Empty: nothing to tell. */
  narrative(result: Pick<StudyResult<Published>, "n" | "values" | "options">): string;
  /** Figures take time of their own; without `draw` there are none. */
  run(prepared: Prepared, draw?: boolean): Promise<StudyResult<Published>>;
}

type ItemSource<Prepared, Option extends string, Published, Infos> = Omit<
  ItemFacts<Option, Published>,
  "values"
> & {
  readonly values: Infos;
  narrative?(
    formatters: Formatters<keyof NoInfer<Infos> & string>,
    options: Readonly<Record<string, unknown>>,
  ): string;
  measure(
    prepared: Prepared,
  ): Outcome<keyof NoInfer<Infos> & string> | Promise<Outcome<keyof NoInfer<Infos> & string>>;
};

/** The function with which a study defines its items; `common` are the options that change all of them. */
export function itemMaker<
  Prepared extends { readonly options: Readonly<Record<Option, unknown>> },
  Option extends string,
  Published,
  More extends object = object,
>(
  common: readonly Option[] = [],
  paper?: PaperFigures<Published>,
  partsOf: (
    prepared: Prepared,
  ) => readonly { readonly name: string; readonly prepared: Prepared }[] = () => [],
) {
  return <const Infos extends ValueInfos<Published>>(
    source: ItemSource<Prepared, Option, Published, Infos> & More,
  ): StudyItem<Prepared, Option, Published> & More => {
    const { measure, narrative, ...facts } = source;
    const options = [...new Set([...common, ...source.options])];
    const published = publishedOf({ ...source.values, ...source.tabled, ...source.others });
    return {
      ...(facts as unknown as typeof source),
      options,
      published,
      narrative: ({ n, values, options: used }) =>
        narrative === undefined || n === 0 ? "" : narrative(formatters(source.values, values), used),
      async run(prepared, draw = true) {
        const used = Object.fromEntries(options.map((name) => [name, prepared.options[name]]));
        const outcome = await measure(prepared);
        for (const key of Object.keys(outcome.values))
          assert(key in source.values, `${source.id}.${key} has no unit and no label`);
        const clusters: Record<string, Values> = {};
        const { byCluster } = source;
        const isApart = (key: string) =>
          byCluster === true ? published[key] !== undefined : byCluster?.includes(key) === true;
        const parts = byCluster === undefined ? [] : partsOf(prepared);
        for (const part of parts.length < 2 ? [] : parts) {
          const { values, tabled } = await measure(part.prepared);
          const own = Object.entries({ ...values, ...tabled }).filter(([key]) => isApart(key));
          clusters[part.name] = steadyValues(Object.fromEntries(own) as Values);
        }
        const stamp = { definition: source.definition, options: shownOptions(used) };
        const figures = draw ? ((await outcome.figures?.()) ?? []) : [];
        return {
          definition: source.definition,
          options: used,
          n: outcome.n,
          unit: outcome.unit,
          published,
          notes: outcome.notes ?? [],
          values: steadyValues({ ...outcome.values, ...outcome.tabled }),
          ...(parts.length < 2 ? {} : { clusters }),
          tables: steadyTables(outcome.tables ?? []),
          dropped: counted(outcome.dropped ?? {}),
          figures: figures.map((figure) => ({
            ...(paper === undefined ? figure : asInPaper(figure, source, paper)),
            ...stamp,
          })),
        };
      },
    };
  };
}

/** What the paper prints for a value of an item. */
export function publishedNumber<Published>(
  items: readonly Pick<StudyItem<never, never, Published>, "id" | "published">[],
  item: string,
  key: string,
): Published {
  const found = items.find(({ id }) => id === item)?.published[key];
  assert(found !== undefined, `the paper prints no ${item}.${key}`);
  return found;
}

/** Twelve digits: the order in which threads add shows in the last of sixteen, and a study should repeat to the letter. */
export const steady = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(12));

const steadyCell = <T>(cell: T): T | number => (typeof cell === "number" ? steady(cell) : cell);

const steadyValues = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, steadyCell(value)]));

const steadyTables = (tables: readonly TableBlock[]): TableBlock[] =>
  tables.map((one) => ({ ...one, rows: one.rows.map((row) => row.map(steadyCell)) }));

/** Reasons for which something was left out indeed. */
const counted = (dropped: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(dropped).filter(([, count]) => count > 0));

/** Options as a figure shows them. */
const shownOptions = (options: Readonly<Record<string, unknown>>): Figure["options"] =>
  Object.fromEntries(
    Object.entries(options)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(" ") : value] as const)
      .filter(([, value]) => value !== ""),
  ) as Figure["options"];

/** A figure whose definition and options the item fills in. */
type Drawing = Omit<Figure, "definition" | "options">;
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
