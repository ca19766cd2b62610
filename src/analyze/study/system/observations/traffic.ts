/** Observations of targets and days. */
import { dayIntervals, mdtIntervals } from "../intervals.ts";
import { above, below } from "../../common/judge.ts";
import { DAYS_MIN, MDTS_MIN, SHARE, type Make, UNEVEN } from "./draft.ts";

export const targetDrafts: Make = (prepared, value) => {
  const mdts = mdtIntervals(prepared);
  return [
    {
      id: "O06",
      title: "Metadata targets are loaded unequally",
      statement: "MDTs handle different numbers of opens.",
      n: value("B08.opens") > 0 ? value("B08.mdts") : 0,
      minimum: MDTS_MIN,
      unit: "MDTs",
      claims: [
        above(
          "B08.gini",
          UNEVEN,
          "the Gini coefficient of the opens of MDTs is above 0.2 (0 is even)",
          mdts.gini,
          SHARE,
        ),
      ],
      sensitivity: [
        ["max / mean", "B08.mostOverMean"],
        ["min / max", "B08.leastOverMost"],
      ],
    },
    {
      id: "O07",
      title: "Not all opened files are closed",
      statement: "MDTs see fewer closes than opens.",
      n: prepared.mdts.jobs,
      unit: prepared.mdts.source === "jobs" ? "jobs with metadata" : "minutes",
      claims: [below("B08.closesOverOpens", 1, "fewer closes than opens", mdts.closed)],
      sensitivity: [["opens without a close", "B08.notClosed"]],
    },
  ];
};

export const dayDrafts: Make = (prepared, value) => {
  const days = dayIntervals(prepared);
  return [
    {
      id: "O08",
      title: "No trend over the week",
      statement: "I/O traffic follows neither weekday nor month.",
      n: value("B09.days"),
      minimum: DAYS_MIN,
      unit: "days",
      claims: [
        below(
          "B09.weekdayEffect",
          0.1,
          "weekdays explain less than 10 % of the variation between days",
          days.effect,
          SHARE,
        ),
      ],
      sensitivity: [
        ["p of the weekday test", "B09.weekdayP"],
        ["weekend / working day", "B09.weekendOverWorkingDay"],
        ["effect of months", "B09.monthEffect"],
      ],
    },
    {
      id: "O09",
      title: "The longest job does not matter",
      statement: "The longest-running job of a day moves few of the day's bytes.",
      n: value("B10.days"),
      minimum: DAYS_MIN,
      unit: "days",
      claims: [
        below(
          "B10.medianShare",
          0.1,
          "on most days the longest job moves less than 10 %",
          days.longest,
          SHARE,
        ),
      ],
      sensitivity: [
        ["mean share", "B10.meanShare"],
        ["days above 50 %", "B10.daysAbove50Percent"],
        ["correlation of duration and bytes", "B10.durationBytesSpearman"],
      ],
    },
    {
      id: "O10",
      title: "Top users dominate",
      statement: "The top user of a day moves a large share of the day's bytes.",
      n: value("B11.days"),
      minimum: DAYS_MIN,
      unit: "days",
      claims: [
        above("B11.medianShare", 0.25, "on most days the top user moves more than 25 %", days.top, SHARE),
      ],
      sensitivity: [
        ["mean share", "B11.meanShare"],
        ["days above 50 %", "B11.daysAbove50Percent"],
        ["share of the top 1 % of jobs", "B11.top1PercentJobsShare"],
      ],
    },
  ];
};
