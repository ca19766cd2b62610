/** What the study published, what the scenario accepts (docs/generate.md), and how planted values compare. */
import { publishedNumber, SYSTEM_ITEMS } from "../../analyze/study/system/index.ts";
import { type Compared, withRange } from "../compared.ts";
import type { Values } from "./answers-writes.ts";
import type { Site } from "./site.ts";

/** Below this scale the tolerances are not promised: there are too few jobs with minutes. */
export const CALIBRATED_SCALE = 0.01;

export interface Comparison extends Compared {
  /** Cluster, or `series` for jobs with minutes. */
  readonly of: string;
}

/**
 * mean: within 5 %; share: within a point; category: within two points; more: the paper says "over"; users: as near as their number allows, and within a point; r: within 0.02; told: only told.
 */
type Rule = "mean" | "share" | "users" | "category" | "more" | "r" | "told" | readonly [number, number];
type Growth = "scale" | "root";

interface Origin {
  readonly growth?: Growth;
  /** The key of the study where it has another; or what only the text of the paper, or the scenario, says. */
  readonly source?: string | number;
}

/** Published numbers are those of the study. */
type Target = readonly [item: string, key: string, rule: Rule, origin?: Origin];

/** Of Cab and Quartz. */
const OF_CLUSTERS: readonly Target[] = [
  ["B02", "jobsWithCounters", "mean", { growth: "scale", source: "jobs" }],
  ["B02", "users", "mean", { growth: "root" }],
  ["B03", "longShareOfNodeHours", "share"],
  ["B04", "durationMinHours", "told"],
  ["B04", "durationMaxHours", "told"],
  ["B04", "durationMeanHours", "mean"],
  ["B04", "durationMedianHours", "mean"],
  ["B04", "below2Hours", "more"],
  ["B04", "nodesMin", "told"],
  ["B04", "nodesMax", "told"],
  ["B04", "nodesMean", "mean"],
  ["B04", "nodesMedian", "mean"],
  ["B04", "below100Nodes", "more"],
  ["B05", "mostlyRead", "told", { source: 0.24 }],
  ["B05", "mostlyWritten", "told", { source: 0.24 }],
  ["B06", "writtenMin", "told"],
  ["B06", "writtenMax", "told", { growth: "scale" }],
  ["B06", "writtenMean", "mean"],
  ["B06", "writtenMedianOfHeavy", "told", { source: "writtenMedian" }],
  ["B06", "perCallMax", "told", { growth: "scale" }],
  ["B06", "perCallMean", "mean"],
  ["B06", "inefficientShare", "share"],
  ["B06", "users.writtenMean", "mean", { growth: "root" }],
  ["B06", "usersEfficientShare", "users"],
  ["B06", "usersInefficientShare", "told"],
  ["B07", "mkdirsR", "r"],
  ["B07", "mknodsR", "r"],
  ["B12", "ioShareOfJobs", "more"],
  ["B17", "earlierPeakHour", [5, 5]],
  ["B17", "laterPeakHour", [11, 11]],
];

/** Of Quartz. */
const OF_SERIES: readonly Target[] = [
  ["B02", "seriesJobs", "mean", { growth: "scale" }],
  ["B12", "jobsWithIo", "share"],
  ["B12", "jobsWithWrites", "share"],
  ["B12", "ioShareOfMinutes", "share"],
  ["B12", "writeShareOfMinutes", "share"],
  ["B13", "periodicShareOfWriters", "share", { source: 0.7 }],
  ["B14", "above50", "category"],
  ["B14", "below15", "category"],
  ["B14", "below5", "category"],
  ["B15", "neverBeyond1", "category", { source: "neverBeyond1Share" }],
  ["B16", "mostlySmall", "category", { source: "mostlySmallShare" }],
  ["B08", "closesOverOpens", [0.9, 0.9999], { source: 50 / 52 }],
  ["B08", "mostOverMean", "told", { source: Number.NaN }],
];

/** Counts that the paper gives as shares: of which count. */
const SHARE_OF: Readonly<Record<string, string>> = {
  "B12.jobsWithIo": "B02.seriesJobs",
  "B12.jobsWithWrites": "B02.seriesJobs",
  "B14.above50": "B14.jobs",
  "B14.below15": "B14.jobs",
  "B14.below5": "B14.jobs",
  "B15.neverBeyond1": "B14.jobs",
  "B16.mostlySmall": "B12.jobsWithIo",
};

/** A share where the paper gives a count, and the study has that of the whole. */
function publishedOf(cluster: string, item: string, key: string, source: string): number {
  const number = (from: string, name: string) =>
    publishedNumber(SYSTEM_ITEMS, from, name)[cluster as "cab" | "quartz"] as number;
  const [wholeItem, wholeKey] = SHARE_OF[`${item}.${key}`]?.split(".") ?? [];
  const whole = source === key && wholeItem && wholeKey ? number(wholeItem, wholeKey) : 1;
  return number(item, source) / whole;
}

type ItemsOf = Readonly<Record<string, Readonly<Record<string, Values>>>>;

export function compare(items: ItemsOf, site: Site): Comparison[] {
  const { scale } = site.options;
  const lines: Comparison[] = [];
  const add = (of: string, cluster: string, [item, key, rule, { growth, source = key } = {}]: Target) => {
    const planted = shareOf(items, of, item, key);
    if (planted === undefined) return;
    const published = typeof source === "number" ? source : publishedOf(cluster, item, key, source);
    const factor = growth === "scale" ? scale : growth === "root" ? Math.sqrt(scale) : 1;
    const expected = published * factor;
    lines.push(
      withRange(
        { item, of, key, published, expected, planted },
        rangeOf(rule, expected, heavyUsers(items, of)),
      ),
    );
  };
  site.clusters.forEach(({ name }) => {
    for (const target of OF_CLUSTERS) add(name, name, target);
  });
  for (const target of OF_SERIES) add("series", "quartz", target);
  return lines.sort((a, b) => (a.item < b.item ? -1 : a.item > b.item ? 1 : 0));
}

const heavyUsers = (items: ItemsOf, of: string): number =>
  Number(items[of]?.B06?.["users.ratioOfSums.heavy"] ?? Number.NaN);

function shareOf(items: ItemsOf, of: string, item: string, key: string): number | undefined {
  const value = items[of]?.[item]?.[key];
  if (value === undefined) return undefined;
  const [wholeItem = "", wholeKey = ""] = SHARE_OF[`${item}.${key}`]?.split(".") ?? [];
  const whole = wholeItem === "" ? 1 : Number(items[of]?.[wholeItem]?.[wholeKey]);
  return Number(value) / whole;
}

function rangeOf(rule: Rule, expected: number, heavy: number): readonly [number, number] | undefined {
  if (typeof rule !== "string") return rule;
  switch (rule) {
    case "mean":
      return [expected * 0.95, expected * 1.05];
    case "share":
      return around(expected, 0.01);
    case "users":
      return around(expected, 0.01 + 0.5 / heavy);
    case "category":
      return around(expected, 0.02);
    case "more":
      return [expected - 0.01, 1];
    case "r":
      return [expected - 0.02, expected + 0.02];
    case "told":
      return undefined;
  }
}

/** A share is nothing below 0 and nothing above 1. */
function around(expected: number, points: number): readonly [number, number] {
  return [Math.max(0, expected - points), Math.min(1, expected + points)];
}
