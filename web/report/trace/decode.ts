/**
 * Reads what src/report/trace/encode.ts writes; the layout is described there. The bytes come from a file that anyone
 * may have changed, so nothing of them is taken on trust: what does not fit throws an Error that says what.
 */
import type {
  Trace,
  TraceBins,
  TraceCalls,
  TraceFile,
  TraceOffsets,
  TraceSpans,
} from "../../../src/model/index.ts";

const MAGIC = "PLTRACE1";
const CELLS_MAX = 2 ** 32;
/** Offsets up to here help to predict the next. */
const PREDICTED_MAX = 2 ** 50;

type Json = Readonly<Record<string, unknown>>;

export function decodeTrace(bytes: Uint8Array): Trace {
  const start = MAGIC.length + 4;
  if (bytes.length < start) fail(`${bytes.length} bytes are too few for a trace`);
  for (let i = 0; i < MAGIC.length; i++)
    if (bytes[i] !== MAGIC.charCodeAt(i)) fail("these bytes are not a trace, or of another version");
  const headLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length, true);
  if (headLength > bytes.length - start)
    fail(`the head needs ${headLength} bytes, ${bytes.length - start} left`);
  const head = parseHead(bytes.subarray(start, start + headLength));
  const reader = new ColumnReader(bytes.subarray(start + headLength));
  const seconds = number(head.seconds, "seconds");
  const ranks = count(head.ranks, "ranks");
  const files = list(head.files, "files").map(readFile);
  const layers = list(head.layers, "layers").map((entry, i) => {
    const layer = object(entry, `layer ${i}`);
    return { name: text(layer.name, "a layer's name"), calls: number(layer.calls, "a layer's calls") };
  });
  const limits = { ranks, files: files.length, layers: layers.length };
  const trace: Trace = {
    seconds,
    ranks,
    files,
    filesTotal: count(head.filesTotal, "filesTotal"),
    layers,
    coverage: readCoverage(object(head.coverage, "coverage")),
    hint: text(head.hint, "hint"),
    calls: readCalls(object(head.calls, "calls"), number(head.perSecond, "perSecond"), limits, reader),
    bins: list(head.bins, "bins").map((entry) => readBins(object(entry, "bins"), limits, reader)),
    offsets: list(head.offsets, "offsets").map((entry) =>
      readOffsets(object(entry, "offsets"), limits, reader),
    ),
    ...(head.spans !== undefined && {
      spans: list(head.spans, "spans").map((entry) =>
        readSpans(object(entry, "spans"), number(head.perSecond, "perSecond"), reader),
      ),
    }),
  };
  reader.end();
  return trace;
}

function readSpans(spans: Json, perSecond: number, reader: ColumnReader): TraceSpans {
  const n = count(spans.count, "count of spans");
  const stored = object(spans.stored, "columns of spans");
  const startSeconds = reader.doubles(stored.start, n);
  const endSeconds = reader.doubles(stored.duration, n);
  for (let i = 0; i < n; i++) {
    const start = startSeconds[i] as number;
    startSeconds[i] = start / perSecond;
    endSeconds[i] = (start + (endSeconds[i] as number)) / perSecond;
    if (i > 0 && !((startSeconds[i] as number) >= (endSeconds[i - 1] as number)))
      fail(`span ${i} starts before the one ahead of it ends`);
  }
  return {
    category: text(spans.category, "a span's category"),
    name: text(spans.name, "a span's name"),
    startSeconds,
    endSeconds,
  };
}

interface Limits {
  readonly ranks: number;
  readonly files: number;
  readonly layers: number;
}

function parseHead(bytes: Uint8Array): Json {
  let head: unknown;
  try {
    head = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Error("trace: the head is not JSON", { cause });
  }
  return object(head, "the head");
}

function readFile(entry: unknown): TraceFile {
  const file = object(entry, "a file");
  return {
    fileId: text(file.fileId, "fileId"),
    path: text(file.path, "path"),
    bytesRead: number(file.bytesRead, "bytesRead"),
    bytesWritten: number(file.bytesWritten, "bytesWritten"),
    endOffset: number(file.endOffset, "endOffset"),
    stripeBytes: number(file.stripeBytes, "stripeBytes"),
    stripeCount: number(file.stripeCount, "stripeCount"),
  };
}

function readCoverage(coverage: Json): Trace["coverage"] {
  const { kind } = coverage;
  if (kind === "all" || kind === "none") return { kind };
  if (kind !== "window") return fail(`unknown coverage: ${String(kind)} (have: all, window, none)`);
  return {
    kind,
    startSeconds: number(coverage.startSeconds, "start of the window"),
    endSeconds: number(coverage.endSeconds, "end of the window"),
  };
}

