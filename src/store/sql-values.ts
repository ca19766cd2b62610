/** Values as DuckDB gives them, as ours. */
import { withRoom } from "../base/room.ts";
import { type DuckDBValue, DuckDBDecimalValue, DuckDBTypeId } from "@duckdb/node-api";
import type { SqlValue } from "../model/index.ts";

/** Decimals become doubles, since `0.5 * x` is a decimal in SQL. */
export function plainValue(value: DuckDBValue): SqlValue {
  return value instanceof DuckDBDecimalValue ? value.toDouble() : exactValue(value);
}

/** Decimals beyond 15 digits stay exact, as text. */
export function exactValue(value: DuckDBValue): SqlValue {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof DuckDBDecimalValue && value.value < 10n ** 15n && value.value > -(10n ** 15n))
    return value.toDouble();
  return value.toString();
}

export const NUMERIC: ReadonlySet<number> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
]);

export class GrowingDoubles {
  #values = new Float64Array(2048);
  #length = 0;

  push(part: Float64Array): void {
    if (this.#length + part.length > this.#values.length)
      this.#values = withRoom(this.#values, Math.max(2 * this.#values.length, this.#length + part.length));
    this.#values.set(part, this.#length);
    this.#length += part.length;
  }

  get length(): number {
    return this.#length;
  }

  finish(): Float64Array {
    return this.#values.slice(0, this.#length);
  }
}
