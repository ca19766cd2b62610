/** The types of the model in SQL and Parquet. */
import type { ColumnType } from "../model/index.ts";

const TYPES: Readonly<Record<ColumnType, string>> = {
  i64: "BIGINT",
  u64: "UBIGINT",
  i32: "INTEGER",
  f64: "DOUBLE",
  text: "VARCHAR",
  flag: "UTINYINT",
};

export const sqlType = (type: ColumnType): string => TYPES[type];
