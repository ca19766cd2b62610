import { mean, quantileOf, spearman } from "../../../base/statistics.ts";
import { formatBytes } from "../../../base/units.ts";
import { type CalendarLabels, monthCalendar, weekCalendar } from "./charts.ts";
import { dateOf, weekdayOf } from "./clock.ts";
import { jobsWithoutUser } from "./users.ts";
import { bookedBytes, type Day, yearNotes, yearOf } from "./days.ts";
import { defineItem, drawn, share, table } from "./item.ts";
import { NO_USER } from "./jobs.ts";
import type { SystemOptions } from "./options.ts";
import type { Prepared } from "./prepare.ts";
import { kruskalWallis } from "./statistics.ts";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** Bytes of the days of each weekday, Sunday first. */
export function weekdayGroups(days: ReadonlyMap<number, number>): number[][] {
  const groups: number[][] = [[], [], [], [], [], [], []];
  for (const [day, bytes] of days) groups[weekdayOf(day)]?.push(bytes);
  return groups;
}

function calendars(
  id: string,
  what: string,
  days: ReadonlyMap<number, number>,
  options: SystemOptions,
  labels: CalendarLabels,
  note: string,
) {
  const year = yearOf(days.keys(), options);
  if (Number.isNaN(year) || yearNotes(days.keys(), options).length > 0) return [];
  return [
    drawn({
      id: `${id}a-months`,
      title: `${what} by day, ${year}`,
      caption: `Days of ${year} in ${options.zone}, month by day. ${note}`,
      summary: `${what} of the days of ${year}.`,
      chart: monthCalendar(days, year, labels),
    }),
    drawn({
      id: `${id}b-weeks`,
      title: `${what} by weekday, ${year}`,
      caption: `The same days, weekday by week. ${note}`,
      summary: `${what} of the days of ${year} by weekday.`,
      chart: weekCalendar(days, year, labels),
    }),
  ];
}

export const b09 = defineItem({
  id: "B09",
  definition: "B09@1",
  title: "I/O over the calendar (figure 6)",
  section: "calendar",
  about:
    "Bytes read and written of each local day, of jobs with counters, booked on the day of the start or on all days of the job by time. Days without bytes do not count. Kruskal and Wallis' test asks whether weekdays differ; its effect is H over n - 1, the part of the spread of ranks that weekdays explain. The same test for months.",
  reading: "No trend means a small effect: with many days even a small one has a small p.",
  options: ["zone", "booking", "year"],
  values: {
    days: ["count", "days"],
    kruskalWallisH: ["none", "weekday H (Kruskal and Wallis)"],
    weekdayP: ["none", "weekday p"],
    weekdayEffect: ["share", "weekday effect"],
    weekendOverWorkingDay: ["ratio", "weekend over working day"],
    monthH: ["none", "month H"],
    monthP: ["none", "month p"],
    monthEffect: ["share", "month effect"],
  },
  narrative: ({ text }) =>
    `Over ${text("days")} days the weekday explains ${text("weekdayEffect")} of the spread of days (p = ${text("weekdayP")}), and a weekend day moves ${text("weekendOverWorkingDay")} what a working day does. The paper saw no trend.`,
  measure(prepared) {
    const { options } = prepared;
    const days = bookedBytes(prepared);
    const groups = weekdayGroups(days);
    const test = kruskalWallis(groups);
    const months: number[][] = Array.from({ length: 12 }, () => []);
    for (const [day, bytes] of days) months[dateOf(day).getUTCMonth()]?.push(bytes);
    const byMonth = kruskalWallis(months);
    const working = mean([1, 2, 3, 4, 5].flatMap((day) => groups[day] as number[]));
    const ends = mean([0, 6].flatMap((day) => groups[day] as number[]));
    return {
      n: days.size,
      unit: "days",
      dropped: { "jobs without counters": prepared.studied.length - prepared.counted.length },
      values: {
        days: days.size,
        kruskalWallisH: test.h,
        weekdayP: test.p,
        weekdayEffect: test.effect,
        weekendOverWorkingDay: ends / working,
        monthH: byMonth.h,
        monthP: byMonth.p,
        monthEffect: byMonth.effect,
      },
      tables:
        days.size === 0
          ? []
          : [
              table(
                "weekdays",
                "Bytes of days by weekday.",
                [
                  ["weekday", "Weekday", "text", "Local."],
                  ["days", "Days", "count", "Days with bytes."],
                  ["mean", "Mean", "bytes", "Mean of its days."],
                  ["median", "Median", "bytes", "Median of its days."],
                ],
                WEEKDAYS.map((name, i) => {
                  const group = groups[i] as number[];
                  return [
                    name,
                    group.length,
                    group.length === 0 ? null : mean(group),
                    group.length === 0 ? null : quantileOf(group, 0.5),
                  ];
                }),
              ),
            ],
      notes: yearNotes(days.keys(), options),
      figures: () =>
        calendars(
          "figure-6",
          "Bytes read and written",
          days,
          options,
          {
            value: { label: "bytes", unit: "bytes", scale: "log" },
            name: "read and written",
            role: "neutral",
            top: "bytes, summed over the rows",
            right: "bytes",
          },
          `${days.size} days in all; ${formatBytes([...days.values()].reduce((sum, one) => sum + one, 0))}.`,
        ),
    };
  },
});

