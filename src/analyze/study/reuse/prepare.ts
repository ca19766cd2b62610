/**
 * What the items share, made once per study:
 *
 *   reuse_grouped    every selected file, and all other files by what A02 and A03 count of them
 *   reuse_layouts    every list of OSTs, with the hash by which accesses name it
 *   reuse_selected   the I/O-intensive files, numbered from 0, with class (1 read-heavy, -1 write-heavy, 0 both)
 *   scan             all that one pass over their accesses tells (sweep/)
 *
 * With 50 million accesses that is one aggregation over all of them and one join with the selected files, both by the
 * database, which gives narrow columns. What is asked of each file and run is then answered here, in memory that is
 * bounded: no table of accesses is made.
 */
import type { Queryable, SqlRow } from "../../../model/index.ts";
import { clusterSql } from "./cluster.ts";
import { groupFiles } from "./group-files.ts";
import { exact, number } from "./item.ts";
import { layoutTexts } from "./layout-texts.ts";
import type { ReuseOptions } from "./options.ts";
import { hourOf, parsePeriod, zoneSpans } from "../common/zone.ts";
import { once } from "../common/study.ts";
import { type DrawnIntervals, drawnIntervals } from "./intervals.ts";
import { type Osts, ostsOf } from "./osts.ts";
import { sampled } from "./sample.ts";
import { type GroupRuns, type ScanResult, sweep } from "./sweep/index.ts";

export interface Prepared {
  readonly db: Queryable;
  readonly options: ReuseOptions;
  /** Selected files, and their accesses. */
  readonly files: number;
  readonly accesses: number;
  /** By number of the file: 1 read-heavy, -1 write-heavy, 0 both, NaN none. */
  readonly classes: Float64Array;
  readonly scan: ScanResult;
  /** Made at the first call: the census of what the study starts from, the OSTs of the selected files, and intervals. */
  input(): Promise<Input>;
  osts(): Promise<Osts>;
  intervals(): Promise<DrawnIntervals>;
}

interface Input {
  readonly runs: number;
  readonly accesses: number;
  readonly outsidePeriodRuns: number;
  /** Runs that no period can be told of, since their clock cannot be right; 0 when all are studied. */
  readonly unplacedRuns: number;
  readonly badClockRuns: number;
  readonly excludedAccesses: number;
  readonly excludedBytes: bigint;
  readonly partialAccesses: number;
  readonly zeroByteAccesses: number;
  readonly bytesNotRecorded: number;
  readonly negativeCounters: number;
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  /** Distinct ones of the runs of the period. */
  readonly applications: number;
  readonly users: number;
  /** Runs of the period by the modules of their logs. */
  readonly moduleSets: readonly { readonly modules: string; readonly runs: number }[];
  /** Calls of the accesses that record how many of them were sequential. */
  readonly calls: {
    readonly accesses: number;
    readonly reads: number;
    readonly writes: number;
    readonly sequentialReads: number;
    readonly sequentialWrites: number;
  };
}

/** What the accesses that a study holds at a time may take, unless told; ours. */
const RECORD_BYTES = 512 * 1024 * 1024;

