/** Accesses in a Parquet file, through DuckDB, chunk by chunk. docs/bps.md says which columns are known. */
import { tmpdir } from "node:os";
import { FormatError } from "../base/errors.ts";
import { type CallSink, operationNamed } from "../model/index.ts";
import type { Database } from "../store/index.ts";

/** Names by which a column is known; the first one of the file that fits is taken. */
const COLUMNS = {
  pid: ["pid", "process", "process_id"],
  bytes: ["bytes", "size", "length"],
  start: ["start", "start_time", "start_ns"],
  end: ["end", "end_time", "end_ns"],
  moved: ["moved", "moved_bytes", "bytes_moved"],
  rank: ["rank"],
  file: ["file", "path"],
  op: ["op", "operation", "direction"],
  host: ["host", "hostname"],
} as const;
type Role = keyof typeof COLUMNS;
/** Columns in front of the texts: start, end, bytes, moved, pid, rank. */
const NUMBERS = 6;

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Seconds since 1970 from 1973 on; no machine is up for three years. */
const REALTIME_SECONDS = 1e8;
/** The year 33658: beyond, a number is no time. */
const LAST_SECONDS = 1e12;

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
  const columns = columnsOf(path, await rows(`describe select * from ${from}`));
  const start = timeOf(path, columns.start as Column, quoteName);
  const end = timeOf(path, columns.end as Column, quoteName);
  if (start.kind !== end.kind)
    throw new FormatError(
      path,
      {},
      `start is ${columns.start?.type} and end is ${columns.end?.type}; both must have the same type`,
    );
  const [extent] = await rows(`select min(${start.sql}) as first from ${from}`);
  const base = baseOf(start.kind, extent?.first);
  sink.clock(base.clock);
  const texts = (["file", "op", "host"] as const).filter((role) => columns[role] !== undefined);
  const number = (role: Role) =>
    columns[role] === undefined
      ? "'nan'::double"
      : `coalesce(${quoteName(columns[role].name)}::double, 'nan'::double)`;
  const times = [start, end].map(
    ({ sql }) => `coalesce((${start.scaled(sql, base.sql)})::double, 'nan'::double)`,
  );
  const selected = [
    ...times,
    ...(["bytes", "moved", "pid", "rank"] as const).map(number),
    ...texts.map((role) => `coalesce(${quoteName((columns[role] as Column).name)}::varchar, '')`),
  ];
  const result = await connection.stream(`select ${selected.join(", ")} from ${from}`);
  const taker = new ChunkTaker(sink, texts, columns.moved !== undefined);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const items = (at: number) => (chunk.getColumnVector(at) as unknown as { items: Float64Array }).items;
    const names = texts.map((_, at) => chunk.getColumnValues(NUMBERS + at) as string[]);
    taker.take(chunk.rowCount, items, names);
    await yieldToEvents();
  }
}

function columnsOf(
  path: string,
  described: readonly Record<string, unknown>[],
): Partial<Record<Role, Column>> {
  const byName = new Map(
    described.map((row) => [
      String(row.column_name).toLowerCase(),
      { name: String(row.column_name), type: String(row.column_type) },
    ]),
  );
  const found: Partial<Record<Role, Column>> = {};
  for (const [role, names] of Object.entries(COLUMNS) as [Role, readonly string[]][]) {
    const name = names.find((one) => byName.has(one));
    if (name !== undefined) found[role] = byName.get(name) as Column;
  }
  for (const role of ["bytes", "start", "end"] as const)
    if (found[role] === undefined)
      throw new FormatError(
        path,
        {},
        `no column ${role} (columns: ${[...byName.keys()].slice(0, 20).join(", ")}); expected pid, bytes, start, end and perhaps moved, file, op, rank, host`,
      );
  return found;
}

interface Time {
  readonly kind: "instant" | "nanoseconds" | "seconds";
  /** The value, in whole nanoseconds or in seconds. */
  readonly sql: string;
  /** Nanoseconds since `base`. */
  scaled(sql: string, base: string): string;
}