/** Figures 7 and 8 have shares of days; the bars beside them are sums, which only help to compare. */
const SHARE_LABELS = (name: string): CalendarLabels => ({
  value: { label: "share of the day's bytes", unit: "share" },
  name,
  role: "neutral",
  top: "shares, summed over the rows",
  right: "summed",
});

const longestShare = ({ longestBytes, bytes }: Day) => longestBytes / bytes;

function shareValues<T extends Day>(days: readonly T[], of: (day: T) => number) {
  const shares = Float64Array.from(days, of);
  const above = (limit: number) => share(shares.filter((one) => one > limit).length, shares.length);
  return {
    days: days.length,
    meanShare: mean(shares),
    medianShare: quantileOf(shares, 0.5),
    daysAbove10Percent: above(0.1),
    daysAbove50Percent: above(0.5),
  };
}

const SHARE_VALUES = {
  meanShare: ["share", "share of a day, mean"],
  medianShare: ["share", "share of a day, median"],
  daysAbove10Percent: ["share", "days with more than 10 %"],
  daysAbove50Percent: ["share", "days with more than 50 %"],
} as const;

export const b10 = defineItem({
  id: "B10",
  definition: "B10@1",
  title: "The longest job of a day (figure 7)",
  section: "calendar",
  about:
    "For each local day: bytes of the job with the longest duration that started on it over all bytes booked on the start day; of jobs of equal length the one with the lowest number. Spearman's correlation of duration and bytes over all jobs with counters.",
  reading: "The paper: insignificant but on a few days.",
  options: ["zone", "year"],
  values: {
    days: ["count", "days"],
    ...SHARE_VALUES,
    durationBytesSpearman: ["none", "Spearman's ρ of duration and bytes"],
  },
  narrative: ({ text }) =>
    `The longest job of a day moves ${text("medianShare")} of its bytes on the median day, ${text("meanShare")} on average; on ${text("daysAbove50Percent")} of the days it is more than half. Duration and bytes have a rank correlation of ${text("durationBytesSpearman")}.`,
  measure(prepared) {
    const { options } = prepared;
    const days = prepared.days();
    return {
      n: days.length,
      unit: "days",
      dropped: { "jobs without counters": prepared.studied.length - prepared.counted.length },
      values: {
        ...shareValues(days, longestShare),
        durationBytesSpearman: durationSpearman(prepared),
      },
      notes: yearNotes(
        days.map(({ day }) => day),
        options,
      ),
      figures: () =>
        calendars(
          "figure-7",
          "Share of the longest job",
          new Map(days.map((day) => [day.day, longestShare(day)])),
          options,
          SHARE_LABELS("longest job"),
          `${days.length} days in all.`,
        ),
    };
  },
});

const SAMPLE = 200_000;

