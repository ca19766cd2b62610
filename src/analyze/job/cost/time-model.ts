/**
 * What a call and a byte cost in this job, where a log has sums only: seconds = perCall · calls + perByte · bytes, fitted
 * over the job's records of a layer and direction. Small and large calls of the same job tell the two apart; where all
 * records are alike, the cost of a byte is that of the fastest transfer seen, or a nominal one, and the model says so.
 */
import type { Job } from "../job.ts";
import { oncePerJob } from "../once-per-job.ts";
import type { LayerRecord } from "../records.ts";

type Way = "read" | "write";

interface TimeModel {
  readonly perCall: number;
  readonly perByte: number;
  /** fit: from records of different mean sizes; fastest: byte cost from the fastest transfer; nominal: assumed byte cost. */
  readonly source: "fit" | "fastest" | "nominal";
  /** Records that were used. */
  readonly records: number;
  /** Median of |estimate - seconds| / seconds over them. */
  readonly error: number;
}

/** Ours: what one client of a parallel file system moves in a second when nothing is in its way. */
const NOMINAL_BYTES_PER_SECOND = 1e9;
/** Ours: at a millisecond a call and 128 MiB/s a call of this size pays as much for itself as for its bytes. */
const HALF_BYTES = 128 * 1024;
/** Ours: calls of this size and more are not told from bytes without another size to compare with. */
const BANDWIDTH_BYTES = 2 * HALF_BYTES;
/** Calls of this size and more pay for bytes rather than for calls. */
const LARGE_BYTES = 2 ** 20;
/** Mean sizes must differ by this factor before two records tell calls from bytes. */
const SPREAD = 8;
/** A fit that is off by more than this on the median record is no model. */
const ERROR_MAX = 0.5;

/** Ours: syncs per write above which they are a part of the time. */
const SYNCED = 0.1;

/** Of more records every second, third … one is taken: two numbers do not need a million. */
const RECORDS_MOST = 20_000;

