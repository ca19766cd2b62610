/** Parses times as people write them, into a window of whole minutes. */
import { UsageError } from "../../base/errors.ts";
import type { Queryable } from "../../model/index.ts";
import { localToUnix, offsetAt } from "../study/common/zone.ts";
import { number } from "./amounts.ts";

/** Minutes since 1970 UTC; `to` is exclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Time covered by a row of this window, if more than its length requires (levels.ts). */
  readonly grain?: number;
}

const EMPTY =
  "the store has no target counters; plimsoll ingest reads job_stats, stats and segments of plimsoll collect server";

/** First to last minute with target counters in the store. */
export async function storedTime(db: Queryable): Promise<Window> {
  const [read] = await db.rows(
    "select min(from_unix_ns) // 60000000000 as first, max(to_unix_ns) // 60000000000 as last from readings",
  );
  if (read !== undefined && read.first !== null)
    return { from: number(read.first), to: number(read.last) + 1 };
  const [found] = await db.rows(
    `select min(first) as first, max(last) as last from (
       select min(minute_unix) as first, max(minute_unix) as last from minutes
       union all select min(minute_unix), max(minute_unix) from targets)`,
  );
  if (found === undefined || found.first === null) throw new UsageError(EMPTY);
  return { from: number(found.first), to: number(found.last) + 1 };
}

/** First to last start of a job with client counters, possibly far outside the time of server counters. */
export async function clientsTime(db: Queryable): Promise<Window> {
  const [row] = await db.rows(
    "select min(start_unix_ns) // 60000000000 as first, max(start_unix_ns) // 60000000000 as last from jobs where bytes_read is not null",
  );
  if (row === undefined || row.first === null)
    throw new UsageError(
      "the store has no jobs with client counters; plimsoll ingest reads the output of collect client",
    );
  return { from: number(row.first), to: number(row.last) + 1 };
}

/** Server counters if the store has any, else client counters. */
export async function usualSource(db: Queryable): Promise<"servers" | "clients"> {
  // Minutes may have been pruned.
  for (const table of ["minutes", "job_days"])
    if ((await db.rows(`select 1 as one from ${table} limit 1`)).length > 0) return "servers";
  return "clients";
}

interface Clock {
  readonly zone: string;
  readonly nowUnix: number;
  /** The values of `begin` and `end`, evaluated only if used. */
  readonly stored: Window;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 };
const LENGTH = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)$/;
const EXPECTED =
  "expected a time such as 2018-06-07T10:00, -2h, yesterday, yesterday+10h, end-2h (before the last minute of the store), now, or seconds since 1970";

/** `2h`, `90m`, `1.5d` in seconds. */
export function parseLength(what: string, text: string): number {
  const match = LENGTH.exec(text.trim());
  const seconds = match === null ? Number.NaN : Number(match[1]) * (SECONDS[match[2] as string] as number);
  if (!(seconds > 0)) throw new UsageError(`${what} ${text}: expected a duration such as 30m, 2h or 1d`);
  return seconds;
}

/** A time in seconds since 1970 UTC. */
export function parseTime(what: string, text: string, clock: Clock): number {
  const word = text.trim();
  const unix = epochOf(word) ?? wordTime(what, word, clock) ?? writtenTime(word, clock.zone);
  if (unix === undefined || !Number.isFinite(unix)) throw new UsageError(`${what} ${text}: ${EXPECTED}`);
  return unix;
}

/** Seconds since 1970; with more digits, milliseconds, microseconds or nanoseconds. */
function epochOf(text: string): number | undefined {
  if (!/^@?\d{9,19}(\.\d+)?$/.test(text)) return undefined;
  const value = Number(text.replace("@", ""));
  return value < 1e11 ? value : value < 1e14 ? value / 1e3 : value < 1e17 ? value / 1e6 : value / 1e9;
}

function wordTime(what: string, text: string, clock: Clock): number | undefined {
  const match = /^(now|today|yesterday|begin|end)?(?:([+-])(.+))?$/.exec(text);
  if (match === null || text === "") return undefined;
  const [, word = "now", sign, length] = match;
  const shift = length === undefined ? 0 : (sign === "-" ? -1 : 1) * parseLength(what, length);
  return wordStart(word, clock) + shift;
}

function wordStart(word: string, { zone, nowUnix, stored }: Clock): number {
  if (word === "begin") return stored.from * 60;
  if (word === "end") return stored.to * 60;
  if (word === "now") return nowUnix;
  const today = dayOf(zone, nowUnix);
  // Noon is always in its day, even if the clocks changed at night.
  return word === "today"
    ? localToUnix(zone, today)
    : localToUnix(zone, dayOf(zone, localToUnix(zone, today) - 43_200));
}

/** The date that a zone has at a moment, as 2018-06-07. */
const dayOf = (zone: string, unix: number): string => localText(zone, unix).slice(0, 10);

/** 2018-06-07T10:00 in local time. */
export const localText = (zone: string, unix: number): string =>
  new Date((unix + offsetAt(zone, unix)) * 1000).toISOString().slice(0, 16);

