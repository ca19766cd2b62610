/** A Darshan log as rows of runs, accesses and ops. */
import { variance } from "../../base/statistics.ts";
import { wordNumber } from "../../base/words.ts";
import {
  accesses,
  ops,
  type OpsBlock,
  runs,
  type StripeLayout,
  type TablesBuilder,
} from "../../model/index.ts";
import type { SegmentBlock } from "./dxt.ts";
import { decode } from "./job.ts";
import { LayerImport } from "./layers.ts";
import type { ModuleEntry } from "./header.ts";
import type { DarshanLog } from "./log.ts";
import { columnOf, type ModuleSpec } from "./modules/index.ts";
import { type CounterRecord, decodeRecord, type LustreRecord } from "./records.ts";

/**
 * Adds the log to the tables under `runId`. Damage in a module goes to `onDamage`, which throws it or goes on with the
 * records before it.
 */
export function importLog(
  log: DarshanLog,
  into: TablesBuilder,
  runId: string,
  onDamage: (entry: ModuleEntry, error: unknown) => void = throwIt,
): void {
  const files = new Map<bigint, FileRow>();
  const layerImports: LayerImport[] = [];
  for (const entry of log.modules) {
    const { spec } = entry;
    if (spec === undefined) continue;
    const layer = LayerImport.of(spec);
    if (layer !== undefined) layerImports.push(layer);
    try {
      if (spec.kind === "dxt") importTrace(log, entry, into, runId, files);
      else if (spec.kind === "heatmap") importHeat(log, entry, into, runId);
      else collect(log, entry, spec, files, layer, into.wants(accesses));
    } catch (error) {
      onDamage(entry, error);
    }
  }
  for (const file of files.values())
    if (file.layers.size > 0) into.table(accesses).append(accessRow(log, runId, file));
  const layoutOf = (id: bigint) => layoutColumns(files.get(id)?.layout);
  for (const { module, negative } of layerImports)
    if (negative > 0) log.warn(negativeWarning(module, negative));
  for (const layer of layerImports)
    layer.finish(into, runId, log.job.nprocs, (id) => nameColumns(log, id), layoutOf);
  into.table(runs).append(runRow(log, runId));
}

export const negativeWarning = (module: string, count: number) =>
  `${count} ${module} counters or times are negative and were left out`;

function throwIt(_: ModuleEntry, error: unknown): never {
  throw error;
}

/** What places a run among the other runs of its job; known without reading its modules. */
export function runSpan({ job }: DarshanLog, runId: string) {
  return {
    runId,
    ranks: Number(job.nprocs),
    startUnixSeconds: Number(job.startSeconds) + Number(job.startNanoseconds) / 1e9,
    runSeconds: job.endSeconds === 0n ? Number.NaN : job.runTimeSeconds,
  };
}

function nameColumns(log: DarshanLog, id: bigint) {
  const name = log.names.bytesOf(Number(id & 0xffffffffn), Number(id >> 32n));
  const mount = name === undefined ? undefined : log.job.mountOf(name);
  return {
    path: name === undefined ? null : decode(name),
    mount: mount?.path ?? null,
    fs_type: mount?.type ?? null,
  };
}

function layoutColumns(layout: LustreRecord | undefined) {
  const component = layout?.components[0];
  if (layout === undefined || component === undefined) return undefined;
  return {
    stripe_count: component.counters[1] as bigint,
    stripe_bytes: component.counters[0] as bigint,
    components: layout.components.length,
    osts: Array.from(layout.osts).join(" "),
  };
}

