/** Tables that some items share; each is made when it is first asked for. */
import type { Prepared } from "./prepare.ts";

const made = new WeakMap<Prepared, Map<string, Promise<void>>>();

function once(prepared: Prepared, name: string, make: () => Promise<void>): Promise<void> {
  let names = made.get(prepared);
  if (names === undefined) made.set(prepared, (names = new Map()));
  let promise = names.get(name);
  if (promise === undefined) names.set(name, (promise = make()));
  return promise;
}

/** Accesses with a place in the sequence of their file: good clock, complete, some bytes. */
export const SEQUENCED = "timed and complete and type is not null";

/**
 * `reuse_types`: per file and type of access, how many there are, when, how many streaks they form, and the sum of the
 * gaps between them in ns. Sequences are sorted by start, ties by run id; a balanced access breaks a streak.
 */
export const typesTable = (prepared: Prepared): Promise<void> =>
  once(prepared, "types", () => {
    const { db, options } = prepared;
    const [ends, gaps] =
      options.gap === "start-start"
        ? ["", "max(start_ns) - min(start_ns)"]
        : [
            "end_ns,",
            // Sum of (next start - end): all starts but the first, less all ends but the last.
            `(sum(start_ns) - min(start_ns)) - (sum(end_ns) - arg_max(end_ns, (start_ns, run_id)))`,
          ];
    return db.run(`create or replace temp table reuse_types as
      select file_no, type, cast(count(*) as uinteger) as n, min(start_ns) as first_ns, max(start_ns) as last_ns,
        cast(sum(cast(begins as utinyint)) as uinteger) as streaks, ${gaps} as gaps_ns
      from (select file_no, type, start_ns, ${ends} run_id,
          lag(type) over (partition by file_no order by start_ns, run_id) is distinct from type as begins
        from reuse_accesses where ${SEQUENCED})
      group by file_no, type`);
  });

/** Whether runs that moved no bytes of the file take part, as SQL. */
export const moved = ({ options }: Prepared): string =>
  options.metadataOnly === "include" ? "true" : "(r > 0 or w > 0)";

/** `reuse_pairs`: per file, application and user, how many accesses, and when those with a good clock began. */
export const pairsTable = (prepared: Prepared): Promise<void> =>
  once(prepared, "pairs", () =>
    prepared.db.run(`create or replace temp table reuse_pairs as
      select file_no, application_id, user_id, cast(count(*) as uinteger) as accesses,
        cast(count(*) filter (timed) as uinteger) as n,
        min(start_ns) filter (timed) as first_ns, max(start_ns) filter (timed) as last_ns
      from reuse_accesses where ${moved(prepared)} group by file_no, application_id, user_id`),
  );

/** `reuse_applications`: per file and application, as the option defines an application. */
export const applicationsTable = (prepared: Prepared): Promise<void> =>
  once(prepared, "applications", async () => {
    await pairsTable(prepared);
    const by = prepared.options.application === "exe" ? "application_id" : "application_id, user_id";
    await prepared.db.run(`create or replace temp table reuse_applications as
      select file_no, ${by}, sum(n) as n,
        case when sum(n) >= 2 then cast(max(last_ns) - min(first_ns) as double) / (sum(n) - 1) / 3.6e12 end as hours
      from reuse_pairs group by file_no, ${by}`);
  });

/** `reuse_spread`: per file, the largest I/O time of a run, and the spread of bytes and of I/O time over its runs. */
export const spreadTable = (prepared: Prepared): Promise<void> =>
  once(prepared, "spread", () => {
    const sd = prepared.options.ddof === 0 ? "stddev_pop" : "stddev_samp";
    // Not defined for one run or a mean of zero.
    const cov = (value: string) =>
      `case when count(${value}) >= 2 and avg(${value}) > 0 then ${sd}(${value}) / avg(${value}) end`;
    return prepared.db.run(`create or replace temp table reuse_spread as
      select file_no, max(io) as io_max, ${cov("bytes")} as cov_bytes, ${cov("io")} as cov_time,
        count(bytes) as n_bytes, count(io) as n_time
      from (select file_no, io, cast(r as double) + w as bytes from reuse_accesses
        where complete and ${moved(prepared)})
      group by file_no`);
  });

/** `reuse_matrix`: one row per selected file with what the findings and figures draw. */
export const matrixTable = (prepared: Prepared): Promise<void> =>
  once(prepared, "matrix", async () => {
    // One after the other: they share one connection.
    await typesTable(prepared);
    await applicationsTable(prepared);
    await spreadTable(prepared);
    const type = (code: number) =>
      `(select file_no, n, streaks, gaps_ns, first_ns, last_ns from reuse_types where type = ${code})`;
    const gap = (t: string) =>
      `case when ${t}.n >= 2 then cast(${t}.gaps_ns as double) / (${t}.n - 1) / 3.6e12 end`;
    // Without an access of a type the streak is 0; without any access in the sequence it is not known.
    const streak = (t: string) =>
      `case when ${t}.n is not null then cast(${t}.n as double) / ${t}.streaks when q.file_no is not null then 0 end`;
    await prepared.db.run(`create or replace temp table reuse_matrix as
      select s.file_no, s.class, cast(s.bytes_read as double) + cast(s.bytes_written as double) as total, s.runs,
        ${gap("t")} as gap_read, ${gap("u")} as gap_write, ${streak("t")} as streak_read, ${streak("u")} as streak_write,
        t.n as reads, u.n as writes, t.last_ns as last_read_ns, u.last_ns as last_write_ns,
        q.last_ns, case when q.n >= 2 then cast(q.last_ns - q.first_ns as double) / (q.n - 1) / 3.6e12 end as gap_any,
        p.applications, p.application_hours, p.application_pairs, d.cov_bytes, d.cov_time
      from reuse_selected s
        left join ${type(1)} t on s.file_no = t.file_no
        left join ${type(-1)} u on s.file_no = u.file_no
        left join (select file_no, sum(n) as n, min(first_ns) as first_ns, max(last_ns) as last_ns
          from reuse_types group by file_no) q on s.file_no = q.file_no
        left join (select file_no, count(*) as applications, avg(hours) as application_hours,
            count(hours) as application_pairs
          from reuse_applications group by file_no) p on s.file_no = p.file_no
        left join reuse_spread d on s.file_no = d.file_no`);
  });
