import { mean } from "../../../base/statistics.ts";
import { calendars, longestShare, SHARE_LABELS, SHARE_VALUES, shareValues } from "./day-calendars.ts";
import { yearNotes } from "./days.ts";
import { defineItem, share, table } from "./item.ts";
import { NO_USER } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";
import { jobsWithoutUser } from "./users.ts";

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
  title: "The top user of a day",
  place: "figure 8",
  section: "calendar",
  about:
    "For each local day: bytes of the user who moved the most over all bytes of jobs with a user, booked on their start day. longestJobMeanShare: the longest job of the day as in B10, among the same jobs; daysBelowLongestJob: days on which it moves more than the top user. top1PercentJobsShare: share of the top 1 % of jobs by bytes in the whole period.",
  reading:
    "Over the same jobs it cannot lie below the share of the longest job, whose owner moves at least as much. B10 also includes jobs without a user.",
  options: ["zone", "year"],
  values: {
    days: ["count", "days"],
    ...SHARE_VALUES,
    topUsersOfDays: ["count", "users who were the top user of a day"],
    top1PercentJobsShare: ["share", "bytes of the top 1 % of jobs", undefined, "most of the load"],
    longestJobMeanShare: ["share", "longest job of the day, mean share"],
    daysBelowLongestJob: ["count", "days on which the longest job moves more"],
  },
  narrative: ({ text }) =>
    `The top user of a day moves ${text("medianShare")} of its bytes on the median day, ${text("meanShare")} on average; on ${text("daysAbove50Percent")} of the days more than half. The top 1 % of jobs by bytes move ${text("top1PercentJobsShare")} of all bytes.`,
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
                  ["user", "User", "text", "User name or id."],
                  ["days", "Days", "count", "Days as the top user."],
                  ["bytes", "Bytes", "bytes", "Bytes moved on these days."],
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
          prepared,
          (part) => new Map(part.userDays().map((day) => [day.day, day.topBytes / day.bytes])),
          SHARE_LABELS("top user"),
          (own) => `${own.size} days in total.`,
        ),
    };
  },
});
