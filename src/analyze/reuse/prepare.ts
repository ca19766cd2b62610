/**
 * The tables that the items share, made once per database and set of options:
 *
 *   reuse_totals    every file: bytes and runs
 *   reuse_selected  the I/O-intensive files, numbered from 0, with class (1 read-heavy, -1 write-heavy, 0 both)
 *   reuse_accesses  their accesses, narrow: type (1 read, -1 write, 0 balanced, null none), complete, timed
 *   reuse_runs      the runs that touch them: bytes to selected files
 *
 * What only some items need is made when the first of them asks (tables.ts).
 *
 * The paths that lead here with 50 million accesses: one aggregation over all accesses, one join with the selected files,
 * and all else on what was selected. The mean gap needs no sorting: successive differences add up to last minus first.
 */
import type { Queryable } from "../../model/query.ts";
import { exact, number } from "./item.ts";
import { clusterSql } from "./cluster.ts";
import type { ReuseOptions } from "./options.ts";
import { hourSql, parsePeriod, zoneSpans } from "./zone.ts";

export interface Prepared {
  readonly db: Queryable;
  readonly options: ReuseOptions;
  /** Census of what the study starts from. */
  readonly input: Input;
  /** Selected files, their accesses, the runs that touch them. */
  readonly files: number;
  readonly accesses: number;
  readonly runs: number;
  /** Accesses of selected files that an item cannot use, by reason. */
  readonly unusable: {
    readonly badClock: number;
    readonly partial: number;
    readonly metadataOnly: number;
    readonly bytesNotRecorded: number;
    readonly balanced: number;
  };
  /** Local hour of `start_ns`, as SQL. */
  readonly hour: string;
  /** First and last start of the selected accesses with a good clock, ns; 0 without any. */
  readonly firstNs: bigint;
  readonly lastNs: bigint;
}

export interface Input {
  readonly runs: number;
  readonly accesses: number;
  readonly outsidePeriodRuns: number;
  readonly badClockRuns: number;
  readonly excludedAccesses: number;
  readonly excludedBytes: bigint;
  readonly partialAccesses: number;
  readonly zeroByteAccesses: number;
  readonly bytesNotRecorded: number;
  readonly negativeCounters: number;
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
}

const done = new WeakMap<Queryable, { readonly key: string; readonly prepared: Promise<Prepared> }>();

