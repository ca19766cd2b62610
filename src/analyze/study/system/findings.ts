/**
 * The observations judged for this site. A claim holds when the number and its whole interval lie beyond the bound, fails
 * when both lie short of it, and is open when the interval covers the bound. An observation is confirmed when all its claims
 * hold, refuted when one fails, and insufficient when one is open or there is too little data to judge.
 */
import { itemAndKey, numberOf } from "../common/values.ts";
import type { ItemResult, Published } from "./item.ts";
import { observations } from "./observations.ts";
import type { StudyFinding } from "../common/finding.ts";
import { judgedFinding } from "../common/judge.ts";
import type { Prepared } from "./prepare.ts";

export type { Claim, StudyFinding, Verdict } from "../common/finding.ts";

type Results = Readonly<Record<string, ItemResult>>;

/** Quartz has minutes; with another cluster's name Cab may be meant. */
const printedNumber = (printed: Published | undefined, cluster: string): number | null =>
  (cluster.toLowerCase() === "cab" ? (printed?.cab ?? printed?.quartz) : (printed?.quartz ?? printed?.cab)) ??
  null;

export function judge(prepared: Prepared, results: Results): StudyFinding[] {
  const { options } = prepared;
  const value = (key: string) => numberOf(results, key);
  const published = (full: string) => {
    const [item, key] = itemAndKey(full);
    return printedNumber(results[item]?.published[key], options.cluster);
  };
  return observations(prepared, options, value).map(({ sensitivity, ...draft }) =>
    judgedFinding(
      { ...draft, sensitivity: sensitivity.map(([setting, key]) => ({ setting, key, value: value(key) })) },
      { value, published },
    ),
  );
}
