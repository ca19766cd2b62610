/** Values for people: what a key is called and which unit it has. */
import type { Unit } from "../../../model/index.ts";

const SHARES =
  /Share$|^share|^below|OneRun$|^oneRun|^users[A-Z]|^oneSided|AtLeast2$|Exactly2$|^shared|LeastOverMost$|^leastOverMost|^stripeWidth1|[cC]ov(Bytes|Time)?$|MeanCov|meanCov|^medianCov|^lowestHourCov|^sequential|^logsWithout|^shareOf/;

export function unitOf(key: string): Unit {
  if (SHARES.test(key) && key !== "sharedFiles") return "share";
  if (/Over[A-Z]/.test(key)) return "ratio";
  if (/[bB]ytes/.test(key) && !/Files|files|NotRecorded|zeroByte/.test(key)) return "bytes";
  if (/SdSeconds$/.test(key)) return "seconds";
  if (/Hour$/.test(key)) return "index";
  if (/Hours$|^spearman|^gini|Mean$|^meanDifference|PerUser$/.test(key)) return "none";
  return "count";
}

/** `readMeanHours` as `read mean hours`. */
export function labelOf(key: string): string {
  return key
    .replace(/(1GB|100GB|\d+)/g, " $1")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/\b([A-Z])(?=[a-z])/g, (letter) => letter.toLowerCase())
    .replace(/\s+/g, " ")
    .replace(/\bcov\b/gi, "CoV")
    .replace(/\bsd\b/g, "sd")
    .replace(/^posix\b/, "POSIX")
    .replace(/^mpiio\b/, "MPI-IO")
    .replace(/^stdio\b/, "STDIO")
    .trim();
}
