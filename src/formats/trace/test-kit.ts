/** Trace files made by hand, in either byte order. */
import {
  BYTE_ORDER_MARK,
  HEADER,
  HEADER_BYTES,
  KIND,
  MAGIC,
  NAME_PART_AT,
  NAME_PART_BYTES,
  RECORD_BYTES,
  RECORD_SHORT,
} from "./layout.ts";

export interface MadeAccess {
  readonly kind?: number;
  readonly flags?: number;
  readonly file?: number;
  readonly bytes: bigint | number;
  /** Where it differs from `bytes`. */
  readonly moved?: number;
  /** Of traces of version 2. */
  readonly offset?: bigint;
  readonly start: bigint;
  readonly end: bigint;
}

export interface MadeTrace {
  readonly little?: boolean;
  readonly names?: Readonly<Record<number, string>>;
  /** Type and path of the file system of all names. */
  readonly mount?: readonly [type: string, path: string];
  readonly accesses?: readonly MadeAccess[];
  /** Over the counted ones. */
  readonly count?: number;
  readonly capacity?: number;
  readonly header?: Partial<Record<keyof typeof HEADER, bigint>>;
}

const START = 1n << 60n;
export const START_MONOTONIC = START;
export const OFFSET = 12345n;

export function makeTrace({
  little = true,
  names = {},
  mount,
  accesses = [],
  count,
  capacity,
  header = {},
}: MadeTrace): Uint8Array {
  const records: Uint8Array[] = [];
  const record = (
    thread: number,
    kind: number,
    flags: number,
    file: number,
    bytes: bigint,
    start: bigint,
    end: bigint,
  ) => {
    const view = new DataView(new ArrayBuffer(RECORD_BYTES));
    view.setUint32(0, thread, little);
    view.setUint8(4, kind);
    view.setUint8(5, flags);
    view.setUint16(6, file, little);
    view.setBigInt64(8, bytes, little);
    view.setBigUint64(16, start, little);
    view.setBigUint64(24, end, little);
    records.push(new Uint8Array(view.buffer));
  };
  const text = (kind: number, number: number, value: string, start: bigint) => {
    const text = new TextEncoder().encode(value);
    record(text.length, kind, 0, number, 0n, start, 7n);
    for (let at = 0; at < text.length; at += NAME_PART_BYTES) {
      const part = new Uint8Array(RECORD_BYTES);
      part[4] = KIND.namePart;
      part.set(text.subarray(at, at + NAME_PART_BYTES), NAME_PART_AT);
      records.push(part);
    }
  };
  if (mount !== undefined) text(KIND.mount, 3, mount.join("\t"), 0n);
  for (const [file, path] of Object.entries(names))
    text(KIND.name, Number(file), path, mount === undefined ? 0xef53n : 0xef53n | (3n << 32n));
  for (const { kind = 1, flags = 0, file = 0, bytes, moved, offset, start, end } of accesses) {
    const all = flags | (moved === undefined ? 0 : RECORD_SHORT);
    if (offset === undefined) record(9, kind, all, file, BigInt(bytes), start, end);
    else {
      const size = BigInt.asIntN(64, BigInt(bytes) | (((offset >> 32n) | 0x80000000n) << 32n));
      record(Number(offset & 0xffffffffn), kind, all, file, size, start, end);
    }
    if (moved !== undefined) record(9, KIND.moved, flags, file, BigInt(moved), start, end);
  }
  const out = new Uint8Array(HEADER_BYTES + records.length * RECORD_BYTES);
  const view = new DataView(out.buffer);
  out.set(new TextEncoder().encode(MAGIC));
  view.setUint32(HEADER.version, 1, little);
  view.setUint32(HEADER.byteOrder, BYTE_ORDER_MARK, little);
  view.setUint32(HEADER.headerBytes, HEADER_BYTES, little);
  view.setUint32(HEADER.recordBytes, RECORD_BYTES, little);
  view.setBigUint64(HEADER.count, BigInt(count ?? records.length), little);
  view.setBigUint64(HEADER.capacity, BigInt(capacity ?? 1 << 27), little);
  view.setUint32(HEADER.pid, 4711, little);
  view.setInt32(HEADER.rank, 3, little);
  view.setUint32(HEADER.flags, 1, little);
  view.setBigUint64(HEADER.startMonotonic, START, little);
  view.setBigUint64(HEADER.startRealtime, START + OFFSET, little);
  view.setBigUint64(HEADER.endMonotonic, START + 1000n, little);
  view.setBigUint64(HEADER.endRealtime, START + OFFSET + 1007n, little);
  view.setBigUint64(HEADER.startSpread, 40n, little);
  view.setBigUint64(HEADER.endSpread, 50n, little);
  view.setBigInt64(HEADER.realtimeOffset, OFFSET, little);
  out.set(new TextEncoder().encode("node17"), HEADER.host);
  out.set(new TextEncoder().encode("/opt/app/bin/solve\0-n\x04"), HEADER.command);
  for (const [name, value] of Object.entries(header)) {
    const at = HEADER[name as keyof typeof HEADER];
    if (name === "flags" || name === "version" || name === "byteOrder" || name === "ranks")
      view.setUint32(at, Number(value), little);
    else view.setBigUint64(at, value, little);
  }
  records.forEach((bytes, at) => void out.set(bytes, HEADER_BYTES + at * RECORD_BYTES));
  return out;
}
