/** Tables of a log, block by block, as CSV and Parquet. */
import { csvRow } from "../../base/csv.ts";
import type { TableSchema, Value } from "../../model/index.ts";
import { MISSING_I64 } from "../../model/index.ts";
import { type ParquetValues, ParquetWriter } from "../parquet/writer.ts";

/** Rows as columns, by name. */
export interface ColumnBlock {
  readonly count: number;
  readonly columns: Readonly<Record<string, ParquetValues>>;
}

type Columns = Pick<TableSchema, "columns">;

export function* tableParquet(
  { columns }: Columns,
  blocks: Iterable<ColumnBlock>,
  { madeBy, synthetic }: { readonly madeBy: string; readonly synthetic: boolean },
): Generator<Uint8Array> {
  const writer = new ParquetWriter(columns, {
    madeBy,
    ...(synthetic ? { facts: { "plimsoll.origin": "synthetic" } } : {}),
  });
  yield* writer.start();
  for (const block of blocks)
    if (block.count > 0)
      yield* writer.rowGroup(
        block.count,
        columns.map(({ name }) => block.columns[name] as ParquetValues),
      );
  yield* writer.finish();
}

/** Rows of a log that a generator made say so in a last column. */
export function* tableCsv(
  { columns }: Columns,
  blocks: Iterable<ColumnBlock>,
  synthetic: boolean,
): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const [name, value] = synthetic
    ? ([",origin\r\n", ",synthetic\r\n"] as const)
    : (["\r\n", "\r\n"] as const);
  yield encoder.encode(`${csvRow(columns.map((column) => column.name))}${name}`);
  for (const { count, columns: values } of blocks) {
    const sources = columns.map(({ name }) => values[name] as readonly Value[]);
    const lines: string[] = [];
    for (let row = 0; row < count; row++)
      lines.push(
        `${csvRow(sources.map((source) => (source[row] === MISSING_I64 ? null : source[row])))}${value}`,
      );
    yield encoder.encode(lines.join(""));
  }
}
