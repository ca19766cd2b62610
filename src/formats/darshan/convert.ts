/**
 * A log written anew: other compression or byte order, fewer files or modules, or without the names that say
 * who did what. Records of old versions become current ones, since the format allows no mixture.
 */
import { LOW } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import type { SegmentBlock } from "./dxt.ts";
import type { ModuleEntry } from "./header.ts";
import type { Job } from "./job.ts";
import type { DarshanLog } from "./log.ts";
import { columnOf, type ModuleSpec } from "./modules/index.ts";
import { type LogSink, LogWriter, type WriteOptions } from "./writer.ts";

/** What stands for what; see `obfuscation` of the command for how names are made. */
export interface Renaming {
  name(name: Uint8Array): Uint8Array;
  id(id: bigint): bigint;
  host(host: Uint8Array): Uint8Array;
  uid(uid: bigint): bigint;
  commandLine(commandLine: Uint8Array): Uint8Array;
}

export interface ConvertOptions extends WriteOptions {
  /** Modules to keep, by name; all when absent. */
  readonly keepModule?: (name: string) => boolean;
  /** Files to keep, by raw name; all when absent. Records that are not of a file are then left out. */
  readonly keepFile?: (name: Uint8Array) => boolean;
  readonly renaming?: Renaming;
  /** More metadata, for instance how the log was changed. */
  readonly metadata?: readonly (readonly [string, string])[];
  /** Told of damage in a module; returns to keep what comes before it and go on, or throws. Without it: thrown. */
  readonly onDamage?: (entry: ModuleEntry, error: unknown) => void;
  /** Called between blocks with the file position reached, so that the caller can show progress or be stopped. */
  readonly pause?: (position: number) => Promise<void>;
}

export interface ConvertResult {
  readonly bytes: number;
  readonly records: number;
  readonly warnings: readonly string[];
}

/** Writes `log` to `sink` under the options; the sink holds a whole log only after this has returned. */
export async function convertLog(
  log: DarshanLog,
  sink: LogSink,
  options: ConvertOptions,
): Promise<ConvertResult> {
  const writer = new LogWriter(sink, options);
  const { renaming, keepFile } = options;
  writeJob(log, writer, options);
  const kept = keepFile === undefined ? undefined : keptIds(log, keepFile);
  writer.names(names(log, kept, renaming));
  const warnings: string[] = [];
  let records = 0;
  for (const entry of log.modules) {
    const { spec, partial } = entry;
    if (options.keepModule !== undefined && !options.keepModule(entry.name)) continue;
    if (kept !== undefined && (spec === undefined || !isOfFiles(spec))) {
      if (entry.region.length > 0)
        warnings.push(`${entry.name}: not records of files, left out because files were selected`);
      continue;
    }
    if (spec === undefined || (entry.region.length > 0 && !log.readable(entry))) {
      const problem = copyOpaque(log, entry, writer, options);
      if (problem !== undefined) warnings.push(`${entry.name}: ${problem}, left out`);
      continue;
    }
    const region = writer.begin(spec, partial);
    let damaged = false;
    try {
      if (spec.kind === "dxt") {
        const cut = options.onDamage === undefined ? undefined : cutTrace(log, entry);
        let traces = 0;
        for (const block of log.segments(entry)) {
          if (block.first === 0) traces++;
          if (kept !== undefined && !kept.has(traceId(block))) continue;
          if (block.first === 0) records++;
          const fitting = traces === cut?.traces ? shortened(block, cut.segments) : block;
          region.segments(renaming === undefined ? fitting : renameTrace(fitting, renaming));
          await options.pause?.(entry.region.offset);
        }
      } else {
        for (const block of log.records(entry)) {
          region.block(block, ({ views }, at) => {
            if (kept !== undefined && !kept.has(views.u64[at] as bigint)) return false;
            if (renaming !== undefined) renameRecord(spec, block, at, renaming);
            records++;
            return true;
          });
          await options.pause?.(entry.region.offset);
        }
      }
    } catch (error) {
      if (options.onDamage === undefined) throw error;
      options.onDamage(entry, error);
      damaged = true;
    }
    region.end(damaged);
    // An encoder that takes a region whole works here, so the last region needs a pause behind it.
    await options.pause?.(entry.region.offset);
  }
  return { bytes: writer.finish(), records, warnings: [...log.warnings, ...warnings, ...writer.warnings] };
}

function writeJob(log: DarshanLog, writer: LogWriter, { renaming, metadata = [] }: ConvertOptions): void {
  const { job } = log;
  const extra = new TextEncoder().encode(metadata.map(([key, value]) => `${key}=${value}\n`).join(""));
  const old = job.metadataBytes;
  const all = new Uint8Array(old.length + extra.length);
  all.set(old);
  all.set(extra, old.length);
  writer.job({
    uid: renaming === undefined ? job.uid : renaming.uid(job.uid),
    startSeconds: job.startSeconds,
    startNanoseconds: job.startNanoseconds,
    endSeconds: endOfNewFormat(job),
    endNanoseconds: job.endNanoseconds,
    nprocs: job.nprocs,
    jobId: job.jobId,
    metadata: all,
    commandLine: renaming === undefined ? job.commandLineBytes : renaming.commandLine(job.commandLineBytes),
    mounts: mountsInOrder(log).map(({ typeBytes, pathBytes }) => ({ type: typeBytes, path: pathBytes })),
  });
}

