/** A table of accesses, whatever reads its Parquet file: known columns, kinds of times, rows as calls. docs/bps.md lists the columns. */
import { FormatError } from "../../base/errors.ts";
import {
  CALL_COLLECTIVE,
  CALL_ERROR,
  CALL_NESTED,
  type CallClock,
  type CallSink,
  layerNamed,
  operationNamed,
} from "../../model/index.ts";

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
  offset: ["offset"],
  layer: ["layer"],
  failed: ["failed"],
  nested: ["nested"],
  collective: ["collective"],
} as const;
type Role = keyof typeof COLUMNS;

/** Numbers beside the times, in the order in which `AccessRows` takes them. */
const FLAGS = ["failed", "nested", "collective"] as const;
export const NUMBER_COLUMNS = ["bytes", "moved", "pid", "rank", "offset", ...FLAGS] as const;
const TEXT_COLUMNS = ["file", "op", "host", "layer"] as const;
type TextColumn = (typeof TEXT_COLUMNS)[number];

export interface Column {
  readonly name: string;
  /** As SQL names it. */
  readonly type: string;
}

type AccessColumns = Partial<Record<Role, Column>> & Record<"bytes" | "start" | "end", Column>;

/** The columns of a table that mean something here. */
export function accessColumns(path: string, described: readonly Column[]): AccessColumns {
  const byName = new Map(described.map((column) => [column.name.toLowerCase(), column]));
  const found: Partial<Record<Role, Column>> = {};
  for (const [role, names] of Object.entries(COLUMNS) as [Role, readonly string[]][]) {
    const name = names.find((one) => byName.has(one));
    if (name !== undefined) found[role] = byName.get(name) as Column;
  }
  for (const role of FLAGS) if (!/INT/.test(found[role]?.type ?? "")) delete found[role];
  for (const role of ["bytes", "start", "end"] as const)
    if (found[role] === undefined)
      throw new FormatError(
        path,
        {},
        `no column ${role} (columns: ${[...byName.keys()].slice(0, 20).join(", ")}); expected pid, bytes, start, end and perhaps moved, offset, file, op, layer, rank, host`,
      );
  return found as AccessColumns;
}

export const textColumns = (columns: AccessColumns): TextColumn[] =>
  TEXT_COLUMNS.filter((role) => columns[role] !== undefined);

export type TimeKind = "instant" | "nanoseconds" | "seconds";

/** What the times of a table are, by their type; both columns must agree. */
export function timeKind(path: string, { start, end }: AccessColumns): TimeKind {
  const [kind, other] = [kindOf(path, start), kindOf(path, end)];
  if (kind === other) return kind;
  throw new FormatError(
    path,
    {},
    `start is ${start.type} and end is ${end.type}; both must have the same type`,
  );
}

function kindOf(path: string, { name, type }: Column): TimeKind {
  if (type.startsWith("TIMESTAMP")) return "instant";
  if (/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/.test(type)) return "nanoseconds";
  if (/^(DOUBLE|FLOAT|DECIMAL.*)$/.test(type)) return "seconds";
  throw new FormatError(
    path,
    {},
    `column ${name} is ${type}; expected DOUBLE (seconds), an integer (nanoseconds) or TIMESTAMP`,
  );
}

/** Seconds since 1970 from 1973 on; no machine is up for three years. */
const REALTIME_SECONDS = 1e8;
/** The year 33658: beyond, a number is no time. */
const LAST_SECONDS = 1e12;

/**
 * What times count from: the first start, in whole seconds so that nothing is rounded. `base` has the unit of the column:
 * seconds, or nanoseconds.
 */
export function clockOf(kind: TimeKind, first: unknown): { clock: CallClock; base: bigint } {
  const own = { clock: { kind: "own", epochNs: 0n }, base: 0n } as const;
  if (first === null || first === undefined) return own;
  if (kind === "seconds") {
    const seconds = Math.floor(Number(first));
    if (!(seconds > REALTIME_SECONDS && seconds < LAST_SECONDS)) return own;
    const base = BigInt(seconds);
    return { clock: { kind: "realtime", epochNs: base * 1_000_000_000n }, base };
  }
  const epochNs = BigInt(first as bigint | number);
  if (kind === "nanoseconds" && epochNs < BigInt(REALTIME_SECONDS) * 1_000_000_000n) return own;
  return { clock: { kind: "realtime", epochNs }, base: epochNs };
}

