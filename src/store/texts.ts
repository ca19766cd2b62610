/** Texts that come again and again, as numbers on their way into DuckDB. */
import { VARCHAR, DuckDBDataChunk, type DuckDBConnection, INTEGER } from "@duckdb/node-api";
import type { Column, TableSchema } from "../model/schema.ts";
import { storedFiles, storedRuns, storedSources } from "../model/store-schema.ts";
import { storedJobs } from "../model/store-system.ts";
import type { ColumnSource, Value } from "../model/tables.ts";
import { quoteName } from "./database.ts";

/** Texts that hardly ever come twice: a dictionary of them would be as long as the table. */
const UNIQUE: ReadonlySet<Column> = new Set([
  ...columnsOf(storedRuns, "source", "job_id"),
  ...columnsOf(storedFiles, "path"),
  ...columnsOf(storedSources, "path"),
  ...columnsOf(storedJobs, "job_id"),
]);

function columnsOf({ columns }: TableSchema, ...names: readonly string[]): Column[] {
  return columns.filter(({ name }) => names.includes(name));
}

export function isCoded(column: Column): boolean {
  return column.type === "text" && !UNIQUE.has(column);
}

/** Codes of one column for the rows of a chunk; the dictionary grows until a segment is written. */
export class CodedTexts {
  readonly codes: Int32Array;
  readonly #codeOf = new Map<string, number>();
  #texts: string[] = [];

  /** `codes` has room for the rows of a chunk. */
  constructor(codes: Int32Array) {
    this.codes = codes;
  }

  /** Takes values as Staging.take does; gives the bytes of texts that are new. */
  take(at: number, source: ColumnSource, from: number, count: number): number {
    if ("all" in source) {
      const before = this.#texts.length;
      this.codes.fill(this.#code(source.all), at, at + count);
      return this.#newBytes(before);
    }
    const before = this.#texts.length;
    let last: Value = null;
    let code = 0;
    for (let i = 0; i < count; i++) {
      const value = source[from + i] as Value;
      if (value !== last) {
        last = value;
        code = this.#code(value);
      }
      this.codes[at + i] = code;
    }
    return this.#newBytes(before);
  }

  /** 0 is "not recorded". */
  #code(value: Value): number {
    if (value === null || value === undefined || Number.isNaN(value)) return 0;
    const text = typeof value === "string" ? value : String(value);
    const known = this.#codeOf.get(text);
    if (known !== undefined) return known;
    this.#texts.push(text);
    this.#codeOf.set(text, this.#texts.length);
    return this.#texts.length;
  }

  #newBytes(before: number): number {
    let bytes = 0;
    for (let i = before; i < this.#texts.length; i++) bytes += 16 + (this.#texts[i] as string).length;
    return bytes;
  }

  /** The text of code 1, 2, …; forgets them. */
  finish(): readonly string[] {
    const texts = this.#texts;
    this.#texts = [];
    this.#codeOf.clear();
    return texts;
  }
}

/** Rows that are appended at once. */
const ROWS = 2048;
const VARIABLE = "plimsoll_texts";

/**
 * Makes dictionaries known to queries of a connection and gives an expression for each of them; the next call replaces
 * them. They go through a table, since a text may hold what cannot stand in a query.
 */
export async function setDictionaries(
  connection: DuckDBConnection,
  table: string,
  dictionaries: ReadonlyMap<number, readonly string[]>,
): Promise<ReadonlyMap<number, string>> {
  if (dictionaries.size === 0) return new Map();
  const name = quoteName(`${table}_texts`);
  await connection.run(`create table ${name} (place integer, code integer, text varchar)`);
  const appender = await connection.createAppender(`${table}_texts`);
  const chunk = DuckDBDataChunk.create([INTEGER, INTEGER, VARCHAR]);
  const rows = [...dictionaries].flatMap(([place, texts]) =>
    // An empty dictionary still is a list, of a text that no code names.
    (texts.length === 0 ? [""] : texts).map((text, at) => [place, at + 1, text] as const),
  );
  for (let from = 0; from < rows.length; from += ROWS) {
    chunk.reset();
    chunk.setRows(rows.slice(from, from + ROWS));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  const lists = `select place, list(text order by code) as texts from ${name} group by place`;
  await connection.run(`set variable ${VARIABLE} = (select list(texts order by place) from (${lists}))`);
  await connection.run(`drop table ${name}`);
  const places = [...dictionaries.keys()].sort((a, b) => a - b);
  return new Map(
    places.map((place, at) => [place, `list_extract(getvariable('${VARIABLE}'), ${at + 1})`] as const),
  );
}
