/** Local days and hours of seconds since 1970. */
import { type ZoneSpan, zoneSpans } from "../common/zone.ts";

const DAY = 86_400;

export class LocalClock {
  readonly #spans: readonly ZoneSpan[];
  #from = Infinity;
  #to = -Infinity;
  #offset = 0;

  constructor(zone: string, fromUnix: number, toUnix: number) {
    this.#spans =
      Number.isFinite(fromUnix) && Number.isFinite(toUnix) ? zoneSpans(zone, fromUnix, toUnix + 1) : [];
  }

  /** Local seconds; most moments lie in the same span as the one before. */
  local(unix: number): number {
    if (unix < this.#from || unix >= this.#to) {
      const next = this.#spans.findIndex(({ fromUnix }, i) => i > 0 && unix < fromUnix);
      const at = (next === -1 ? this.#spans.length : next) - 1;
      this.#from = at <= 0 ? -Infinity : (this.#spans[at]?.fromUnix ?? -Infinity);
      this.#to = this.#spans[at + 1]?.fromUnix ?? Infinity;
      this.#offset = this.#spans[at]?.offsetSeconds ?? 0;
    }
    return unix + this.#offset;
  }

  /** Days since 1970 on the calendar of the zone. */
  day(unix: number): number {
    return Math.floor(this.local(unix) / DAY);
  }

  /** 0 to 23. */
  hour(unix: number): number {
    return Math.floor((((this.local(unix) % DAY) + DAY) % DAY) / 3600);
  }
}

/** 0 is Sunday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;

export const dateOf = (day: number): Date => new Date(day * DAY * 1000);
export const dayOfDate = (year: number, month: number, date: number): number =>
  Math.round(Date.UTC(year, month, date) / (DAY * 1000));
