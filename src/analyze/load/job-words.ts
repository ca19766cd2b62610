/** What is said of a job in words. */
import { formatBytes, formatCount, formatMany, formatShare } from "../../base/units.ts";
import { CLASS_JOBS_MIN, type EfficiencyClass } from "./efficiency.ts";
import type { JobRun } from "./job.ts";

const CLASSES: Readonly<Record<Exclude<EfficiencyClass, "not recorded" | "too few jobs">, string>> = {
  efficient: "it writes much, in large calls (efficient)",
  inefficient: "it writes much, in small calls (inefficient)",
  tie: "it writes much, in calls exactly at the limit (tie)",
  light: "it writes little (light)",
};

/** The class in words, or why there is none. */
export function classText({ efficiency, limits, clients, servers }: JobRun): string {
  if (efficiency === "too few jobs")
    return `it has no class, with too few jobs to compare with (${fewText(limits)})`;
  if (efficiency !== "not recorded") return CLASSES[efficiency];
  return clients === null && servers === null
    ? "its writes were not recorded"
    : "its write calls were not counted";
}

const fewText = ({ jobs }: JobRun["limits"]): string => `${formatCount(jobs)} of at least ${CLASS_JOBS_MIN}`;

/** The limits that the class is taken from, or why there are none. */
export function limitsText(limits: JobRun["limits"]): string {
  const { jobs, bytesLimit, bytesPerCallLimit } = limits;
  if (jobs < CLASS_JOBS_MIN)
    return `not enough jobs with counters of clients to classify: ${fewText(limits)}`;
  const known = [
    ...(Number.isNaN(bytesLimit) ? [] : [`${formatBytes(bytesLimit)} in all`]),
    ...(Number.isNaN(bytesPerCallLimit) ? [] : [`${formatBytes(bytesPerCallLimit)} a call`]),
  ];
  const whose = `limits of ${formatMany(jobs, "job")}`;
  return known.length === 0 ? whose : `${whose}: ${known.join(", ")}`;
}

/** What the share of minutes with I/O is made of, or why there is none. */
export function shareNote({ ioShare, series, facts, minutesOutside }: JobRun): { readonly note?: string } {
  if (ioShare !== null)
    return {
      note: `${ioShare.ioMinutes} of ${ioShare.minutes}${
        ioShare.ioMinutes === 0
          ? ""
          : `; with writes ${formatShare(ioShare.writeShare)}; 90 % of the bytes in ${formatShare(ioShare.shareOf90Percent)}`
      }`,
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
