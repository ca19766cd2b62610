/**
 * The lines of darshan-parser. Data lines and the `#` lines that carry values (job, regions, mounts, file
 * counts, performance) are the same byte for byte; explanations are our own.
 */
import type { TextWriter } from "../../base/text-writer.ts";
import type { ModuleEntry } from "./header.ts";
import type { Job } from "./job.ts";
import type { DarshanLog } from "./log.ts";
import type { ModuleSpec } from "./modules/index.ts";
import { LineWriter } from "./text-lines.ts";
import { type DerivedFigures, Totals } from "./totals.ts";

export interface ParseSections {
  readonly base: boolean;
  readonly total: boolean;
  readonly file: boolean;
  readonly perf: boolean;
}

/** Told of damage in a module; returns to continue with the next module, or throws. */
export type OnDamage = (entry: ModuleEntry, error: unknown) => void;

const NEWLINE = 10;
const TAB = 9;
const RULE = "# -------------------------------------------------------\n";

/** Everything darshan-parser prints for the chosen sections. */
export function writeParse(
  log: DarshanLog,
  sections: ParseSections,
  out: TextWriter,
  onDamage: OnDamage,
): void {
  writeLogFacts(log, out);
  if (sections.base) {
    out.text(
      "\n# columns: module, rank (-1: one record for all ranks), record id (hash of the name), counter,\n",
    );
    out.text("#   value (-1: not available), name, mount point, file system type\n");
  }
  if (log.modules.length === 0) out.text("\n# no module data available.\n");
  for (const entry of log.modules) {
    const { spec } = entry;
    if (spec === undefined || spec.kind === "dxt") continue;
    if (!sections.base && spec.derived === undefined) continue;
    writeModuleTitle(entry, out, "*******************************************************");
    if (entry.partial) writeIncomplete(entry, out);
    if (!log.readable(entry)) continue;
    if (sections.base) {
      out.text(`\n# ${spec.name}: ${spec.about}\n`);
      out.text("\n#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>\n");
    }
    try {
      writeModule(log, entry, spec, sections, out);
    } catch (error) {
      onDamage(entry, error);
      out.text(`\n# *WARNING*: the ${entry.name} data ends here: ${(error as Error).message}\n`);
    }
  }
}

function writeModule(
  log: DarshanLog,
  entry: ModuleEntry,
  spec: ModuleSpec,
  sections: ParseSections,
  out: TextWriter,
): void {
  const lines = new LineWriter(log, spec, out);
  const derived =
    spec.derived !== undefined && (sections.total || sections.file || sections.perf)
      ? new Totals(spec, spec.derived)
      : undefined;
  for (const block of log.records(entry)) {
    if (sections.base) lines.block(block);
    derived?.add(block);
  }
  if (derived === undefined) return;
  const figures = derived.figures();
  if (sections.total) writeTotals(spec, figures, out);
  if (sections.file) writeFileCounts(figures, out);
  if (sections.perf) writePerformance(figures, out);
}

/** The lines in front of the modules, shared with the DXT text. */
export function writeLogFacts(log: DarshanLog, out: TextWriter): void {
  const { header, job } = log;
  if (header.version === "3.20") {
    out.text("# WARNING: written by Darshan 3.2.0: common access counters are corrupted, others may be.\n");
  }
  out.text(`# darshan log version: ${header.version}\n`);
  out.text(`# compression method: ${header.compression.toUpperCase()}\n`);
  out.text("# exe: ");
  out.raw(job.commandLineBytes);
  out.text(`\n# uid: ${job.uid}\n# jobid: ${job.jobId}\n`);
  out.text(`# start_time: ${job.startSeconds}\n# start_time_asci: ${asciiTime(job.startSeconds)}\n`);
  out.text(`# end_time: ${job.endSeconds}\n# end_time_asci: ${asciiTime(job.endSeconds)}\n`);
  out.text(`# nprocs: ${job.nprocs}\n# run time: `);
  out.fixed(job.printedRunTimeSeconds, 4);
  out.byte(NEWLINE);
  writeMetadata(job, out);
  out.text(`\n# log file regions\n${RULE}`);
  out.text(`# header: ${header.byteLength} bytes (uncompressed)\n`);
  out.text(`# job data: ${header.job.length} bytes (compressed)\n`);
  out.text(`# record table: ${header.names.length} bytes (compressed)\n`);
  for (const entry of [
    ...log.modules.filter((e) => e.spec !== undefined),
    ...log.modules.filter((e) => e.spec === undefined),
  ]) {
    const title = entry.spec === undefined ? `<UNKNOWN> module (id ${entry.slot})` : `${entry.name} module`;
    out.text(`# ${title}: ${entry.region.length} bytes (compressed), ver=${entry.version}\n`);
  }
  out.text(`\n# mounted file systems (mount point and fs type)\n${RULE}`);
  for (const mount of job.mounts) {
    out.text("# mount entry:\t");
    out.raw(mount.pathBytes);
    out.byte(TAB);
    out.raw(mount.typeBytes);
    out.byte(NEWLINE);
  }
}