/** What a study may use. */
export interface StudyResources {
  /** What the accesses that are held at a time may take. */
  readonly recordBytes?: number | undefined;
  /** What the database may hold in memory; as much unless given. */
  readonly databaseBytes?: number | undefined;
  readonly groupRuns?: GroupRuns | undefined;
  /** Called when much memory can be given back: what was read piece by piece, and at the end the accesses. */
  readonly collect?: (() => void) | undefined;
  /** Called between long computations, so that others have their turn. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** What a file takes while its accesses are looked for; ours. */
const BYTES_PER_JOINED = 64;

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export async function prepare(
  db: Queryable,
  options: ReuseOptions,
  { recordBytes = RECORD_BYTES, databaseBytes = recordBytes, groupRuns, collect, pause }: StudyResources = {},
): Promise<Prepared> {
  await mounts(db, options);
  const { inputs, onlyMount } = await inputViews(db, options);
  const clock = await clocks(db, options);
  // No access is held yet: what they will take is free until then.
  await groupFiles(db, options, { leastBytes: databaseBytes, mostBytes: recordBytes, onlyMount });
  await db.limitMemory(databaseBytes);
  await selectFiles(db, options);
  await layoutTexts(db);
  const { n: counts = new Float64Array(), class: classes = new Float64Array() } = await db.columns(
    "select runs as n, class from reuse_selected order by file_no",
  );
  const spans = zoneSpans(options.zone, clock.firstUnix, clock.lastUnix + 1);
  const [{ all } = { all: 0 }] = await db.rows("select coalesce(sum(runs), 0) as all from reuse_grouped");
  const scan = await sweep({
    db,
    options,
    // Every reader makes a table of the files for itself.
    inputs: inputs.length * counts.length * BYTES_PER_JOINED > databaseBytes ? ["reuse_input"] : inputs,
    hour: hourOf(spans),
    badRuns: clock.bad > 0,
    counts: Uint32Array.from(counts),
    allAccesses: number(all),
    bytes: recordBytes,
    kept: sampled(counts.length),
    groupRuns,
    collect,
  });
  // The accesses are held until their runs are grouped.
  scan.runs.then(() => collect?.()).catch(() => {});
  const prepared: Prepared = {
    db,
    options,
    files: counts.length,
    accesses: scan.accesses,
    classes,
    scan,
    input: once(() => census(db, options, clock)),
    osts: once(() => ostsOf(prepared)),
    intervals: once(() => drawnIntervals(prepared, pause)),
  };
  return prepared;
}

/** Mount points by number, so that 50 million rows are grouped by a byte and not by a text. */
async function mounts(db: Queryable, { excludeMounts }: ReuseOptions): Promise<void> {
  const below = excludeMounts
    .map((path) => path.replace(/(?<=.)\/+$/, ""))
    .map((path) => `mount = ${quoted(path)} or starts_with(mount, ${quoted(`${path}/`)})`);
  await db.run(`create or replace table reuse_mounts as
    select cast(row_number() over (order by mount nulls first) - 1 as usmallint) as mount_no, mount,
      coalesce(${below.length === 0 ? "false" : below.join(" or ")}, false) as excluded
    from (select distinct mount from accesses)`);
}

/** `reuse_input`: the accesses that are studied. Gives views of shares of them, and their mount where it is one only. */
async function inputViews(
  db: Queryable,
  options: ReuseOptions,
): Promise<{ inputs: string[]; onlyMount: number | undefined }> {
  await db.run(`create or replace view reuse_bad_runs as select run_id from runs where ${BAD_CLOCK}`);
  const { fromNs, toNs } = parsePeriod(options.zone, options.period);
  const bounds = [
    ...(fromNs === undefined ? [] : [`start_unix_ns >= ${fromNs}`]),
    ...(toNs === undefined ? [] : [`start_unix_ns < ${toNs}`]),
  ];
  // A run without a usable clock cannot be placed in a period.
  if (bounds.length > 0) bounds.push("run_id not in (select run_id from reuse_bad_runs)");
  const period = bounds.length === 0 ? "true" : bounds.join(" and ");
  await db.run(`create or replace view reuse_period_runs as select * from runs where ${period}`);
  const list = await db.rows("select mount_no, mount, excluded from reuse_mounts order by mount_no");
  const [out, kept] = [true, false].map((is) => list.filter(({ excluded }) => excluded === is)) as [
    SqlRow[],
    SqlRow[],
  ];
  // A few comparisons of texts are cheaper than a join, and none cheaper still.
  const few = kept.length <= MOUNTS_FEW;
  const name = (mount: unknown) =>
    mount === null ? "a.mount is null" : `a.mount = ${quoted(String(mount))}`;
  const mountNo =
    kept.length <= 1
      ? String(kept[0]?.mount_no ?? 0)
      : `case ${kept.map(({ mount, mount_no }) => `when ${name(mount)} then ${String(mount_no)}`).join(" ")} end`;
  const [read, written] = await Promise.all(
    ["bytes_read", "bytes_written"].map((column) => recorded(db, column)),
  );
  const view = (name: string, source: string, where: string) =>
    db.run(`create or replace view ${name} as
      select a.*, ${few ? `cast(${mountNo} as usmallint)` : "m.mount_no"} as mount_no, ${read} as r, ${written} as w,
        coalesce(cast(partial as integer), 0) = 1 as is_partial
      from ${source} a ${few ? "" : "join reuse_mounts m on a.mount is not distinct from m.mount"}
      where ${where} and ${period}`);
  const excluded = `a.mount in (${out.map(({ mount }) => quoted(String(mount))).join(", ")})`;
  const included =
    out.length === 0
      ? "true"
      : kept.some(({ mount }) => mount === null)
        ? `(${excluded}) is not true`
        : `not ${excluded}`;
  await view("reuse_input", "accesses", included);
  await view("reuse_excluded", "accesses", out.length === 0 ? "false" : excluded);
  const shares = await db.shares("accesses");
  for (const [i, share] of shares.entries()) await view(`reuse_input_${i}`, share, included);
  return {
    inputs: shares.map((_, i) => `reuse_input_${i}`),
    onlyMount: kept.length === 1 ? number(kept[0]?.mount_no) : undefined,
  };
}

/** A column of bytes without values that cannot be; asking whether there are any costs next to nothing. */
async function recorded(db: Queryable, column: string): Promise<string> {
  const [found] = await db.rows(`select 1 as one from accesses where ${column} < 0 limit 1`);
  return found === undefined ? column : `if(${column} < 0, null, ${column})`;
}

const MOUNTS_FEW = 12;
/** Of a run: its clock cannot be right. */
const BAD_CLOCK = "(coalesce(clock, 'ok') <> 'ok' or start_unix_ns is null)";

interface Clocks {
  readonly runs: number;
  readonly allRuns: number;
  /** Runs whose clock cannot be right, in the period and in all. */
  readonly badInPeriod: number;
  readonly bad: number;
  /** First and last start with a good clock, seconds since 1970. */
  readonly firstUnix: number;
  readonly lastUnix: number;
}

async function clocks(db: Queryable, options: ReuseOptions): Promise<Clocks> {
  const period = await clocksOf(db, "reuse_period_runs");
  const all = options.period === "" ? period : await clocksOf(db, "runs");
  return {
    runs: period.runs,
    allRuns: all.runs,
    badInPeriod: period.bad,
    bad: all.bad,
    firstUnix: Number(period.first / 1_000_000_000n),
    lastUnix: Number(period.last / 1_000_000_000n),
  };
}

/** Grouped by what is said of a clock, which is a few texts: that costs half of a test for each run. */
async function clocksOf(db: Queryable, table: string) {
  const kinds = await db.rows(`select clock, count(*) as runs, count(start_unix_ns) as timed,
    min(start_unix_ns) as first, max(start_unix_ns) as last from ${table} group by clock`);
  const good = kinds.filter(({ clock, timed }) => (clock === null || clock === "ok") && number(timed) > 0);
  const runs = kinds.reduce((sum, kind) => sum + number(kind.runs), 0);
  const [first = 0n, ...others] = good.map((kind) => exact(kind.first));
  return {
    runs,
    bad: runs - good.reduce((sum, kind) => sum + number(kind.timed), 0),
    first: others.reduce((least, one) => (one < least ? one : least), first),
    last: good.reduce((most, kind) => (exact(kind.last) > most ? exact(kind.last) : most), first),
  };
}

const CALLS =
  "(layer <> 'STDIO' and sequential_reads >= 0 and sequential_writes >= 0 and reads >= 0 and writes >= 0)";

async function census(db: Queryable, options: ReuseOptions, clock: Clocks): Promise<Input> {
  const application = options.application === "exe" ? "application_id" : "(application_id, user_id)";
  // In one call: the database works on all of them while this thread is busy. There are few sets of modules, and
  // many logs.
  await db.run(`
    create or replace table reuse_census as select * from
      (select count(*) filter (is_partial) as partial, count(*) filter (r = 0 and w = 0) as zero,
        count(*) filter (r is null or w is null) as unknown,
        count(*) filter (bytes_read < 0 or bytes_written < 0) as negative, sum(r) as bytes_read, sum(w) as bytes_written
        from reuse_input),
      (select count(*) as calls_known, sum(reads) as reads, sum(writes) as writes, sum(sequential_reads) as seq_reads,
        sum(sequential_writes) as seq_writes from reuse_input where ${CALLS}),
      (select sum(runs) as accesses from reuse_grouped),
      (select count(*) as excluded, sum(coalesce(r, 0)) + sum(coalesce(w, 0)) as excluded_bytes from reuse_excluded);
    create or replace table reuse_census_runs as
      select count(distinct ${application}) as applications, count(distinct user_id) as users,
        coalesce(sum(negative_counters), 0) as left_out from reuse_period_runs;
    create or replace table reuse_module_sets as
      select modules, count(*) as n from reuse_period_runs group by modules`);
  const [row] = await db.rows("select * from reuse_census, reuse_census_runs");
  const sets = await db.rows("select modules, n from reuse_module_sets");
  return {
    applications: number(row?.applications),
    users: number(row?.users),
    moduleSets: sets.map(({ modules, n }) => ({ modules: String(modules ?? ""), runs: number(n) })),
    runs: clock.runs,
    accesses: number(row?.accesses) || 0,
    outsidePeriodRuns: clock.allRuns - clock.runs - (clock.bad - clock.badInPeriod),
    unplacedRuns: clock.bad - clock.badInPeriod,
    badClockRuns: clock.badInPeriod,
    excludedAccesses: number(row?.excluded),
    excludedBytes: exact(row?.excluded_bytes),
    partialAccesses: number(row?.partial),
    zeroByteAccesses: number(row?.zero),
    bytesNotRecorded: number(row?.unknown),
    negativeCounters: number(row?.negative) + number(row?.left_out),
    calls: {
      accesses: number(row?.calls_known),
      reads: number(row?.reads),
      writes: number(row?.writes),
      sequentialReads: number(row?.seq_reads),
      sequentialWrites: number(row?.seq_writes),
    },
    bytesRead: exact(row?.bytes_read),
    bytesWritten: exact(row?.bytes_written),
  };
}

async function selectFiles(db: Queryable, options: ReuseOptions): Promise<void> {
  await db.run(`create or replace table reuse_candidates as
    select cast(row_number() over (order by file_id, mount_no) - 1 as uinteger) as file_no, file_id, mount_no,
      bytes_read, bytes_written, cast(runs as uinteger) as runs
    from reuse_grouped where file_id is not null`);
  // Classes stand on complete accesses: sums of partial ones are lower bounds and may tip the balance.
  await db.run(`create or replace table reuse_partial as
    select s.file_no, coalesce(sum(a.r), 0) as r, coalesce(sum(a.w), 0) as w
    from reuse_input a join reuse_candidates s on a.file_id = s.file_id and a.mount_no = s.mount_no
    where ${options.partial === "use" ? "false" : "a.is_partial"} group by s.file_no`);
  await db.run(`create or replace view reuse_measured as
    select *, ${ratioSql("class_r", "class_w")} as d from (
      select s.*, s.bytes_read - coalesce(p.r, 0) as class_r, s.bytes_written - coalesce(p.w, 0) as class_w
      from reuse_candidates s left join reuse_partial p on s.file_no = p.file_no)`);
  await db.run(`create or replace table reuse_selected as
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
