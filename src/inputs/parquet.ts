/** Accesses in a Parquet file, through DuckDB, chunk by chunk. docs/bps.md says which columns are known. */
import { tmpdir } from "node:os";
import {
  accessColumns,
  AccessRows,
  clockOf,
  type Column,
  NUMBER_COLUMNS,
  textColumns,
  type TimeKind,
  timeKind,
} from "../formats/parquet/access-table.ts";
import type { CallSink } from "../model/index.ts";
import type { Database } from "../store/index.ts";

export async function readParquet(
  path: string,
  sink: CallSink,
  memoryBytes: number,
  yieldToEvents: () => Promise<void>,
): Promise<void> {
  const { openDatabase } = await import("../store/database.ts");
  const { fileError } = await import("../store/engine-error.ts");
  const database = await openDatabase("", { memoryBytes, tempFolder: tmpdir() });
  try {
    await readWith(database, path, sink, yieldToEvents);
  } catch (error) {
    throw fileError(error, path, memoryBytes);
  } finally {
    database.close();
  }
}

async function readWith(
  { connection }: Database,
  path: string,
  sink: CallSink,
  yieldToEvents: () => Promise<void>,
): Promise<void> {
  const { parquetRows, quoteName } = await import("../store/database.ts");
  const from = parquetRows([path]);
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS();
  const columns = accessColumns(path, (await rows(`describe select * from ${from}`)).map(columnOf));
  const time = TIMES[timeKind(path, columns)];
  const [start, end] = [time.value(quoteName(columns.start.name)), time.value(quoteName(columns.end.name))];
  const [extent] = await rows(`select min(${start}) as first from ${from}`);
  const { clock, base } = clockOf(timeKind(path, columns), extent?.first);
  sink.clock(clock);
  const texts = textColumns(columns);
  const number = (column: Column | undefined) =>
    column === undefined ? "'nan'::double" : `coalesce(${quoteName(column.name)}::double, 'nan'::double)`;
  const selected = [
    ...[start, end].map((sql) => `coalesce((${time.scaled(sql, base)})::double, 'nan'::double)`),
    ...NUMBER_COLUMNS.map((role) => number(columns[role])),
    ...texts.map((role) => `coalesce(${quoteName((columns[role] as Column).name)}::varchar, '')`),
  ];
  const result = await connection.stream(`select ${selected.join(", ")} from ${from}`);
  const into = new AccessRows(sink, columns);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const items = (at: number) => (chunk.getColumnVector(at) as unknown as { items: Float64Array }).items;
    into.take({
      ...{ count: chunk.rowCount, startNs: items(0), endNs: items(1) },
      numbers: NUMBER_COLUMNS.map((_, at) => items(2 + at)),
      texts: texts.map((_, at) => chunk.getColumnValues(2 + NUMBER_COLUMNS.length + at) as string[]),
    });
    await yieldToEvents();
  }
}

const columnOf = (row: Record<string, unknown>): Column => ({
  name: String(row.column_name),
  type: String(row.column_type),
});

interface TimeSql {
  /** The value, in whole nanoseconds or in seconds. */
  value(column: string): string;
  /** Nanoseconds since the base. */
  scaled(sql: string, base: bigint): string;
}

const whole = (sql: string, base: bigint) => `${sql} - ${base}::hugeint`;

const TIMES: Readonly<Record<TimeKind, TimeSql>> = {
  instant: { value: (column) => `epoch_ns(${column})`, scaled: whole },
  nanoseconds: { value: (column) => `${column}::hugeint`, scaled: whole },
  seconds: { value: (column) => column, scaled: (sql, base) => `round((${sql} - ${base}) * 1e9)` },
};
