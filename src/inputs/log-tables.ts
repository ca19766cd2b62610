/** File runs and counters of one Darshan log as tables, with the names of the store's columns. */
import { createHash } from "node:crypto";
import { counterValues } from "../formats/darshan/counter-values.ts";
import { decode } from "../formats/darshan/job.ts";
import type { DarshanLog } from "../formats/darshan/log.ts";
import { decodeRecord } from "../formats/darshan/records.ts";
import { type Identity, StoredRows } from "../formats/darshan/stored-rows.ts";
import type { ColumnBlock } from "../formats/export/index.ts";
import { columns, MISSING_I64, storedAccesses, type TableSchema } from "../model/index.ts";
import type { LogHost } from "./log/index.ts";

export const LOG_TABLES = ["files", "counters"] as const;
export type LogTable = (typeof LOG_TABLES)[number];

const [pathColumn] = columns("path text - | name of the file; missing when the log has none | name table");

/** The store's `accesses` with names, so that no join is needed. */
const FILES: TableSchema = {
  ...storedAccesses,
  name: "files",
  columns: storedAccesses.columns.flatMap((column) =>
    column.name === "file_id" && pathColumn !== undefined ? [column, pathColumn] : [column],
  ),
};

const COUNTERS: TableSchema = {
  name: "counters",
  row: "one counter of one record",
  filledBy: "export",
  columns: columns(`
    module text - | module | module
    rank i64 - | process; -1 when all ranks share the record | rank of the record
    file_id u64 - | record id | record id
    path text - | name; missing when the log has none | name table
    name text - | counter as the source names it | counter
    integer i64 - | value of an integer counter | counter
    real f64 - | value of a real counter | counter
    text text - | value of a counter that is a text | counter
  `),
};

export const logTableSchema = (table: LogTable): TableSchema => (table === "files" ? FILES : COUNTERS);

/** The rows of a table of one log, block by block. */
export async function logTable(
  log: DarshanLog,
  path: string,
  table: LogTable,
  host: LogHost,
): Promise<Iterable<ColumnBlock>> {
  return table === "files" ? fileRuns(log, path, host) : counterRows(log);
}

async function fileRuns(log: DarshanLog, path: string, host: LogHost): Promise<ColumnBlock[]> {
  const rows = new StoredRows({ identify, nowUnixSeconds: Date.now() / 1000 });
  rows.add(log, path, identityOf(path, host));
  const blocks: ColumnBlock[] = [];
  await rows.flush({
    append: async (table, count, values) => {
      if (table.name !== storedAccesses.name) return;
      const ids = values.file_id as BigUint64Array;
      const names = Array.from({ length: count }, (_, row) => nameOf(log, ids[row] as bigint));
      const whole = Object.fromEntries(
        Object.entries({ ...values, path: names }).map(([name, column]) => [
          name,
          copied(column as never, count),
        ]),
      );
      blocks.push({ count, columns: whole });
    },
  });
  return blocks;
}

/** The rows are emptied when they were handed out. */
const copied = <T extends { slice(from: number, to: number): T }>(column: T, count: number): T =>
  column.slice(0, count);

const identify = (name: string | Uint8Array): Identity =>
  firstBytes(createHash("sha256").update(name).digest());

const PIECE_BYTES = 1 << 20;

/** Of the file as it lies there, as the store does. */
function identityOf(path: string, host: LogHost): Identity {
  const source = host.open(path, { partly: true, wanted: () => false });
  try {
    const hash = createHash("sha256");
    for (let at = 0; at < source.byteLength; at += PIECE_BYTES) hash.update(source.read(at, PIECE_BYTES));
    return firstBytes(hash.digest());
  } finally {
    source.close();
  }
}

const firstBytes = (hash: Buffer): Identity => ({ low: hash.readUInt32BE(4), high: hash.readUInt32BE(0) });

function nameOf(log: DarshanLog, id: bigint): string | null {
  const bytes = log.names.bytesOf(Number(id & 0xffffffffn), Number(id >> 32n));
  return bytes === undefined ? null : decode(bytes);
}

const BLOCK_ROWS = 122_880;

function* counterRows(log: DarshanLog): Generator<ColumnBlock> {
  let rows = new CounterRows();
  for (const entry of log.modules) {
    const { spec } = entry;
    if (spec === undefined || spec.kind === "dxt") continue;
    let syncTimes = false;
    for (const block of log.records(entry))
      for (let k = 0; k < block.count; k++) {
        const record = decodeRecord(spec, block, k);
        if (record.kind === "header") syncTimes = record.syncFlag !== undefined && record.syncFlag !== 0;
        const path = nameOf(log, record.id);
        for (const [name, value] of counterValues(spec, record, syncTimes))
          rows.push(spec.name, record.rank, record.id, path, name, value);
        if (rows.count < BLOCK_ROWS) continue;
        yield rows.block();
        rows = new CounterRows();
      }
  }
  if (rows.count > 0) yield rows.block();
}

class CounterRows {
  readonly #texts: Record<"module" | "path" | "name" | "text", (string | null)[]> = {
    ...{ module: [], path: [], name: [], text: [] },
  };
  readonly #ranks: bigint[] = [];
  readonly #ids: bigint[] = [];
  readonly #integers: bigint[] = [];
  readonly #reals: number[] = [];

  get count(): number {
    return this.#ids.length;
  }

  push(
    module: string,
    rank: bigint,
    id: bigint,
    path: string | null,
    name: string,
    value: string | number | bigint | Uint8Array,
  ): void {
    this.#texts.module.push(module);
    this.#texts.path.push(path);
    this.#texts.name.push(name);
    this.#ranks.push(rank);
    this.#ids.push(id);
    this.#integers.push(typeof value === "bigint" ? BigInt.asIntN(64, value) : MISSING_I64);
    this.#reals.push(typeof value === "number" ? value : Number.NaN);
    this.#texts.text.push(
      typeof value === "string" ? value : value instanceof Uint8Array ? decode(value) : null,
    );
  }

  block(): ColumnBlock {
    return {
      count: this.count,
      columns: {
        ...this.#texts,
        rank: BigInt64Array.from(this.#ranks),
        file_id: BigUint64Array.from(this.#ids),
        integer: BigInt64Array.from(this.#integers),
        real: Float64Array.from(this.#reals),
      },
    };
  }
}
