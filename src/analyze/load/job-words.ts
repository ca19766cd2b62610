/** What is said of a job in words. */
import { formatBytes, formatMany, formatShare } from "../../base/units.ts";
import type { EfficiencyClass } from "./efficiency.ts";
import type { JobRun } from "./job.ts";

const CLASSES: Readonly<Record<Exclude<EfficiencyClass, "not recorded">, string>> = {
  efficient: "it writes much, in large calls (efficient)",
  inefficient: "it writes much, in small calls (inefficient)",
  tie: "it writes much, in calls exactly at the limit (tie)",
  light: "it writes little (light)",
};

/** The class in words, or why there is none. */
export function classText({ efficiency, limits, clients, servers }: JobRun): string {
  if (efficiency !== "not recorded") return CLASSES[efficiency];
  if (clients === null && servers === null) return "its writes were not recorded";
  return Number.isNaN(limits.bytesLimit) || Number.isNaN(limits.bytesPerCallLimit)
    ? "whether that is much is not known, for no job to compare with has counters of clients"
    : "its write calls were not counted";
}

/** The limits that the class is taken from. */
export function limitsText({ jobs, bytesLimit, bytesPerCallLimit }: JobRun["limits"]): string {
  const known = [
    ...(Number.isNaN(bytesLimit) ? [] : [`${formatBytes(bytesLimit)} in all`]),
    ...(Number.isNaN(bytesPerCallLimit) ? [] : [`${formatBytes(bytesPerCallLimit)} a call`]),
  ];
  const whose = jobs === 0 ? "no job to compare with" : `limits of ${formatMany(jobs, "job")}`;
  return known.length === 0 ? whose : `${whose}: ${known.join(", ")}`;
}

/** What the share of minutes with I/O is made of, or why there is none. */
export function shareNote({ ioShare, series, facts, minutesOutside }: JobRun): { readonly note?: string } {
  if (ioShare !== null)
    return {
      note: `${ioShare.ioMinutes} of ${ioShare.minutes}; with writes ${formatShare(ioShare.writeShare)}; 90 % of the bytes in ${formatShare(ioShare.shareOf90Percent)}`,
    };
  if (series.length === 0) return {};
  if (facts.startUnix === null || facts.endUnix === null)
    return { note: "start or end of the job is not known" };
  return {
    note:
      minutesOutside > 0
        ? "no minute of servers lies within the run"
        : "the times of the job cannot be right",
  };
}

export const outsideText = ({ minutesOutside }: JobRun, lateMinutes: number): string =>
  `${formatMany(minutesOutside, "minute")} of servers ${minutesOutside === 1 ? "lies" : "lie"} before the start of the run or more than ${formatMany(lateMinutes, "minute")} after its end: part of the sums and figures, not of the minutes with I/O, the bursts and the period. Clocks may be apart, or something else had this id.`;