function runRow(log: DarshanLog, runId: string) {
  const { job, header } = log;
  const names = (entries: readonly ModuleEntry[]) => entries.map(({ name }) => name).join(" ");
  const program = job.commandLine.trim().split(/\s+/)[0] ?? "";
  return {
    run_id: runId,
    source: log.source.name,
    kind: "darshan",
    job_id: String(job.jobId),
    user_id: String(job.uid),
    application: program.slice(program.lastIndexOf("/") + 1),
    command_line: job.commandLine,
    ranks: job.nprocs,
    start_unix_ns: job.startSeconds * 1_000_000_000n + job.startNanoseconds,
    // A process that died before its log was finished has no end.
    end_unix_ns: job.endSeconds === 0n ? null : job.endSeconds * 1_000_000_000n + job.endNanoseconds,
    run_seconds: job.endSeconds === 0n ? null : job.runTimeSeconds,
    log_version: header.version,
    library_version: job.metadata.find(([key]) => key === "lib_ver")?.[1] ?? null,
    modules: names(log.modules.filter(({ region }) => region.length > 0)),
    partial_modules: names(log.modules.filter(({ partial }) => partial)),
    warnings: [...log.warnings, ...log.damage.map(({ message }) => message)].join("\n"),
  };
}

/** What is known of one file while the modules pass by. */
interface FileRow {
  readonly id: bigint;
  readonly layers: Set<string>;
  readonly sums: Record<string, bigint>;
  readonly seconds: Record<string, number>;
  /** Per rank: I/O time and bytes; for shared records the counters tell. */
  readonly ranks: Map<bigint, { seconds: number; bytes: number }>;
  readonly mpiioRanks: Set<bigint>;
  shared: CounterRecord | undefined;
  sharedSpec: ModuleSpec | undefined;
  firstOpen: number;
  lastClose: number;
  alignment: bigint | null;
  layout: LustreRecord | undefined;
}

/** Which counters add up to which column, by module prefix. */
const SUMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  POSIX: {
    bytes_read: ["POSIX_BYTES_READ"],
    bytes_written: ["POSIX_BYTES_WRITTEN"],
    opens: ["POSIX_OPENS"],
    reads: ["POSIX_READS"],
    writes: ["POSIX_WRITES"],
    seeks: ["POSIX_SEEKS"],
    stats: ["POSIX_STATS"],
    syncs: ["POSIX_FSYNCS", "POSIX_FDSYNCS"],
    sequential_reads: ["POSIX_SEQ_READS"],
    sequential_writes: ["POSIX_SEQ_WRITES"],
    consecutive_reads: ["POSIX_CONSEC_READS"],
    consecutive_writes: ["POSIX_CONSEC_WRITES"],
    not_aligned: ["POSIX_FILE_NOT_ALIGNED"],
    ...Object.fromEntries(
      accesses.columns
        .filter(({ name }) => name.startsWith("size_"))
        .map(({ name, origin }) => [name, [origin]]),
    ),
  },
  STDIO: {
    bytes_read: ["STDIO_BYTES_READ"],
    bytes_written: ["STDIO_BYTES_WRITTEN"],
    opens: ["STDIO_OPENS"],
    reads: ["STDIO_READS"],
    writes: ["STDIO_WRITES"],
    seeks: ["STDIO_SEEKS"],
    syncs: ["STDIO_FLUSHES"],
  },
  DFS: {
    bytes_read: ["DFS_BYTES_READ"],
    bytes_written: ["DFS_BYTES_WRITTEN"],
    opens: ["DFS_OPENS"],
    reads: ["DFS_READS", "DFS_READXS", "DFS_NB_READS"],
    writes: ["DFS_WRITES", "DFS_WRITEXS", "DFS_NB_WRITES"],
    stats: ["DFS_STATS"],
  },
  "MPI-IO": {
    mpiio_bytes_read: ["MPIIO_BYTES_READ"],
    mpiio_bytes_written: ["MPIIO_BYTES_WRITTEN"],
    mpiio_collective: ["MPIIO_COLL_READS", "MPIIO_COLL_WRITES"],
    mpiio_independent: ["MPIIO_INDEP_READS", "MPIIO_INDEP_WRITES"],
  },
};

