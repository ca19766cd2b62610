/** What the study published, what a scenario accepts (GENERATOR.md section 3.7), and how the planted values compare. */
import type { Answers } from "./answers.ts";
import type { Population, ReuseOptions } from "./population.ts";
import { FULL } from "./scenario.ts";

/** Below this scale the tolerances of the scenario are not promised. */
export const CALIBRATED_SCALE = 0.1;

export interface Comparison {
  readonly item: string;
  readonly key: string;
  /** As in the paper. */
  readonly published: number;
  /** What that is at this scale; NaN where the two scales differ and it is of both. */
  readonly expected: number;
  /** In the same unit as `expected`: a share where the paper gives a share. */
  readonly planted: number;
  /** Range that is accepted; none for what is only told. */
  readonly low?: number;
  readonly high?: number;
  readonly within?: boolean;
}

/**
 * share: within two percentage points; mean: within 8 %; more: the paper says "over"; told: nothing
 * is promised.
 */
type Rule = "share" | "mean" | "more" | "told" | readonly [number, number];
/** How a number grows with the scale. */
type Growth = "none" | "selected" | "selectedRoot" | "whole" | "wholeRoot" | "wholeShare";

/** Item, key, published value, rule, growth, and the key whose value it is a share of. */
const TARGETS: readonly (readonly [string, string, number, Rule, Growth, string?])[] = [
  ["A01", "logs", FULL.logs, "told", "whole"],
  ["A01", "files", FULL.backgroundFiles, "told", "whole"],
  ["A01", "applications", FULL.applications, "told", "wholeRoot"],
  ["A01", "users", FULL.users, "told", "wholeRoot"],
  ["A01", "bytesRead", 6.9e15, "told", "whole"],
  ["A01", "bytesWritten", 5.9e15, "told", "whole"],
  ["A02", "below1GB", 0.99, "told", "wholeShare"],
  ["A03", "shareOfBytes", 7.8 / 12.8, "told", "wholeShare"],
  ["A04", "files", FULL.selectedFiles, "mean", "selected"],
  ["A04", "runs", 400_000, "mean", "selected"],
  ["A04", "applications", FULL.selectedApplications, "mean", "selectedRoot"],
  ["A04", "users", FULL.selectedUsers, "mean", "selectedRoot"],
  ["A04", "bytesRead", 4.7e15, "mean", "selected"],
  ["A04", "bytesWritten", 3.1e15, "mean", "selected"],
  ["A05", "readHeavy", 0.22, "share", "none", "A04.files"],
  ["A05", "writeHeavy", 0.07, "share", "none", "A04.files"],
  ["A05", "readWrite", 0.71, "share", "none", "A04.files"],
  ["A06", "readRuns", 0.69, "share", "none", "A06.runs"],
  ["A06", "writeRuns", 0.31, "share", "none", "A06.runs"],
  ["A06", "oneSided95", 0.82, "share", "none"],
  ["A08", "readMeanHours", 47, "mean", "none"],
  ["A08", "writeMeanHours", 55, "mean", "none"],
  ["A08", "readP80Hours", 52.5, "told", "none"],
  ["A08", "writeP80Hours", 52.5, "told", "none"],
  ["A08", "readLongShare", 0.8, "told", "none"],
  ["A08", "writeLongShare", 0.8, "told", "none"],
  ["A09", "readMean", 14, "mean", "none"],
  ["A09", "writeMean", 3.3, "mean", "none"],
  ["A09", "readAtLeast2", 0.8, "more", "none"],
  ["A09", "writeAtLeast2", 0.65, "more", "none"],
  ["A09", "readExactly2", 0.65, "share", "none"],
  ["A09", "writeExactly2", 0.5, "share", "none"],
  ["A10", "sharedByTwoOrMore", 0.67, "share", "none"],
  ["A10", "applicationMeanHours", 31, "mean", "none"],
  ["A11", "readMeanBytes", 17e9, "told", "none"],
  ["A11", "writeMeanBytes", 25e9, "told", "none"],
  ["A11", "meanBytes", 19.5e9, "mean", "none"],
  ["A12", "leastOverMost", 0.13, [0.09, 0.17], "none"],
  ["A13", "posixBytesPerRun", 260e9, "mean", "none"],
  ["A14", "spearman", -0.94, [-1, -0.85], "none"],
  ["A14", "peakHour", 4, [3, 6], "none"],
  ["A14", "lowestHourCov", 0.2, "more", "none"],
  ["A15", "meanCovBytes", 0.12, "mean", "none"],
  ["A15", "meanCovTime", 0.39, "mean", "none"],
  ["A15", "below5PercentBytes", 0.8, "more", "none"],
  ["A15", "writeHeavyMeanCovBytes", 0.35, "mean", "none"],
  ["A15", "readHeavyMeanCovTime", 0.68, "mean", "none"],
  ["A16", "stripeWidth1", 0.99, "more", "none"],
];

const SHARE_TOLERANCE = 0.02;
const MEAN_TOLERANCE = 0.08;

/** Every published number beside the planted one. */
export function compare(answers: Answers, { options }: Population): Comparison[] {
  // A whole centre is comparable only when both of its parts are of one size.
  const whole = options.scale === options.background ? options.background : Number.NaN;
  const factors: Readonly<Record<Growth, number>> = {
    none: 1,
    selected: options.scale,
    selectedRoot: Math.sqrt(options.scale),
    whole,
    wholeRoot: Math.sqrt(whole),
    // A share of a whole centre is comparable or not, and does not grow.
    wholeShare: whole / whole,
  };
  const value = (item: string, key: string) => Number(answers[item]?.[key]);
  return TARGETS.map(([item, key, published, rule, growth, of]) => {
    const expected = published * factors[growth];
    const [ofItem = "", ofKey = ""] = of?.split(".") ?? [];
    const planted = value(item, key) / (of === undefined ? 1 : value(ofItem, ofKey));
    const range = rangeOf(ruleOf(item, key, rule, options), expected);
    const line = { item, key, published, expected, planted };
    if (range === undefined) return line;
    const [low, high] = range;
    return { ...line, low, high, within: planted >= low && planted <= high };
  });
}

/** With gaps of 50 h few runs fit into the period: these numbers hang on their count or on short gaps. */
const NOT_LITERAL = [
  "A04.runs",
  "A06.readRuns",
  "A06.writeRuns",
  "A09.readMean",
  "A09.writeMean",
  "A10.applicationMeanHours",
  "A11.meanBytes",
  "A13.posixBytesPerRun",
  "A14.spearman",
  "A14.peakHour",
];
/** The reading of one sentence that the literal mode is for. */
const LITERAL_ONLY = ["A08.readLongShare", "A08.writeLongShare"];

/** What is promised hangs on the mode. */
function ruleOf(item: string, key: string, rule: Rule, { interArrival }: ReuseOptions): Rule {
  if (interArrival !== "literal") return rule;
  const name = `${item}.${key}`;
  if (LITERAL_ONLY.includes(name)) return "share";
  return NOT_LITERAL.includes(name) ? "told" : rule;
}

function rangeOf(rule: Rule, expected: number): readonly [number, number] | undefined {
  if (typeof rule !== "string") return rule;
  switch (rule) {
    case "share":
      return [expected - SHARE_TOLERANCE, expected + SHARE_TOLERANCE];
    case "mean":
      return [expected * (1 - MEAN_TOLERANCE), expected * (1 + MEAN_TOLERANCE)];
    case "more":
      return [expected - SHARE_TOLERANCE, 1];
    case "told":
      return undefined;
  }
}
