/**
 * What the items share, made once per study:
 *
 *   reuse_grouped    files, selected or not, by what A02 and A03 count of them
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
import { countGroups, groupFiles, joinGroups } from "./group-files.ts";
import { badRunsSql, census, clocks, type Input } from "./census.ts";
import { number } from "./item.ts";
import { layoutTexts } from "./layout-texts.ts";
import type { ReuseOptions } from "./options.ts";
import { hourOf, parsePeriod, zoneSpans } from "../common/zone.ts";
import { everyRow, isOfParts, partOr } from "../common/parts.ts";
import { once } from "../common/study.ts";
import { type DrawnIntervals, drawnIntervals } from "./intervals.ts";
import { type Osts, ostsOf } from "./osts.ts";
import { sampled } from "./sample.ts";
import { type FileClasses, type GroupRuns, NO_CLASS, Pages, type ScanResult, sweep } from "./sweep/index.ts";

export interface Prepared {
  readonly db: Queryable;
  readonly options: ReuseOptions;
  /** Selected files, and their accesses. */
  readonly files: number;
  readonly accesses: number;
  readonly classes: FileClasses;
  /** Whether there are runs of the period whose clock cannot be right. */
  readonly badClocks: boolean;
  readonly scan: ScanResult;
  /** Made at the first call: the census of what the study starts from, the OSTs of the selected files, and intervals. */
  input(): Promise<Input>;
  osts(): Promise<Osts>;
  intervals(): Promise<DrawnIntervals>;
}

/** What the accesses that a study holds at a time may take by default; ours. */
export const RECORD_BYTES = 512 * 1024 * 1024;

export interface Keeping {
  /** What accesses may take beside it. */
  readonly accessBytes: number;
  /** Whether what is known of each file lies on disk, if the database has a place for it. */
  readonly spilled: boolean;
}