function collect(
  log: DarshanLog,
  entry: ModuleEntry,
  spec: ModuleSpec,
  files: Map<bigint, FileRow>,
  layer: LayerImport | undefined,
  wantsAccesses: boolean,
): void {
  const sums = SUMS[entry.name];
  const wanted = (sums !== undefined && wantsAccesses) || spec.kind === "lustre";
  if (!wanted && layer === undefined) return;
  const columns = Object.entries(sums ?? {}).map(
    ([column, names]) => [column, names.map((name) => columnOf(spec, name) - spec.integersAt)] as const,
  );
  for (const block of log.records(entry)) {
    layer?.add(block);
    if (!wanted) continue;
    for (let k = 0; k < block.count; k++) {
      const record = decodeRecord(spec, block, k);
      let file = files.get(record.id);
      if (file === undefined) {
        file = {
          id: record.id,
          layers: new Set(),
          sums: {},
          seconds: {},
          ranks: new Map(),
          mpiioRanks: new Set(),
          shared: undefined,
          sharedSpec: undefined,
          firstOpen: Number.NaN,
          lastClose: Number.NaN,
          alignment: null,
          layout: undefined,
        };
        files.set(record.id, file);
      }
      if (record.kind === "lustre") file.layout = record;
      else if (record.kind === "counters") addRecord(file, entry.name, spec, record, columns);
    }
  }
}

function addRecord(
  file: FileRow,
  module: string,
  spec: ModuleSpec,
  record: CounterRecord,
  columns: readonly (readonly [string, readonly number[]])[],
): void {
  file.layers.add(module);
  for (const [column, indexes] of columns) {
    for (const index of indexes) {
      const value = record.integers[index] as bigint;
      // -1 means "not available" and must not be added.
      if (value >= 0n) file.sums[column] = (file.sums[column] ?? 0n) + value;
    }
  }
  if (module === "MPI-IO") file.mpiioRanks.add(record.rank);
  if (module === "MPI-IO" || spec.derived === undefined) return;
  const { derived } = spec;
  const real = (word: number) => record.reals[word - spec.realsAt] as number;
  const bytes =
    Number(record.integers[derived.bytesRead - spec.integersAt]) +
    Number(record.integers[derived.bytesWritten - spec.integersAt]);
  const times = {
    read_seconds: real(derived.readTime),
    write_seconds: real(derived.writeTime),
    meta_seconds: real(derived.metaTime),
  };
  // A clock that ran backwards says nothing.
  for (const [column, seconds] of Object.entries(times))
    if (seconds >= 0) file.seconds[column] = (file.seconds[column] ?? 0) + seconds;
  const prefix = module === "POSIX" ? "POSIX_F_" : module === "STDIO" ? "STDIO_F_" : "DFS_F_";
  const open = real(columnOf(spec, `${prefix}OPEN_START_TIMESTAMP`));
  const close = real(columnOf(spec, `${prefix}CLOSE_END_TIMESTAMP`));
  if (module === "POSIX") {
    const alignment = record.integers[columnOf(spec, "POSIX_FILE_ALIGNMENT") - spec.integersAt] as bigint;
    if (alignment >= 0n) file.alignment ??= alignment;
  }
  if (open > 0 && !(file.firstOpen <= open)) file.firstOpen = open;
  if (close > 0 && !(file.lastClose >= close)) file.lastClose = close;
  if (record.rank < 0n) {
    // A file may be shared in two layers; the one with more time speaks for it.
    if (
      file.shared === undefined ||
      file.sharedSpec === undefined ||
      real(derived.slowestTime) > sharedReal(file, "slowestTime")
    ) {
      file.shared = record;
      file.sharedSpec = spec;
    }
    return;
  }
  const rank = file.ranks.get(record.rank) ?? { seconds: 0, bytes: 0 };
  rank.seconds += times.read_seconds + times.write_seconds + times.meta_seconds;
  rank.bytes += bytes;
  file.ranks.set(record.rank, rank);
}

function sharedReal(file: FileRow, column: "slowestTime" | "fastestTime"): number {
  const spec = file.sharedSpec as ModuleSpec;
  const word = spec.derived?.[column] ?? -1;
  return word < 0 ? Number.NaN : ((file.shared as CounterRecord).reals[word - spec.realsAt] as number);
}

