/** Recorded runs of a store as input of a replay: bytes by target, and times. */
import type { Queryable, SqlRow } from "../../../model/index.ts";

/** Bytes of one file in one direction. */
export interface Transfer {
  /** Identity of the file in the store. */
  readonly file: string;
  readonly bytes: number;
  /** Recorded time of the slowest rank. */
  readonly seconds: number;
  /** Participating ranks. */
  readonly ranks: number;
  readonly write: boolean;
  /** Target numbers as recorded; bytes are spread evenly over them. */
  readonly targets: readonly number[];
}

export interface RecordedRun {
  /** Identity in the store, all digits. */
  readonly id: string;
  readonly application: string;
  readonly ranks: number;
  /** Seconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly reads: readonly Transfer[];
  readonly writes: readonly Transfer[];
}

interface Recorded {
  /** By start. */
  readonly runs: readonly RecordedRun[];
  /** Accesses without bytes, time or targets: they cause no load here. */
  readonly leftOut: number;
}

export interface Window {
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Max accesses in memory; more require a smaller window. */
export const ACCESSES_MAX = 200_000;

/** Accesses of runs that overlap a window. */
export async function countAccesses(db: Queryable, { from, to }: Window): Promise<number> {
  const [row] = await db.rows(
    `select count(*) as n from accesses where osts is not null and start_unix_ns < ${ns(to)} and end_unix_ns > ${ns(from)}`,
  );
  return Number(row?.n ?? 0);
}

/** Reads the runs that overlap a window. */
export async function readRuns(db: Queryable, { from, to }: Window): Promise<Recorded> {
  const rows = await db.rows(`
    select a.run_id::varchar as run, r.application as application, r.ranks::double as run_ranks,
      a.ranks::double as ranks, a.start_unix_ns / 1e9 as start, a.end_unix_ns / 1e9 as stop,
      a.bytes_read::double as bytes_read, a.bytes_written::double as bytes_written,
      coalesce(a.read_seconds, 0) as read_seconds, coalesce(a.write_seconds, 0) as write_seconds,
      coalesce(a.meta_seconds, 0) as meta_seconds, a.slowest_seconds as slowest, a.osts as osts, a.file_id::varchar as file
    from accesses a join runs r using (run_id)
    where a.osts is not null and a.start_unix_ns < ${ns(to)} and a.end_unix_ns > ${ns(from)}
    order by a.start_unix_ns, a.run_id, a.file_id limit ${ACCESSES_MAX}`);
  const runs = new Map<string, Mutable>();
  let leftOut = 0;
  for (const row of rows) {
    const run = runOf(runs, row);
    const transfers = transfersOf(row);
    if (transfers.length === 0) leftOut++;
    for (const one of transfers) (one.write ? run.writes : run.reads).push(one);
  }
  const kept = [...runs.values()].filter(({ reads, writes }) => reads.length + writes.length > 0);
  return { runs: kept.sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1)), leftOut };
}

const ns = (seconds: number): string =>
  BigInt(Math.round(seconds * 1e6))
    .toString()
    .concat("000");

type Mutable = RecordedRun & { readonly reads: Transfer[]; readonly writes: Transfer[] };

function runOf(runs: Map<string, Mutable>, row: SqlRow): Mutable {
  const id = String(row.run);
  const known = runs.get(id);
  if (known !== undefined) return known;
  const run: Mutable = {
    id,
    application: row.application === null ? "unknown" : String(row.application),
    ranks: Math.max(1, Number(row.run_ranks ?? row.ranks ?? 1)),
    start: Number(row.start),
    end: Number(row.stop),
    reads: [],
    writes: [],
  };
  runs.set(id, run);
  return run;
}

/** Reads and writes of one access; its time is divided in proportion to the ranks' own times. */
function transfersOf(row: SqlRow): Transfer[] {
  const number = (name: string) => Number(row[name] ?? 0);
  const targets = String(row.osts ?? "")
    .split(" ")
    .filter((word) => word !== "")
    .map(Number)
    .filter((target) => Number.isInteger(target) && target >= 0);
  const ranks = Math.max(1, number("ranks"));
  const [read, write, meta] = [number("read_seconds"), number("write_seconds"), number("meta_seconds")];
  const seconds = number("slowest") > 0 ? number("slowest") : (read + write + meta) / ranks;
  const [bytesRead, bytesWritten] = [number("bytes_read"), number("bytes_written")];
  const known = read + write > 0;
  const readShare = known ? read / (read + write) : bytesRead / (bytesRead + bytesWritten);
  const parts = [
    { bytes: bytesRead, seconds: seconds * readShare, write: false },
    { bytes: bytesWritten, seconds: seconds * (1 - readShare), write: true },
  ];
  if (targets.length === 0) return [];
  return parts
    .filter((part) => part.bytes > 0 && part.seconds > 0)
    .map((part) => ({ ...part, file: String(row.file), ranks, targets: [...new Set(targets)] }));
}
