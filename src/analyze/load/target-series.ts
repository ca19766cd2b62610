/** Load of targets by step, its coverage by samples, and the usual range at that time. */
import type { Queryable, SqlRow } from "../../model/index.ts";
import { number, text } from "./amounts.ts";
import { loadRows } from "./levels.ts";
import type { TargetName } from "./targets.ts";
import type { Window } from "./window.ts";

const NAMES = ["read", "write", "metadata", "opens"] as const;
type SeriesName = (typeof NAMES)[number];
const SUMS: Readonly<Record<SeriesName, string>> = {
  read: "bytes_read",
  write: "bytes_written",
  metadata: "metadata_calls",
  opens: "opens",
};
const TIMES = ["reads", "writes", "read_usecs", "write_usecs", "metadata_usecs"] as const;
const MINUTE_NS = 60_000_000_000n;

/** One value per step: bytes or calls. */
export type LoadSteps = Readonly<Record<SeriesName, Float64Array>>;

export interface TargetSteps extends TargetName, LoadSteps {
  /** Share of each step covered by samples; without samples the load is unknown, not zero. */
  readonly seen: Float64Array;
  /** Microseconds per call in each step; NaN: not recorded. */
  readonly latency: Readonly<Record<"read" | "write" | "metadata", Float64Array>>;
}

export interface TargetSeries {
  readonly window: Window;
  readonly stepMinutes: number;
  /** Source: target counters, or the sum over jobs. */
  readonly source: "targets" | "minutes";
  /** By name, including targets with samples but without load. */
  readonly targets: readonly TargetSteps[];
  /** Sum over all targets. */
  readonly total: LoadSteps;
  /** Seconds of the last step covered by samples so far: with samples every 10 s its minute is still growing. */
  readonly lastSeconds: number;
}

/** Seconds covered by the amount of a step. */
export const stepSeconds = ({ stepMinutes, total, lastSeconds }: TargetSeries, at: number): number =>
  at === total.read.length - 1 ? lastSeconds : 60 * stepMinutes;

interface SeriesRequest {
  readonly window: Window;
  readonly condition: string;
  /** Hourly roll-ups if the steps are whole hours. */
  readonly stepMinutes: number;
}

const stepsOf = ({ window, stepMinutes }: SeriesRequest): number =>
  Math.ceil((window.to - window.from) / stepMinutes);
const emptySteps = (count: number): LoadSteps =>
  Object.fromEntries(NAMES.map((name) => [name, new Float64Array(count)])) as unknown as LoadSteps;
const keyOf = (row: SqlRow): string => JSON.stringify([row.file_system, row.target]);

export async function targetSeries(db: Queryable, request: SeriesRequest): Promise<TargetSeries> {
  const { window, stepMinutes } = request;
  const count = stepsOf(request);
  const source = await gatherSteps(db, request, true);
  const targets = new Map<string, TargetSteps>();
  const targetOf = (row: SqlRow): TargetSteps => {
    const known = targets.get(keyOf(row));
    if (known !== undefined) return known;
    const unknown = () => new Float64Array(count).fill(Number.NaN);
    const made = {
      ...{ fileSystem: text(row.file_system), target: String(row.target) },
      ...emptySteps(count),
      seen: new Float64Array(count),
      latency: { read: unknown(), write: unknown(), metadata: unknown() },
    };
    targets.set(keyOf(row), made);
    return made;
  };
  for (const row of await seenRows(db, request)) {
    const { seen } = targetOf(row);
    addCover(seen, number(row.a), number(row.b), request);
  }
  const total = emptySteps(count);
  const order = "order by file_system, target";
  const names = await db.rows(`select distinct file_system, target from load_steps ${order}`);
  const places = names.map(targetOf);
  // As columns, since one row per target and step would take most of the time.
  const columns = await db.columns(`select dense_rank() over (${order}) - 1 as place, step,
    ${[...NAMES, ...TIMES].join(", ")} from load_steps`);
  const of = (name: string, i: number) => columns[name]?.[i] ?? Number.NaN;
  for (let i = 0; i < (columns.step?.length ?? 0); i++) {
    const at = of("step", i);
    if (!(at >= 0 && at < count)) continue;
    const one = places[of("place", i)] as TargetSteps;
    for (const name of NAMES) {
      const value = of(name, i) || 0;
      one[name][at] = value;
      total[name][at] = (total[name][at] as number) + value;
    }
    // A row counts as covered even without an entry in `readings`.
    if (one.seen[at] === 0) one.seen[at] = 1;
    const { latency } = one;
    latency.read[at] = of("read_usecs", i) / of("reads", i);
    latency.write[at] = of("write_usecs", i) / of("writes", i);
    latency.metadata[at] = of("metadata_usecs", i) / of("metadata", i);
  }
  const byName = (a: TargetSteps, b: TargetSteps) =>
    (a.fileSystem ?? "") < (b.fileSystem ?? "") || (a.fileSystem === b.fileSystem && a.target < b.target)
      ? -1
      : 1;
  const lastSeconds = 60 * (stepMinutes - 1) + (await lastMinuteSeconds(db, source, request));
  return { window, stepMinutes, source, targets: [...targets.values()].sort(byName), total, lastSeconds };
}

