/**
 * Rows on their way into DuckDB: gathered column by column until a chunk is full, so that a caller may bring three
 * rows at a time. Numbers that were not recorded keep their stand-in (NaN, MISSING_I64) here; the query that writes a
 * segment makes NULL of them, which is a hundred times faster than setting bits one by one. Texts that come again and
 * again go as numbers (texts.ts), since handing one over costs as much as forty numbers. A column whose rows all have
 * one value does not go at all (staged-column.ts).
 */
import { DuckDBDataChunk } from "@duckdb/node-api";
import { assert } from "../base/assert.ts";
import type { ColumnSource, TableSchema } from "../model/index.ts";
import { StagedColumn, type Vector } from "./staged-column.ts";

/** DuckDB's vector size. */
export const CHUNK_ROWS = 2048;

/** What the query that writes a segment needs to know. */
export interface SegmentColumns {
  /** The texts of each column that has codes for them, by the place of the column. */
  readonly dictionaries: ReadonlyMap<number, readonly string[]>;
  /** The columns as they are stored; `dictionary` gives an expression for the texts of a place. */
  expressions(dictionary: (place: number) => string | undefined): string[];
}

export class Staging {
  readonly schema: TableSchema;
  readonly #columns: readonly StagedColumn[];
  readonly #varying: StagedColumn[] = [];
  /** The other columns. */
  #constant: StagedColumn[];
  readonly #names: ReadonlySet<string>;
  #chunk: DuckDBDataChunk | undefined;
  #rows = 0;
  /** Bytes of text since the last `chunk`. */
  #textBytes = 0;
  /** Of all columns: DuckDB's writer holds those of one value too. */
  readonly #rowBytes: number;

  constructor(schema: TableSchema) {
    this.schema = schema;
    this.#columns = schema.columns.map((column) => new StagedColumn(column));
    this.#constant = [...this.#columns];
    this.#rowBytes = this.#columns.reduce((sum, { width }) => sum + width, 0);
    this.#names = new Set(schema.columns.map(({ name }) => name));
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#rows * this.#rowBytes + this.#textBytes;
  }

  /** The columns of `chunk`, in its order. Ever more: new ones come at the end, and once they vary they stay. */
  get varying(): readonly StagedColumn[] {
    return this.#varying;
  }

  /** Takes rows `from` to `count` of the sources as far as they fit; gives the number taken. */
  take(from: number, count: number, sources: Readonly<Record<string, ColumnSource>>): number {
    if (from === 0) {
      for (const name in sources)
        assert(this.#names.has(name), `table ${this.schema.name} has no column ${name}`);
    }
    assert(from < count && this.#rows < CHUNK_ROWS, "there are rows, and room for some");
    const taken = Math.min(count - from, CHUNK_ROWS - this.#rows);
    if (this.#constant.length > 0) this.#vary(sources);
    for (const staged of this.#varying) {
      const { name } = staged.column;
      const source = sources[name] ?? MISSING;
      assert("all" in source || source.length >= count, `${name}: ${count} rows need more values`);
      this.#textBytes += staged.take(this.#rows, source, from, taken);
    }
    this.#rows += taken;
    return taken;
  }

  /** Columns that have another value in these rows get vectors, in a chunk with room for them. */
  #vary(sources: Readonly<Record<string, ColumnSource>>): void {
    const before = this.#varying.length;
    for (const staged of this.#constant) {
      // A table cannot be without columns, so the first one always varies.
      if (staged === this.#columns[0] || !staged.keeps(sources[staged.column.name] ?? MISSING))
        this.#varying.push(staged);
    }
    if (this.#varying.length === before) return;
    this.#constant = this.#constant.filter((staged) => !this.#varying.includes(staged));
    const all = this.#constant.length + this.#varying.length;
    assert(all === this.#columns.length, "a column varies, or has one value");
    this.#chunk = DuckDBDataChunk.create(
      this.#varying.map(({ type }) => type),
      CHUNK_ROWS,
    );
    // The vectors of a chunk stay where they are: made once, each takes its numbers straight from here.
    for (const [index, staged] of this.#varying.entries())
      staged.moveTo(this.#chunk.getColumnVector(index) as unknown as Vector, this.#rows);
  }

  /** What was gathered, as a chunk that is valid until the next call. */
  chunk(): DuckDBDataChunk {
    const chunk = this.#chunk;
    assert(chunk !== undefined, "a chunk of no rows");
    chunk.reset();
    chunk.rowCount = this.#rows;
    for (const staged of this.#varying) staged.flush(this.#rows);
    this.#rows = 0;
    this.#textBytes = 0;
    return chunk;
  }

  /** All chunks of a segment have been taken; the next rows belong to another. */
  finish(): SegmentColumns {
    assert(this.#rows === 0, "rows that no chunk has yet");
    const finished = this.#columns.map((staged) => staged.finish());
    const dictionaries = new Map<number, readonly string[]>();
    for (const [place, { texts }] of finished.entries())
      if (texts !== undefined) dictionaries.set(place, texts);
    return {
      dictionaries,
      expressions: (dictionary) => finished.map(({ stored }, place) => stored(dictionary(place))),
    };
  }
}

const MISSING: ColumnSource = { all: null };
