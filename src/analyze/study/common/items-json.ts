/** The items of a study as --json prints them: the contract of all studies over a store. */
import type { StudyResult } from "./item.ts";
import type { TableBlock } from "../../../model/index.ts";

export function itemsJson(items: Readonly<Record<string, StudyResult<unknown>>>): Record<string, unknown> {
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
        ...(item.clusters === undefined ? {} : { clusters: item.clusters }),
        published: item.published,
        tables: Object.fromEntries(item.tables.map((one) => [one.id, tableRows(one)])),
        notes: item.notes,
      },
    ]),
  );
}

const tableRows = ({ columns, rows }: TableBlock) =>
  rows.map((row) => Object.fromEntries(columns.map(({ key }, i) => [key, row[i] ?? null])));