/** What a study may use. */
export interface StudyResources {
  /** What the accesses that are held at a time may take. */
  readonly recordBytes?: number | undefined;
  /** What the database may hold in memory; as much unless given. */
  readonly databaseBytes?: number | undefined;
  /** How to keep what is known of this number of selected files; throws when there is no way. */
  readonly keep?: ((files: number) => Keeping) | undefined;
  readonly groupRuns?: GroupRuns | undefined;
  /** Called when much memory can be given back: what was read piece by piece, and at the end the accesses. */
  readonly collect?: (() => void) | undefined;
  /** Called between long computations, so that others have their turn. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** What a file takes while its accesses are looked for; ours. */
const BYTES_PER_JOINED = 64;

/** What is kept of a selected file until the study ends, beside its accesses; measured. */
export const BYTES_PER_SELECTED = 400;
/** The same where it lies on disk: its number of runs and its class, and beside these the columns that an item looks at. */
export const BYTES_PER_NUMBERED = 8;
export const BYTES_PER_SPILLED = 40;

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export async function prepare(
  db: Queryable,
  options: ReuseOptions,
  {
    recordBytes = RECORD_BYTES,
    databaseBytes = recordBytes,
    keep,
    groupRuns,
    collect,
    pause,
  }: StudyResources = {},
): Promise<Prepared> {
  const { inputs } = await findFiles(db, options, { recordBytes, databaseBytes });
  const clock = await clocks(db, options);
  await selectFiles(db, options);
  await countGroups(db);
  await layoutTexts(db);
  const { counts, classes } = await selectedFiles(db);
  const { accessBytes, spilled } = keep?.(counts.length) ?? { accessBytes: recordBytes, spilled: false };
  const spill = spilled ? db.spill?.() : undefined;
  const spans = zoneSpans(options.zone, clock.firstUnix, clock.lastUnix + 1);
  const [{ all } = { all: 0 }] = await db.rows("select coalesce(sum(runs), 0) as all from reuse_grouped");
  const scan = await sweep({
    db,
    options,
    // Every reader makes a table of the files for itself.
    inputs: inputs.length * counts.length * BYTES_PER_JOINED > databaseBytes ? ["reuse_input"] : inputs,
    hour: hourOf(spans),
    badRuns: clock.bad > 0,
    counts,
    classes,
    allAccesses: number(all),
    bytes: accessBytes,
    pages: spill && new Pages(spill),
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
    badClocks: clock.badInPeriod > 0,
    scan,
    input: once(() => census(db, options, clock)),
    osts: once(() => ostsOf(prepared)),
    intervals: once(() => drawnIntervals(prepared, pause)),
  };
  return prepared;
}

/** `reuse_input`, `reuse_grouped` and `reuse_candidates`, the selected files by number. Gives views of shares of the input. */
export async function findFiles(
  db: Queryable,
  options: ReuseOptions,
  { recordBytes, databaseBytes }: { readonly recordBytes: number; readonly databaseBytes: number },
): Promise<{ readonly inputs: readonly string[] }> {
  await mounts(db, options);
  const { inputs, onlyMount } = await inputViews(db, options);
  // No access is held yet: what they will take is free until then.
  if (isOfParts(db)) await joinGroups(db);
  else await groupFiles(db, options, { leastBytes: databaseBytes, mostBytes: recordBytes, onlyMount });
  await db.limitMemory(databaseBytes);
  await db.run(`create or replace table reuse_candidates as
    select cast(row_number() over (order by file_id, mount_no) - 1 as uinteger) as file_no, file_id, mount_no,
      bytes_read, bytes_written, cast(runs as uinteger) as runs
    from reuse_grouped where file_id is not null`);
  return { inputs };
}

export const MOUNTS = "select distinct mount from accesses";

/** Mount points by number, so that 50 million rows are grouped by a byte and not by a text. */
async function mounts(db: Queryable, { excludeMounts }: ReuseOptions): Promise<void> {
  const below = excludeMounts
    .map((path) => path.replace(/(?<=.)\/+$/, ""))
    .map((path) => `mount = ${quoted(path)} or starts_with(mount, ${quoted(`${path}/`)})`);
  await db.run(`create or replace table reuse_mounts as
    select cast(row_number() over (order by mount nulls first) - 1 as usmallint) as mount_no, mount,
      coalesce(${below.length === 0 ? "false" : below.join(" or ")}, false) as excluded
    from (select distinct mount from ${partOr(db, "mounts", MOUNTS)})`);
}

/** `reuse_input`: the accesses that are studied. Gives views of shares of them, and their mount where it is one only. */
async function inputViews(
  db: Queryable,
  options: ReuseOptions,
): Promise<{ inputs: string[]; onlyMount: number | undefined }> {
  const bad = partOr(db, "bad_runs", badRunsSql(everyRow(db, "runs")));
  await db.run(`create or replace view reuse_bad_runs as select run_id from ${bad}`);
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

async function selectFiles(db: Queryable, options: ReuseOptions): Promise<void> {
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
  // It has all that these have.
  await db.run("drop view reuse_measured; drop table reuse_candidates");
}

/** Accesses and class of each selected file, by its number. */
async function selectedFiles(db: Queryable): Promise<{ counts: Uint32Array; classes: FileClasses }> {
  const [{ n } = { n: 0 }] = await db.rows("select count(*) as n from reuse_selected");
  const [counts, classes] = [new Uint32Array(number(n)), new Int8Array(number(n))];
  await db.scan(
    `select file_no, runs, cast(coalesce(class, ${NO_CLASS}) as integer) from reuse_selected`,
    (rows, [file, runs, of]) => {
      for (let i = 0; i < rows; i++) {
        counts[file?.[i] as number] = runs?.[i] as number;
        classes[file?.[i] as number] = of?.[i] as number;
      }
    },
  );
  return { counts, classes };
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
      return clusterSql(db, "reuse_measured");
  }
}
