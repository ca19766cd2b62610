/** Server counters of a job by minute; by hour or day if minutes were pruned. */
import type { Queryable, SqlRow } from "../../model/index.ts";
import { exact, number, text } from "./amounts.ts";

export interface Counters {
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  readonly readCalls: bigint;
  readonly writeCalls: bigint;
  readonly metadataCalls: bigint;
}

export interface MinuteRow extends Counters {
  readonly cluster: string | null;
  readonly fileSystem: string | null;
  readonly target: string;
  readonly minuteUnix: number;
  /** Minutes covered by the row: 1, 60 or 1440. */
  readonly spanMinutes: number;
}

export const countersOf = (row: SqlRow): Counters => ({
  bytesRead: exact(row.bytes_read),
  bytesWritten: exact(row.bytes_written),
  readCalls: exact(row.reads),
  writeCalls: exact(row.writes),
  metadataCalls: exact(row.metadata_calls),
});

const NAMES = "cluster, file_system, minute_unix, bytes_read, bytes_written, reads, writes, metadata_calls";
const DAY = 1440;
const HOUR = 60;

/** `is`: a condition on `job_id`. */
export async function minutesOf(db: Queryable, is: string): Promise<MinuteRow[]> {
  const rows =
    await db.rows(`select file_system, target, minute_unix, cluster, span, sum(bytes_read) as bytes_read,
      sum(bytes_written) as bytes_written, sum(reads) as reads, sum(writes) as writes, sum(metadata_calls) as metadata_calls
    from (${await relationOf(db, is)}) group by file_system, target, minute_unix, cluster, span
    order by minute_unix, target, file_system, cluster`);
  return rows.map((row) => ({
    fileSystem: text(row.file_system),
    target: text(row.target) ?? "all targets",
    minuteUnix: number(row.minute_unix),
    cluster: text(row.cluster),
    spanMinutes: number(row.span),
    ...countersOf(row),
  }));
}

/** Daily roll-ups narrow the time range, so that a query does not read a year. */
async function relationOf(db: Queryable, is: string): Promise<string> {
  const from = (table: string, span: number, where = "true") =>
    `select ${NAMES}, ${span === DAY ? "null::varchar" : "target"} as target, ${span} as span from ${table} where ${is} and ${where}`;
  const parts = await db.levels?.("minutes");
  if (parts === undefined) return from("minutes", 1);
  const [days] = await db.rows(
    `select min(minute_unix) as first, max(minute_unix) as last from ${parts.days} where ${is}`,
  );
  const fresh = from(parts.fresh, 1);
  if (days === undefined || days.first === null) return fresh;
  const [first, end] = [number(days.first), number(days.last) + DAY];
  const inside = (a: number, b: number) =>
    `minute_unix >= ${Math.max(first, a)} and minute_unix < ${Math.min(end, b)}`;
  return [
    fresh,
    from(parts.rolled, 1, inside(parts.minutesFrom, Number.POSITIVE_INFINITY)),
    ...(first < parts.minutesFrom
      ? [from(parts.hours, HOUR, inside(parts.hoursFrom, parts.minutesFrom))]
      : []),
    ...(first < parts.hoursFrom
      ? [from(parts.days, DAY, inside(Number.NEGATIVE_INFINITY, parts.hoursFrom))]
      : []),
  ].join(" union all ");
}
