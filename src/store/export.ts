/** One table of a store as one file: Parquet and CSV are written by DuckDB, lines of JSON by us. */
import { closeSync, openSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { CSV_FORMULA, CSV_NUMBER } from "../base/csv.ts";
import { UsageError } from "../base/errors.ts";
import { jsonText } from "../base/json.ts";
import type { Listener } from "../base/listener.ts";
import type { TableSchema } from "../model/index.ts";
import { syncFile } from "../node/durable.ts";
import { createOutput, takeName, temporaryPath } from "../node/output-file.ts";
import { PARQUET_OUTSIDE } from "./batch.ts";
import { openDatabase, quoteName, quoteText, type StoreOptions } from "./database.ts";
import { ownReadingError, systemErrorOf } from "./engine-error.ts";
import { sharedOrigin } from "./provenance.ts";
import type { Store } from "./store.ts";
import { verifySegments } from "./verify.ts";
import { hideDuplicates, tableQuery } from "./views.ts";
import { withoutNames } from "./without-names.ts";

/** Characters of a key: fewer can be guessed. */
const NAME_KEY_MIN = 8;

export type ExportFormat = "parquet" | "csv" | "ndjson";

/** A file that appears when it is whole, of segments whose checksums are right; gives the number of its rows. */
export async function exportFile(
  store: Store,
  table: TableSchema,
  path: string,
  { format, ...options }: StoreOptions & { readonly format: ExportFormat; readonly nameKey?: string },
  listener: Listener = {},
): Promise<number> {
  if (options.nameKey !== undefined && options.nameKey.length < NAME_KEY_MIN)
    throw new UsageError(
      `--without-names: the key has less than ${NAME_KEY_MIN} characters; who guesses it can guess names`,
    );
  // A copy that others trust is made of rows that are as they were stored.
  await verifySegments(store.path, store.batches(), [table.name]);
  const origin = await originOf(store, table);
  const partial = listener.partialOutput?.(temporaryPath(path));
  const rows =
    format === "ndjson"
      ? await exportLines(store, table, path, { ...options, origin })
      : await exportWhole(store, table, path, { ...options, format, origin });
  partial?.done();
  return rows;
}

async function exportWhole(
  store: Store,
  table: TableSchema,
  path: string,
  options: ExportOptions,
): Promise<number> {
  const temporary = temporaryPath(path);
  // DuckDB would say it in its own words.
  closeSync(openSync(temporary, "w"));
  try {
    const rows = await exportTable(store, table, temporary, options);
    syncFile(temporary);
    takeName(temporary, path);
    return rows;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Rows of a table without a column `synthetic` say in one named `origin` that not all of them were recorded. */
async function originOf(store: Store, table: TableSchema): Promise<string | undefined> {
  if (table.columns.some(({ name }) => name === "synthetic")) return undefined;
  const query = await store.query();
  try {
    return await sharedOrigin(query, table.name);
  } finally {
    query.close();
  }
}

async function exportLines(store: Store, table: TableSchema, path: string, shown: Shown): Promise<number> {
  const output = createOutput(path);
  const query = await store.query();
  let rows = 0;
  try {
    const { columns, pieces } = await query.raw(asShown(table, `from ${quoteName(table.name)}`, shown));
    for await (const piece of pieces()) {
      const lines = piece.map((row) =>
        jsonText(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]))),
      );
      output.append(Buffer.from(lines.map((line) => `${line}\n`).join("")));
      rows += piece.length;
    }
    output.commit();
    return rows;
  } catch (error) {
    output.abort();
    throw error;
  } finally {
    query.close();
  }
}

interface Shown {
  /** Names become codes that this key gives; all stay as they are unless given. */
  readonly nameKey?: string;
  /** Text of a column `origin`; there is none unless given. */
  readonly origin?: string | undefined;
}

interface ExportOptions extends StoreOptions, Shown {
  readonly format: "parquet" | "csv";
}

function asShown(table: TableSchema, query: string, { nameKey, origin }: Shown): string {
  const named = nameKey === undefined ? query : withoutNames(table, query, nameKey);
  return origin === undefined ? named : `select *, ${quoteText(origin)} as origin from (${named})`;
}

/**
 * Writes all rows of a table to `path` and gives their number. CSV has a header and is safe to
 * open in a spreadsheet; NULL is an empty field.
 */
export async function exportTable(
  store: Store,
  table: TableSchema,
  path: string,
  { format, nameKey, origin, ...options }: ExportOptions,
): Promise<number> {
  store.refresh();
  const batches = store.batches();
  const database = await openDatabase(store.path, options);
  try {
    const hiding = await hideDuplicates(database.connection, store.path, batches);
    const rowsOf = tableQuery(table, { store: store.path, batches, hiding });
    const query = asShown(table, rowsOf, { ...(nameKey === undefined ? {} : { nameKey }), origin });
    const [rows, how] =
      format === "parquet" ? [query, PARQUET_OUTSIDE] : [withoutFormulas(table, query), "format csv, header"];
    const result = await database.connection.run(`copy (${rows}) to ${quoteText(resolve(path))} (${how})`);
    const [[count] = []] = await result.getRows();
    return Number(count);
  } catch (error) {
    const system = systemErrorOf(error, path) as NodeJS.ErrnoException | undefined;
    const writing = system?.code === "ENOSPC" || system?.code === "EDQUOT" || system?.code === "EROFS";
    throw writing ? system : await ownReadingError(error, store.path, batches, database);
  } finally {
    database.close();
  }
}

/** The rule of base/csv.ts in SQL: text that a spreadsheet would run as a formula gets an apostrophe in front. */
function withoutFormulas({ columns }: TableSchema, query: string): string {
  const safe = columns
    .filter(({ type }) => type === "text")
    .map(({ name }) => {
      const column = quoteName(name);
      const formula = `regexp_matches(${column}, ${quoteText(CSV_FORMULA.source)}, 's')`;
      const number = `regexp_full_match(${column}, ${quoteText(CSV_NUMBER.source)})`;
      return `case when ${formula} and not ${number} then '''' || ${column} else ${column} end as ${column}`;
    });
  return safe.length === 0 ? query : `select * replace (${safe.join(", ")}) from (${query})`;
}