function readCalls(calls: Json, perSecond: number, limits: Limits, reader: ColumnReader): TraceCalls {
  const n = count(calls.count, "count of calls");
  if (!(perSecond > 0)) fail(`${perSecond} ticks per second cannot count time`);
  const columns = object(calls.columns, "columns of calls");
  const startSeconds = reader.doubles(columns.start, n);
  const endSeconds = reader.doubles(columns.duration, n);
  for (let i = 0; i < n; i++) {
    const start = startSeconds[i] as number;
    startSeconds[i] = start / perSecond;
    endSeconds[i] = (start + (endSeconds[i] as number)) / perSecond;
    if (i > 0 && !((startSeconds[i] as number) >= (startSeconds[i - 1] as number)))
      fail(`call ${i} starts before the call ahead of it`);
  }
  const bytes = reader.doubles(columns.bytes, n);
  const known = reader.doubles(columns.offsetKnown, n);
  const offset = reader.doubles(columns.offsetJump, n);
  const rank = new Uint32Array(reader.indexes(columns.rank, n, Math.max(1, limits.ranks), "rank"));
  const file = new Uint32Array(reader.indexes(columns.file, n, limits.files + 1, "file"));
  const layer = new Uint8Array(reader.indexes(columns.layer, n, limits.layers, "layer"));
  const write = new Uint8Array(reader.indexes(columns.write, n, 2, "direction"));
  const ends = new Ends(limits.files + 1, limits.layers, limits.ranks + 1);
  const fileEnds = new Ends(limits.files + 1, limits.layers, 1);
  for (let i = 0; i < n; i++) {
    if (known[i] !== 1) {
      offset[i] = Number.NaN;
      continue;
    }
    const fileKey = (file[i] as number) * limits.layers + (layer[i] as number);
    const key = fileKey * (limits.ranks + 1) + (rank[i] as number);
    const at = (offset[i] as number) + (ends.get(key) ?? fileEnds.get(fileKey) ?? 0);
    offset[i] = at;
    const end = at + (bytes[i] as number);
    if (!Number.isInteger(end) || end >= PREDICTED_MAX) continue;
    ends.set(key, end);
    fileEnds.set(fileKey, end);
  }
  return { count: n, startSeconds, endSeconds, bytes, offset, rank, file, layer, write };
}

/** Where the last call of a key ended. A million look-ups in a map take longer than all else here: few keys are an array. */
class Ends {
  readonly #few: Float64Array | undefined;
  readonly #many = new Map<number, number>();

  constructor(files: number, layers: number, ranks: number) {
    const keys = files * layers * ranks;
    if (keys <= 2 ** 20) this.#few = new Float64Array(keys).fill(Number.NaN);
  }

  get(key: number): number | undefined {
    if (this.#few === undefined) return this.#many.get(key);
    const end = this.#few[key] as number;
    return Number.isNaN(end) ? undefined : end;
  }

  set(key: number, end: number): void {
    if (this.#few === undefined) this.#many.set(key, end);
    else this.#few[key] = end;
  }
}

function readBins(bins: Json, limits: Limits, reader: ColumnReader): TraceBins {
  const { lanesBy } = bins;
  if (lanesBy !== "rank" && lanesBy !== "file") return fail(`unknown lanes: ${String(lanesBy)}`);
  const lanes = count(bins.lanes, "lanes");
  const columns = count(bins.columns, "columns");
  const ranksPerLane = count(bins.ranksPerLane, "ranksPerLane");
  if (ranksPerLane === 0) fail("lanes of no ranks");
  const stored = object(bins.stored, "columns of bins");
  const cell = readCells(stored.cell, lanes, columns, reader);
  return {
    lanesBy,
    layer: below(bins.layer, limits.layers, "layer"),
    ranksPerLane,
    lanes,
    columns,
    cell,
    calls: reader.doubles(stored.calls, cell.length),
    bytesRead: reader.doubles(stored.bytesRead, cell.length),
    bytesWritten: reader.doubles(stored.bytesWritten, cell.length),
    busySeconds: reader.doubles(stored.busySeconds, cell.length),
  };
}

function readOffsets(offsets: Json, limits: Limits, reader: ColumnReader): TraceOffsets {
  const rows = count(offsets.rows, "rows");
  const columns = count(offsets.columns, "columns");
  const rowBytes = number(offsets.rowBytes, "rowBytes");
  if (!(rowBytes > 0)) fail(`rows of ${rowBytes} bytes`);
  const stored = object(offsets.stored, "columns of offsets");
  const cell = readCells(stored.cell, rows, columns, reader);
  return {
    file: below(offsets.file, limits.files, "file"),
    layer: below(offsets.layer, limits.layers, "layer"),
    rows,
    rowBytes,
    columns,
    cell,
    bytesRead: reader.doubles(stored.bytesRead, cell.length),
    bytesWritten: reader.doubles(stored.bytesWritten, cell.length),
  };
}

function readCells(column: unknown, lanes: number, columns: number, reader: ColumnReader): Uint32Array {
  if (lanes * columns > CELLS_MAX) fail(`${lanes} × ${columns} cells are too many`);
  const size = count(object(column, "cells").count, "count of cells");
  const cell = new Uint32Array(reader.indexes(column, size, lanes * columns, "cell"));
  for (let i = 1; i < size; i++)
    if ((cell[i] as number) <= (cell[i - 1] as number)) fail(`cell ${i} is not in order`);
  return cell;
}

/** Takes columns from the bytes one after the other, in the order in which they were written. */
class ColumnReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Integers from 0 to below `limit`. */
  indexes(column: unknown, expected: number, limit: number, what: string): Float64Array {
    const values = this.doubles(column, expected);
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (!(Number.isInteger(value) && value >= 0 && value < limit))
        fail(`${what} ${value} is not one of ${limit}`);
    }
    return values;
  }

