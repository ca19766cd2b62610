/** The period of the study in local time: four months in America/Los_Angeles with one day of 25 hours. */

export const ZONE = "America/Los_Angeles";
/** 1 October 2017, 00:00 PDT, in seconds since the Epoch. */
export const PERIOD_START = 1_506_841_200;
/** 1 October 2017 to 31 January 2018. */
export const PERIOD_DAYS = 123;
/** 5 November 2017, counted from 0: clocks go from 01:59:59 PDT to 01:00:00 PST. */
export const LONG_DAY = 35;
export const PERIOD_HOURS = PERIOD_DAYS * 24 + 1;

/** The hour on a clock at a moment of the period. */
export function localHour(unixSeconds: number): number {
  const hours = Math.floor((unixSeconds - PERIOD_START) / 3600);
  return (hours > LONG_DAY * 24 + 1 ? hours - 1 : hours) % 24;
}

/** The day of the period, from 0. */
export function localDay(unixSeconds: number): number {
  const hours = Math.floor((unixSeconds - PERIOD_START) / 3600);
  return Math.floor((hours > LONG_DAY * 24 + 1 ? hours - 1 : hours) / 24);
}

/**
 * The moment when the clock shows `hour` on a day. The second of the two hours called 1 on the long day is taken when
 * `later` is true.
 */
export function atHour(day: number, hour: number, later: boolean): number {
  let hours = day * 24 + hour;
  if (day > LONG_DAY || (day === LONG_DAY && (hour > 1 || (hour === 1 && later)))) hours++;
  return PERIOD_START + 3600 * hours;
}

const MONTHS = [
  { year: 2017, month: 10, days: 31 },
  { year: 2017, month: 11, days: 30 },
  { year: 2017, month: 12, days: 31 },
  { year: 2018, month: 1, days: 31 },
];

interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const DATES: readonly LocalDate[] = MONTHS.flatMap(({ year, month, days }) =>
  Array.from({ length: days }, (_, day) => ({ year, month, day: day + 1 })),
);

/** Year, month and day on a calendar. */
export function localDate(unixSeconds: number): LocalDate {
  return DATES[localDay(unixSeconds)] as LocalDate;
}
