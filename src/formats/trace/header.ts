/** The header of a trace file. */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import {
  BYTE_ORDER_MARK,
  HEADER,
  HEADER_BYTES,
  MAGIC,
  RECORD_BYTES,
  TRACE_ENDED,
  VERSIONS,
} from "./layout.ts";

export interface TraceHeader {
  readonly version: number;
  readonly littleEndian: boolean;
  /** Records as the recorder counted them; more than there are when space ran out. */
  readonly count: number;
  readonly capacity: number;
  /** Accesses for which there was no space. */
  readonly dropped: number;
  /** Accesses left out by path, or because they were on no file. */
  readonly skipped: number;
  /** Metadata calls left out by path. */
  readonly skippedMetadata: number;
  /** Files beyond the 65,534 that have a number. */
  readonly filesOther: number;
  /** Accesses of MPI-IO that were started and never waited for. */
  readonly unfinished: number;
  readonly pid: number;
  readonly ppid: number;
  readonly rank: number | undefined;
  /** Ranks of the MPI job, those without I/O too. */
  readonly ranks: number | undefined;
  readonly flags: number;
  readonly startMonotonic: bigint;
  readonly startRealtime: bigint;
  /** Nanoseconds between the two looks at the monotonic clock around the look at the other. */
  readonly startSpread: number;
  readonly endMonotonic: bigint;
  readonly endRealtime: bigint;
  readonly endSpread: number;
  /** What to add to monotonic times. */
  readonly realtimeOffset: bigint;
  readonly boot: string;
  readonly host: string;
  readonly comm: string;
  readonly command: readonly string[];
}

export function isTrace(head: Uint8Array): boolean {
  for (let i = 0; i < MAGIC.length; i++) if (head[i] !== MAGIC.charCodeAt(i)) return false;
  return true;
}

export function readHeader(source: ByteSource): TraceHeader {
  const head = source.read(0, HEADER_BYTES);
  const fail = (offset: number, detail: string): never => {
    throw new FormatError(source.name, { offset }, detail);
  };
  if (!isTrace(head)) fail(0, "not a trace: a trace starts with PLTRACE");
  if (head.length < HEADER_BYTES)
    fail(head.length, `a trace header has ${HEADER_BYTES} bytes, this file has ${head.length}`);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const little = view.getUint32(HEADER.byteOrder, true) === BYTE_ORDER_MARK;
  if (!little && view.getUint32(HEADER.byteOrder, false) !== BYTE_ORDER_MARK)
    fail(HEADER.byteOrder, "invalid byte order mark");
  const u32 = (at: number) => view.getUint32(at, little);
  const u64 = (at: number) => view.getBigUint64(at, little);
  const count = (at: number) => Number(u64(at));
  const version = u32(HEADER.version);
  if (!VERSIONS.includes(version))
    fail(HEADER.version, `trace version ${version}, this program reads versions ${VERSIONS.join(" and ")}`);
  if (u32(HEADER.headerBytes) !== HEADER_BYTES || u32(HEADER.recordBytes) !== RECORD_BYTES)
    fail(
      HEADER.headerBytes,
      `header of ${u32(HEADER.headerBytes)} and records of ${u32(HEADER.recordBytes)} bytes`,
    );
  const rank = view.getInt32(HEADER.rank, little);
  const text = (at: number, length: number) => textOf(head.subarray(at, at + length));
  return {
    version,
    littleEndian: little,
    count: count(HEADER.count),
    capacity: count(HEADER.capacity),
    dropped: count(HEADER.dropped),
    skipped: count(HEADER.skipped),
    skippedMetadata: count(HEADER.skippedMetadata),
    filesOther: count(HEADER.filesOther),
    unfinished: count(HEADER.unfinished),
    pid: u32(HEADER.pid),
    ppid: u32(HEADER.ppid),
    rank: rank < 0 ? undefined : rank,
    ranks: u32(HEADER.ranks) || undefined,
    flags: u32(HEADER.flags),
    startMonotonic: u64(HEADER.startMonotonic),
    startRealtime: u64(HEADER.startRealtime),
    startSpread: count(HEADER.startSpread),
    endMonotonic: u64(HEADER.endMonotonic),
    endRealtime: u64(HEADER.endRealtime),
    endSpread: count(HEADER.endSpread),
    realtimeOffset: view.getBigInt64(HEADER.realtimeOffset, little),
    boot: text(HEADER.boot, 40),
    host: text(HEADER.host, 256),
    comm: text(HEADER.comm, 64),
    command: wordsOf(head.subarray(HEADER.command, HEADER.command + 1024)),
  };
}

/**
 * By how many nanoseconds the offset between the clocks may be off: what two looks took, and how far the clocks came
 * apart until the end.
 */
export function clockUncertaintyNs(header: TraceHeader): number {
  const { startSpread, endSpread, flags, startMonotonic, startRealtime, endMonotonic, endRealtime } = header;
  if ((flags & TRACE_ENDED) === 0) return startSpread;
  const drift = Number(endRealtime - endMonotonic - (startRealtime - startMonotonic));
  return Math.max(startSpread, endSpread) + Math.abs(drift);
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Words with a NUL after each; what did not fit is cut. */
function wordsOf(bytes: Uint8Array): string[] {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end === 0 ? [] : new TextDecoder().decode(bytes.subarray(0, end)).split("\0");
}