/** Sampled seconds of the last minute; 60 if unknown. */
async function lastMinuteSeconds(
  db: Queryable,
  source: "targets" | "minutes",
  { window, condition }: SeriesRequest,
): Promise<number> {
  const [row] =
    await db.rows(`select max(seconds) as seconds from (select sum(seconds)::double as seconds from ${source}
    where minute_unix = ${window.to - 1} and ${condition} group by file_system, target${source === "minutes" ? ", job_id" : ""})`);
  const seconds = number(row?.seconds ?? null);
  return seconds > 0 ? Math.min(60, seconds) : 60;
}

/** Only the sum over all targets, for the times to compare with. */
export async function loadSteps(db: Queryable, request: SeriesRequest): Promise<LoadSteps> {
  const total = emptySteps(stepsOf(request));
  await gatherSteps(db, request, false);
  for (const row of await db.rows("select * from load_steps"))
    for (const name of NAMES)
      if (number(row.step) >= 0) total[name][number(row.step)] = number(row[name]) || 0;
  return total;
}

/** `load_steps`, a temporary table: amounts per step, and their source table. */
async function gatherSteps(
  db: Queryable,
  { window, condition, stepMinutes }: SeriesRequest,
  byTarget: boolean,
): Promise<"targets" | "minutes"> {
  const columns = ["file_system", "target", ...Object.values(SUMS), ...TIMES];
  const sums = [
    ...NAMES.map((name) => `sum(${SUMS[name]})::double as ${name}`),
    ...TIMES.map((name) => `sum(${name})::double as ${name}`),
  ].join(", ");
  const asked = { window, condition, smallBytes: 0 };
  const group = byTarget ? "file_system, target, " : "";
  for (const source of ["targets", "minutes"] as const) {
    const relation = await loadRows(db, columns, { ...asked, base: source });
    await db.run(`create or replace temp table load_steps as
      select ${group}(minute_unix - ${window.from}) // ${stepMinutes} as step, ${sums} from ${relation} group by all`);
    const [first] = await db.rows("select 1 as one from load_steps limit 1");
    if (first !== undefined) return source;
  }
  return "minutes";
}

/** Sample intervals in minutes since 1970, with fractions. */
async function seenRows(db: Queryable, { window, condition }: SeriesRequest): Promise<SqlRow[]> {
  const [from, to] = [window.from, window.to].map((minute) => BigInt(Math.floor(minute)) * MINUTE_NS);
  return db.rows(`select distinct file_system, target, from_unix_ns / 6e10 as a, to_unix_ns / 6e10 as b from readings
    where to_unix_ns > ${from} and from_unix_ns < ${to} and ${condition}`);
}

/** Adds the coverage of [a, b) to each step. A counter delta belongs to the minute of its second sample. */
function addCover(seen: Float64Array, a: number, b: number, { window, stepMinutes }: SeriesRequest): void {
  const first = Math.max(0, Math.floor((Math.floor(a) - window.from) / stepMinutes));
  const last = Math.min(seen.length - 1, Math.floor((b - window.from) / stepMinutes));
  for (let at = first; at <= last; at++) {
    const begin = window.from + at * stepMinutes;
    const part = (Math.min(b, begin + stepMinutes) - Math.max(a, begin)) / stepMinutes;
    if (part > 0) seen[at] = Math.min(1, (seen[at] as number) + part);
  }
}

/** Time of the last sample of each target in seconds since 1970, by name. */
export async function newestSamples(
  db: Queryable,
): Promise<(TargetName & { readonly unix: number; readonly server: string | null })[]> {
  const rows =
    await db.rows(`select file_system, target, max(to_unix_ns) / 1e9 as unix, arg_max(server, to_unix_ns) as server
    from readings where target is not null group by all order by file_system, target`);
  return rows.map((row) => ({
    ...{ fileSystem: text(row.file_system), target: String(row.target) },
    ...{ unix: number(row.unix), server: text(row.server) },
  }));
}

const BAND_HALF_MINUTES = 30;
/** The usual range: between the 10th and 90th percentile of the minutes around a step. */
const BAND_SHARES = [0.1, 0.9] as const;

