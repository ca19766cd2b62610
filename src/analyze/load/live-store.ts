/** Load in the last minutes of a store, as rates. */
import type { LiveJob, LiveLoad, LiveTarget, Queryable, SqlRow } from "../../model/index.ts";
import { number, text } from "./amounts.ts";
import { rank } from "./rank.ts";
import { askedTargets } from "./question.ts";

/** Older target states are ignored. */
const STATE_MINUTES = 1440;
const JOBS_MAX = 1000;

/** Rates of these targets (default: all) over the last minutes of the store. */
export async function storedLoad(
  db: Queryable,
  target: readonly string[],
  minutes: number,
): Promise<LiveLoad> {
  const { stored, condition } = await askedTargets(db, target);
  const window = { from: Math.max(stored.from, stored.to - minutes), to: stored.to };
  const seconds = 60 * (window.to - window.from);
  const time = `minute_unix >= ${window.from} and minute_unix < ${window.to}`;
  const sums = ["bytes_read", "bytes_written", "reads", "writes", "metadata_calls"];
  const mean = (name: string, calls: string) =>
    `sum(${name}_usecs) / nullif(sum(${calls}) filter (${name}_usecs is not null), 0) / 1e6 as ${name}_seconds`;
  const rows =
    await db.rows(`select t.*, s.state.bytes as bytes_used, s.state.inodes as inodes_used, s.state.recovery as recovery from (
      select file_system, target, any_value(server) as server, max(minute_unix) as last,
        ${sums.map((name) => `sum(${name}) as ${name}`).join(", ")},
        ${mean("read", "reads")}, ${mean("write", "writes")}, ${mean("metadata", "metadata_calls")}
      from targets where ${time} and ${condition} group by file_system, target) t
    left join (select file_system, target, arg_max({'bytes': 1 - coalesce(bytes_available, bytes_free) / nullif(bytes_total, 0)::double,
          'inodes': 1 - inodes_free / nullif(inodes_total, 0)::double, 'recovery': recovery}, to_unix_ns) as state
        from target_states where minute_unix >= ${window.to - STATE_MINUTES} and minute_unix < ${window.to} group by file_system, target) s
      on s.target = t.target and s.file_system is not distinct from t.file_system
    order by t.file_system, t.target`);
  const ranking = await rank(db, {
    ...{ by: "job", order: "bytes", limit: JOBS_MAX, source: "servers", window, condition, smallBytes: 0 },
  });
  return {
    fromUnix: window.from * 60,
    toUnix: window.to * 60,
    targets: rows.map((row) => targetOf(row, seconds)),
    jobs: ranking.rows.map(
      (one): LiveJob => ({
        ...{ id: one.id ?? "", user: one.user, targets: null },
        bytesRead: Number(one.bytesRead) / seconds,
        bytesWritten: Number(one.bytesWritten) / seconds,
        reads: Number(one.readCalls) / seconds,
        writes: Number(one.writeCalls) / seconds,
        operations: Number(one.metadataCalls) / seconds,
      }),
    ),
    notices: [],
    synthetic: false,
  };
}

function targetOf(row: SqlRow, seconds: number): LiveTarget {
  const known = (name: string) => (row[name] === null || row[name] === undefined ? null : number(row[name]));
  const rate = (name: string) => (known(name) ?? 0) / seconds;
  return {
    ...{ fileSystem: text(row.file_system), target: String(row.target), server: text(row.server) },
    ...{ bytesRead: rate("bytes_read"), bytesWritten: rate("bytes_written") },
    ...{ reads: rate("reads"), writes: rate("writes"), operations: rate("metadata_calls") },
    ...{ secondsPerRead: known("read_seconds"), secondsPerWrite: known("write_seconds") },
    secondsPerOperation: known("metadata_seconds"),
    ...{ bytesUsedShare: known("bytes_used"), inodesUsedShare: known("inodes_used") },
    recovery: text(row.recovery),
    atUnix: (number(row.last) + 1) * 60,
  };
}
