/**
 * A trace as bytes that deflate shrinks well; web/report/trace/decode.ts reads them.
 *
 *   "PLTRACE1"   8 bytes
 *   head length  4 bytes, little endian
 *   head         JSON: all that is not a column, and how each column is stored
 *   columns      one after the other, in the order of the head
 *
 * Columns are integers in byte planes: the lowest bytes of all entries, then the next bytes, and so on. Deflate gives
 * each plane its own code, so planes of zeros cost nothing and noise costs its own bits; varints of the
 * start times and durations of test-kit.ts are 11 and 7 % longer after deflate. Each column is stored plain, as differences or through a dictionary,
 * whichever has the least entropy.
 *
 * What is rounded: times of calls to a nanosecond, bytes of cells to whole bytes, busy seconds of
 * cells to 13 binary digits. All else comes back exactly.
 */
import { assert } from "../../base/assert.ts";
import type { Trace, TraceBins, TraceCalls, TraceOffsets, TraceSpans } from "../../model/index.ts";
import { type Column, ColumnWriter } from "./columns.ts";

const MAGIC = "PLTRACE1";
/** Ticks that times of calls are rounded to: whole nanoseconds. */
const PER_SECOND = 1e9;
const PREDICTED_MAX = 2 ** 50;

export function encodeTrace(trace: Trace): Uint8Array {
  assert(Number.isFinite(trace.seconds), `a trace of ${trace.seconds} s has no time axis`);
  const writer = new ColumnWriter();
  const head = {
    seconds: trace.seconds,
    ranks: trace.ranks,
    files: trace.files,
    filesTotal: trace.filesTotal,
    layers: trace.layers,
    coverage: trace.coverage,
    hint: trace.hint,
    perSecond: PER_SECOND,
    calls: encodeCalls(trace.calls, trace.ranks, writer),
    bins: trace.bins.map((bins) => encodeBins(bins, writer)),
    offsets: trace.offsets.map((offsets) => encodeOffsets(offsets, writer)),
    ...(trace.spans !== undefined && {
      spans: trace.spans.map((spans) => encodeSpans(spans, writer)),
    }),
  };
  return join(new TextEncoder().encode(JSON.stringify(head)), writer);
}

type Columns = Record<string, Column>;

function encodeCalls(calls: TraceCalls, ranks: number, writer: ColumnWriter) {
  const { count, startSeconds, endSeconds } = calls;
  const start = new Float64Array(count);
  const duration = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const at = Math.round((startSeconds[i] as number) * PER_SECOND);
    start[i] = at;
    duration[i] = Math.round((endSeconds[i] as number) * PER_SECOND) - at;
    assert(i === 0 || at >= (start[i - 1] as number), `call ${i} starts before the call ahead of it`);
  }
  const { known, jump } = offsetJumps(calls, ranks);
  const columns: Columns = {
    start: writer.integers(start),
    duration: writer.integers(duration),
    bytes: writer.integers(calls.bytes.subarray(0, count)),
    offsetKnown: writer.integers(known),
    offsetJump: writer.integers(jump),
    rank: writer.integers(calls.rank.subarray(0, count)),
    file: writer.integers(calls.file.subarray(0, count)),
    layer: writer.integers(calls.layer.subarray(0, count)),
    write: writer.integers(calls.write.subarray(0, count)),
  };
  return { count, columns };
}

/**
 * Where each call's offset is from where the last call of the same rank on the same file and layer ended: 0 for
 * calls one behind the other, the same number again and again for strides. A rank's first call on a file counts
 * from the last call on that file.
 */
function offsetJumps(calls: TraceCalls, ranks: number): { known: Uint8Array; jump: Float64Array } {
  const { count } = calls;
  const known = new Uint8Array(count);
  const jump = new Float64Array(count);
  const ends = new Map<number, number>();
  const fileEnds = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const offset = calls.offset[i] as number;
    if (Number.isNaN(offset)) continue;
    known[i] = 1;
    const fileKey = (calls.file[i] as number) * 256 + (calls.layer[i] as number);
    const key = fileKey * (ranks + 1) + (calls.rank[i] as number);
    jump[i] = offset - (ends.get(key) ?? fileEnds.get(fileKey) ?? 0);
    const end = offset + (calls.bytes[i] as number);
    // Beyond, sums are not exact; the decoder has the same rule.
    if (!Number.isInteger(end) || end >= PREDICTED_MAX) continue;
    ends.set(key, end);
    fileEnds.set(fileKey, end);
  }
  return { known, jump };
}

function encodeBins(bins: TraceBins, writer: ColumnWriter) {
  const { lanesBy, layer, ranksPerLane, lanes, columns } = bins;
  const stored: Columns = {
    cell: writer.integers(bins.cell),
    calls: writer.integers(bins.calls),
    bytesRead: writer.integers(bins.bytesRead.map(Math.round)),
    bytesWritten: writer.integers(bins.bytesWritten.map(Math.round)),
    busySeconds: writer.shortFloats(bins.busySeconds),
  };
  return { lanesBy, layer, ranksPerLane, lanes, columns, stored };
}

function encodeOffsets(offsets: TraceOffsets, writer: ColumnWriter) {
  const { file, layer, rows, rowBytes, columns } = offsets;
  const stored: Columns = {
    cell: writer.integers(offsets.cell),
    bytesRead: writer.integers(offsets.bytesRead.map(Math.round)),
    bytesWritten: writer.integers(offsets.bytesWritten.map(Math.round)),
  };
  return { file, layer, rows, rowBytes, columns, stored };
}

function encodeSpans({ category, name, startSeconds, endSeconds }: TraceSpans, writer: ColumnWriter) {
  const start = startSeconds.map((seconds) => Math.round(seconds * PER_SECOND));
  const duration = endSeconds.map((seconds, i) => Math.round(seconds * PER_SECOND) - (start[i] as number));
  const stored: Columns = { start: writer.integers(start), duration: writer.integers(duration) };
  return { category, name, count: start.length, stored };
}

function join(head: Uint8Array, writer: ColumnWriter): Uint8Array {
  const start = MAGIC.length + 4;
  const bytes = new Uint8Array(start + head.length + writer.byteLength);
  for (let i = 0; i < MAGIC.length; i++) bytes[i] = MAGIC.charCodeAt(i);
  new DataView(bytes.buffer).setUint32(MAGIC.length, head.length, true);
  bytes.set(head, start);
  writer.copyTo(bytes.subarray(start + head.length));
  return bytes;
}
