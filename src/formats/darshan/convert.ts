/**
 * Rewrites a log: other compression or byte order, fewer files or modules, or without the names that say
 * who did what. Records of old versions become current ones, since the format allows no mixture.
 */
import type { SegmentBlock } from "./dxt.ts";
import type { ModuleEntry } from "./header.ts";
import type { Job } from "./job.ts";
import type { DarshanLog } from "./log.ts";
import type { ModuleSpec } from "./modules/index.ts";
import { type Renaming, renameRecord, renameTrace, traceId } from "./rename.ts";
import { type LogSink, LogWriter, type WriteOptions } from "./writer.ts";

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
        warnings.push(`${entry.name}: not file records, left out because files were selected`);
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
  const old = renaming === undefined ? job.metadataBytes : renaming.metadata(job.metadataBytes);
  const all = new Uint8Array(old.length + extra.length);
  all.set(old);
  all.set(extra, old.length);
  writer.job({
    uid: renaming === undefined ? job.uid : renaming.uid(job.uid),
    ...jobTimes(job, renaming?.earlierNs ?? 0n),
    nprocs: job.nprocs,
    jobId: renaming === undefined ? job.jobId : renaming.jobId(job.jobId),
    metadata: all,
    commandLine: renaming === undefined ? job.commandLineBytes : renaming.commandLine(job.commandLineBytes),
    mounts: mountsInOrder(log).map(({ typeBytes, pathBytes }) => ({
      type: typeBytes,
      path: renaming === undefined ? pathBytes : renaming.mount(pathBytes),
    })),
  });
}

const NS = 1_000_000_000n;

/**
 * Before format 3.41 a log counts whole seconds and its run time is end - start + 1; from 3.41 on it is end - start.
 * The end moves with the border, so that the run time stays. An end of 0 says that the job never finished, and a start
 * too small for a clock since 1970 is not moved.
 */
function jobTimes(job: Job, earlierNs: bigint) {
  const { startSeconds, startNanoseconds, endSeconds, endNanoseconds } = job;
  const finished = endSeconds !== 0n;
  const lastSecond = finished && job.countsWholeSeconds ? endSeconds + 1n : endSeconds;
  const startNs = startSeconds * NS + startNanoseconds - earlierNs;
  const endNs = lastSecond * NS + endNanoseconds - earlierNs;
  if (earlierNs === 0n || startNs <= 0n)
    return { startSeconds, startNanoseconds, endSeconds: lastSecond, endNanoseconds };
  return {
    startSeconds: startNs / NS,
    startNanoseconds: startNs % NS,
    endSeconds: finished ? endNs / NS : 0n,
    endNanoseconds: finished ? endNs % NS : 0n,
  };
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

/** A module we cannot read goes over as it is, where that keeps its meaning. Returns why it cannot. */
function copyOpaque(
  log: DarshanLog,
  entry: ModuleEntry,
  writer: LogWriter,
  options: ConvertOptions,
): string | undefined {
  if (entry.region.length === 0) return undefined;
  if (options.renaming !== undefined) return "unknown data may contain names";
  if (log.header.minor < 41 && entry.spec === undefined) return "its slot has another meaning in format 3.41";
  if (log.header.bigEndian !== (options.bigEndian ?? false))
    return "unknown data cannot change its byte order";
  writer.opaque(entry.spec?.slots[2] ?? entry.slot, entry.version, log.plainBytes(entry), entry.partial);
  return undefined;
}
