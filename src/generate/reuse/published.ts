/** What the study published, what a scenario accepts (docs/generate.md), and how the planted values compare. */
import { type Compared, withRange } from "../compared.ts";
import type { Answers } from "./answers.ts";
import type { Population, ReuseOptions } from "./population.ts";
import { publishedOf } from "./scenario.ts";

/** Below this scale the tolerances of the scenario are not promised. */
export const CALIBRATED_SCALE = 0.1;

/**
 * share: within two percentage points; mean: within 8 %; more: the paper says "over"; told: nothing
 * is promised.
 */
type Rule = "share" | "mean" | "more" | "told" | readonly [number, number];
/** How a number grows with the scale. */
type Growth = "none" | "selected" | "selectedRoot" | "whole" | "wholeRoot" | "wholeShare";

interface Origin {
  /** The key whose value it is a share of. */
  readonly of?: string;
  /** The key of the study where it has another; or the number that the scenario aims at in its place. */
  readonly source?: string | number;
}

/**
 * Item, key, rule and growth; published numbers are those of the study. A number as `source` is what the scenario aims at
 * where the study declares another one (80 % points of A08, streaks of writes of A09) or none.
 */
const TARGETS: readonly (readonly [string, string, Rule, Growth, Origin?])[] = [
  ["A01", "logs", "told", "whole"],
  ["A01", "files", "told", "whole"],
  ["A01", "applications", "told", "wholeRoot"],
  ["A01", "users", "told", "wholeRoot"],
  ["A01", "bytesRead", "told", "whole"],
  ["A01", "bytesWritten", "told", "whole"],
  ["A02", "below1GB", "told", "wholeShare"],
  ["A03", "shareOfBytes", "told", "wholeShare"],
  ["A04", "files", "mean", "selected"],
  ["A04", "runs", "mean", "selected"],
  ["A04", "applications", "mean", "selectedRoot"],
  ["A04", "users", "mean", "selectedRoot"],
  ["A04", "bytesRead", "mean", "selected"],
  ["A04", "bytesWritten", "mean", "selected"],
  ["A05", "readHeavy", "share", "none", { of: "A04.files", source: "readHeavyShare" }],
  ["A05", "writeHeavy", "share", "none", { of: "A04.files", source: "writeHeavyShare" }],
  ["A05", "readWrite", "share", "none", { of: "A04.files", source: "readWriteShare" }],
  ["A06", "readRuns", "share", "none", { of: "A06.runs", source: "readShare" }],
  ["A06", "writeRuns", "share", "none", { of: "A06.runs", source: "writeShare" }],
  ["A06", "oneSided95", "share", "none"],
  ["A08", "readMeanHours", "mean", "none"],
  ["A08", "writeMeanHours", "mean", "none"],
  ["A08", "readP80Hours", "told", "none", { source: 52.5 }],
  ["A08", "writeP80Hours", "told", "none", { source: 52.5 }],
  ["A08", "readLongShare", "told", "none", { source: 0.8 }],
  ["A08", "writeLongShare", "told", "none", { source: 0.8 }],
  ["A09", "readMean", "mean", "none"],
  ["A09", "writeMean", "mean", "none", { source: 3.3 }],
  ["A09", "readAtLeast2", "more", "none"],
  ["A09", "writeAtLeast2", "more", "none"],
  ["A09", "readExactly2", "share", "none"],
  ["A09", "writeExactly2", "share", "none"],
  ["A10", "sharedByTwoOrMore", "share", "none"],
  ["A10", "applicationMeanHours", "mean", "none"],
  ["A11", "readMeanBytes", "told", "none"],
  ["A11", "writeMeanBytes", "told", "none"],
  ["A11", "meanBytes", "mean", "none"],
  ["A12", "leastOverMost", [0.09, 0.17], "none"],
  ["A13", "posixBytesPerRun", "mean", "none"],
  ["A14", "spearman", [-1, -0.85], "none"],
  ["A14", "peakHour", [3, 6], "none"],
  ["A14", "lowestHourCov", "more", "none"],
  ["A15", "meanCovBytes", "mean", "none"],
  ["A15", "meanCovTime", "mean", "none"],
  ["A15", "below5PercentBytes", "more", "none"],
  ["A15", "writeHeavyMeanCovBytes", "mean", "none"],
  ["A15", "readHeavyMeanCovTime", "mean", "none"],
  ["A16", "stripeWidth1", "more", "none"],
];

const SHARE_TOLERANCE = 0.02;
const MEAN_TOLERANCE = 0.08;

/** Every published number beside the planted one. */
export function compare(answers: Answers, { options }: Population): Compared[] {
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
  return TARGETS.map(([item, key, rule, growth, { of, source = key } = {}]) => {
    const published = typeof source === "number" ? source : publishedOf(item, source);
    const expected = published * factors[growth];
    const [ofItem = "", ofKey = ""] = of?.split(".") ?? [];
    const planted = value(item, key) / (of === undefined ? 1 : value(ofItem, ofKey));
    const range = rangeOf(ruleOf(item, key, rule, options), expected);
    return withRange({ item, key, published, expected, planted }, range);
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
