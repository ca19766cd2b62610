import { mean, quantileOf } from "../../../base/statistics.ts";
import { formatBytes } from "../../../base/units.ts";
import { dateOf, weekdayOf } from "./clock.ts";
import { calendars } from "./day-calendars.ts";
import { bookedBytes, yearNotes } from "./days.ts";
import { defineItem, table } from "./item.ts";
import { kruskalWallis } from "./statistics.ts";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** Bytes of the days of each weekday, Sunday first. */
export function weekdayGroups(days: ReadonlyMap<number, number>): number[][] {
  const groups: number[][] = [[], [], [], [], [], [], []];
  for (const [day, bytes] of days) groups[weekdayOf(day)]?.push(bytes);
  return groups;
}

export const b09 = defineItem({
  id: "B09",
  definition: "B09@1",
  title: "I/O over the calendar",
  place: "figure 6",
  section: "calendar",
  about:
    "Bytes read and written of each local day, of jobs with counters, booked on the day of the start or on all days of the job by time. Days without bytes do not count. The Kruskal-Wallis test checks whether weekdays differ; its effect is H over n - 1, the part of the rank variance that weekdays explain. The same test for months.",
  reading: "No trend means a small effect: with many days even a small effect has a small p value.",
  options: ["zone", "booking", "year"],
  values: {
    days: ["count", "days"],
    kruskalWallisH: ["none", "weekday H (Kruskal-Wallis)"],
    weekdayP: ["none", "weekday p"],
    weekdayEffect: ["share", "weekday effect"],
    weekendOverWorkingDay: ["ratio", "weekend / working day"],
    monthH: ["none", "month H"],
    monthP: ["none", "month p"],
    monthEffect: ["share", "month effect"],
  },
  narrative: ({ text }) =>
    `Over ${text("days")} days the weekday explains ${text("weekdayEffect")} of the variation between days (p = ${text("weekdayP")}), and a weekend day moves ${text("weekendOverWorkingDay")} the bytes of a working day. The paper saw no trend.`,
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
                "Bytes per day by weekday.",
                [
                  ["weekday", "Weekday", "text", "Local."],
                  ["days", "Days", "count", "Days with bytes."],
                  ["mean", "Mean", "bytes", "Mean over days."],
                  ["median", "Median", "bytes", "Median over days."],
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
          prepared,
          bookedBytes,
          {
            value: { label: "bytes", unit: "bytes", scale: "log" },
            name: "read and written",
            role: "neutral",
            top: "bytes, summed over the rows",
            right: "bytes",
          },
          (own) =>
            `${own.size} days in total; ${formatBytes([...own.values()].reduce((sum, one) => sum + one, 0))}.`,
        ),
    };
  },
});
