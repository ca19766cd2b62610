/** The sentences of the paper with the reader's own numbers in them. */
import type { ItemResult } from "./item.ts";
import { valueText } from "./labels.ts";

type Tell = (of: (key: string) => string) => string;

const TELL: Readonly<Record<string, Tell>> = {
  B02: (of) =>
    `${of("jobs")} jobs of ${of("users")} users are studied. Clients were read for ${of("counterCoverage")} of them, and servers saw ${of("seriesJobs")} jobs minute by minute, ${of("minuteCoverage")} of those that ran meanwhile. The jobs with counters read ${of("bytesRead")} and wrote ${of("bytesWritten")}. The paper had 2,854,478 jobs of 994 users (Cab), 1,401,897 of 584 (Quartz), and 16,795 by the minute.`,
  B03: (of) =>
    `${of("longJobs")} jobs are too long and left out; they have ${of("longShareOfNodeHours")} of the compute time (paper: 2.23 % on Cab, 8.74 % on Quartz).`,
  B04: (of) =>
    `${of("below2Hours")} of the jobs run for less than two hours, and ${of("below100Nodes")} use fewer than 100 nodes (paper: over 90 % and 90 %). The mean duration is ${of("durationMeanHours")}, the median ${of("durationMedianHours")}; the mean job has ${of("nodesMean")} nodes, the median one ${of("nodesMedian")}.`,
  B05: (of) =>
    `Of ${of("users")} users who moved bytes ${of("mostlyRead")} mostly read and ${of("mostlyWritten")} mostly write; ${of("between")} lie between. The shares differ from an even spread by ${of("distanceToUniform")} at most.`,
  B06: (of) =>
    `${of("heavy")} jobs write more than ${of("limitBytes")}. ${of("inefficientShare")} of them (${of("inefficient")}) write in calls below ${of("limitPerCallBytes")}, ${of("efficientShare")} (${of("efficient")}) above, ${of("tie")} exactly there; the other ${of("light")} jobs are light (paper: 64.6 % and 69 % inefficient). Of ${of("usersHeavy")} heavy users ${of("usersInefficientShare")} are inefficient, ${of("usersEfficientShare")} efficient and ${of("usersTie")} neither (paper: 46.9 % and 21 % on Cab, 66 % and 34 % on Quartz).`,
  B07: (of) =>
    `Metadata operations and bytes written have a correlation of ${of("sumR")}; mkdir ${of("mkdirsR")}, mknod ${of("mknodsR")} (paper: 0.93 for both).`,
  B08: (of) =>
    `The busiest of ${of("mdts")} MDTs handles ${of("mostOverMean")} the mean number of opens, and the least busy ${of("leastOverMost")} of the busiest. Of ${of("opens")} opens ${of("closesOverOpens")} have a close.`,
  B09: (of) =>
    `Over ${of("days")} days the weekday explains ${of("weekdayEffect")} of the spread of days (p = ${of("weekdayP")}), and a weekend day moves ${of("weekendOverWorkingDay")} what a working day does. The paper saw no trend.`,
  B10: (of) =>
    `The longest job of a day moves ${of("medianShare")} of its bytes on the median day, ${of("meanShare")} on average; on ${of("daysAbove50Percent")} of the days it is more than half. Duration and bytes have a rank correlation of ${of("durationBytesSpearman")}.`,
  B11: (of) =>
    `The top user of a day moves ${of("medianShare")} of its bytes on the median day, ${of("meanShare")} on average; on ${of("daysAbove50Percent")} of the days more than half. The hundredth of the jobs with most bytes has ${of("top1PercentJobsShare")} of all bytes.`,
  B12: (of) =>
    `${of("jobsWithIo")} jobs with minutes read or wrote, in ${of("ioShareOfMinutes")} of their minutes on average (paper: 78.8 %); ${of("jobsWithWrites")} wrote, in ${of("writeShareOfMinutes")} (80.4 %). But 90 % of the bytes lie in ${of("mostBytesShareOfMinutes")} of the minutes. ${of("ioShareOfJobs")} of the jobs with counters moved bytes (over 53 %).`,
  B13: (of) =>
    `${of("periodicShare")} of the jobs that write long enough to tell do so periodically (${of("periodicJobs")}), every ${of("medianPeriodMinutes")} in the median; of the heavy ones ${of("heavyPeriodicShare")}. The paper says "most" and gives no number.`,
  B14: (of) =>
    `${of("below5Share")} of ${of("jobs")} jobs write no burst of 5 % of their memory and more, ${of("below15Share")} none of 15 %, and ${of("above50")} write one above 50 % (paper: 96.3 %, 98.2 %, and 170 of 16,795). Of the jobs that write at all ${of("writersBelow5Share")} stay below 5 %.`,
  B15: (of) =>
    `${of("neverBeyond1Share")} of the jobs never write a burst above 1 % of memory (paper: 90 %); ${of("allBelow1Share")} of those that write have all their minutes in bursts below 1 %.`,
  B16: (of) =>
    `${of("mostlySmallShare")} of the jobs with I/O spend more than half of their I/O minutes in bursts of 1 KB to 1 MB (paper: 73 %), and ${of("mostlyMediumShare")} more than 90 % in bursts of 1 MB to 1 GB.`,
  B17: (of) =>
    `Most data moves in jobs that start at ${of("earlierPeakHour")} and ${of("laterPeakHour")} (paper: 5 and 11 h). Similar jobs take longest when they start at ${of("slowestHour")}. Data and I/O time have a rank correlation of ${of("spearman")} over the hours.`,
  B18: (of) => `${of("rulesThatApply")} of ${of("rules")} rules apply here.`,
};

/** One paragraph on an item; empty when there is nothing to tell. */
export function narrative(id: string, { values, n }: ItemResult): string {
  const tell = TELL[id];
  if (tell === undefined || n === 0) return "";
  return tell((key) => {
    const value = values[key];
    return value === undefined || Number.isNaN(Number(value)) ? "(not known)" : valueText(key, value);
  });
}
