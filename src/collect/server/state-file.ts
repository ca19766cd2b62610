/**
 * The base of the next sample, kept over restarts: a line of JSON, the columns of every target as in memory, and a
 * checksum. It contains the name of its segment, which therefore counts, whichever name it has on disk.
 */
import { crc32 } from "../../base/crc32.ts";
import { FormatError } from "../../base/errors.ts";
import { LOW } from "../../base/words.ts";
import type { SmallState } from "./small-counters.ts";
import { CounterTable, KEPT, TargetState } from "../../formats/lustre/index.ts";

export interface CollectorState {
  readonly host: string;
  /** Start of the collection: younger entries count in full. */
  readonly sinceNs: bigint;
  readonly lastNs: bigint;
  /** File name of its segment. */
  readonly segment: string;
  readonly table: CounterTable;
  readonly targets: ReadonlyMap<string, TargetState>;
  /** Single-number counters by target; those of the server under an empty name. */
  readonly small: ReadonlyMap<string, SmallState>;
}

const KIND = "collector-state";
const VERSION = 1;
const ORDER = LOW === 0 ? "little" : "big";
const NEWLINE = 10;

/** Columns of a target with the number of values in each. */
function columnsOf(state: TargetState) {
  const { rows, entries, idBytes } = state;
  return [
    state.snapshotNs.subarray(0, rows),
    state.startNs.subarray(0, rows),
    state.absentAt.subarray(0, rows),
    state.words.subarray(0, entries * KEPT),
    state.idFrom.subarray(0, rows),
    state.idTo.subarray(0, rows),
    state.idHash.subarray(0, rows),
    state.entryFrom.subarray(0, rows),
    state.entryTo.subarray(0, rows),
    state.column.subarray(0, entries),
    state.ids.subarray(0, idBytes),
  ];
}

/** Yields the bytes of a state in pieces. */
export function writeState(state: CollectorState, write: (bytes: Uint8Array) => void): void {
  let crc = 0;
  const put = (bytes: Uint8Array) => {
    crc = crc32(bytes, crc);
    write(bytes);
  };
  const { host, sinceNs, lastNs, segment, table, targets, small } = state;
  const head = {
    plimsoll: KIND,
    version: VERSION,
    order: ORDER,
    host,
    sinceNs: String(sinceNs),
    lastNs: String(lastNs),
    segment,
    names: table.names,
    units: table.units,
    targets: [...targets].map(([key, { readAtNs, rows, entries, idBytes }]) => ({
      key,
      readAtNs: String(readAtNs),
      rows,
      entries,
      idBytes,
    })),
    small: [...small].map(([key, { atNs, values }]) => ({
      key,
      atNs: String(atNs),
      values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    })),
  };
  put(new TextEncoder().encode(`${JSON.stringify(head)}\n`));
  for (const target of targets.values())
    for (const { buffer, byteOffset, byteLength } of columnsOf(target))
      put(new Uint8Array(buffer, byteOffset, byteLength));
  write(Uint8Array.of(crc >>> 24, crc >>> 16, crc >>> 8, crc));
}

interface Head {
  readonly host: string;
  readonly sinceNs: string;
  readonly lastNs: string;
  readonly segment: string;
  readonly names: readonly string[];
  readonly units: readonly string[];
  readonly targets: readonly {
    readonly key: string;
    readonly readAtNs: string;
    readonly rows: number;
    readonly entries: number;
    readonly idBytes: number;
  }[];
  /** Not there in states of earlier releases. */
  readonly small?: readonly {
    readonly key: string;
    readonly atNs: string;
    readonly values: Readonly<Record<string, string>>;
  }[];
}

/** Throws a FormatError if it is damaged or not a state file. */
export function readState(bytes: Uint8Array, name: string): CollectorState {
  const fault = (detail: string) => new FormatError(name, {}, detail);
  const end = bytes.length - 4;
  const newline = bytes.indexOf(NEWLINE);
  if (end < 0 || newline < 0 || newline >= end) throw fault("not a collector state file");
  const stored = new DataView(bytes.buffer, bytes.byteOffset).getUint32(end);
  if (crc32(bytes.subarray(0, end)) >>> 0 !== stored) throw fault("wrong checksum: truncated or damaged");
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, newline))) as Head & {
    plimsoll: string;
    version: number;
    order: string;
  };
  if (head.plimsoll !== KIND) throw fault("not a collector state file");
  if (head.version !== VERSION)
    throw fault(`version ${head.version}; this Plimsoll reads version ${VERSION}`);
  if (head.order !== ORDER) throw fault("written with another byte order");
  const table = new CounterTable();
  for (const [i, counter] of head.names.entries()) table.column(counter, head.units[i] as string);
  const targets = new Map<string, TargetState>();
  let at = newline + 1;
  for (const { key, readAtNs, rows, entries, idBytes } of head.targets) {
    const raw = new TargetState();
    const take = <T extends { readonly buffer: ArrayBufferLike }>(column: T, bytesOfColumn: number): T => {
      new Uint8Array(column.buffer).set(bytes.subarray(at, at + bytesOfColumn));
      at += bytesOfColumn;
      return column;
    };
    Object.assign(raw, { readAtNs: BigInt(readAtNs), rows, entries, idBytes });
    raw.snapshotNs = take(new BigInt64Array(rows), 8 * rows);
    raw.startNs = take(new BigInt64Array(rows), 8 * rows);
    raw.absentAt = take(new Float64Array(rows), 8 * rows);
    raw.words = take(new BigUint64Array(entries * KEPT), 8 * KEPT * entries);
    raw.halves = new Uint32Array(raw.words.buffer);
    raw.idFrom = take(new Uint32Array(rows), 4 * rows);
    raw.idTo = take(new Uint32Array(rows), 4 * rows);
    raw.idHash = take(new Int32Array(rows), 4 * rows);
    raw.entryFrom = take(new Uint32Array(rows), 4 * rows);
    raw.entryTo = take(new Uint32Array(rows), 4 * rows);
    raw.column = take(new Uint16Array(entries), 2 * entries);
    raw.ids = take(new Uint8Array(idBytes), idBytes);
    const target = new TargetState();
    target.assign(raw);
    targets.set(key, target);
  }
  if (at !== end) throw fault("length differs from the header");
  const { host, segment } = head;
  const small = new Map<string, SmallState>();
  for (const { key, atNs, values } of head.small ?? []) {
    const numbers = Object.entries(values).map(([name, text]) => [name, BigInt(text)] as const);
    small.set(key, { atNs: BigInt(atNs), values: Object.fromEntries(numbers) });
  }
  const [sinceNs, lastNs] = [BigInt(head.sinceNs), BigInt(head.lastNs)];
  return { host, segment, sinceNs, lastNs, table, targets, small };
}
