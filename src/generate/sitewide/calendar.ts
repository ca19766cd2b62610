/** Local days of America/Los_Angeles by the rules of the United States since 2007. */

const STANDARD_SECONDS = -8 * 3600;

/** Days since 1970 of a date; months count from 1 and may be beyond 12. */
export function dayNumber(year: number, month: number, day: number): number {
  return Math.floor(Date.UTC(year, month - 1, day) / 86_400_000);
}

/** Clocks go forward at 2:00 on the second Sunday of March and back on the first of November: both as days since 1970. */
function summer(year: number): readonly [from: number, to: number] {
  const sundayFrom = (day: number) => day + ((7 - ((day + 4) % 7)) % 7);
  return [sundayFrom(dayNumber(year, 3, 8)), sundayFrom(dayNumber(year, 11, 1))];
}

/** Seconds east of Greenwich when clocks show `hour` on the day; of an hour that comes twice the first. */
function offsetAt(day: number, hour: number): number {
  const [from, to] = summer(new Date(day * 86_400_000).getUTCFullYear());
  const isSummer = day > from || (day === from && hour >= 2) ? day < to || (day === to && hour < 2) : false;
  return STANDARD_SECONDS + (isSummer ? 3600 : 0);
}

/** A day on the calendar with the moments of its hours; an hour that does not exist is the one after. */
export class LocalDay {
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly #hours = new Float64Array(24);

  constructor(day: number) {
    this.day = day;
    this.weekday = (((day + 4) % 7) + 7) % 7;
    for (let hour = 0; hour < 24; hour++)
      this.#hours[hour] = day * 86_400 + hour * 3600 - offsetAt(day, hour);
  }

  /** Seconds since 1970 UTC. */
  at(hour: number): number {
    return this.#hours[hour] as number;
  }
}

/** Local hour and day of moments, remembered for the day at hand. */
export class LocalClock {
  #from = 0;
  #to = -1;
  #offset = 0;

  hour(unix: number): number {
    return Math.floor((unix + this.#offsetOf(unix)) / 3600) % 24;
  }

  day(unix: number): number {
    return Math.floor((unix + this.#offsetOf(unix)) / 86_400);
  }

  #offsetOf(unix: number): number {
    if (unix >= this.#from && unix < this.#to) return this.#offset;
    const year = new Date((unix + STANDARD_SECONDS) * 1000).getUTCFullYear();
    const [first, last] = summer(year);
    const begins = first * 86_400 + 2 * 3600 - STANDARD_SECONDS;
    const ends = last * 86_400 + 2 * 3600 - STANDARD_SECONDS - 3600;
    const newYear = (at: number) => dayNumber(at, 1, 1) * 86_400 - STANDARD_SECONDS;
    const isSummer = unix >= begins && unix < ends;
    this.#from = isSummer ? begins : unix < begins ? newYear(year) : ends;
    this.#to = isSummer ? ends : unix < begins ? begins : newYear(year + 1);
    this.#offset = STANDARD_SECONDS + (isSummer ? 3600 : 0);
    return this.#offset;
  }
}
