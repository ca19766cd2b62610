/** Quiet hours of targets: load by hour of day and by weekday over many days, and the quietest window of a given length. */
import { UsageError } from "../../base/errors.ts";
import { quantileOf } from "../../base/statistics.ts";
import type { Queryable } from "../../model/index.ts";
import { zoneSpans } from "../study/common/zone.ts";
import { type Measure, measureSql, number } from "./amounts.ts";
import { inWindow } from "./gather.ts";
import { localText, type Window } from "./window.ts";

/** All UTC offsets are multiples of 15 minutes. */
const QUARTER = 15;
const QUARTERS = 96;
const YEAR_QUARTERS = 365.25 * QUARTERS;
/** Memory grows with the time range, and one wrong time stamp can make it centuries. */
const YEARS_MAX = 20;
/** Minimum coverage of a quarter of an hour, as a share of its target-minutes. */
const SEEN_LEAST = 0.5;

export interface Spread {
  /** Days with samples for it. */
  readonly days: number;
  readonly median: number;
  readonly p90: number;
}

export interface QuietWindow {
  /** Minutes after midnight. */
  readonly startMinute: number;
  readonly endMinute: number;
  /** Load of one such window. */
  readonly median: number;
  readonly p90: number;
  readonly days: number;
}

export interface QuietAnswer {
  readonly measure: Measure;
  readonly source: "targets" | "minutes";
  readonly zone: string;
  readonly window: Window;
  readonly lengthMinutes: number;
  /** Days with samples for at least one hour. */
  readonly days: number;
  /** Load per hour. */
  readonly hours: readonly Spread[];
  /** Monday first; mean load per hour of such a day. */
  readonly weekdays: readonly Spread[];
  /** Weekday × hour, row by row: medians; NaN: no samples. */
  readonly weekdayHours: readonly number[];
  readonly quietest: QuietWindow | null;
  readonly busiest: QuietWindow | null;
  /** Median over all windows of that length, of all days. */
  readonly typical: number;
  /** Relative to the typical window: 0.4 is 40 % less. */
  readonly quieterBy: number;
  readonly sureness: Sureness;
  /** Hours whose median is at least `busyRatio` times that of the median hour. */
  readonly busyHours: readonly number[];
  readonly busyRatio: number;
}

interface Sureness {
  readonly verdict: "sure" | "not sure" | "not enough data";
  /** Days on which the window chosen on the other half of the days was quieter than the median window of the day. */
  readonly quieterDays: number;
  readonly testedDays: number;
  /** Probability of this many by chance (p = 0.5). */
  readonly chance: number;
  readonly leastDays: number;
}

interface QuietRequest {
  readonly window: Window;
  readonly condition: string;
  readonly measure: Measure;
  readonly zone: string;
  readonly lengthMinutes: number;
  readonly leastDays: number;
  readonly busyRatio: number;
}

export async function quietHours(db: Queryable, request: QuietRequest): Promise<QuietAnswer> {
  const { window, condition, measure, zone } = request;
  const where = `${inWindow(window)} and ${condition}`;
  const [own] = await db.rows(`select count(*) as n from (select 1 from targets where ${where} limit 1)`);
  const source = number(own?.n) > 0 ? "targets" : "minutes";
  const rows = await db.columns(
    `select minute_unix // ${QUARTER} as quarter, sum(${measureSql(measure)}) as amount from ${source} where ${where} group by quarter`,
  );
  const quarters = rows.quarter as Float64Array;
  if (quarters.length === 0) throw new UsageError(`no minutes of these targets in this time`);
  const first = Math.floor(window.from / QUARTER);
  const count = Math.ceil(window.to / QUARTER) - first;
  if (count > YEARS_MAX * YEAR_QUARTERS)
    throw new UsageError(
      `the time from ${localText(zone, window.from * 60)} to ${localText(zone, window.to * 60)} is ${Math.round(count / YEAR_QUARTERS)} years long; choose at most ${YEARS_MAX} with --from and --to`,
    );
  const seen = await seenShares(db, request, source, first, count);
  const load = new Float64Array(count);
  quarters.forEach((quarter, i) => {
    load[quarter - first] = (rows.amount as Float64Array)[i] as number;
  });
  for (let i = 0; i < count; i++) {
    const part = Math.min(1, seen[i] as number);
    load[i] = part >= SEEN_LEAST ? (load[i] as number) / part : Number.NaN;
  }
  return { source, ...quietAnswer(load, first, request), zone };
}

