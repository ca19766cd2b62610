/**
 * The lines of darshan-parser. Data lines and the `#` lines that carry values (job, regions, mounts, file
 * counts, performance) are the same byte for byte; explanations are our own.
 */
import { ascii, putFixed, putInt64, putUint64, type TextWriter } from "../../base/text-writer.ts";
import { LOW } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import type { ModuleEntry } from "./header.ts";
import type { Job } from "./job.ts";
import type { DarshanLog } from "./log.ts";
import type { Counter, ModuleSpec } from "./modules/index.ts";
import { SYNC_TIMES } from "./modules/autoperf.ts";
import { type DarshanRecord, decodeRecord, type HeaderRecord } from "./records.ts";
import { type DerivedFigures, Totals } from "./totals.ts";

export interface ParseSections {
  readonly base: boolean;
  readonly total: boolean;
  readonly file: boolean;
  readonly perf: boolean;
}

/** Told of damage in a module; returns to go on with the next module, or throws. */
export type OnDamage = (entry: ModuleEntry, error: unknown) => void;

const NEWLINE = 10;
const TAB = 9;
const EMPTY: Uint8Array = new Uint8Array(0);
const UNKNOWN = ascii("UNKNOWN");
const NOT_AVAILABLE = ascii("N/A");
const NO_NAME = ascii("(null)");
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
  out.fixed(job.runTimeSeconds, 4);
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

/**
 * Data lines. All lines of a record begin with `module rank id` and end with `name mount type`, so the end of
 * one line and the beginning of the next are copied as one piece from where they were last written.
 */
class LineWriter {
  readonly #log: DarshanLog;
  readonly #spec: ModuleSpec;
  readonly #out: TextWriter;
  readonly #moduleText: Uint8Array;
  readonly #integerNames: readonly Uint8Array[];
  readonly #realNames: readonly Uint8Array[];
  /** Bytes that a record's lines take at most, without names. */
  readonly #recordBytes: number;
  readonly #fileIdName: Uint8Array | undefined;
  #joined: Uint8Array = EMPTY;
  #suffixBytes = 0;
  #syncTimes = false;

  constructor(log: DarshanLog, spec: ModuleSpec, out: TextWriter) {
    this.#log = log;
    this.#spec = spec;
    this.#out = out;
    this.#moduleText = ascii(`${spec.name}\t`);
    const named = (counter: Counter) => ascii(`${counter.name}\t`);
    this.#integerNames = spec.integers.map(named);
    this.#realNames = spec.reals.map(named);
    this.#recordBytes = (spec.integers.length + 2) * 80 + spec.reals.length * 400;
    this.#fileIdName = spec.integersAt === 3 ? ascii(`${spec.name}_FILE_REC_ID\t`) : undefined;
  }

  block(block: RecordBlock): void {
    const plain =
      (this.#spec.kind === "fixed" || this.#spec.kind === "headed") &&
      this.#spec.name !== "APMPI" &&
      !block.header;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      if (plain) this.#counters(block, at);
      else this.#special(block, k, at);
    }
  }