/** Of very many jobs every k-th is enough. */
function durationSpearman({ jobs, counted }: Prepared): number {
  const every = Math.max(1, Math.ceil(counted.length / SAMPLE));
  const some = counted.filter((_, i) => i % every === 0);
  return spearman(
    Float64Array.from(some, (job) => jobs.duration[job] as number),
    Float64Array.from(some, (job) => (jobs.read[job] as number) + (jobs.written[job] as number)),
  );
}

/** What the hundredth of the jobs with most bytes moves, of all that jobs with a user do. */
function topJobsShare({ jobs, counted }: Prepared): number {
  const moved = Float64Array.from(
    counted.filter((job) => jobs.user[job] !== NO_USER),
    (job) => (jobs.read[job] as number) + (jobs.written[job] as number),
  ).sort();
  const sum = (values: Float64Array) => values.reduce((all, one) => all + one, 0);
  return share(sum(moved.subarray(moved.length - Math.ceil(moved.length / 100))), sum(moved));
}

export const b11 = defineItem({
  id: "B11",
  definition: "B11@1",
  title: "The top user of a day (figure 8)",
  section: "calendar",
  about:
    "For each local day: bytes of the user who moved most over all bytes of jobs with a user, booked on their start day. longestJobMeanShare: the longest job of the day as in B10, among the same jobs; daysBelowLongestJob: days on which it moves more than the top user. top1PercentJobsShare: what the hundredth of the jobs with most bytes moves in the whole period.",
  reading:
    "Over the same jobs it cannot lie below the share of the longest job, whose owner moves at least as much. B10 has jobs without a user too, which here nobody owns.",
  options: ["zone", "year"],
  values: {
    days: ["count", "days"],
    ...SHARE_VALUES,
    topUsersOfDays: ["count", "users who were top of a day"],
    top1PercentJobsShare: ["share", "bytes of the top 1 % of jobs"],
    longestJobMeanShare: ["share", "longest job of the day, mean share"],
    daysBelowLongestJob: ["count", "days on which the longest job moves more"],
  },
  narrative: ({ text }) =>
    `The top user of a day moves ${text("medianShare")} of its bytes on the median day, ${text("meanShare")} on average; on ${text("daysAbove50Percent")} of the days more than half. The hundredth of the jobs with most bytes has ${text("top1PercentJobsShare")} of all bytes.`,
  measure(prepared) {
    const { options } = prepared;
    const days = prepared.userDays();
    const users = new Map<number, { days: number; bytes: number }>();
    for (const { topUser, topBytes } of days) {
      const one = users.get(topUser) ?? { days: 0, bytes: 0 };
      users.set(topUser, { days: one.days + 1, bytes: one.bytes + topBytes });
    }
    const rows = [...users].sort(([a, x], [b, y]) => y.days - x.days || y.bytes - x.bytes || a - b);
    return {
      n: days.length,
      unit: "days",
      dropped: {
        "jobs without counters": prepared.studied.length - prepared.counted.length,
        "jobs without a user": jobsWithoutUser(prepared),
      },
      values: {
        ...shareValues(days, ({ topBytes, bytes }) => topBytes / bytes),
        topUsersOfDays: users.size,
        top1PercentJobsShare: topJobsShare(prepared),
        longestJobMeanShare: mean(days.map(longestShare)),
        daysBelowLongestJob: days.filter(({ topBytes, longestBytes }) => topBytes < longestBytes).length,
      },
      tables:
        rows.length === 0
          ? []
          : [
              table(
                "top-users",
                "Users who were the top user of a day, at most 100.",
                [
                  ["user", "User", "text", "Name, or number."],
                  ["days", "Days", "count", "Days on which nobody moved more."],
                  ["bytes", "Bytes", "bytes", "Moved on these days."],
                ],
                rows.slice(0, 100).map(([user, one]) => [prepared.userName(user), one.days, one.bytes]),
                rows.length,
              ),
            ],
      notes: yearNotes(
        days.map(({ day }) => day),
        options,
      ),
      figures: () =>
        calendars(
          "figure-8",
          "Share of the top user",
          new Map(days.map((day) => [day.day, day.topBytes / day.bytes])),
          options,
          SHARE_LABELS("top user"),
          `${days.length} days in all.`,
        ),
    };
  },
});