/** Share of the target-minutes of each quarter of an hour with counters. */
async function seenShares(
  db: Queryable,
  { window, condition }: QuietRequest,
  source: string,
  first: number,
  count: number,
): Promise<Float64Array> {
  const kind = source === "targets" ? "kind <> 'job_stats'" : "kind = 'job_stats'";
  const [all] = await db.rows(
    `select count(distinct concat(file_system, '-', target)) as targets from readings where ${kind} and ${condition}`,
  );
  const targets = number(all?.targets);
  // A counter delta belongs to the minute of its second sample.
  const rows =
    targets > 0
      ? await db.columns(`select from_unix_ns // 60000000000 + 1 as first, to_unix_ns // 60000000000 as last, count(*) as n
          from readings where ${kind} and ${condition} group by all`)
      : await db.columns(
          `select min(minute_unix) as first, max(minute_unix) as last, 1 as n from ${source} where ${inWindow(window)} and ${condition}`,
        );
  const begins = new Float64Array(count * QUARTER + 1);
  const place = (minute: number) => Math.min(count * QUARTER, Math.max(0, minute - first * QUARTER));
  (rows.first as Float64Array).forEach((from, i) => {
    const [n, to] = [(rows.n as Float64Array)[i] as number, (rows.last as Float64Array)[i] as number];
    if (to < from) return;
    begins[place(from)] = (begins[place(from)] as number) + n;
    begins[place(to + 1)] = (begins[place(to + 1)] as number) - n;
  });
  const most = targets || 1;
  const shares = new Float64Array(count);
  let open = 0;
  for (let minute = 0; minute < count * QUARTER; minute++) {
    open += begins[minute] as number;
    const at = first * QUARTER + minute;
    if (at < window.from || at >= window.to) continue;
    const quarter = Math.floor(minute / QUARTER);
    shares[quarter] = (shares[quarter] as number) + Math.min(open, most);
  }
  // Integers until here: complete coverage is a share of exactly 1.
  for (let quarter = 0; quarter < count; quarter++)
    shares[quarter] = (shares[quarter] as number) / (most * QUARTER);
  return shares;
}

/** From loads per quarter of an hour; `first` counts quarters since 1970 UTC. NaN: no samples. */
function quietAnswer(
  load: Float64Array,
  first: number,
  { window, measure, zone, lengthMinutes, leastDays, busyRatio }: QuietRequest,
): Omit<QuietAnswer, "source" | "zone"> {
  const days = localDays(load, first, zone);
  const perHour = days.map(({ quarters }) => hoursOf(quarters));
  const column = (hour: number, some = perHour) => some.map((one) => one[hour] as number);
  const hours = Array.from({ length: 24 }, (_, hour) => spreadOf(column(hour)));
  const weekdays = Array.from({ length: 7 }, (_, weekday) =>
    spreadOf(days.map((day, at) => (day.weekday === weekday ? meanOf(perHour[at] as number[]) : Number.NaN))),
  );
  const weekdayHours = Array.from({ length: 7 * 24 }, (_, cell) => {
    const some = perHour.filter((_, at) => days[at]?.weekday === Math.floor(cell / 24));
    return spreadOf(column(cell % 24, some)).median;
  });
  const windows = windowSums(days, Math.max(1, Math.round(lengthMinutes / QUARTER)));
  const spreads = windows.map(spreadOf);
  const byLoad = [...spreads.keys()]
    .filter((start) => (spreads[start] as Spread).days > 0)
    .sort((a, b) => compare(spreads[a] as Spread, spreads[b] as Spread) || a - b);
  const windowAt = (start: number | undefined): QuietWindow | null =>
    start === undefined
      ? null
      : {
          startMinute: start * QUARTER,
          endMinute: (start * QUARTER + lengthMinutes) % 1440,
          ...(spreads[start] as Spread),
        };
  const typical = spreadOf(windows.flat()).median;
  const quietest = windowAt(byLoad[0]);
  const seenDays = perHour.filter((one) => one.some((value) => !Number.isNaN(value))).length;
  const middleHour = spreadOf(hours.map(({ median }) => median)).median;
  return {
    window,
    measure,
    lengthMinutes,
    days: seenDays,
    hours,
    weekdays,
    weekdayHours,
    quietest,
    busiest: windowAt(byLoad.at(-1)),
    typical,
    quieterBy: quietest === null ? Number.NaN : 1 - quietest.median / typical,
    sureness: surenessOf(windows, quietest?.days ?? 0, leastDays),
    busyHours: hours.flatMap(({ median }, hour) =>
      median > 0 && median >= busyRatio * middleHour ? [hour] : [],
    ),
    busyRatio,
  };
}

const compare = (a: Spread, b: Spread) => a.median - b.median || a.p90 - b.p90;

interface Day {
  /** 0 is Monday. */
  readonly weekday: number;
  readonly quarters: Float64Array;
}

