/** A database in memory with the tables of a store, for tests. */
import { DuckDBInstance } from "@duckdb/node-api";
import type { Spill } from "../../../base/spill.ts";
import type { Queryable, RawColumn, SqlRow, SqlValue } from "../../../model/query.ts";
import type { ColumnType } from "../../../model/schema.ts";
import { STORE_SCHEMA } from "../../../model/store-schema.ts";

const TYPES: Readonly<Record<ColumnType, string>> = {
  i64: "bigint",
  u64: "ubigint",
  i32: "integer",
  f64: "double",
  text: "varchar",
  flag: "utinyint",
};

export interface MemoryStore extends Queryable {
  /** Rows by column name; what is left out is NULL. */
  insert(table: string, rows: readonly Readonly<Record<string, SqlValue>>[]): Promise<void>;
  close(): void;
}

export async function memoryStore(settings: Record<string, string> = {}): Promise<MemoryStore> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2", ...settings });
  const connection = await instance.connect();
  const run = async (sql: string) => void (await connection.run(sql));
  for (const { name, columns } of STORE_SCHEMA)
    await run(
      `create table ${name} (${columns.map((column) => `${column.name} ${TYPES[column.type]}`).join(", ")})`,
    );
  return {
    run,
    async rows(sql) {
      return (await (await connection.runAndReadAll(sql)).getRowObjects()) as SqlRow[];
    },
    async columns(sql) {
      const reader = await connection.runAndReadAll(sql);
      const names = reader.columnNames();
      const data = reader.getColumns();
      return Object.fromEntries(
        names.map((name, i) => [
          name,
          Float64Array.from(data[i] ?? [], (value) => (value === null ? Number.NaN : Number(value))),
        ]),
      );
    },
    async scan(sql, take) {
      for (const one of typeof sql === "string" ? [sql] : sql) {
        const result = await connection.stream(one);
        for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
          const columns = chunk.getColumns().map((values) => raw(values as (number | bigint)[]));
          take(chunk.rowCount, columns);
        }
      }
    },
    // Two, so that what is read side by side is seen to be put together.
    async shares(table) {
      const names = [0, 1].map((index) => `${table}_share_${index}`);
      for (const [index, name] of names.entries())
        await run(`create or replace view ${name} as select * from ${table} where rowid % 2 = ${index}`);
      return names;
    },
    async limitMemory() {},
    async insert(table, rows) {
      const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      for (let from = 0; from < rows.length; from += 500) {
        const some = rows
          .slice(from, from + 500)
          .map((row) => `(${names.map((name) => literal(row[name])).join(", ")})`);
        await run(`insert into ${table} (${names.join(", ")}) values ${some.join(", ")}`);
      }
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Pieces behind each other, each given back whole. */
export class PieceSpill implements Spill {
  readonly pieces = new Map<number, Uint8Array>();
  #bytes = 0;

  append(bytes: Uint8Array): void {
    this.pieces.set(this.#bytes, bytes.slice());
    this.#bytes += bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    const piece = this.pieces.get(offset);
    if (piece?.length !== length) throw new Error(`no piece of ${length} bytes at ${offset}`);
    return piece.slice();
  }
}

/** Numbers as DuckDB stores them, whatever width they had; NULL would be an error. */
function raw(values: readonly (number | bigint)[]): RawColumn {
  if (typeof values[0] === "number") return Float64Array.from(values as number[]);
  return new Uint32Array(BigInt64Array.from(values as bigint[], (value) => BigInt.asIntN(64, value)).buffer);
}

function literal(value: SqlValue | undefined): string {
  if (value === null || value === undefined || (typeof value === "number" && Number.isNaN(value)))
    return "null";
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
