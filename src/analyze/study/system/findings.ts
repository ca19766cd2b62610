/**
 * The observations judged for this site. A claim holds when the number and its whole interval lie beyond the bound, fails
 * when both lie short of it, and is open when the interval covers the bound. An observation is confirmed when all its claims
 * hold, refuted when one fails, and insufficient when one is open or there is too little data to judge.
 */
import { steady } from "../common/item.ts";
import { around } from "../reuse/index.ts";
import type { ItemResult, Printed } from "./item.ts";
import { type Draft, observations } from "./observations.ts";
import type { Claim, StudyFinding } from "../common/finding.ts";
import { stateOf, verdictOf } from "../common/judge.ts";
import type { SystemOptions } from "./options.ts";
import type { Prepared } from "./prepare.ts";

export type { Claim, StudyFinding, Verdict } from "../common/finding.ts";

type Results = Readonly<Record<string, ItemResult>>;

/** Quartz has minutes; with another cluster's name Cab may be meant. */
export const printedNumber = (printed: Printed | undefined, cluster: string): number | null =>
  (cluster.toLowerCase() === "cab" ? (printed?.cab ?? printed?.quartz) : (printed?.quartz ?? printed?.cab)) ??
  null;

export function judge(prepared: Prepared, options: SystemOptions, results: Results): StudyFinding[] {
  const value = (key: string) => {
    const [item = "", ...rest] = key.split(".");
    return Number(results[item]?.values[rest.join(".")] ?? Number.NaN);
  };
  const published = (key: string) => {
    const [item = "", ...rest] = key.split(".");
    return printedNumber(results[item]?.published[rest.join(".")], options.cluster);
  };
  return observations(prepared, options, value).map((draft) => finish(draft, value, published));
}

const EVERYWHERE = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

function finish(
  draft: Draft,
  value: (key: string) => number,
  published: (key: string) => number | null,
): StudyFinding {
  const claims = draft.claims.map(({ interval: drawn, range: [least, most] = EVERYWHERE, ...one }): Claim => {
    const measured = value(one.key);
    const { low, high } = around(measured, drawn);
    const interval = [Math.max(least, low), Math.min(most, high)] as const;
    return {
      ...one,
      measured,
      published: published(one.key),
      interval: [steady(interval[0]), steady(interval[1])],
      state: stateOf(measured, interval, one.side, one.bound),
    };
  });
  const first = claims[0] as Claim;
  const n = Number.isNaN(draft.n) ? 0 : draft.n;
  return {
    id: draft.id,
    title: draft.title,
    statement: draft.statement,
    published: first.published,
    measured: first.measured,
    interval: first.interval,
    ...verdictOf({ ...draft, claims, n }),
    n,
    minimum: draft.minimum,
    unit: draft.unit,
    claims,
    sensitivity: draft.sensitivity.map(([setting, key]) => ({ setting, key, value: value(key) })),
  };
}
