/** Bytes of each local day: of all jobs, of the longest one, and of the user who moved most. */
import { dateOf } from "./clock.ts";
import { NO_USER } from "./jobs.ts";
import type { SystemOptions } from "./options.ts";
import type { Prepared } from "./prepare.ts";

const DAY = 86_400;

export interface Day {
  /** Days since 1970. */
  readonly day: number;
  readonly bytes: number;
  /** Bytes of the longest job that started on it. */
  readonly longestBytes: number;
}

/** A day of the jobs that have a user. */
export interface UserDay extends Day {
  /** User with most bytes, and these. */
  readonly topUser: number;
  readonly topBytes: number;
}

/** Days on which jobs at these places started and moved bytes, in order. */
export function summedDays(prepared: Prepared, places: Uint32Array): UserDay[] {
  const { jobs, clock } = prepared;
  const days = new Map<number, { bytes: number; longest: number; users: Map<number, number> }>();
  for (const job of places) {
    const day = clock.day(jobs.start[job] as number);
    let one = days.get(day);
    if (one === undefined) days.set(day, (one = { bytes: 0, longest: -1, users: new Map() }));
    const bytes = (jobs.read[job] as number) + (jobs.written[job] as number);
    one.bytes += bytes;
    if (one.longest < 0 || isLonger(prepared, job, one.longest)) one.longest = job;
    const user = jobs.user[job] as number;
    one.users.set(user, (one.users.get(user) ?? 0) + bytes);
  }
  return [...days]
    .filter(([, { bytes }]) => bytes > 0)
    .sort(([a], [b]) => a - b)
    .map(([day, { bytes, longest, users }]): UserDay => {
      let [topUser, topBytes] = [NO_USER, -1];
      for (const [user, moved] of users) if (moved > topBytes) [topUser, topBytes] = [user, moved];
      const longestBytes = (jobs.read[longest] as number) + (jobs.written[longest] as number);
      return { day, bytes, longestBytes, topUser, topBytes };
    });
}

/** Of jobs of equal length the one with the lowest number counts as the longest. */
function isLonger({ jobs }: Prepared, job: number, other: number): boolean {
  const by = (jobs.duration[job] as number) - (jobs.duration[other] as number);
  if (by !== 0) return by > 0;
  const [a, b] = [jobs.id[job] as number, jobs.id[other] as number];
  return a !== b && !(b <= a) && !Number.isNaN(a);
}

/** Bytes of each day as booked. */
export function bookedBytes({
  jobs,
  counted,
  clock,
  options,
  days: startDays,
}: Prepared): ReadonlyMap<number, number> {
  if (options.booking === "start") return new Map(startDays().map(({ day, bytes }) => [day, bytes]));
  const days = new Map<number, number>();
  const add = (day: number, bytes: number) => days.set(day, (days.get(day) ?? 0) + bytes);
  for (const job of counted) {
    const bytes = (jobs.read[job] as number) + (jobs.written[job] as number);
    if (bytes === 0) continue;
    const start = clock.local(jobs.start[job] as number);
    const length = jobs.duration[job] as number;
    const first = Math.floor(start / DAY);
    // Seconds since that midnight: since 1970 they would have few digits left for fractions.
    const from = start - first * DAY;
    if (length === 0 || from + length <= DAY) {
      add(first, bytes);
      continue;
    }
    for (let day = 0; day * DAY < from + length; day++) {
      const inDay = Math.min(from + length, (day + 1) * DAY) - Math.max(from, day * DAY);
      add(first + day, bytes * (inDay / length));
    }
  }
  return new Map([...days].sort(([a], [b]) => a - b));
}

/** What there is to say of the year that was asked for: nothing, unless it has no data. */
export function yearNotes(days: Iterable<number>, { year }: SystemOptions): string[] {
  const years = [...new Set(Array.from(days, (day) => dateOf(day).getUTCFullYear()))].sort((a, b) => a - b);
  if (year === 0 || years.length === 0 || years.includes(year)) return [];
  const [first, last] = [years[0] as number, years.at(-1) as number];
  return [
    `The year ${year} has no data, so there are no calendars; days with data are in ${first === last ? first : `${first} to ${last}`}.`,
  ];
}

/** Figures 6 to 8 of the paper. */
export const PAPER_YEAR = 2017;

/** The year of the calendars: as asked, else the paper's where it has days, else the one with most; the earlier of two. */
export function yearOf(days: Iterable<number>, { year }: SystemOptions): number {
  if (year !== 0) return year;
  const counts = new Map<number, number>();
  for (const day of days) {
    const one = dateOf(day).getUTCFullYear();
    counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  if (counts.has(PAPER_YEAR)) return PAPER_YEAR;
  let [best, most] = [Number.NaN, 0];
  for (const [one, count] of [...counts].sort(([a], [b]) => a - b))
    if (count > most) [best, most] = [one, count];
  return best;
}