  /** A record of counters only: the bulk of every log. */
  #counters(block: RecordBlock, at: number): void {
    const { u32, f64 } = block.views;
    const { integersAt, realsAt, integers, reals } = this.#spec;
    const integerNames = this.#integerNames;
    const realNames = this.#realNames;
    const out = this.#out;
    this.#join(block, at);
    const joined = this.#joined;
    const joinedBytes = joined.length;
    out.reserve(this.#recordBytes + (integers.length + reals.length + 2) * joinedBytes);
    const { bytes } = out;
    // The first copy goes in front of where the lines begin, and is not part of the output until it is
    // overwritten: the suffix part ends where the first line starts.
    let to = out.at;
    bytes.set(joined.subarray(this.#suffixBytes), to);
    to += joinedBytes - this.#suffixBytes;
    let piece = -1;
    const total = integers.length + reals.length;
    for (let i = 0; i < total; i++) {
      const real = i >= integers.length;
      const name = (real ? realNames[i - integers.length] : integerNames[i]) as Uint8Array;
      for (let b = 0; b < name.length; b++) bytes[to++] = name[b] as number;
      if (real) to = putFixed(bytes, to, f64[at + realsAt + i - integers.length] as number, 6);
      else {
        const word = 2 * (at + integersAt + i);
        const low = u32[word + LOW] as number;
        const high = u32[word + 1 - LOW] as number;
        if (high === 0 && low < 10) bytes[to++] = 48 + low;
        else
          to = (integers[i] as Counter).unsigned
            ? putUint64(bytes, to, low, high)
            : putInt64(bytes, to, low, high);
      }
      if (piece < 0) {
        piece = to;
        bytes.set(joined, to);
      } else bytes.copyWithin(to, piece, piece + joinedBytes);
      to += joinedBytes;
    }
    if (this.#fileIdName !== undefined) {
      for (const byte of this.#fileIdName) bytes[to++] = byte;
      to = putUint64(bytes, to, u32[2 * (at + 2) + LOW] as number, u32[2 * (at + 2) + 1 - LOW] as number);
      bytes.copyWithin(to, piece, piece + joinedBytes);
      to += joinedBytes;
    }
    // The last line keeps its end but not the beginning of one more.
    out.at = to - (joinedBytes - this.#suffixBytes);
  }

  /** Sets the piece between two values: end of a line, beginning of the next. */
  #join(block: RecordBlock, at: number): void {
    const { u32 } = block.views;
    const low = u32[2 * at + LOW] as number;
    const high = u32[2 * at + 1 - LOW] as number;
    const [name, mount, type] = this.#identity(block, at, low, high);
    const suffixBytes = name.length + mount.length + type.length + 4;
    const needed = suffixBytes + this.#moduleText.length + 48;
    const bytes = this.#scratch(needed);
    let to = 0;
    for (const part of [name, mount, type]) {
      bytes[to++] = TAB;
      bytes.set(part, to);
      to += part.length;
    }
    bytes[to++] = NEWLINE;
    bytes.set(this.#moduleText, to);
    to += this.#moduleText.length;
    to = putInt64(bytes, to, u32[2 * (at + 1) + LOW] as number, u32[2 * (at + 1) + 1 - LOW] as number);
    bytes[to++] = TAB;
    to = putUint64(bytes, to, low, high);
    bytes[to++] = TAB;
    this.#joined = bytes.subarray(0, to);
    this.#suffixBytes = suffixBytes;
  }

  #room = new Uint8Array(4096);
  #scratch(length: number): Uint8Array {
    if (this.#room.length < length) this.#room = new Uint8Array(length * 2);
    return this.#room;
  }

  /** Name, mount point and file system type of a record as they are printed. */
  #identity(
    block: RecordBlock,
    at: number,
    low: number,
    high: number,
  ): readonly [Uint8Array, Uint8Array, Uint8Array] {
    const { name } = this.#spec;
    if (name === "APMPI" || name === "APXC") return [EMPTY, EMPTY, EMPTY];
    const found = this.#log.names.bytesOf(low, high);
    if (name === "DFS" || name === "DAOS") {
      const tail = 8 * (at + this.#spec.realsAt + this.#spec.reals.length);
      const { u8, u64 } = block.views;
      const container = `${uuid(u8, tail)}:${uuid(u8, tail + 16)}`;
      if (name === "DAOS")
        return [ascii(`${u64[tail / 8 + 4]}.${u64[tail / 8 + 5]}`), ascii(container), NOT_AVAILABLE];
      const named = isZero(u8, tail, 16) || isZero(u8, tail + 16, 16) ? UNKNOWN : ascii(container);
      return [found ?? NO_NAME, named, NOT_AVAILABLE];
    }
    if (found === undefined)
      return [name === "BG/Q" ? ascii("darshan-bgq-record") : NO_NAME, UNKNOWN, UNKNOWN];
    const mount = this.#log.job.mountOf(found);
    return [found, mount?.pathBytes ?? UNKNOWN, mount?.typeBytes ?? UNKNOWN];
  }

  /** Records with more than counters: one line at a time. */
  #special(block: RecordBlock, k: number, at: number): void {
    this.#join(block, at);
    const out = this.#out;
    const prefix = this.#joined.slice(this.#suffixBytes);
    const suffix = this.#joined.slice(0, this.#suffixBytes);
    const line = (counter: string, value: string | number | bigint | Uint8Array) => {
      out.raw(prefix);
      out.text(counter);
      out.byte(TAB);
      if (typeof value === "number") out.fixed(value, 6);
      else if (value instanceof Uint8Array) out.raw(value);
      else out.text(String(value));
      out.raw(suffix);
    };
    const record = decodeRecord(this.#spec, block, k);
    if (record.kind === "header") this.#syncTimes = record.syncFlag !== undefined && record.syncFlag !== 0;
    for (const [counter, value] of specialLines(this.#spec, record, this.#syncTimes)) line(counter, value);
  }
}

/** Counter names and values of records that are more than a row of counters, in the order they are printed. */
export function* specialLines(
  spec: ModuleSpec,
  record: DarshanRecord,
  syncTimes: boolean,
): Generator<readonly [string, string | number | bigint | Uint8Array]> {
  switch (record.kind) {
    case "heatmap":
      yield ["HEATMAP_F_BIN_WIDTH_SECONDS", record.binSeconds];
      for (let bin = 0; bin < record.readBins.length; bin++)
        yield [`HEATMAP_READ_BIN_${bin}`, record.readBins[bin] as bigint];
      for (let bin = 0; bin < record.writeBins.length; bin++)
        yield [`HEATMAP_WRITE_BIN_${bin}`, record.writeBins[bin] as bigint];
      return;
    case "lustre": {
      yield ["LUSTRE_NUM_COMPONENTS", BigInt(record.components.length)];
      yield ["LUSTRE_NUM_STRIPES", BigInt(record.osts.length)];
      let ost = 0;
      for (const [index, component] of record.components.entries()) {
        const prefix = `LUSTRE_COMP${index + 1}_`;
        for (const [c, counter] of spec.integers.entries()) {
          const name = prefix + counter.name.slice("LUSTRE_COMP_".length);
          const value = component.counters[c] as bigint;
          yield [
            name,
            name.endsWith("STRIPE_PATTERN")
              ? patternText(value)
              : name.endsWith("_FLAGS")
                ? flagsText(value)
                : value,
          ];
        }
        yield [`${prefix}POOL_NAME`, component.pool.length === 0 ? NOT_AVAILABLE : component.pool];
        const stripes = Number(component.counters[1]);
        for (let s = 0; s < stripes && ost < record.osts.length; s++)
          yield [`${prefix}OST_ID_${s}`, record.osts[ost++] as bigint];
      }
      return;
    }
    case "mdhim":
      for (const [i, counter] of spec.integers.entries()) yield [counter.name, record.integers[i] as bigint];
      for (const [i, counter] of spec.reals.entries()) yield [counter.name, record.reals[i] as number];
      for (let s = 0; s < Number(record.integers[4]); s++)
        yield [`MDHIM_SERVER_${s}`, record.servers[s] as bigint];
      return;
    case "header":
      yield* headerLines(spec, record);
      return;
    case "counters": {
      if (record.node !== undefined) yield ["MPI_PROCESSOR_NAME", record.node];
      for (const [i, counter] of spec.integers.entries()) {
        const value = record.integers[i] as bigint;
        yield [counter.name, counter.unsigned ? BigInt.asUintN(64, value) : value];
      }
      // APMPI: times of waiting exist only when they were measured.
      const waits = spec.name === "APMPI" ? spec.reals.length - 2 - SYNC_TIMES : Number.POSITIVE_INFINITY;
      for (const [i, counter] of spec.reals.entries()) {
        if (!syncTimes && i >= waits && counter.name !== "MPI_TOTAL_COMM_TIME") continue;
        yield [counter.name, record.reals[i] as number];
      }
      if (record.fileId !== undefined) yield [`${spec.name}_FILE_REC_ID`, record.fileId];
    }
  }
}

function* headerLines(
  spec: ModuleSpec,
  record: HeaderRecord,
): Generator<readonly [string, number | bigint | string]> {
  if (spec.name === "APMPI") {
    yield ["MPI_TOTAL_COMM_TIME_VARIANCE", record.reals[0] as number];
    if (record.syncFlag !== 0) yield ["MPI_TOTAL_COMM_SYNC_TIME_VARIANCE", record.reals[1] as number];
    return;
  }
  const [, blades, chassis, groups, memory, cluster, application] = record.integers as unknown as bigint[];
  yield ["APXC_GROUPS", groups as bigint];
  yield ["APXC_CHASSIS", chassis as bigint];
  yield ["APXC_BLADES", blades as bigint];
  yield ["APXC_MEMORY_MODE", modeText(memory as bigint, ["unknown", "flat", "equal", "split", "cache"])];
  yield [
    "APXC_CLUSTER_MODE",
    modeText(cluster as bigint, ["unknown", "all2all", "quad", "hemi", "snc4", "snc2"]),
  ];
  yield ["APXC_APPLICATION_ID", BigInt.asUintN(64, application as bigint)];
}

/** Bit 31 says that the mode is not the same on all nodes. */
function modeText(value: bigint, names: readonly string[]): string {
  const name = names[Number(value & 0x7fffffffn)] ?? String(value & 0x7fffffffn);
  return (value >> 31n) & 1n ? `${name} (not on all nodes)` : name;
}

export function patternText(value: bigint): string {
  return { 0: "raid0", 2: "mdt", 4: "raid0,overstriped", 8: "foreign" }[String(value)] ?? "N/A";
}

const FLAG_NAMES = [
  "stale",
  "prefrd",
  "prefwr",
  "offline",
  "init",
  "nosync",
  "extension",
  "parity",
  "compress",
  "partial",
  "nocompr",
  "neg",
];

export function flagsText(value: bigint): string {
  if (value === -1n) return "N/A";
  const set = FLAG_NAMES.filter((_, bit) => (value >> BigInt(bit)) & 1n);
  return set.length === 0 ? "0" : set.join(",");
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

export function uuid(bytes: Uint8Array, at: number): string {
  let text = "";
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
    text += (bytes[at + i] as number).toString(16).padStart(2, "0");
  }
  return text;
}

function isZero(bytes: Uint8Array, at: number, length: number): boolean {
  for (let i = at; i < at + length; i++) if (bytes[i] !== 0) return false;
  return true;
}