function writeMetadata(job: Job, out: TextWriter): void {
  let at = 0;
  const bytes = job.metadataBytes;
  while (at < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, at);
    const line = bytes.subarray(at, newline < 0 ? bytes.length : newline);
    const equals = line.indexOf(61);
    if (equals >= 0) {
      out.text("# metadata: ");
      out.raw(line.subarray(0, equals));
      out.text(" = ");
      out.raw(line.subarray(equals + 1));
      out.byte(NEWLINE);
    }
    at += line.length + 1;
  }
}

export function writeModuleTitle(entry: ModuleEntry, out: TextWriter, stars: string): void {
  out.text(`\n# ${stars}\n# ${entry.name} module data\n# ${stars}\n`);
}

export function writeIncomplete(entry: ModuleEntry, out: TextWriter): void {
  out.text(
    `\n# *WARNING*: the ${entry.name} module ran out of memory while recording: its data is incomplete.\n`,
  );
  out.text(
    "#   Next time leave files out (NAME_EXCLUDE) or give the module more records (MAX_RECORDS, MODMEM).\n",
  );
}

/** Local time as C's ctime prints it: `Thu Jan  1 00:00:00 1970`. */
function asciiTime(seconds: bigint): string {
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return "unknown";
  const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.getDay()];
  const month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][
    date.getMonth()
  ];
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day} ${month} ${String(date.getDate()).padStart(2)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${date.getFullYear()}`;
}

function writeTotals(spec: ModuleSpec, figures: DerivedFigures, out: TextWriter): void {
  out.text(`\n# ${spec.name}: all records in one\n\n`);
  for (const [i, counter] of spec.integers.entries())
    out.text(`total_${counter.name}: ${figures.integers[i]}\n`);
  for (const [i, counter] of spec.reals.entries()) {
    out.text(`total_${counter.name}: `);
    out.fixed(figures.reals[i] as number, 6);
    out.byte(NEWLINE);
  }
}

function writeFileCounts({ files }: DerivedFigures, out: TextWriter): void {
  out.text("\n# Total file counts\n# -----\n");
  out.text(
    "# read_only, write_only, read_write: by the bytes moved; unique: one rank only; shared: several or all\n",
  );
  out.text("\n# <file_type> <file_count> <total_bytes> <max_byte_offset>\n");
  const rows = [
    ["total", files.total],
    ["read_only", files.readOnly],
    ["write_only", files.writeOnly],
    ["read_write", files.readWrite],
    ["unique", files.unique],
    ["shared", files.shared],
  ] as const;
  for (const [name, row] of rows) out.text(`# ${name}: ${row.count} ${row.bytes} ${row.maxOffset}\n`);
}

function writePerformance(figures: DerivedFigures, out: TextWriter): void {
  const line = (name: string, value: number, unit = "") => {
    out.text(`# ${name}: `);
    out.fixed(value, 6);
    out.text(`${unit}\n`);
  };
  out.text(`\n# performance\n# -----------\n# total_bytes: ${figures.totalBytes}\n#\n`);
  out.text("# I/O timing for unique files (seconds):\n# ...........................\n");
  line("unique files: slowest_rank_io_time", figures.uniqueSeconds);
  line("unique files: slowest_rank_meta_only_time", figures.uniqueMetaSeconds);
  line("unique files: slowest_rank_rw_only_time", figures.uniqueTransferSeconds);
  out.text(`# unique files: slowest_rank: ${figures.slowestRank}\n#\n`);
  out.text("# I/O timing for shared files (seconds):\n# ...........................\n");
  line("shared files: time_by_slowest", figures.sharedSeconds);
  out.text(
    "#\n# Aggregate performance, including both shared and unique files:\n# ...........................\n",
  );
  line("agg_time_by_slowest", figures.totalSeconds, " # seconds");
  line("agg_perf_by_slowest", figures.mebibytesPerSecond, " # MiB/s");
}