function accessRow(log: DarshanLog, runId: string, file: FileRow) {
  return {
    ...file.sums,
    ...file.seconds,
    run_id: runId,
    file_id: file.id,
    ...nameColumns(log, file.id),
    layer: ["MPI-IO", "POSIX", "STDIO", "DFS"].find((layer) => file.layers.has(layer)) ?? null,
    ...rankColumns(log, file),
    alignment: file.alignment,
    first_open_seconds: file.firstOpen,
    last_close_seconds: file.lastClose,
    ...accessLayout(file.layout),
  };
}

function accessLayout(layout: LustreRecord | undefined) {
  const { components: _, ...columns } = layoutColumns(layout) ?? { components: 0 };
  // A layout without components still names its OSTs.
  return layout === undefined ? {} : { osts: Array.from(layout.osts).join(" "), ...columns };
}

/** Extremes and spread over ranks: from the counters of a shared record, else from the ranks' own records. */
function rankColumns(log: DarshanLog, file: FileRow) {
  if (file.shared !== undefined && file.sharedSpec?.derived !== undefined) {
    const { sharedSpec: spec, shared } = file;
    const { derived } = spec as { derived: NonNullable<ModuleSpec["derived"]> };
    const counted = (what: string) => {
      const index = spec.reals.findIndex(({ name }) => name.endsWith(what));
      return index < 0 ? null : (shared.reals[index] as number);
    };
    return {
      shared: 1,
      ranks: log.job.nprocs,
      slowest_seconds: sharedReal(file, "slowestTime"),
      slowest_rank: shared.integers[derived.slowestRank - spec.integersAt] as bigint,
      fastest_seconds: sharedReal(file, "fastestTime"),
      fastest_rank: shared.integers[derived.fastestRank - spec.integersAt] as bigint,
      variance_seconds: counted("_VARIANCE_RANK_TIME"),
      variance_bytes: counted("_VARIANCE_RANK_BYTES"),
    };
  }
  const ranks = [...file.ranks];
  // A file known from MPI-IO alone has no times below it.
  if (ranks.length === 0) {
    const shared = file.mpiioRanks.has(-1n);
    return { shared: shared ? 1 : 0, ranks: shared ? log.job.nprocs : file.mpiioRanks.size };
  }
  const slowest = ranks.reduce((a, b) => (b[1].seconds > a[1].seconds ? b : a));
  const fastest = ranks.reduce((a, b) => (b[1].seconds < a[1].seconds ? b : a));
  return {
    shared: 0,
    ranks: ranks.length,
    slowest_seconds: slowest[1].seconds,
    slowest_rank: slowest[0],
    fastest_seconds: fastest[1].seconds,
    fastest_rank: fastest[0],
    variance_seconds: variance(ranks.map(([, { seconds }]) => seconds)),
    variance_bytes: variance(ranks.map(([, { bytes }]) => bytes)),
  };
}

/** Calls go to whoever listens, a block at a time; otherwise they become rows. */
function importTrace(
  log: DarshanLog,
  entry: ModuleEntry,
  into: TablesBuilder,
  runId: string,
  files: ReadonlyMap<bigint, FileRow>,
): void {
  const layer = entry.name === "DXT_POSIX" ? "POSIX" : "MPI-IO";
  const listener = into.streams.ops;
  const columns = new OpsColumns();
  for (const block of log.segments(entry)) {
    if (listener === undefined) appendOps(block, into, runId, layer);
    else if (block.count > 0) {
      const calls = columns.of(block, runId, layer);
      const layout = stripeLayout(files.get(calls.fileId)?.layout);
      listener(layout === undefined ? calls : { ...calls, layout });
    }
  }
}

