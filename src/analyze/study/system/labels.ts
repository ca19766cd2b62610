/** Values for people: what a key is called, which unit it has, and how it is written. */
import { formatBytes, formatCount, formatShare } from "../../../base/units.ts";
import type { Unit } from "../../../model/index.ts";
import type { Printed, Value } from "./item.ts";

const SHARES =
  /Share$|^share|Share[A-Z]|^hour\d\d$|^below(2Hours|100Nodes)$|^mostly(Read|Written)$|^between$|Coverage$|^closesOverOpens$|^leastOverMost$|Percent$|^daysAbove|Effect$/;
const NONE =
  /R$|RAllJobs$|RawR$|Spearman$|^spearman|^gini|P$|Effect$|H$|^distance|Minutes$|Strength$|Hours$|^percentOfMost|Mean$|Median$/;

export function unitOf(key: string): Unit {
  if (
    /^written|^perCall|Bytes$|^bytes|^limit|Limit|\.writtenMean$|\.perCallMean$/.test(key) &&
    !/Share|Below/.test(key)
  )
    return "bytes";
  if (SHARES.test(key)) return "share";
  if (/OverMean$|OverWorkingDay$/.test(key)) return "ratio";
  if (/Hour$/.test(key)) return "index";
  if (/^(ioMinutes|busyAndSlowHours)$/.test(key)) return "count";
  if (NONE.test(key)) return "none";
  return "count";
}

/** `ioShareOfMinutes` as `io share of minutes`. */
export function labelOf(key: string): string {
  return key
    .replace(/^(\w+?)RAllJobs$/, "$1, r, all jobs")
    .replace(/^(weekday|month)P$/, "$1 p")
    .replace(/^kruskalWallisH$/, "weekday H (Kruskal and Wallis)")
    .replace(/^percentOfMost(\d\d)$/, "I/O time at $1 h, percent of most")
    .replace(/^hour(\d\d)$/, "share of data at $1 h")
    .replace(/(\d+)([KMGT]B)/g, " $1 $2 ")
    .replace(/([a-z])(\d)/g, "$1 $2")
    .replace(/(\d)([A-Z][a-z])/g, "$1 $2")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/\b([A-Z])(?=[a-z])/g, (letter) => letter.toLowerCase())
    .replace(/\bio\b/gi, "I/O")
    .replace(/\bmdts\b/g, "MDTs")
    .replace(/\bR\b/, "r")
    .replace(/ +/g, " ")
    .trim();
}

export function valueText(key: string, value: Value): string {
  if (typeof value === "string") return value;
  const number = Number(value);
  if (Number.isNaN(number)) return "not enough data";
  if (!Number.isFinite(number)) return "infinite";
  switch (unitOf(key)) {
    case "bytes":
      return formatBytes(number);
    case "share":
      return formatShare(number);
    case "ratio":
      return `${Number(number.toPrecision(3))}×`;
    case "index":
      return `${number} h`;
    case "count":
      return Number.isInteger(number) ? formatCount(number) : String(Number(number.toPrecision(4)));
    default:
      return `${Number(number.toPrecision(4))}${/Hours$/.test(key) ? " h" : /PeriodMinutes$/.test(key) ? " min" : ""}`;
  }
}

export function printedText(key: string, printed: Printed | undefined): string {
  if (printed === undefined) return "–";
  const { cab, quartz } = printed;
  if (cab === undefined) return quartz === undefined ? "–" : `${valueText(key, quartz)} (Quartz)`;
  if (quartz === undefined) return `${valueText(key, cab)} (Cab)`;
  return cab === quartz
    ? valueText(key, cab)
    : `${valueText(key, cab)} (Cab), ${valueText(key, quartz)} (Quartz)`;
}
