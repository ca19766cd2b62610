/** The truth as Darshan logs: one for each run, through the writer that all logs go through. */
import { lustre, mpiio, posix, stdio } from "../../formats/darshan/modules/index.ts";
import { type CounterRecord, type DarshanRecord, counterRecord } from "../../formats/darshan/records.ts";
import { LogWriter, type WriteOptions, memorySink } from "../../formats/darshan/writer.ts";
import { lustreRecord } from "../log-builder.ts";
import { ZONE } from "./calendar.ts";
import { AccessCounters, sizeClass, type Transfers } from "./counters.ts";
import { jobId, LIBRARY_VERSION, MOUNTS, STRIPE_BYTES, userId } from "./identity.ts";
import type { Population } from "./population.ts";
import { type AccessTruth, type FileTruth, MPIIO, type RunTruth, STDIO } from "./truth.ts";

/** Seconds from the start of a run to its first open. */
const FIRST_OPEN = 1;

/** The bytes of a run's log. */
export function logOf(run: RunTruth, population: Population, encoders: WriteOptions["encoders"]): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders });
  const application = population.applications[run.application];
  const endMs = run.start * 1000 + run.durationMs;
  writer.job({
    uid: userId(run.user),
    startSeconds: run.start,
    endSeconds: Math.floor(endMs / 1000),
    endNanoseconds: (endMs % 1000) * 1e6,
    nprocs: run.ranks,
    jobId: jobId(run),
    metadata: [
      ["lib_ver", LIBRARY_VERSION],
      ["made_by", "plimsoll generate reuse (synthetic)"],
      ["zone", ZONE],
    ],
    commandLine: application?.commandLine as string,
    mounts: MOUNTS,
  });
  writer.names(run.accesses.map(({ file }) => ({ id: idOf(file), name: file.path })));
  const records = {
    posix: [] as DarshanRecord[],
    mpiio: [] as DarshanRecord[],
    stdio: [] as DarshanRecord[],
  };
  const layouts: DarshanRecord[] = [];
  const counters = new AccessCounters();
  for (const access of run.accesses) {
    const { file } = access;
    counters.of(access);
    if (access.layer === STDIO) records.stdio.push(stdioRecord(access, counters));
    else records.posix.push(posixRecord(access, counters));
    if (access.layer === MPIIO) records.mpiio.push(mpiioRecord(access, counters));
    if (file.osts.length > 0)
      layouts.push(lustreRecord(idOf(file), counters.shared ? -1 : 0, file.osts, STRIPE_BYTES));
  }
  writer.module(posix, records.posix);
  writer.module(mpiio, records.mpiio);
  writer.module(lustre, layouts);
  writer.module(stdio, records.stdio);
  writer.finish();
  return sink.bytes();
}

function idOf({ idLow, idHigh }: FileTruth): bigint {
  return (BigInt(idHigh) << 32n) | BigInt(idLow);
}

type Values = Record<string, number>;

function posixRecord(access: AccessTruth, counters: AccessCounters): CounterRecord {
  const { opens, reads, writes } = counters;
  const most = Math.max(reads.full, writes.full);
  return counterRecord(posix, baseOf(access, counters), {
    ...common("POSIX_", access, counters),
    POSIX_OPENS: opens,
    POSIX_STATS: opens,
    POSIX_READS: reads.calls,
    POSIX_WRITES: writes.calls,
    POSIX_SEQ_READS: reads.sequential,
    POSIX_SEQ_WRITES: writes.sequential,
    POSIX_CONSEC_READS: reads.sequential,
    POSIX_CONSEC_WRITES: writes.sequential,
    POSIX_MODE: writes.bytes > 0 ? 0o644 : 0,
    POSIX_MAX_BYTE_READ: Math.max(0, reads.bytes - 1),
    POSIX_MAX_BYTE_WRITTEN: Math.max(0, writes.bytes - 1),
    POSIX_FILE_ALIGNMENT: access.file.osts.length > 0 ? STRIPE_BYTES : 4096,
    POSIX_MEM_ALIGNMENT: 8,
    POSIX_MAX_READ_TIME_SIZE: reads.transferBytes,
    POSIX_MAX_WRITE_TIME_SIZE: writes.transferBytes,
    POSIX_ACCESS1_ACCESS: most === reads.full ? reads.transferBytes : writes.transferBytes,
    POSIX_ACCESS1_COUNT: most,
    ...sizes("POSIX_SIZE_READ_", reads),
    ...sizes("POSIX_SIZE_WRITE_", writes),
  });
}

