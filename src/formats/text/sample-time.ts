/** When a text of counters was read, as far as its name or its lines say. */

const SECOND = 1_000_000_000n;
/** From 2005 to 2100: other numbers of ten digits are something else. */
const [FIRST, LAST] = [1_104_537_600, 4_102_444_800];

/** `1528329660`, `1528329660.25`, or the same in milli-, micro- or nanoseconds. */
const EPOCH = /(?<![\d.])(\d{10})(?:(\d{3}|\d{6}|\d{9})|\.(\d{1,9}))?(?!\d)/;
/** `2026-07-31T10:15:00Z`, `20260731_1015`, `2026-07-31_10.15.00`; UTC when no zone stands there. */
const CALENDAR =
  /(?<!\d)(20\d\d)([-_.]?)(\d\d)\2(\d\d)[T_ .-]?(\d\d)([:.\-_h]?)(\d\d)(?:\6(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)?(?![\d])/;
/** `Fri Jul 31 10:15:00 UTC 2026`, as `date` prints it. */
const DATE = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (?:UTC|GMT) (20\d\d)$/;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Parts of a path that are looked at, from the end. */
const PARTS = 3;

export function timeFromPath(path: string): bigint | undefined {
  const parts = path.split("/").slice(-PARTS).reverse();
  for (const part of parts) {
    const found = calendarTime(part) ?? epochTime(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A line that holds nothing but a time, perhaps behind `#` or a word. */
export function timeFromLine(line: string): bigint | undefined {
  const text = line
    .replace(/^[#\s]+/, "")
    .replace(/^(timestamp|time|date|at)\s*[:=]?\s*/i, "")
    .replace(/[#\s\0]+$/, "");
  if (text.length > 40) return undefined;
  const isWhole = (pattern: RegExp) => pattern.exec(text)?.[0] === text;
  if (isWhole(CALENDAR)) return calendarTime(text);
  if (isWhole(EPOCH)) return epochTime(text);
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [, month = "", day, hour, minute, second, year] = match;
  return utc(
    Number(year),
    MONTHS.indexOf(month) + 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
}

/** Whether a line could be one: a cheap look at its first byte. */
export function mayBeTime(byte: number): boolean {
  const isDigit = byte >= 48 && byte <= 57;
  // `#`, and the first letters of `time`, `date`, `at` and of days.
  return isDigit || byte === 35 || "tdaTDAMWFS".includes(String.fromCharCode(byte));
}

function epochTime(text: string): bigint | undefined {
  const match = EPOCH.exec(text);
  if (match === null) return undefined;
  const [, seconds = "", finer = "", fraction = ""] = match;
  if (Number(seconds) < FIRST || Number(seconds) > LAST) return undefined;
  return BigInt(seconds) * SECOND + BigInt((finer || fraction).padEnd(9, "0"));
}

function calendarTime(text: string): bigint | undefined {
  const match = CALENDAR.exec(text);
  if (match === null) return undefined;
  const [, year, , month, day, hour, , minute, second = "0", fraction = "", zone = "Z"] = match;
  const whole = utc(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
  if (whole === undefined) return undefined;
  const offset = /([+-])(\d\d):?(\d\d)/.exec(zone);
  const minutes =
    offset === null ? 0 : (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === "-" ? -1 : 1);
  return whole - BigInt(minutes * 60) * SECOND + BigInt(fraction.padEnd(9, "0"));
}

/** Undefined when there is no such day or hour. */
function utc(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): bigint | undefined {
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const same = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour;
  if (!same || minute > 59 || second > 60) return undefined;
  return BigInt(date.getTime()) * 1_000_000n;
}