/** Plain striping only: with several components or mirrors an offset does not tell its OST by itself. */
function stripeLayout(layout: LustreRecord | undefined): StripeLayout | undefined {
  const component = layout?.components[0];
  if (layout === undefined || component === undefined || layout.components.length !== 1) return undefined;
  const stripeBytes = Number(component.counters[0]);
  const osts = Array.from(layout.osts, Number);
  return stripeBytes > 0 && osts.length > 0 ? { stripeBytes, osts } : undefined;
}

/** Buffers for blocks of calls, used again and again. */
class OpsColumns {
  #offset = new Float64Array(0);
  #bytes = new Float64Array(0);
  #startNs = new Float64Array(0);
  #endNs = new Float64Array(0);

  of({ record, first, count, at, stride, views }: SegmentBlock, runId: string, layer: string): OpsBlock {
    if (this.#offset.length < count) {
      this.#offset = new Float64Array(count);
      this.#bytes = new Float64Array(count);
      this.#startNs = new Float64Array(count);
      this.#endNs = new Float64Array(count);
    }
    const { u32, f64 } = views;
    for (let s = 0; s < count; s++) {
      const word = at + s * stride;
      this.#offset[s] = amount(u32, word);
      this.#bytes[s] = amount(u32, word + 1);
      this.#startNs[s] = Math.round((f64[word + 2] as number) * 1e9);
      this.#endNs[s] = Math.round((f64[word + 3] as number) * 1e9);
    }
    return {
      runId,
      rank: Number(record.rank),
      host: decode(record.hostBytes),
      fileId: (BigInt(record.idHigh) << 32n) | BigInt(record.idLow),
      layer,
      count,
      writes: Math.min(Math.max(record.writes - first, 0), count),
      offset: this.#offset,
      bytes: this.#bytes,
      startNs: this.#startNs,
      endNs: this.#endNs,
    };
  }
}

/** Bytes as a double: NaN for the -1 of "not known" and other negatives, infinite where a double is not exact. */
function amount(u32: Uint32Array, word: number): number {
  const value = wordNumber(u32, word);
  return value < 0 ? Number.NaN : value > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : value;
}

function importHeat(log: DarshanLog, entry: ModuleEntry, into: TablesBuilder, runId: string): void {
  const listener = into.streams.heat;
  if (listener === undefined || entry.spec === undefined) return;
  for (const block of log.records(entry)) {
    for (let k = 0; k < block.count; k++) {
      const record = decodeRecord(entry.spec, block, k);
      if (record.kind !== "heatmap") continue;
      const name = nameColumns(log, record.id).path ?? "";
      listener({
        runId,
        // "heatmap:POSIX"; MPI-IO is spelt without its hyphen there.
        layer: name.slice(name.indexOf(":") + 1).replace("MPIIO", "MPI-IO"),
        rank: Number(record.rank),
        binSeconds: record.binSeconds,
        bytesRead: Float64Array.from(record.readBins, (bytes) => Math.max(0, Number(bytes))),
        bytesWritten: Float64Array.from(record.writeBins, (bytes) => Math.max(0, Number(bytes))),
      });
    }
  }
}

function appendOps(block: SegmentBlock, into: TablesBuilder, runId: string, layer: string): void {
  const table = into.table(ops);
  const { record, stride } = block;
  const { i64, u64, f64 } = block.views;
  const file = (BigInt(record.idHigh) << 32n) | BigInt(record.idLow);
  const host = decode(record.hostBytes);
  for (let s = 0; s < block.count; s++) {
    const word = block.at + s * stride;
    table.append({
      run_id: runId,
      rank: record.rank,
      host,
      thread: stride === 5 ? (u64[word + 4] as bigint) : 0n,
      file_id: file,
      layer,
      direction: block.first + s < record.writes ? "write" : "read",
      // -1 where the version does not know it.
      offset: i64[word] === -1n ? null : (i64[word] as bigint),
      bytes: i64[word + 1] as bigint,
      start_ns: Math.round((f64[word + 2] as number) * 1e9),
      end_ns: Math.round((f64[word + 3] as number) * 1e9),
    });
  }
}
