/**
 * The observations judged for this site. A claim holds when the number and its whole interval lie beyond the bound, fails
 * when both lie short of it, and is open when the interval covers the bound. An observation is confirmed when all its claims
 * hold, refuted when one fails, and insufficient when one is open or there is too little data to judge.
 */
import { steady } from "../reuse/item.ts";
import { around } from "../reuse/intervals.ts";
import type { ItemResult, Printed } from "./item.ts";
import { type Draft, observations } from "./observations.ts";
import type { Claim, StudyFinding, Verdict } from "../study/finding.ts";
import type { SystemOptions } from "./options.ts";
import type { Prepared } from "./prepare.ts";

export type { Claim, StudyFinding, Verdict } from "../study/finding.ts";

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
  const failed = claims.find(({ state }) => state === "fails");
  const open = claims.find(({ state }) => state === "open");
  const [verdict, reason]: [Verdict, string] =
    n < draft.minimum
      ? ["insufficient", `Not enough data: ${n} ${draft.unit}, at least ${draft.minimum} are needed.`]
      : failed
        ? ["refuted", `Does not hold here: ${failed.text}.`]
        : open
          ? [
              "insufficient",
              Number.isNaN(open.measured)
                ? `Cannot be measured here: ${open.text}.`
                : `The interval covers the bound: ${open.text}.`,
            ]
          : ["confirmed", "Holds here, with the whole interval."];
  return {
    id: draft.id,
    title: draft.title,
    statement: draft.statement,
    published: first.published,
    measured: first.measured,
    interval: first.interval,
    verdict,
    reason,
    n,
    minimum: draft.minimum,
    unit: draft.unit,
    claims,
    sensitivity: draft.sensitivity.map(([setting, key]) => ({ setting, key, value: value(key) })),
  };
}

function stateOf(
  measured: number,
  [low, high]: readonly [number, number],
  side: "above" | "below",
  bound: number,
): Claim["state"] {
  if (Number.isNaN(measured) || Number.isNaN(low) || Number.isNaN(high)) return "open";
  const [least, most] = [Math.min(low, measured), Math.max(high, measured)];
  if (side === "above") return least > bound ? "holds" : most < bound ? "fails" : "open";
  return most < bound ? "holds" : least > bound ? "fails" : "open";
}
