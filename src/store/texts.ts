/** Texts that come again and again, as numbers on their way into DuckDB. */
import { assert } from "../base/assert.ts";
import { VARCHAR, DuckDBDataChunk, type DuckDBConnection, INTEGER } from "@duckdb/node-api";
import {
  type Column,
  type ColumnSource,
  type TableSchema,
  type Value,
  storedFiles,
  storedJobs,
  storedRuns,
  storedSources,
} from "../model/index.ts";
import { quoteName } from "./database.ts";

/** Texts that hardly ever come twice: a dictionary of them would be as long as the table. */
const UNIQUE: ReadonlySet<Column> = new Set([
  ...columnsOf(storedRuns, "source", "job_id"),
  ...columnsOf(storedFiles, "path"),
  ...columnsOf(storedSources, "path"),
  ...columnsOf(storedJobs, "job_id"),
]);

function columnsOf({ columns }: TableSchema, ...names: readonly string[]): Column[] {
  const found = columns.filter(({ name }) => names.includes(name));
  assert(found.length === names.length, "columns that are named are in the table");
  return found;
}

export function isCoded(column: Column): boolean {
  return column.type === "text" && !UNIQUE.has(column);
}

/** Codes of one column for the rows of a chunk; the dictionary grows until a segment is written. */
export class CodedTexts {
  codes: Int32Array;
  readonly #codeOf = new Map<string, number>();
  #texts: string[] = [];
  /** The code that came after each code the last time: texts often come again in the same order. */
  #followers: number[] = [0];

  /** `codes` has room for the rows of a chunk. */
  constructor(codes: Int32Array) {
    this.codes = codes;
  }

  /** Takes values as Staging.take does; gives the bytes of texts that are new. */
  take(at: number, source: ColumnSource, from: number, count: number): number {
    assert(at + count <= this.codes.length, "codes fit into their chunk");
    if ("all" in source) {
      const before = this.#texts.length;
      this.codes.fill(this.code(source.all), at, at + count);
      return this.#newBytes(before);
    }
    const before = this.#texts.length;
    const { codes } = this;
    const followers = this.#followers;
    const texts = this.#texts;
    let last: Value = null;
    let code = 0;
    for (let i = 0; i < count; i++) {
      const value = source[from + i] as Value;
      if (value !== last) {
        let next = followers[code] as number;
        if (next === 0 || texts[next - 1] !== value) {
          next = this.code(value);
          followers[code] = next;
        }
        last = value;
        code = next;
      }
      codes[at + i] = code;
    }
    return this.#newBytes(before);
  }

  /** 0 is "not recorded". */
  code(value: Value): number {
    if (value === null || value === undefined || Number.isNaN(value)) return 0;
    const text = typeof value === "string" ? value : String(value);
    const known = this.#codeOf.get(text);
    if (known !== undefined) return known;
    this.#texts.push(text);
    this.#followers.push(0);
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
    assert(this.#codeOf.size === texts.length, "every text has one code");
    this.#texts = [];
    this.#followers = [0];
    this.#codeOf.clear();
    return texts;
  }
}

/** Rows that are appended at once. */
const ROWS = 2048;
/** A dictionary of this many texts is worth a place in the file, whatever the rows. */
const FEW_TEXTS = 4096;

/**
 * Makes dictionaries known to queries of a connection and gives an expression for each of them; the next call replaces
 * them. They go through a table, since a text may hold what cannot stand in a query. Texts that come again become values
 * of an enum, which the writer of Parquet takes as they are: of plain texts it would look up each row in a table of hashes.
 */
export async function setDictionaries(
  connection: DuckDBConnection,
  table: string,
  rows: number,
  dictionaries: ReadonlyMap<number, readonly string[]>,
): Promise<ReadonlyMap<number, string>> {
  if (dictionaries.size === 0) return new Map();
  const name = quoteName(`${table}_texts`);
  await connection.run(`create table ${name} (place integer, code integer, text varchar)`);
  const appender = await connection.createAppender(`${table}_texts`);
  const chunk = DuckDBDataChunk.create([INTEGER, INTEGER, VARCHAR]);
  const entries = [...dictionaries].flatMap(([place, texts]) =>
    // An empty dictionary still is a list, of a text that no code names.
    (texts.length === 0 ? [""] : texts).map((text, at) => [place, at + 1, text] as const),
  );
  for (let from = 0; from < entries.length; from += ROWS) {
    chunk.reset();
    chunk.setRows(entries.slice(from, from + ROWS));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  const statements: string[] = [];
  const expressions = new Map<number, string>();
  for (const [place, texts] of dictionaries) {
    const variable = `plimsoll_texts_${place}`;
    const type = quoteName(`${table}_texts_${place}`);
    const from = `from ${name} where place = ${place}`;
    const asEnum = texts.length <= FEW_TEXTS || 4 * texts.length <= rows;
    if (asEnum) statements.push(`create type ${type} as enum (select text ${from} order by code)`);
    const text = asEnum ? `text::${type}` : "text";
    statements.push(`set variable ${variable} = (select list(${text} order by code) ${from})`);
    if (asEnum) statements.push(`drop type ${type}`);
    expressions.set(place, `getvariable('${variable}')`);
  }
  statements.push(`drop table ${name}`);
  await connection.run(statements.join("; "));
  return expressions;
}
