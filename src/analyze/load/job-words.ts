/** Texts about a job. */
import { formatBytes, formatCount, formatMany, formatShare } from "../../base/units.ts";
import { CLASS_JOBS_MIN, type EfficiencyClass } from "./efficiency.ts";
import type { JobRun } from "./job.ts";

const CLASSES: Readonly<Record<Exclude<EfficiencyClass, "not recorded" | "too few jobs">, string>> = {
  efficient: "heavy writer, large calls (efficient)",
  inefficient: "heavy writer, small calls (inefficient)",
  tie: "heavy writer, calls exactly at the limit (tie)",
  light: "light writer",
};

/** The class, or the reason why there is none. */
export function classText({ efficiency, limits, clients, servers }: JobRun): string {
  if (efficiency === "too few jobs") return `no class: too few jobs to compare with (${fewText(limits)})`;
  if (efficiency !== "not recorded") return CLASSES[efficiency];
  return clients === null && servers === null ? "writes were not recorded" : "write calls were not counted";
}

const fewText = ({ jobs }: JobRun["limits"]): string => `${formatCount(jobs)} of at least ${CLASS_JOBS_MIN}`;

/** The limits of the class, or the reason why there are none. */
export function limitsText(limits: JobRun["limits"]): string {
  const { jobs, bytesLimit, bytesPerCallLimit } = limits;
  if (jobs < CLASS_JOBS_MIN) return `too few jobs with client counters to classify: ${fewText(limits)}`;
  const known = [
    ...(Number.isNaN(bytesLimit) ? [] : [`${formatBytes(bytesLimit)} in total`]),
    ...(Number.isNaN(bytesPerCallLimit) ? [] : [`${formatBytes(bytesPerCallLimit)} per call`]),
  ];
  const whose = `limits from ${formatMany(jobs, "job")}`;
  return known.length === 0 ? whose : `${whose}: ${known.join(", ")}`;
}

/** The numbers behind the share of minutes with I/O, or the reason why there is none. */
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
    return { note: "start or end of the job is unknown" };
  return {
    note:
      minutesOutside > 0
        ? "no minute with server counters lies within the run"
        : "the job has impossible times",
  };
}

export const outsideText = ({ minutesOutside }: JobRun, lateMinutes: number): string =>
  `${formatMany(minutesOutside, "minute")} with server counters ${minutesOutside === 1 ? "lies" : "lie"} before the start of the run or more than ${formatMany(lateMinutes, "minute")} after its end: included in sums and figures, not in minutes with I/O, bursts and period. Clocks may differ, or another job had this id.`;
