/** Local time by the rules of a zone, daylight saving included, from what the platform knows (Intl). */
import { UsageError } from "../../../base/errors.ts";

/** From this time on (seconds since 1970 UTC) local time is UTC plus this many seconds. */
export interface ZoneSpan {
  readonly fromUnix: number;
  readonly offsetSeconds: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Local time minus UTC at a moment, in seconds. */
export function offsetAt(zone: string, unixSeconds: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  const whole = Math.floor(unixSeconds);
  const parts = Object.fromEntries(
    format.formatToParts(new Date(whole * 1000)).map(({ type, value }) => [type, value]),
  );
  const year = parts.era === "BC" ? 1 - Number(parts.year) : Number(parts.year);
  const [month, day, hour, minute, second] = [
    parts.month,
    parts.day,
    parts.hour,
    parts.minute,
    parts.second,
  ].map(Number) as [number, number, number, number, number];
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second);
  return Math.round(local.getTime() / 1000 - whole);
}

const STEP = 7 * 86_400;

/** The offsets that hold from one moment to another, in order; the first begins at `fromUnix`. */
export function zoneSpans(zone: string, fromUnix: number, toUnix: number): ZoneSpan[] {
  const spans = [{ fromUnix, offsetSeconds: offsetAt(zone, fromUnix) }];
  for (let at = fromUnix; at < toUnix; at += STEP) {
    let before = at;
    let after = Math.min(at + STEP, toUnix);
    const offsetSeconds = offsetAt(zone, after);
    if (offsetSeconds === spans.at(-1)?.offsetSeconds) continue;
    // No zone changes twice in a week; the moment is found to the second.
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(zone, middle) === offsetSeconds) after = middle;
      else before = middle;
    }
    spans.push({ fromUnix: after, offsetSeconds });
  }
  return spans;
}

const DAY = 86_400;

/** Beyond what a time below 2^62 ns is rounded by as a double, and as hours. */
const ROUNDED_NS = 65_536;
const HOURS_PER_NS = 1 / 3.6e12;

/**
 * Hour of the day, 0 to 23, of nanoseconds since 1970 UTC below 2^62 as two words; exact to the nanosecond.
 * Most times lie in the same span as the one before.
 */
export function hourOf(spans: readonly ZoneSpan[]): (low: number, high: number) => number {
  let [from, to, offset] = [Infinity, -Infinity, 0];
  let [fromNs, toNs, hoursOff] = [Infinity, -Infinity, 0];
  return (low, high) => {
    const upper = high * 2 ** 32;
    const about = upper + low;
    if (about >= fromNs && about < toNs) {
      // Not for what is so near to a full hour that rounding may have moved it there.
      const hours = about * HOURS_PER_NS + hoursOff;
      const full = Math.floor(hours);
      const part = hours - full;
      if (part > ROUNDED_NS * HOURS_PER_NS && part < 1 - ROUNDED_NS * HOURS_PER_NS) return (full | 0) % 24;
    }
    // Upper part and multiples of 1e9 have enough zero bits for an exact difference.
    const whole = Math.floor(upper / 1e9);
    const seconds = whole + Math.floor((upper - whole * 1e9 + low) / 1e9);
    if (seconds < from || seconds >= to) {
      const next = spans.findIndex(({ fromUnix }, i) => i > 0 && seconds < fromUnix);
      const at = (next === -1 ? spans.length : next) - 1;
      from = at <= 0 ? -Infinity : (spans[at]?.fromUnix ?? -Infinity);
      to = spans[at + 1]?.fromUnix ?? Infinity;
      offset = spans[at]?.offsetSeconds ?? 0;
      fromNs = from * 1e9 + ROUNDED_NS;
      toNs = to * 1e9 - ROUNDED_NS;
      hoursOff = (offset + DAY) / 3600;
    }
    return Math.floor(((seconds + offset + DAY) % DAY) / 3600);
  };
}

/** A local date or time such as 2017-10-01 or 2017-10-01T12:00 as seconds since 1970 UTC. Before a zone is chosen it is UTC. */
export function localToUnix(given: string, text: string): number {
  const zone = given || "UTC";
  const local = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?$/.test(text)
    ? Date.parse(`${text.replace(" ", "T")}${text.length === 10 ? "T00:00:00" : ""}Z`)
    : Number.NaN;
  if (Number.isNaN(local))
    throw new UsageError(`${text}: expected a date such as 2017-10-01 or 2017-10-01T12:00`);
  // The platform takes 2018-06-31 for the first of July, and 24:00 for the next day.
  if (!new Date(local).toISOString().startsWith(text.replace(" ", "T")))
    throw new UsageError(`${text}: no such day or time`);
  const seconds = local / 1000;
  // The offset of a local time is the one that gives this local time back; twice is enough off the change itself.
  const guess = seconds - offsetAt(zone, seconds);
  return seconds - offsetAt(zone, guess);
}

/** `FROM..TO` as nanoseconds since 1970 UTC; a side may be left out. */
export function parsePeriod(zone: string, text: string): { fromNs?: bigint; toNs?: bigint } {
  if (text === "") return {};
  const sides = text.split("..");
  if (sides.length !== 2)
    throw new UsageError(`period ${text}: expected FROM..TO, such as 2017-10-01..2018-02-01`);
  const [from, to] = sides.map((side) =>
    side === "" ? undefined : BigInt(localToUnix(zone, side)) * 1_000_000_000n,
  );
  if (from !== undefined && to !== undefined && from >= to)
    throw new UsageError(`period ${text}: the end is not after the start`);
  return { ...(from === undefined ? {} : { fromNs: from }), ...(to === undefined ? {} : { toNs: to }) };
}
