/** The items of a study as --json prints them: the contract of all studies over a store. */
import type { TableBlock } from "../../model/index.ts";

interface Item {
  readonly definition: string;
  readonly options: unknown;
  readonly n: number;
  readonly unit: string;
  readonly dropped: unknown;
  readonly values: unknown;
  readonly published: unknown;
  readonly tables: readonly TableBlock[];
  readonly notes: readonly string[];
}

export function itemsJson(items: Readonly<Record<string, Item>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(items).map(([id, item]) => [
      id,
      {
        definition: item.definition,
        options: item.options,
        n: item.n,
        unit: item.unit,
        status: item.n === 0 ? "not enough data" : "ok",
        dropped: item.dropped,
        values: item.values,
        published: item.published,
        tables: Object.fromEntries(item.tables.map((one) => [one.id, tableRows(one)])),
        notes: item.notes,
      },
    ]),
  );
}

const tableRows = ({ columns, rows }: TableBlock) =>
  rows.map((row) => Object.fromEntries(columns.map(({ key }, i) => [key, row[i] ?? null])));
