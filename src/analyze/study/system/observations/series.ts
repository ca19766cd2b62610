/** Observations of what jobs do within their runs. */
import { seriesIntervals } from "../intervals.ts";
import type { Prepared } from "../prepare.ts";
import { above, type Draft } from "../../common/judge.ts";
import { CORRELATION, GROUPS_MIN, SHARE, type Make } from "./draft.ts";

export const seriesDrafts: Make = (prepared, value) => {
  const series = seriesIntervals(prepared);
  return [
    {
      id: "O11",
      title: "I/O is spread over the run",
      statement: "Jobs that do I/O do it in most of their minutes.",
      n: value("B12.jobsWithIo"),
      unit: "jobs with I/O minutes",
      claims: [
        above("B12.ioShareOfMinutes", 0.5, "more than half of the minutes have I/O", series.io, SHARE),
        above(
          "B12.writeShareOfMinutes",
          0.5,
          "more than half of the minutes of writers have writes",
          series.write,
          SHARE,
        ),
      ],
      sensitivity: [["minutes with 90 % of the bytes", "B12.mostBytesShareOfMinutes"]],
    },
    {
      id: "O12",
      title: "Writes are periodic",
      statement: "Most I/O-intensive jobs write periodically.",
      n: periodCount(prepared),
      unit: "jobs with writes and long enough series",
      claims: [
        above("B13.periodicShare", 0.5, "most jobs with writes have a period", series.periodic, SHARE),
      ],
      sensitivity: [
        ["of heavy writers", "B13.heavyPeriodicShare"],
        ["of all writers, including short ones", "B13.periodicShareOfWriters"],
        ["median period, minutes", "B13.medianPeriodMinutes"],
      ],
    },
    {
      id: "O13",
      title: "Bursts are far below memory",
      statement:
        "More than 95 % of the jobs write bursts below 5 % of their memory, and most never exceed 1 %.",
      n: value("B14.jobs"),
      unit: "jobs with minutes",
      claims: [
        above(
          "B14.below5Share",
          0.95,
          "more than 95 % of the jobs stay below 5 % of memory",
          series.below5,
          SHARE,
        ),
        above(
          "B15.neverBeyond1Share",
          0.5,
          "most jobs never write a burst above 1 % of memory",
          series.below1,
          SHARE,
        ),
      ],
      sensitivity: [
        ["below 15 %", "B14.below15Share"],
        ["above 50 %", "B14.above50Share"],
        ["share of jobs that write, below 5 %", "B14.writersBelow5Share"],
      ],
    },
    {
      id: "O14",
      title: "Most bursts are small",
      statement: "Most jobs write bursts of 1 KB to 1 MB for the majority of their I/O time.",
      n: Math.max(0, value("B12.jobsWithIo")),
      unit: "jobs with I/O",
      claims: [
        above(
          "B16.mostlySmallShare",
          0.5,
          "most jobs have most I/O minutes in bursts of 1 KB to 1 MB",
          series.small,
          SHARE,
        ),
      ],
      sensitivity: [["1 MB to 1 GB in more than 90 %", "B16.mostlyMediumShare"]],
    },
    contentionDraft(prepared, value),
  ];
};

/** For itself too: `quiet-hours` asks for it without the others. */
export function contentionDraft(prepared: Prepared, value: (key: string) => number): Draft {
  return {
    id: "O15",
    title: "Busy hours are slow",
    statement: "Similar jobs take longer for their I/O when they start in busy hours.",
    n: value("B17.groups"),
    minimum: GROUPS_MIN,
    unit: "groups of similar jobs",
    claims: [
      above(
        "B17.spearman",
        0,
        "data and I/O time rise together over the hours",
        prepared.hourInterval(),
        CORRELATION,
      ),
    ],
    sensitivity: [
      ["earlier peak of data", "B17.earlierPeakHour"],
      ["later peak of data", "B17.laterPeakHour"],
      ["slowest hour", "B17.slowestHour"],
    ],
  };
}

function periodCount({ series }: Prepared): number {
  let count = 0;
  for (let i = 0; i < series.count; i++) if (!Number.isNaN(series.period[i])) count++;
  return count;
}
