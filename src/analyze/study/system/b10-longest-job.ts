import { spearman } from "../../../base/statistics.ts";
import { calendars, longestShare, SHARE_LABELS, SHARE_VALUES, shareValues } from "./day-calendars.ts";
import { yearNotes } from "./days.ts";
import { defineItem } from "./item.ts";
import type { Prepared } from "./prepare.ts";

export const b10 = defineItem({
  id: "B10",
  definition: "B10@1",
  title: "The longest job of a day",
  place: "figure 7",
  section: "calendar",
  about:
    "For each local day: bytes of the job with the longest duration that started on it over all bytes booked on the start day; of jobs of equal length the one with the lowest number. Spearman's correlation of duration and bytes over all jobs with counters.",
  reading: "The paper calls it insignificant except on a few days.",
  options: ["zone", "year"],
  values: {
    days: ["count", "days"],
    ...SHARE_VALUES,
    durationBytesSpearman: ["none", "Spearman's ρ of duration and bytes", undefined, "no correlation"],
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
          prepared,
          (part) => new Map(part.days().map((day) => [day.day, longestShare(day)])),
          SHARE_LABELS("longest job"),
          (own) => `${own.size} days in total.`,
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
