/** Observations of what jobs do within their runs. */
import { seriesIntervals } from "../intervals.ts";
import type { Prepared } from "../prepare.ts";
import { claim, type Draft, MINIMUM } from "../../common/judge.ts";
import { CORRELATION, GROUPS_MIN, SHARE, type Make } from "./draft.ts";

export const seriesDrafts: Make = (prepared, value) => {
  const series = seriesIntervals(prepared);
  return [
    {
      id: "O11",
      title: "I/O is spread over the run",
      statement: "Jobs that do I/O do it in most of their minutes.",
      n: value("B12.jobsWithIo"),
      minimum: MINIMUM,
      unit: "jobs with I/O minutes",
      claims: [
        claim(
          "B12.ioShareOfMinutes",
          "more than half of the minutes have I/O",
          "above",
          0.5,
          series.io,
          SHARE,
        ),
        claim(
          "B12.writeShareOfMinutes",
          "more than half of the minutes of writers have writes",
          "above",
          0.5,
          series.write,
          SHARE,
        ),
      ],
      sensitivity: [["minutes that hold 90 % of the bytes", "B12.mostBytesShareOfMinutes"]],
    },
    {
      id: "O12",
      title: "Writes are periodic",
      statement: "Most I/O-intensive jobs write periodically.",
      n: periodCount(prepared),
      minimum: MINIMUM,
      unit: "jobs with writes that are long enough",
      claims: [
        claim(
          "B13.periodicShare",
          "most jobs with writes have a period",
          "above",
          0.5,
          series.periodic,
          SHARE,
        ),
      ],
      sensitivity: [
        ["of heavy writers", "B13.heavyPeriodicShare"],
        ["of all writers, short ones too", "B13.periodicShareOfWriters"],
        ["median period, minutes", "B13.medianPeriodMinutes"],
      ],
    },
    {
      id: "O13",
      title: "Bursts are far below memory",
      statement:
        "More than 95 % of the jobs write bursts below 5 % of their memory, and most never exceed 1 %.",
      n: value("B14.jobs"),
      minimum: MINIMUM,
      unit: "jobs with minutes",
      claims: [
        claim(
          "B14.below5Share",
          "more than 95 % of the jobs stay below 5 % of memory",
          "above",
          0.95,
          series.below5,
          SHARE,
        ),
        claim(
          "B15.neverBeyond1Share",
          "most jobs never write a burst above 1 % of memory",
          "above",
          0.5,
          series.below1,
          SHARE,
        ),
      ],
      sensitivity: [
        ["below 15 %", "B14.below15Share"],
        ["above 50 %", "B14.above50Share"],
        ["below 5 %, of jobs that write", "B14.writersBelow5Share"],
      ],
    },
    {
      id: "O14",
      title: "Most bursts are small",
      statement: "Most jobs write bursts of 1 KB to 1 MB for the majority of their I/O time.",
      n: Math.max(0, value("B12.jobsWithIo")),
      minimum: MINIMUM,
      unit: "jobs with I/O",
      claims: [
        claim(
          "B16.mostlySmallShare",
          "most jobs have most I/O minutes in bursts of 1 KB to 1 MB",
          "above",
          0.5,
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
      claim(
        "B17.spearman",
        "data and I/O time rise together over the hours",
        "above",
        0,
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