/** Some rows: times in nanoseconds since the base, numbers in the order of `NUMBER_COLUMNS`; what is missing is NaN. */
interface AccessChunk {
  readonly count: number;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly numbers: readonly Float64Array[];
  /** In the order of `textColumns`. */
  readonly texts: readonly (readonly string[])[];
}

/** Turns chunks into blocks of calls. */
export class AccessRows {
  readonly #sink: CallSink;
  readonly #texts: readonly TextColumn[];
  readonly #hasMoved: boolean;
  readonly #hasOffset: boolean;
  readonly #files = new Map<string, number>();
  readonly #processes = new Map<string, number>();
  #process = new Uint32Array(2048);
  #file = new Uint32Array(2048);
  #operation = new Uint8Array(2048);
  #layer = new Uint8Array(2048);
  #flags = new Uint8Array(2048);

  constructor(sink: CallSink, columns: AccessColumns) {
    this.#sink = sink;
    this.#texts = textColumns(columns);
    this.#hasMoved = columns.moved !== undefined;
    if (columns.op === undefined) sink.tellsNoDirections?.();
    this.#hasOffset = columns.offset !== undefined;
  }

  take({ count, startNs, endNs, numbers, texts }: AccessChunk): void {
    if (this.#file.length < count) {
      this.#process = new Uint32Array(count);
      this.#file = new Uint32Array(count);
      this.#operation = new Uint8Array(count);
      this.#layer = new Uint8Array(count);
      this.#flags = new Uint8Array(count);
    }
    const text = (role: TextColumn) => texts[this.#texts.indexOf(role)];
    const [files, ops, hosts, layers] = [text("file"), text("op"), text("host"), text("layer")];
    const number = (role: (typeof NUMBER_COLUMNS)[number]) =>
      numbers[NUMBER_COLUMNS.indexOf(role)] as Float64Array;
    const [bytes, movedBytes, offset] = [number("bytes"), number("moved"), number("offset")];
    const [pids, ranks] = [number("pid"), number("rank")];
    const [failed, nested, collective] = [number("failed"), number("nested"), number("collective")];
    for (let i = 0; i < count; i++) {
      this.#file[i] = this.#fileOf(files?.[i] ?? "");
      this.#operation[i] = operationNamed(ops?.[i] ?? "");
      this.#layer[i] = layerNamed(layers?.[i] ?? "");
      this.#flags[i] =
        (failed[i] === 1 ? CALL_ERROR : 0) |
        (nested[i] === 1 ? CALL_NESTED : 0) |
        (collective[i] === 1 ? CALL_COLLECTIVE : 0);
      const tells = !Number.isNaN(collective[i]);
      this.#process[i] = this.#processOf(pids[i] as number, ranks[i] as number, hosts?.[i] ?? "", tells);
    }
    this.#sink.block({
      ...{ count, startNs, endNs, bytes },
      ...(this.#hasMoved ? { movedBytes } : {}),
      ...(this.#hasOffset ? { offset } : {}),
      ...{ process: this.#process, file: this.#file, operation: this.#operation },
      ...{ layer: this.#layer, flags: this.#flags },
    });
  }

  #fileOf(path: string): number {
    let file = this.#files.get(path);
    if (file === undefined) this.#files.set(path, (file = this.#sink.file({ path })));
    return file;
  }

  /** Without process numbers the rank tells processes apart. */
  #processOf(pid: number, rank: number, host: string, tellsCollectives: boolean): number {
    const key = `${pid} ${rank} ${host}`;
    let number = this.#processes.get(key);
    if (number === undefined) {
      number = this.#sink.process({
        pid: Number.isNaN(pid) ? (Number.isNaN(rank) ? 0 : rank) : pid,
        ...(Number.isNaN(rank) ? {} : { rank }),
        ...(host === "" ? {} : { host }),
        ...(tellsCollectives ? { tellsCollectives } : {}),
      });
      this.#processes.set(key, number);
    }
    return number;
  }
}
