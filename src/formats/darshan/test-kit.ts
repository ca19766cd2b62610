/**
 * The accesses of a log the plain way, with an object per record and per file: what rows for a store are compared with.
 */
import { variance } from "../../base/statistics.ts";
import { storedAccesses, type Value } from "../../model/index.ts";
import type { ModuleEntry } from "./header.ts";
import type { DarshanLog } from "./log.ts";
import { columnOf, type ModuleSpec } from "./modules/index.ts";
import { type CounterRecord, decodeRecord, type LustreRecord } from "./records.ts";

/** By file, the columns of `accesses` that come from its records, its name and its layout; null where missing. */
export function plainAccesses(log: DarshanLog): Map<bigint, Record<string, Value>> {
  const files = new Map<bigint, FileRow>();
  for (const entry of log.modules) {
    const { spec } = entry;
    if (spec !== undefined && (SUMS[entry.name] !== undefined || spec.kind === "lustre"))
      collect(log, entry, spec, files);
  }
  const known = [...files.values()].filter(({ layers }) => layers.size > 0);
  return new Map(known.map((file) => [file.id, accessRow(log, file)]));
}

function accessRow(log: DarshanLog, file: FileRow): Record<string, Value> {
  const name = log.names.bytesOf(Number(file.id & 0xffffffffn), Number(file.id >> 32n));
  const mount = name === undefined ? undefined : log.job.mountOf(name);
  const component = file.layout?.components[0];
  const row: Record<string, Value | undefined> = {
    ...file.sums,
    ...file.seconds,
    file_id: file.id,
    mount: mount?.path,
    fs_type: mount?.type,
    ...rankColumns(log, file),
    stripe_count: component?.counters[1],
    stripe_bytes: component?.counters[0],
    osts:
      file.layout &&
      Array.from(file.layout.osts)
        .filter((ost) => ost >= 0n)
        .join(" "),
  };
  // An f64 that was not recorded is NaN until it is read out of a table.
  const plain = (value: Value | undefined) => (value === undefined || Number.isNaN(value) ? null : value);
  return Object.fromEntries(storedAccesses.columns.map(({ name: column }) => [column, plain(row[column])]));
}

/** What is known of one file while the modules pass by. */
interface FileRow {
  readonly id: bigint;
  readonly layers: Set<string>;
  readonly sums: Record<string, bigint>;
  readonly seconds: Record<string, number>;
  /** Per rank: I/O time and bytes; for shared records the counters tell. */
  readonly ranks: Map<bigint, { seconds: number; timed: boolean; bytes: number }>;
  readonly mpiioRanks: Set<bigint>;
  shared: CounterRecord | undefined;
  sharedSpec: ModuleSpec | undefined;
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
      storedAccesses.columns
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

function collect(log: DarshanLog, entry: ModuleEntry, spec: ModuleSpec, files: Map<bigint, FileRow>): void {
  const columns = Object.entries(SUMS[entry.name] ?? {}).map(
    ([column, names]) => [column, names.map((name) => columnOf(spec, name) - spec.integersAt)] as const,
  );
  for (const block of log.records(entry)) {
    for (let k = 0; k < block.count; k++) {
      const record = decodeRecord(spec, block, k);
      const file = files.get(record.id) ?? newFile(record.id);
      files.set(record.id, file);
      if (record.kind === "lustre") file.layout = record;
      else if (record.kind === "counters") addRecord(file, entry.name, spec, record, columns);
    }
  }
}

function newFile(id: bigint): FileRow {
  return {
    id,
    layers: new Set(),
    sums: {},
    seconds: {},
    ranks: new Map(),
    mpiioRanks: new Set(),
    shared: undefined,
    sharedSpec: undefined,
    layout: undefined,
  };
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
    Math.max(0, Number(record.integers[derived.bytesRead - spec.integersAt])) +
    Math.max(0, Number(record.integers[derived.bytesWritten - spec.integersAt]));
  const times = {
    read_seconds: real(derived.readTime),
    write_seconds: real(derived.writeTime),
    meta_seconds: real(derived.metaTime),
  };
  // A clock that ran backwards says nothing.
  for (const [column, seconds] of Object.entries(times))
    if (seconds >= 0) file.seconds[column] = (file.seconds[column] ?? 0) + seconds;
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
  const rank = file.ranks.get(record.rank) ?? { seconds: 0, timed: false, bytes: 0 };
  for (const seconds of Object.values(times))
    if (seconds >= 0) {
      rank.seconds += seconds;
      rank.timed = true;
    }
  rank.bytes += bytes;
  file.ranks.set(record.rank, rank);
}

function sharedReal(file: FileRow, column: "slowestTime" | "fastestTime"): number {
  const spec = file.sharedSpec as ModuleSpec;
  const word = spec.derived?.[column] ?? -1;
  const seconds = word < 0 ? -1 : ((file.shared as CounterRecord).reals[word - spec.realsAt] as number);
  return seconds < 0 ? Number.NaN : seconds;
}

/** Extremes and spread over ranks: from the counters of a shared record, else from the ranks' own records. */
function rankColumns(log: DarshanLog, file: FileRow) {
  if (file.shared !== undefined && file.sharedSpec?.derived !== undefined) {
    const { sharedSpec: spec, shared } = file;
    const counted = (what: string) => {
      const index = spec.reals.findIndex(({ name }) => name.endsWith(what));
      return index < 0 ? null : (shared.reals[index] as number);
    };
    const [slowest, fastest] = [sharedReal(file, "slowestTime"), sharedReal(file, "fastestTime")];
    const known = (seconds: number) => (Number.isNaN(seconds) ? null : seconds);
    return {
      shared: 1,
      ranks: log.job.nprocs,
      slowest_seconds: known(slowest),
      fastest_seconds: known(fastest),
      variance_seconds: Number.isNaN(slowest + fastest) ? null : counted("_VARIANCE_RANK_TIME"),
      variance_bytes: counted("_VARIANCE_RANK_BYTES"),
    };
  }
  const ranks = [...file.ranks];
  // A file known from MPI-IO alone has no times below it.
  if (ranks.length === 0) {
    const shared = file.mpiioRanks.has(-1n);
    return { shared: shared ? 1 : 0, ranks: shared ? log.job.nprocs : file.mpiioRanks.size };
  }
  const times = ranks.flatMap(([, { seconds, timed }]) => (timed ? [seconds] : []));
  return {
    shared: 0,
    ranks: ranks.length,
    slowest_seconds: times.length === 0 ? null : Math.max(...times),
    fastest_seconds: times.length === 0 ? null : Math.min(...times),
    variance_seconds: times.length === 0 ? null : variance(times),
    variance_bytes: variance(ranks.map(([, { bytes }]) => bytes)),
  };
}