function mpiioRecord(access: AccessTruth, counters: AccessCounters): CounterRecord {
  const { reads, writes, shared } = counters;
  const high = counters.collective + counters.independent;
  const way = shared ? "COLL" : "INDEP";
  // Each direction has the calls that its share of the ranks' blocks needs.
  const readCalls = reads.bytes === 0 ? 0 : writes.bytes === 0 ? high : highShare(access, counters);
  return counterRecord(mpiio, baseOf(access, counters), {
    ...common("MPIIO_", access, counters),
    [`MPIIO_${way}_OPENS`]: counters.opens,
    [`MPIIO_${way}_READS`]: readCalls,
    [`MPIIO_${way}_WRITES`]: high - readCalls,
    MPIIO_MODE: writes.bytes === 0 ? 2 : reads.bytes === 0 ? 5 : 9,
  });
}

/** Reads of an access that also writes. */
function highShare(access: AccessTruth, counters: AccessCounters): number {
  const { collective, independent } = new AccessCounters().of({ ...access, bytesWritten: 0 });
  return Math.min(counters.collective + counters.independent, collective + independent);
}

function stdioRecord(access: AccessTruth, counters: AccessCounters): CounterRecord {
  const { opens, reads, writes } = counters;
  return counterRecord(stdio, baseOf(access, counters), {
    ...common("STDIO_", access, counters),
    STDIO_OPENS: opens,
    STDIO_READS: reads.calls,
    STDIO_WRITES: writes.calls,
    STDIO_MAX_BYTE_READ: Math.max(0, reads.bytes - 1),
    STDIO_MAX_BYTE_WRITTEN: Math.max(0, writes.bytes - 1),
  });
}

function baseOf({ file }: AccessTruth, { shared }: AccessCounters) {
  return { id: idOf(file), rank: shared ? -1 : 0 };
}

/** What all three modules have. */
function common(prefix: string, access: AccessTruth, counters: AccessCounters): Values {
  const { reads, writes } = counters;
  const end = FIRST_OPEN + counters.slowestSeconds;
  const values: Values = {
    BYTES_READ: reads.bytes,
    BYTES_WRITTEN: writes.bytes,
    F_OPEN_START_TIMESTAMP: FIRST_OPEN,
    F_OPEN_END_TIMESTAMP: FIRST_OPEN + access.metaSeconds / 2,
    F_CLOSE_START_TIMESTAMP: end,
    F_CLOSE_END_TIMESTAMP: end + 0.001,
    F_READ_TIME: counters.readSeconds,
    F_WRITE_TIME: counters.writeSeconds,
    F_META_TIME: counters.metaSeconds,
  };
  for (const [way, bytes] of [
    ["READ", reads.bytes],
    ["WRITE", writes.bytes],
  ] as const) {
    if (bytes === 0) continue;
    values[`F_${way}_START_TIMESTAMP`] = FIRST_OPEN + access.metaSeconds / 2;
    values[`F_${way}_END_TIMESTAMP`] = end;
  }
  if (counters.shared) {
    Object.assign(values, {
      SLOWEST_RANK: counters.slowestRank,
      SLOWEST_RANK_BYTES: counters.slowestBytes,
      FASTEST_RANK: counters.fastestRank,
      FASTEST_RANK_BYTES: counters.fastestBytes,
      F_SLOWEST_RANK_TIME: counters.slowestSeconds,
      F_FASTEST_RANK_TIME: counters.fastestSeconds,
      F_VARIANCE_RANK_TIME: counters.varianceSeconds,
      F_VARIANCE_RANK_BYTES: counters.varianceBytes,
    });
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}

const CLASSES = [..."0_100 100_1K 1K_10K 10K_100K 100K_1M 1M_4M 4M_10M 10M_100M 100M_1G 1G_PLUS".split(" ")];

function sizes(prefix: string, { full, transferBytes, restBytes }: Transfers): Values {
  const values: Values = {};
  const add = (bytes: number, calls: number) => {
    const name = prefix + (CLASSES[sizeClass(bytes)] as string);
    values[name] = (values[name] ?? 0) + calls;
  };
  if (full > 0) add(transferBytes, full);
  if (restBytes > 0) add(restBytes, 1);
  return values;
}
