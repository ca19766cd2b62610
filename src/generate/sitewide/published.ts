/** What the study published, what the scenario accepts (GENERATOR.md section 4.3), and how planted values compare. */
import type { Values } from "./answers-writes.ts";
import type { Site } from "./site.ts";

/** Below this scale the tolerances are not promised: there are too few jobs with minutes. */
export const CALIBRATED_SCALE = 0.01;

export interface Comparison {
  readonly item: string;
  /** Cluster, or `series` for jobs with minutes. */
  readonly of: string;
  readonly key: string;
  /** As in the paper. */
  readonly published: number;
  /** What that is at this scale. */
  readonly expected: number;
  readonly planted: number;
  readonly low?: number;
  readonly high?: number;
  readonly within?: boolean;
}

/**
 * mean: within 5 %; share: within a point; category: within two points; more: the paper says "over"; r: within 0.02; told: only told.
 */
type Rule = "mean" | "share" | "category" | "more" | "r" | "told" | readonly [number, number];
type Growth = "none" | "scale" | "root";

type Target = readonly [item: string, key: string, values: readonly number[], rule: Rule, growth?: Growth];

/** Values of Cab and Quartz. */
const OF_CLUSTERS: readonly Target[] = [
  ["B02", "jobsWithCounters", [2_854_478, 1_401_897], "mean", "scale"],
  ["B02", "users", [994, 584], "mean", "root"],
  ["B03", "longShareOfNodeHours", [0.0223, 0.0874], "share"],
  ["B04", "durationMinHours", [0.0003, 0.0003], "told"],
  ["B04", "durationMaxHours", [23.9, 23.9], "told"],
  ["B04", "durationMeanHours", [0.8, 0.85], "mean"],
  ["B04", "durationMedianHours", [0.003, 0.03], "mean"],
  ["B04", "below2Hours", [0.9, 0.9], "more"],
  ["B04", "nodesMin", [2, 1], "told"],
  ["B04", "nodesMax", [758, 1197], "told"],
  ["B04", "nodesMean", [19.7, 19.8], "mean"],
  ["B04", "nodesMedian", [8, 8], "mean"],
  ["B04", "below100Nodes", [0.9, 0.9], "more"],
  ["B05", "mostlyRead", [0.24, 0.24], "told"],
  ["B05", "mostlyWritten", [0.24, 0.24], "told"],
  ["B06", "writtenMin", [81e3, 40], "told"],
  ["B06", "writtenMax", [474e12, 597e12], "told", "scale"],
  ["B06", "writtenMean", [14.4e9, 18.1e9], "mean"],
  ["B06", "writtenMedianOfHeavy", [39e9, 146e9], "told"],
  ["B06", "perCallMax", [820e6, 1.6e9], "told", "scale"],
  ["B06", "perCallMean", [127e3, 219e3], "mean"],
  ["B06", "inefficientShare", [0.646, 0.69], "share"],
  ["B06", "users.writtenMean", [41.4e12, 43.4e12], "mean", "root"],
  ["B07", "mkdirsR", [0.93, 0.93], "r"],
  ["B07", "mknodsR", [0.93, 0.93], "r"],
  ["B12", "ioShareOfJobs", [0.53, 0.53], "more"],
  ["B17", "earlierPeakHour", [5, 5], [5, 5]],
  ["B17", "laterPeakHour", [11, 11], [11, 11]],
];

const OF_SERIES: readonly Target[] = [
  ["B02", "seriesJobs", [16_795], "mean", "scale"],
  ["B12", "jobsWithIo", [11_425 / 16_795], "share"],
  ["B12", "jobsWithWrites", [10_443 / 16_795], "share"],
  ["B12", "ioShareOfMinutes", [0.788], "share"],
  ["B12", "writeShareOfMinutes", [0.804], "share"],
  ["B13", "periodicShareOfWriters", [0.7], "share"],
  ["B14", "above50", [170 / 16_795], "category"],
  ["B14", "below15", [16_485 / 16_795], "category"],
  ["B14", "below5", [16_173 / 16_795], "category"],
  ["B15", "neverBeyond1", [0.9], "category"],
  ["B16", "mostlySmall", [0.73], "category"],
  ["B08", "closesOverOpens", [50 / 52], [0.9, 0.9999]],
  ["B08", "mostOverMean", [Number.NaN], "told"],
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

type ItemsOf = Readonly<Record<string, Readonly<Record<string, Values>>>>;

export function compare(items: ItemsOf, site: Site): Comparison[] {
  const { scale } = site.options;
  const lines: Comparison[] = [];
  const add = (of: string, index: number, [item, key, values, rule, growth = "none"]: Target) => {
    const planted = shareOf(items, of, item, key);
    if (planted === undefined) return;
    const published = values[index] as number;
    const factor = growth === "scale" ? scale : growth === "root" ? Math.sqrt(scale) : 1;
    const expected = published * factor;
    const line = { item, of, key, published, expected, planted };
    const range = rangeOf(rule, expected);
    if (range === undefined) lines.push(line);
    else
      lines.push({
        ...line,
        low: range[0],
        high: range[1],
        within: planted >= range[0] && planted <= range[1],
      });
  };
  site.clusters.forEach(({ name }) => {
    for (const target of OF_CLUSTERS) add(name, name === "cab" ? 0 : 1, target);
  });
  for (const target of OF_SERIES) add("series", 0, target);
  return lines.sort((a, b) => (a.item < b.item ? -1 : a.item > b.item ? 1 : 0));
}

function shareOf(items: ItemsOf, of: string, item: string, key: string): number | undefined {
  const value = items[of]?.[item]?.[key];
  if (value === undefined) return undefined;
  const [wholeItem = "", wholeKey = ""] = SHARE_OF[`${item}.${key}`]?.split(".") ?? [];
  const whole = wholeItem === "" ? 1 : Number(items[of]?.[wholeItem]?.[wholeKey]);
  return Number(value) / whole;
}

function rangeOf(rule: Rule, expected: number): readonly [number, number] | undefined {
  if (typeof rule !== "string") return rule;
  switch (rule) {
    case "mean":
      return [expected * 0.95, expected * 1.05];
    case "share":
      return around(expected, 0.01);
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
