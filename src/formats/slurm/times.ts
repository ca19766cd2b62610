/** Times of Slurm: seconds since 1970, or local time without a zone. */

export interface Zone {
  /** Seconds since 1970 of a local time. A time that comes twice in autumn is the first; one that never is, is after. */
  toUnix(year: number, month: number, day: number, hour: number, minute: number, second: number): number;
}

/** `UTC`, `+02:00`, or a name such as `Europe/Berlin`; undefined when it is none of these. */
export function zoneOf(name: string): Zone | undefined {
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(name);
  if (offset !== null) {
    const seconds = (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === "-" ? -60 : 60);
    return { toUnix: (...parts) => asUtc(...parts) - seconds };
  }
  if (/^(utc|gmt|z)$/i.test(name)) return { toUnix: asUtc };
  try {
    return namedZone(new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" }));
  } catch {
    return undefined;
  }
}

function asUtc(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

function namedZone(format: Intl.DateTimeFormat): Zone {
  /** Offsets change at most at a whole quarter of an hour, and asking for one is slow. */
  const known = new Map<number, number>();
  const offsetAt = (unix: number): number => {
    const quarter = Math.floor(unix / 900);
    let offset = known.get(quarter);
    if (offset === undefined) {
      const text =
        format.formatToParts(quarter * 900_000).find(({ type }) => type === "timeZoneName")?.value ?? "";
      const match = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(text);
      const [, sign, hours = 0, minutes = 0, seconds = 0] = match ?? [];
      offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === "-" ? -1 : 1);
      if (known.size > 100_000) known.clear();
      known.set(quarter, offset);
    }
    return offset;
  };
  return {
    toUnix(...parts) {
      const local = asUtc(...parts);
      // Both offsets that can hold near a change, the earlier instant first.
      const candidates = [offsetAt(local - 86_400), offsetAt(local + 86_400)].map((offset) => local - offset);
      const fits = candidates.filter((unix) => unix + offsetAt(unix) === local);
      return fits.length > 0 ? Math.min(...fits) : Math.max(...candidates);
    },
  };
}

/** Seconds since 1970; undefined for `Unknown`, `None` and the like; null when it is no time at all. */
export function timeOf(text: string, zone: Zone): number | undefined | null {
  const value = text.trim();
  if (value === "" || /^(Unknown|None|N\/A|Invalid|\(null\))$/i.test(value)) return undefined;
  if (/^\d{1,12}$/.test(value)) return Number(value) === 0 ? undefined : Number(value);
  const match = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})$/.exec(value);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return null;
  return zone.toUnix(year, month, day, hour, minute, second);
}

/** Whether a time needs a zone to be understood. */
export const isLocalTime = (text: string) => /^\d{4}-\d{2}-\d{2}[T ]/.test(text.trim());

/** `[D-]HH:MM:SS`, `MM:SS`, with a fraction or not, in whole seconds; undefined when it is none. */
export function durationSeconds(text: string): number | undefined {
  const match = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}