/** With an explicit offset (Z, +02:00), else in the requested zone. */
function writtenTime(text: string, zone: string): number | undefined {
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(text))
    return Date.parse(text.replace(" ", "T").replace(/([+-]\d\d)(\d\d)$/, "$1:$2")) / 1000;
  const date = /^(\d{4}-\d\d-\d\d)([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)?$/.exec(text)?.[1];
  // The 31st of June would become the 1st of July.
  if (date === undefined || !isDate(date)) return undefined;
  return localToUnix(zone, text);
}

const PERIOD =
  "expected a day (today, yesterday, 2018-06-07), a week (week, last-week, from Monday), or FROM..TO such as 2018-06-07T10:00..2018-06-07T12:00 or -2h..now";

/** A day, a week or FROM..TO as whole minutes, cut to the range of the store. */
export function parsePeriod(what: string, text: string, clock: Clock): Window {
  const [from, to] = periodOf(what, text.trim(), clock);
  const { stored, zone } = clock;
  if (!(to > from)) throw new UsageError(`${what} ${text}: it ends before it begins; ${PERIOD}`);
  const window = { from: Math.floor(from / 60), to: Math.ceil(to / 60) };
  if (window.from >= stored.to || window.to <= stored.from)
    throw new UsageError(
      `${what} ${text}: no minutes from ${windowText(window, zone)}; the store has ${windowText(stored, zone)}`,
    );
  return { from: Math.max(window.from, stored.from), to: Math.min(window.to, stored.to) };
}

function periodOf(what: string, text: string, clock: Clock): [number, number] {
  const parts = text.split("..");
  if (parts.length === 2) {
    const [from = "", to = ""] = parts;
    return [parseTime(what, from, clock), parseTime(what, to, clock)];
  }
  const week = /^(last-)?week$/.exec(text);
  if (week !== null) {
    const monday = mondayOf(clock.zone, clock.nowUnix);
    return week[1] === undefined
      ? [monday, daysLater(clock.zone, monday, 7)]
      : [daysLater(clock.zone, monday, -7), monday];
  }
  if (text !== "today" && text !== "yesterday" && !(/^\d{4}-\d\d-\d\d$/.test(text) && isDate(text)))
    throw new UsageError(`${what} ${text}: ${PERIOD}`);
  const day = parseTime(what, text, clock);
  return [day, daysLater(clock.zone, day, 1)];
}

/** Start of the day `days` days after a given start; uses noon, which is always in its day, even if the clocks changed. */
export const daysLater = (zone: string, unix: number, days: number): number =>
  localToUnix(zone, dayOf(zone, unix + 43_200 + days * 86_400));

/** Start of the day of a moment. */
export const dayBegin = (zone: string, unix: number): number => localToUnix(zone, dayOf(zone, unix));

/** The last seven whole days of the store; fewer in a younger store. */
export function lastWeek(zone: string, stored: Window): Window {
  const end = dayBegin(zone, stored.to * 60) / 60;
  const to = end > stored.from ? end : stored.to;
  const first = dayBegin(zone, stored.from * 60) / 60;
  const whole = first === stored.from ? first : daysLater(zone, first * 60, 1) / 60;
  return { from: Math.max(whole < to ? whole : stored.from, daysLater(zone, to * 60, -7) / 60), to };
}

/** Start of the week of a moment. */
function mondayOf(zone: string, unix: number): number {
  const today = dayBegin(zone, unix);
  const weekday = new Date(`${dayOf(zone, unix)}T00:00:00Z`).getUTCDay();
  return daysLater(zone, today, -((weekday + 6) % 7));
}

function isDate(text: string): boolean {
  const unix = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(unix) && new Date(unix).toISOString().startsWith(text);
}

export function checkZone(zone: string): string {
  try {
    offsetAt(zone, 0);
    return zone;
  } catch {
    throw new UsageError(`--zone ${zone}: no such time zone; expected a name such as Europe/Berlin or UTC`);
  }
}

interface WindowOptions {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly zone: string;
  readonly nowUnix: number;
}

/** The whole minutes around [from, to); default: the whole range of the store. */
export function resolveWindow(asked: WindowOptions, stored: Window): Window {
  const clock = { zone: asked.zone, nowUnix: asked.nowUnix, stored };
  const from = asked.from === undefined ? stored.from * 60 : parseTime("--from", asked.from, clock);
  const to = asked.to === undefined ? stored.to * 60 : parseTime("--to", asked.to, clock);
  const window = { from: Math.floor(from / 60), to: Math.ceil(to / 60) };
  const backwards = new UsageError(
    `--from ${localText(asked.zone, from)} is not before --to ${localText(asked.zone, to)} (${asked.zone})`,
  );
  if (asked.from !== undefined && asked.to !== undefined && !(to > from)) throw backwards;
  if (window.from >= stored.to || window.to <= stored.from) {
    const asker =
      asked.to === undefined
        ? `from ${localText(asked.zone, from)} on`
        : `from ${localText(asked.zone, from)} to ${localText(asked.zone, to)}`;
    throw new UsageError(`no minutes ${asker}: the store has ${windowText(stored, asked.zone)}`);
  }
  if (!(to > from)) throw backwards;
  return window;
}

export const windowText = ({ from, to }: Window, zone: string): string =>
  `${localText(zone, from * 60)} to ${localText(zone, to * 60)} (${zone})`;