/**
 * Before format 3.41 a log counts whole seconds and its run time is end - start + 1; from 3.41 on it is end - start.
 * The end moves with the border, so that the run time stays. An end of 0 says that the job never finished.
 */
function endOfNewFormat(job: Job): bigint {
  return job.countsWholeSeconds && job.endSeconds !== 0n ? job.endSeconds + 1n : job.endSeconds;
}

/** The job keeps mounts by falling length; a log rewritten without change should keep the order of the file. */
function mountsInOrder(log: DarshanLog) {
  return [...log.job.mounts].sort((a, b) => a.pathBytes.byteOffset - b.pathBytes.byteOffset);
}

function keptIds(log: DarshanLog, keepFile: (name: Uint8Array) => boolean): Set<bigint> {
  const kept = new Set<bigint>();
  for (const { id, bytes } of log.names.entries()) if (keepFile(bytes)) kept.add(id);
  return kept;
}

function* names(log: DarshanLog, kept: Set<bigint> | undefined, renaming: Renaming | undefined) {
  for (const { id, bytes } of log.names.entries()) {
    if (kept !== undefined && !kept.has(id)) continue;
    yield renaming === undefined ? { id, name: bytes } : { id: renaming.id(id), name: renaming.name(bytes) };
  }
}

function isOfFiles(spec: ModuleSpec): boolean {
  return (
    spec.kind !== "headed" &&
    spec.kind !== "heatmap" &&
    spec.kind !== "mdhim" &&
    spec.name !== "BG/Q" &&
    spec.name !== "NULL"
  );
}

function renameRecord(spec: ModuleSpec, block: RecordBlock, at: number, renaming: Renaming): void {
  const { u64, u8 } = block.views;
  u64[at] = renaming.id(u64[at] as bigint);
  if (block.header) return;
  if (spec.integersAt === 3 && u64[at + 2] !== 0n) u64[at + 2] = renaming.id(u64[at + 2] as bigint);
  const from = spec.name === "POSIX" ? at + columnOf(spec, "POSIX_RENAMED_FROM") : -1;
  if (from >= 0 && u64[from] !== 0n) u64[from] = renaming.id(u64[from] as bigint);
  if (spec.name === "APMPI") {
    const start = 8 * (at + spec.realsAt + spec.reals.length);
    const field = u8.subarray(start, start + 128);
    const end = field.indexOf(0);
    const host = renaming.host(field.slice(0, end < 0 ? 128 : end));
    field.fill(0);
    field.set(host.subarray(0, 127));
  }
}

function traceId({ record }: SegmentBlock): bigint {
  return (BigInt(record.idHigh) << 32n) | BigInt(record.idLow);
}

/** Where damage cuts a trace short: in which record, counted from 1, and how many of its segments are there. */
function cutTrace(log: DarshanLog, entry: ModuleEntry): { traces: number; segments: number } | undefined {
  let traces = 0;
  let segments = 0;
  try {
    for (const block of log.segments(entry)) {
      if (block.first === 0) traces++;
      segments = block.first + block.count;
    }
    return undefined;
  } catch {
    // Whoever copies the segments meets it again and tells.
    return { traces, segments };
  }
}

/** The header of a record stands in front of its segments, so it must say from the start how many there are. */
function shortened(block: SegmentBlock, segments: number): SegmentBlock {
  const writes = Math.min(block.record.writes, segments);
  const reads = Math.min(block.record.reads, segments - writes);
  return { ...block, record: { ...block.record, writes, reads } };
}

function renameTrace(block: SegmentBlock, renaming: Renaming): SegmentBlock {
  const halves = new Uint32Array(BigUint64Array.of(renaming.id(traceId(block))).buffer);
  const { record } = block;
  return {
    ...block,
    record: {
      ...record,
      idLow: halves[LOW] as number,
      idHigh: halves[1 - LOW] as number,
      hostBytes: renaming.host(record.hostBytes),
    },
  };
}

/** A module we cannot read goes over as it is, where that keeps its meaning. Returns why it cannot. */
function copyOpaque(
  log: DarshanLog,
  entry: ModuleEntry,
  writer: LogWriter,
  options: ConvertOptions,
): string | undefined {
  if (entry.region.length === 0) return undefined;
  if (options.renaming !== undefined) return "unknown data may hold names";
  if (log.header.minor < 41 && entry.spec === undefined) return "its slot has another meaning in format 3.41";
  if (log.header.bigEndian !== (options.bigEndian ?? false))
    return "unknown data cannot change its byte order";
  writer.opaque(entry.spec?.slots[2] ?? entry.slot, entry.version, log.plainBytes(entry), entry.partial);
  return undefined;
}