/** The shared tables for these options; made at the first call, and anew when the options change. */
export function prepare(db: Queryable, options: ReuseOptions): Promise<Prepared> {
  // What only concerns the intervals changes no table.
  const key = JSON.stringify({ ...options, seed: 0, replicates: 0, level: 0 });
  const known = done.get(db);
  if (known?.key === key) return known.prepared;
  const prepared = build(db, options);
  done.set(db, { key, prepared });
  prepared.catch(() => done.delete(db));
  return prepared;
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function build(db: Queryable, options: ReuseOptions): Promise<Prepared> {
  await mounts(db, options);
  const from = await inputView(db, options);
  const input = await census(db, from);
  await db.run(`create or replace temp table reuse_totals as
    select file_id, mount_no, coalesce(sum(r), 0) as bytes_read, coalesce(sum(w), 0) as bytes_written,
      cast(count(*) as uinteger) as runs
    from reuse_input group by file_id, mount_no`);
  await selectFiles(db, options);
  await selectAccesses(db, options);
  const [counts] = await db.rows(`select count(*) as n, count(*) filter (not timed) as clock,
    count(*) filter (not complete) as partial, count(*) filter (r = 0 and w = 0) as zero,
    count(*) filter (r is null or w is null) as unknown, count(*) filter (type = 0) as balanced,
    min(start_ns) filter (timed) as first, max(start_ns) filter (timed) as last from reuse_accesses`);
  const [firstNs, lastNs] = [exact(counts?.first), exact(counts?.last)];
  const spans = zoneSpans(
    options.zone,
    Number(firstNs / 1_000_000_000n),
    Number(lastNs / 1_000_000_000n) + 1,
  );
  const [{ files } = { files: 0 }] = await db.rows("select count(*) as files from reuse_selected");
  const runs = await runsTable(db, options);
  return {
    db,
    options,
    input,
    files: number(files),
    accesses: number(counts?.n),
    runs,
    unusable: {
      badClock: number(counts?.clock),
      partial: number(counts?.partial),
      metadataOnly: number(counts?.zero),
      bytesNotRecorded: number(counts?.unknown),
      balanced: number(counts?.balanced),
    },
    hour: hourSql("start_ns", spans),
    firstNs,
    lastNs,
  };
}

/** Mount points by number, so that 50 million rows are grouped by a byte and not by a text. */
async function mounts(db: Queryable, { excludeMounts }: ReuseOptions): Promise<void> {
  const below = excludeMounts
    .map((path) => path.replace(/(?<=.)\/+$/, ""))
    .map((path) => `mount = ${quoted(path)} or starts_with(mount, ${quoted(`${path}/`)})`);
  await db.run(`create or replace temp table reuse_mounts as
    select cast(row_number() over (order by mount nulls first) - 1 as usmallint) as mount_no, mount,
      coalesce(${below.length === 0 ? "false" : below.join(" or ")}, false) as excluded
    from (select distinct mount from accesses)`);
}

/** `reuse_input`: what is studied, as a view; returns the same without the excluded mounts, for the census. */
async function inputView(db: Queryable, options: ReuseOptions): Promise<string> {
  await db.run(`create or replace temp table reuse_bad_runs as
    select run_id from runs where coalesce(clock, 'ok') <> 'ok' or start_unix_ns is null`);
  const { fromNs, toNs } = parsePeriod(options.zone, options.period);
  const bounds = [
    ...(fromNs === undefined ? [] : [`start_unix_ns >= ${fromNs}`]),
    ...(toNs === undefined ? [] : [`start_unix_ns < ${toNs}`]),
  ];
  // A run without a usable clock cannot be placed in a period.
  if (bounds.length > 0) bounds.push("run_id not in (select run_id from reuse_bad_runs)");
  const period = bounds.length === 0 ? "true" : bounds.join(" and ");
  const [{ all_mounts, one } = { all_mounts: 0, one: 0 }] = await db.rows(
    "select count(*) as all_mounts, min(mount_no) filter (not excluded) as one from reuse_mounts",
  );
  const single = number(all_mounts) === 1 && one !== null;
  await db.run(`create or replace temp view reuse_period_runs as select * from runs where ${period}`);
  await db.run(`create or replace temp view reuse_everything as
    select a.*, ${single ? `cast(${String(one)} as usmallint) as mount_no, false as excluded` : "m.mount_no, m.excluded"},
      if(bytes_read < 0, null, bytes_read) as r, if(bytes_written < 0, null, bytes_written) as w,
      coalesce(cast(partial as integer), 0) = 1 as is_partial
    from accesses a ${single ? "" : "join reuse_mounts m on a.mount is not distinct from m.mount"} where ${period}`);
  await db.run(
    `create or replace temp view reuse_input as select * from reuse_everything ${single ? "" : "where not excluded"}`,
  );
  return "reuse_everything";
}

async function census(db: Queryable, from: string): Promise<Input> {
  const [runs] = await db.rows(`select (select count(*) from runs) as all_runs, count(*) as runs,
    count(*) filter (run_id in (select run_id from reuse_bad_runs)) as bad from reuse_period_runs`);
  const [row] =
    await db.rows(`select count(*) filter (not excluded) as n, count(*) filter (excluded) as excluded,
    sum(coalesce(r, 0)) filter (excluded) + sum(coalesce(w, 0)) filter (excluded) as excluded_bytes,
    sum(r) filter (not excluded) as bytes_read, sum(w) filter (not excluded) as bytes_written,
    count(*) filter (is_partial and not excluded) as partial, count(*) filter (r = 0 and w = 0 and not excluded) as zero,
    count(*) filter (not excluded and (r is null or w is null)) as unknown,
    count(*) filter (not excluded and (bytes_read < 0 or bytes_written < 0)) as negative from ${from}`);
  return {
    runs: number(runs?.runs),
    accesses: number(row?.n),
    outsidePeriodRuns: number(runs?.all_runs) - number(runs?.runs),
    badClockRuns: number(runs?.bad),
    excludedAccesses: number(row?.excluded),
    excludedBytes: exact(row?.excluded_bytes),
    partialAccesses: number(row?.partial),
    zeroByteAccesses: number(row?.zero),
    bytesNotRecorded: number(row?.unknown),
    negativeCounters: number(row?.negative),
    bytesRead: exact(row?.bytes_read),
    bytesWritten: exact(row?.bytes_written),
  };
}

async function selectFiles(db: Queryable, options: ReuseOptions): Promise<void> {
  await db.run(`create or replace temp table reuse_candidates as
    select cast(row_number() over (order by file_id, mount_no) - 1 as uinteger) as file_no, *
    from reuse_totals where bytes_read + bytes_written >= ${BigInt(Math.ceil(options.minBytes))}
      and runs >= ${options.minRuns}`);
}

/** I/O time of an access, as SQL; what was not recorded stays so. */
function ioSql({ ioTime }: ReuseOptions): string {
  const time =
    ioTime === "slowest"
      ? "slowest_seconds"
      : "coalesce(read_seconds, 0) + coalesce(write_seconds, 0) + coalesce(meta_seconds, 0) + (0 * coalesce(read_seconds, write_seconds, meta_seconds))";
  return `case when isfinite(${time}) and ${time} >= 0 then ${time} end`;
}

async function selectAccesses(db: Queryable, options: ReuseOptions): Promise<void> {
  const [{ bad } = { bad: 0 }] = await db.rows("select count(*) as bad from reuse_bad_runs");
  const timed = number(bad) === 0 ? "true" : "b.run_id is null";
  await db.run(`create or replace temp table reuse_accesses as
    select s.file_no, a.run_id, a.application_id, a.user_id, a.start_unix_ns as start_ns, a.end_unix_ns as end_ns,
      a.r, a.w, cast(case when a.r is null or a.w is null or (a.r = 0 and a.w = 0) then null
        when a.r > a.w then 1 when a.r < a.w then -1 else 0 end as tinyint) as type,
      ${options.partial === "use" ? "true" : "not a.is_partial"} as complete,
      ${timed} and a.start_unix_ns is not null as timed,
      ${ioSql(options)} as io, variance_bytes, variance_seconds, a.layer, a.ranks, a.stripe_count, a.osts
    from reuse_input a
      join reuse_candidates s on a.file_id = s.file_id and a.mount_no = s.mount_no
      ${number(bad) === 0 ? "" : "left join reuse_bad_runs b on a.run_id = b.run_id"}`);
  // Classes stand on complete accesses: sums of partial ones are lower bounds and may tip the balance. Where all are complete
  // the totals serve, which spares a pass.
  const [{ partial } = { partial: 0 }] = await db.rows(
    "select count(*) as partial from reuse_accesses where not complete",
  );
  if (number(partial) === 0) {
    await db.run(`create or replace temp view reuse_measured as select *, bytes_read as class_r,
        bytes_written as class_w, ${ratioSql("bytes_read", "bytes_written")} as d from reuse_candidates`);
  } else {
    await db.run(`create or replace temp table reuse_complete as
      select file_no, sum(r) as r, sum(w) as w from reuse_accesses where complete group by file_no`);
    await db.run(`create or replace temp view reuse_measured as
      select s.*, c.r as class_r, c.w as class_w, ${ratioSql("c.r", "c.w")} as d
      from reuse_candidates s left join reuse_complete c on s.file_no = c.file_no`);
  }
  await db.run(`create or replace temp table reuse_selected as
    select *, ${await classSql(db, options)} as class from reuse_measured`);
}

/** (R - W)/(R + W); NULL where nothing was moved. */
const ratioSql = (read: string, written: string): string =>
  `cast(${read} - ${written} as double) / nullif(cast(${read} + ${written} as double), 0)`;

async function classSql(db: Queryable, options: ReuseOptions): Promise<string> {
  switch (options.classRule) {
    case "ratio":
      return `case when d >= ${options.classThreshold} then 1 when d <= -${options.classThreshold} then -1
        when d is not null then 0 end`;
    case "absolute": {
      const heavy = (side: string) => `${side} >= ${BigInt(Math.ceil(options.classBytes))}`;
      return `case when ${heavy("class_r")} and ${heavy("class_w")} then 0 when ${heavy("class_r")} then 1
        when ${heavy("class_w")} then -1 end`;
    }
    case "cluster":
      return clusterSql(db);
  }
}

/** Runs that touch selected files, with their bytes; returns how many. */
async function runsTable(db: Queryable, { runBytes }: ReuseOptions): Promise<number> {
  await db.run(`create or replace temp table reuse_runs as
    select run_id, sum(r) as r, sum(w) as w, bool_and(complete) as complete, min(application_id) as application_id,
      min(user_id) as user_id from reuse_accesses group by run_id`);
  if (runBytes === "all")
    await db.run(`create or replace temp table reuse_runs as
      select s.run_id, t.r, t.w, t.complete, s.application_id, s.user_id from reuse_runs s join (
        select run_id, sum(r) as r, sum(w) as w, bool_and(not is_partial) as complete from reuse_input
        where run_id in (select run_id from reuse_runs) group by run_id) t on s.run_id = t.run_id`);
  const [{ n } = { n: 0 }] = await db.rows("select count(*) as n from reuse_runs");
  return number(n);
}