  doubles(given: unknown, expected: number): Float64Array {
    const column = object(given, "a column");
    const n = count(column.count, "count of a column");
    const width = count(column.width, "width of a column");
    if (n !== expected) fail(`a column has ${n} entries, ${expected} expected`);
    if (width > 8) fail(`entries of ${width} bytes`);
    const left = this.#bytes.length - this.#at;
    if (n * width > left) fail(`a column needs ${n * width} bytes, ${left} left`);
    // A column of zeros has no bytes, and its length is bound only by this.
    if (width === 0 && n > 2 ** 27) fail(`${n} entries are too many`);
    const planes = this.#bytes.subarray(this.#at, this.#at + n * width);
    this.#at += n * width;
    switch (column.kind) {
      case "double":
        return joinDoubles(planes, n, width);
      case "short":
        return joinShort(joinPlanes(planes, n, width));
      case "dictionary":
        return lookUp(joinPlanes(planes, n, width), list(column.values, "values of a dictionary"));
      case "plain":
        return withoutSign(joinPlanes(planes, n, width), column.signed === true);
      case "delta":
        return sums(withoutSign(joinPlanes(planes, n, width), true));
      default:
        return fail(`unknown column: ${String(column.kind)}`);
    }
  }

  end(): void {
    if (this.#at !== this.#bytes.length) fail(`${this.#bytes.length - this.#at} bytes left over`);
  }
}

function joinPlanes(planes: Uint8Array, n: number, width: number): Float64Array {
  const values = new Float64Array(n);
  for (let plane = width - 1; plane >= 0; plane--) {
    const at = plane * n;
    for (let i = 0; i < n; i++) values[i] = (values[i] as number) * 256 + (planes[at + i] as number);
  }
  return values;
}

function joinDoubles(planes: Uint8Array, n: number, width: number): Float64Array {
  if (width !== 8) fail(`a double of ${width} bytes`);
  const values = new Float64Array(n);
  const raw = new Uint8Array(values.buffer);
  for (let plane = 0; plane < 8; plane++)
    for (let i = 0; i < n; i++) raw[i * 8 + plane] = planes[plane * n + i] as number;
  return values;
}

/** The upper bits of 32-bit floats. */
function joinShort(values: Float64Array): Float64Array {
  const words = new Uint32Array(values.length);
  for (let i = 0; i < words.length; i++) words[i] = (values[i] as number) * 2 ** 11;
  return new Float64Array(new Float32Array(words.buffer));
}

function lookUp(index: Float64Array, values: readonly unknown[]): Float64Array {
  const numbers = Float64Array.from(values, (value) => number(value, "value of a dictionary"));
  for (let i = 0; i < index.length; i++) {
    const at = index[i] as number;
    if (at >= numbers.length) fail(`entry ${at} of a dictionary of ${numbers.length}`);
    index[i] = numbers[at] as number;
  }
  return index;
}

function withoutSign(values: Float64Array, signed: boolean): Float64Array {
  if (signed)
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      const half = Math.floor(value / 2);
      values[i] = value === 2 * half ? half : -half - 1;
    }
  return values;
}

function sums(values: Float64Array): Float64Array {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i] as number;
    values[i] = sum;
  }
  return values;
}

function fail(what: string): never {
  throw new Error(`trace: ${what}`);
}

function object(value: unknown, what: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(`${what} is missing`);
  return value as Json;
}

function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) fail(`${what} is not a list`);
  return value as unknown[];
}

function text(value: unknown, what: string): string {
  if (typeof value !== "string") fail(`${what} is not text`);
  return value as string;
}

function number(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) fail(`${what} is not a number`);
  return value as number;
}

/** A whole number from 0 on. */
function count(value: unknown, what: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) fail(`${what} is not a count`);
  return value as number;
}

function below(value: unknown, limit: number, what: string): number {
  const index = count(value, what);
  if (index >= limit) fail(`${what} ${index} is not one of ${limit}`);
  return index;
}