interface Point {
  readonly calls: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** The model of a layer and direction of a job. */
export function timeModel(job: Job, layer: string, way: Way): TimeModel | undefined {
  const models = modelsOf(job);
  let both = models.get(layer);
  if (both === undefined) {
    const records = job.layer(layer);
    both = { read: makeModel(records, "read"), write: makeModel(records, "write") };
    models.set(layer, both);
  }
  return both[way];
}

/** By layer. */
const modelsOf = oncePerJob(() => new Map<string, Readonly<Record<Way, TimeModel | undefined>>>());

function makeModel(records: readonly LayerRecord[], way: Way): TimeModel | undefined {
  const points: Point[] = [];
  const mixed: Point[] = [];
  let fastest = Number.POSITIVE_INFINITY;
  const step = Math.max(1, Math.ceil(records.length / RECORDS_MOST));
  for (let at = 0; at < records.length; at += step) {
    const record = records[at] as LayerRecord;
    const calls = way === "read" ? record.reads : record.writes;
    const bytes = way === "read" ? record.bytesRead : record.bytesWritten;
    const seconds = way === "read" ? record.readSeconds : record.writeSeconds;
    if (!(calls > 0 && seconds > 0)) continue;
    const isOwn = isTelling(record, way, calls);
    (isOwn ? points : mixed).push({ calls, bytes: bytes || 0, seconds });
    if (!isOwn) continue;
    if (bytes >= LARGE_BYTES * calls) fastest = Math.min(fastest, seconds / bytes);
    const [longest, size] =
      way === "read"
        ? [record.longestReadSeconds, record.longestReadBytes]
        : [record.longestWriteSeconds, record.longestWriteBytes];
    if (size >= LARGE_BYTES && longest > 0) fastest = Math.min(fastest, longest / size);
  }
  if (points.length > 0) return fitted(points) ?? withByteCost(points, fastest);
  return mixed.length > 0 ? withByteCost(mixed, fastest) : undefined;
}

/**
 * Recorders count syncs with writes, and collective calls wait for other ranks: such times are not those of calls and
 * bytes.
 */
function isTelling(record: LayerRecord, way: Way, calls: number): boolean {
  if (way === "write" && record.syncs >= SYNCED * calls) return false;
  const together =
    way === "read"
      ? record.collectiveReads + record.splitReads
      : record.collectiveWrites + record.splitWrites;
  return !(together >= 0.5 * calls);
}

/** Least squares of relative errors, with costs that are not negative; undefined when sizes are too much alike or it fits badly. */
function fitted(points: readonly Point[]): TimeModel | undefined {
  let [least, greatest] = [Number.POSITIVE_INFINITY, 0];
  for (const { calls, bytes } of points) {
    const mean = Math.max(1, bytes / calls);
    least = Math.min(least, mean);
    greatest = Math.max(greatest, mean);
  }
  if (greatest < SPREAD * least) return undefined;
  let [cc, cb, bb, c1, b1] = [0, 0, 0, 0, 0];
  for (const { calls, bytes, seconds } of points) {
    const [c, b] = [calls / seconds, bytes / seconds];
    cc += c * c;
    cb += c * b;
    bb += b * b;
    c1 += c;
    b1 += b;
  }
  const determinant = cc * bb - cb * cb;
  if (!(determinant > 1e-9 * cc * bb)) return undefined;
  let perCall = (c1 * bb - b1 * cb) / determinant;
  let perByte = (b1 * cc - c1 * cb) / determinant;
  if (perCall < 0) [perCall, perByte] = [0, b1 / bb];
  if (perByte < 0) [perCall, perByte] = [c1 / cc, 0];
  const error = errorOf(points, perCall, perByte);
  return error <= ERROR_MAX ? { perCall, perByte, source: "fit", records: points.length, error } : undefined;
}

/** Large calls pay mostly for bytes, whatever the storage: a call costs as much as some of them, and nothing beside many. */
function assumedPerByte(points: readonly Point[]): number {
  const total = (value: (point: Point) => number) => points.reduce((sum, point) => sum + value(point), 0);
  const [calls, bytes, seconds] = [
    total((point) => point.calls),
    total((point) => point.bytes),
    total((point) => point.seconds),
  ];
  const ofCalls = bytes >= BANDWIDTH_BYTES * calls ? 0 : HALF_BYTES * calls;
  return Math.max(1 / NOMINAL_BYTES_PER_SECOND, bytes > 0 ? seconds / (bytes + ofCalls) : 0);
}

function withByteCost(points: readonly Point[], fastest: number): TimeModel {
  const isSeen = Number.isFinite(fastest);
  const perByte = isSeen ? fastest : assumedPerByte(points);
  let [calls, rest] = [0, 0];
  for (const point of points) {
    calls += point.calls;
    rest += Math.max(0, point.seconds - perByte * point.bytes);
  }
  const perCall = rest / calls;
  return {
    perCall,
    perByte,
    source: isSeen ? "fastest" : "nominal",
    records: points.length,
    error: errorOf(points, perCall, perByte),
  };
}

function errorOf(points: readonly Point[], perCall: number, perByte: number): number {
  const errors = points.map(
    ({ calls, bytes, seconds }) => Math.abs(perCall * calls + perByte * bytes - seconds) / seconds,
  );
  errors.sort((a, b) => a - b);
  return errors[errors.length >> 1] as number;
}

/**
 * Part of `seconds`, the time of a record's calls, that remains when the same bytes are moved in calls of a megabyte. Its own
 * calls decide what a call costs here, the model what a byte costs. `part`: of many small files that become one, how many
 * of the files remain.
 */
export function remainsWithLargerCalls(
  record: LayerRecord,
  way: Way,
  model: TimeModel,
  seconds = way === "read" ? record.readSeconds : record.writeSeconds,
  part = 1,
): number {
  const calls = way === "read" ? record.reads : record.writes;
  const bytes = (way === "read" ? record.bytesRead : record.bytesWritten) || 0;
  if (!(calls > 0 && seconds > 0)) return 1;
  // The calls of all ranks: each still needs one at least, or its part of one that it shares with other files.
  const megabytes = part < 1 ? bytes / LARGE_BYTES : Math.ceil(bytes / LARGE_BYTES);
  const fewer = Math.min(calls, Math.max(part * (record.ranks || 1), megabytes));
  const forBytes = Math.min(seconds, model.perByte * bytes);
  return (forBytes + (seconds - forBytes) * (fewer / calls)) / seconds;
}

/** `about 0.8 ms a call and 1 ns a byte, fitted over 12 records (off by 6 % in the median)`. */
export function modelText({ perCall, perByte, source, records, error }: TimeModel): string {
  const rate = perByte > 0 ? ` and ${Number((1e-6 / perByte).toPrecision(2))} MB/s for the bytes` : "";
  const call = `${Number((1e6 * perCall).toPrecision(2))} µs a call`;
  const from =
    source === "fit"
      ? `fitted over ${records} records, off by ${Math.round(100 * error)} % in the median`
      : source === "fastest"
        ? "bytes at the fastest transfer of this job"
        : "bytes at an assumed rate, since all records have calls of one size";
  return `time model: ${call}${rate} (${from})`;
}