function timeOf(path: string, { name, type }: Column, quote: (name: string) => string): Time {
  const column = quote(name);
  const whole = (sql: string, base: string) => `${sql} - ${base}`;
  if (type.startsWith("TIMESTAMP")) return { kind: "instant", sql: `epoch_ns(${column})`, scaled: whole };
  if (/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/.test(type))
    return { kind: "nanoseconds", sql: `${column}::hugeint`, scaled: whole };
  if (/^(DOUBLE|FLOAT|DECIMAL.*)$/.test(type))
    return { kind: "seconds", sql: column, scaled: (sql, base) => `round((${sql} - ${base}) * 1e9)` };
  throw new FormatError(
    path,
    {},
    `column ${name} is ${type}; expected DOUBLE (seconds), an integer (nanoseconds) or TIMESTAMP`,
  );
}

/** What times count from: the first start, in whole seconds so that nothing is rounded. */
function baseOf(kind: Time["kind"], first: unknown) {
  const own = { clock: { kind: "own", epochNs: 0n }, sql: "0" } as const;
  if (first === null || first === undefined) return own;
  if (kind === "seconds") {
    const seconds = Math.floor(Number(first));
    if (!(seconds > REALTIME_SECONDS && seconds < LAST_SECONDS)) return own;
    return {
      clock: { kind: "realtime", epochNs: BigInt(seconds) * 1_000_000_000n },
      sql: String(seconds),
    } as const;
  }
  const epochNs = BigInt(first as bigint | number);
  if (kind === "nanoseconds" && epochNs < BigInt(REALTIME_SECONDS) * 1_000_000_000n) return own;
  return { clock: { kind: "realtime", epochNs }, sql: `${epochNs}::hugeint` } as const;
}

/** Turns chunks into blocks. */
class ChunkTaker {
  readonly #sink: CallSink;
  readonly #texts: readonly ("file" | "op" | "host")[];
  readonly #hasMoved: boolean;
  readonly #files = new Map<string, number>();
  readonly #processes = new Map<string, number>();
  #process = new Uint32Array(2048);
  #file = new Uint32Array(2048);
  #operation = new Uint8Array(2048);
  /** All zero: POSIX, and nothing to say. */
  #zeros = new Uint8Array(2048);

  constructor(sink: CallSink, texts: readonly ("file" | "op" | "host")[], hasMoved: boolean) {
    this.#sink = sink;
    this.#texts = texts;
    this.#hasMoved = hasMoved;
  }

  take(count: number, items: (at: number) => Float64Array, names: readonly string[][]): void {
    if (this.#process.length < count) {
      this.#process = new Uint32Array(count);
      this.#file = new Uint32Array(count);
      this.#operation = new Uint8Array(count);
      this.#zeros = new Uint8Array(count);
    }
    const text = (role: "file" | "op" | "host") => names[this.#texts.indexOf(role)];
    const [files, ops, hosts] = [text("file"), text("op"), text("host")];
    const [pids, ranks] = [items(4), items(5)];
    for (let i = 0; i < count; i++) {
      this.#file[i] = this.#fileOf(files?.[i] ?? "");
      this.#operation[i] = operationNamed(ops?.[i] ?? "");
      this.#process[i] = this.#processOf(pids[i] as number, ranks[i] as number, hosts?.[i] ?? "");
    }
    this.#sink.block({
      count,
      startNs: items(0),
      endNs: items(1),
      bytes: items(2),
      ...(this.#hasMoved ? { movedBytes: items(3) } : {}),
      ...{ process: this.#process, file: this.#file, operation: this.#operation },
      ...{ layer: this.#zeros, flags: this.#zeros },
    });
  }

  #fileOf(path: string): number {
    let file = this.#files.get(path);
    if (file === undefined) this.#files.set(path, (file = this.#sink.file({ path })));
    return file;
  }

  /** Without process numbers the rank tells processes apart. */
  #processOf(pid: number, rank: number, host: string): number {
    const key = `${pid} ${rank} ${host}`;
    let process = this.#processes.get(key);
    if (process === undefined) {
      process = this.#sink.process({
        pid: Number.isNaN(pid) ? (Number.isNaN(rank) ? 0 : rank) : pid,
        ...(Number.isNaN(rank) ? {} : { rank }),
        ...(host === "" ? {} : { host }),
      });
      this.#processes.set(key, process);
    }
    return process;
  }
}