export interface Band {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/**
 * The usual range at that time: for each step the 10th and the 90th percentile of the steps within half an hour of it
 * in `before`, which begins half an hour before the first step.
 */
export function bandOf(before: Float64Array, count: number, stepMinutes: number): Band {
  const half = Math.max(1, Math.floor(BAND_HALF_MINUTES / stepMinutes));
  const low = new Float64Array(count);
  const high = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const around = before.slice(at, at + 2 * half + 1).sort();
    const quantile = (share: number) => around[Math.round(share * (around.length - 1))] ?? Number.NaN;
    low[at] = quantile(BAND_SHARES[0]);
    high[at] = quantile(BAND_SHARES[1]);
  }
  return { low, high };
}

/** The window of `bandOf`: a week before, and half an hour longer at both ends. */
export function bandWindow({ from, to }: Window, stepMinutes: number): Window {
  const margin = Math.max(1, Math.floor(BAND_HALF_MINUTES / stepMinutes)) * stepMinutes;
  const shift = 7 * 1440;
  return { from: from - shift - margin, to: to - shift + margin, grain: 1 };
}

interface UsualHours {
  /** Median and 90th percentile of bytes (and of metadata operations) in an hour, by hour of the day (UTC); NaN: none. */
  readonly bytes: { readonly p50: Float64Array; readonly p90: Float64Array };
  readonly metadata: { readonly p50: Float64Array; readonly p90: Float64Array };
  /** Hours of data behind it. */
  readonly hours: number;
}

/** The same hour of the day over the weeks before a moment, from hourly roll-ups. */
export async function usualHours(
  db: Queryable,
  {
    before,
    weeks,
    condition,
  }: { readonly before: number; readonly weeks: number; readonly condition: string },
): Promise<UsualHours> {
  const to = Math.floor(before / 60) * 60;
  const window = { from: to - weeks * 7 * 1440, to, grain: 60 };
  const columns = ["file_system", "target", "bytes_read", "bytes_written", "metadata_calls"];
  const made = { p50: filled(), p90: filled() };
  const meta = { p50: filled(), p90: filled() };
  let hours = 0;
  for (const base of ["targets", "minutes"] as const) {
    const relation = await loadRows(db, columns, { base, window, condition, smallBytes: 0 });
    const rows =
      await db.rows(`select hour % 24 as hour, count(*) as hours, median(bytes) as b50, quantile_cont(bytes, 0.9) as b90,
        median(metadata) as m50, quantile_cont(metadata, 0.9) as m90 from (
        select minute_unix // 60 as hour, sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0))::double as bytes,
          sum(coalesce(metadata_calls, 0))::double as metadata from ${relation} group by 1) group by 1`);
    for (const row of rows) {
      const at = number(row.hour);
      made.p50[at] = number(row.b50);
      made.p90[at] = number(row.b90);
      meta.p50[at] = number(row.m50);
      meta.p90[at] = number(row.m90);
      hours += number(row.hours);
    }
    if (rows.length > 0) break;
  }
  return { bytes: made, metadata: meta, hours };
}

const filled = (): Float64Array => new Float64Array(24).fill(Number.NaN);

export interface TargetSpace extends TargetName {
  /** Share of the space available to users; NaN: not recorded. */
  readonly share: number;
  readonly inodesShare: number;
  readonly bytesTotal: number;
  readonly bytesUsed: number;
  readonly clients: number | null;
  readonly evictions: number | null;
  readonly recovery: string | null;
}

/** Fill level of each target at its last sample before a moment, by name. */
export async function targetSpace(db: Queryable, beforeUnix: number): Promise<TargetSpace[]> {
  const rows = await db.rows(`select file_system, target, unnest(arg_max({
      'share': (bytes_total - bytes_free) / nullif(bytes_total - bytes_free + bytes_available, 0)::double,
      'inodes': (inodes_total - inodes_free) / nullif(inodes_total, 0)::double,
      'total': bytes_total::double, 'used': (bytes_total - bytes_free)::double, 'clients': clients, 'evictions': evictions,
      'recovery': recovery}, to_unix_ns)) from target_states
    where to_unix_ns <= ${BigInt(Math.ceil(beforeUnix)) * 1_000_000_000n} group by file_system, target order by file_system, target`);
  return rows.map((row) => ({
    ...{ fileSystem: text(row.file_system), target: String(row.target) },
    ...{ share: number(row.share), inodesShare: number(row.inodes) },
    ...{ bytesTotal: number(row.total), bytesUsed: number(row.used), recovery: text(row.recovery) },
    clients: row.clients === null ? null : number(row.clients),
    evictions: row.evictions === null ? null : number(row.evictions),
  }));
}
