/** Observations of targets and days. */
import { dayIntervals, mdtIntervals } from "../intervals.ts";
import { claim, MINIMUM } from "../../common/judge.ts";
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
        claim(
          "B08.gini",
          "the Gini coefficient of the opens of MDTs is above 0.2 (0 is even)",
          "above",
          UNEVEN,
          mdts.gini,
          SHARE,
        ),
      ],
      sensitivity: [
        ["most over mean", "B08.mostOverMean"],
        ["least over most", "B08.leastOverMost"],
      ],
    },
    {
      id: "O07",
      title: "Not all opened files are closed",
      statement: "MDTs see fewer closes than opens.",
      n: prepared.mdts.jobs,
      minimum: MINIMUM,
      unit: prepared.mdts.source === "jobs" ? "jobs with metadata" : "minutes",
      claims: [claim("B08.closesOverOpens", "fewer closes than opens", "below", 1, mdts.closed)],
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
        claim(
          "B09.weekdayEffect",
          "weekdays explain less than a tenth of the spread of days",
          "below",
          0.1,
          days.effect,
          SHARE,
        ),
      ],
      sensitivity: [
        ["p of the weekday test", "B09.weekdayP"],
        ["weekend over working day", "B09.weekendOverWorkingDay"],
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
        claim(
          "B10.medianShare",
          "on most days the longest job moves less than a tenth",
          "below",
          0.1,
          days.longest,
          SHARE,
        ),
      ],
      sensitivity: [
        ["mean share", "B10.meanShare"],
        ["days above one half", "B10.daysAbove50Percent"],
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
        claim(
          "B11.medianShare",
          "on most days the top user moves more than a quarter",
          "above",
          0.25,
          days.top,
          SHARE,
        ),
      ],
      sensitivity: [
        ["mean share", "B11.meanShare"],
        ["days above one half", "B11.daysAbove50Percent"],
        ["share of the top hundredth of jobs", "B11.top1PercentJobsShare"],
      ],
    },
  ];
};