/** Days in local time. For an hour that occurs twice (end of daylight saving time) the mean counts; a skipped one has no samples. */
function localDays(load: Float64Array, first: number, zone: string): Day[] {
  const spans = zoneSpans(zone, first * 900, (first + load.length) * 900);
  const local = new Float64Array(load.length);
  let span = 0;
  for (let i = 0; i < load.length; i++) {
    while ((spans[span + 1]?.fromUnix ?? Infinity) <= (first + i) * 900) span++;
    local[i] = Math.floor(first + i + (spans[span]?.offsetSeconds ?? 0) / 900);
  }
  const firstDay = Math.floor((local[0] ?? 0) / QUARTERS);
  const lastDay = Math.floor((local.at(-1) ?? 0) / QUARTERS);
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, at) => ({
    // 1970 began on a Thursday.
    weekday: (((firstDay + at + 3) % 7) + 7) % 7,
    quarters: new Float64Array(QUARTERS),
    counts: new Uint8Array(QUARTERS),
  }));
  for (let i = 0; i < load.length; i++) {
    const day = days[Math.floor((local[i] as number) / QUARTERS) - firstDay];
    const at = (((local[i] as number) % QUARTERS) + QUARTERS) % QUARTERS;
    if (day === undefined || Number.isNaN(load[i])) continue;
    day.quarters[at] = (day.quarters[at] as number) + (load[i] as number);
    day.counts[at] = (day.counts[at] as number) + 1;
  }
  return days.map(({ weekday, quarters, counts }) => ({
    weekday,
    quarters: quarters.map((sum, at) => (counts[at] === 0 ? Number.NaN : sum / (counts[at] as number))),
  }));
}

const hoursOf = (quarters: Float64Array): number[] =>
  Array.from({ length: 24 }, (_, hour) =>
    quarters.slice(4 * hour, 4 * hour + 4).reduce((sum, one) => sum + one, 0),
  );

/** A day counts if most of its hours have samples. */
function meanOf(hours: readonly number[]): number {
  const seen = hours.filter((value) => !Number.isNaN(value));
  return seen.length < 20 ? Number.NaN : seen.reduce((sum, one) => sum + one, 0) / seen.length;
}

function spreadOf(values: readonly number[]): Spread {
  const seen = values.filter((value) => !Number.isNaN(value));
  return { days: seen.length, median: quantileOf(seen, 0.5), p90: quantileOf(seen, 0.9) };
}

/** Load on each day of the window that starts at each quarter of an hour; windows may extend into the next day. */
function windowSums(days: readonly Day[], length: number): number[][] {
  const all = days.flatMap(({ quarters }) => [...quarters]);
  return Array.from({ length: QUARTERS }, (_, start) =>
    days.map((_, day) => {
      const from = day * QUARTERS + start;
      if (from + length > all.length) return Number.NaN;
      let sum = 0;
      for (let i = from; i < from + length; i++) sum += all[i] as number;
      return sum;
    }),
  );
}

/** Choosing by one half of the days and testing on the other keeps luck in the choice from counting as evidence. */
function surenessOf(windows: readonly (readonly number[])[], days: number, leastDays: number): Sureness {
  let [quieterDays, testedDays] = [0, 0];
  const half = (parity: number) => (_: number, day: number) => day % 2 === parity;
  for (const parity of [0, 1]) {
    const spreads = windows.map((loads) => spreadOf(loads.filter(half(parity))));
    const chosen = [...spreads.keys()]
      .filter((start) => (spreads[start] as Spread).days > 0)
      .sort((a, b) => compare(spreads[a] as Spread, spreads[b] as Spread) || a - b)[0];
    if (chosen === undefined) continue;
    (windows[chosen] as readonly number[]).forEach((value, day) => {
      if (day % 2 === parity || Number.isNaN(value)) return;
      const middle = spreadOf(windows.map((loads) => loads[day] as number)).median;
      if (value === middle) return;
      testedDays++;
      if (value < middle) quieterDays++;
    });
  }
  const chance = coinTail(testedDays, quieterDays);
  const verdict = days < leastDays ? "not enough data" : chance <= 0.05 ? "sure" : "not sure";
  return { verdict, quieterDays, testedDays, chance, leastDays };
}

/** Probability of at least k heads in n tosses of a fair coin. */
export function coinTail(n: number, k: number): number {
  if (k <= 0) return 1;
  let logTerm = n * Math.log(0.5);
  let tail = k <= 0 ? Math.exp(logTerm) : 0;
  for (let i = 1; i <= n; i++) {
    logTerm += Math.log((n - i + 1) / i);
    if (i >= k) tail += Math.exp(logTerm);
  }
  return Math.min(1, tail);
}
