/**
 * From a number and its interval to the state of a claim, and from claims to a verdict. A claim is "this number lies beyond
 * that bound". A finding is confirmed when all its claims hold, refuted when one fails, and insufficient when one is open or
 * there is too little data to judge.
 */
import { type DrawnInterval, around } from "./intervals.ts";
import type { Claim, StudyFinding, Verdict } from "./finding.ts";
import { steady, type StudyResult } from "./item.ts";
import { itemAndKey, numberOf } from "./values.ts";

/** Holds or fails with the whole interval; a quotient by zero is as far beyond a bound as can be. What cannot be measured stays open. */
function stateOf(
  measured: number,
  [low, high]: readonly [number, number],
  side: Claim["side"],
  bound: number,
): Claim["state"] {
  if (Number.isNaN(measured) || Number.isNaN(low) || Number.isNaN(high)) return "open";
  const [least, most] = [Math.min(low, measured), Math.max(high, measured)];
  if (side === "above") return least > bound ? "holds" : most < bound ? "fails" : "open";
  return most < bound ? "holds" : least > bound ? "fails" : "open";
}

interface Judged {
  readonly claims: readonly Claim[];
  readonly n: number;
  readonly minimum: number;
  readonly unit: string;
}

/** `1 group of similar jobs`, `3 files`: the first noun of a unit is in the plural. */
const counted = (n: number, unit: string): string =>
  `${n} ${n === 1 ? unit.replace(/^((?:heavy )?\w+?)(?:(?<=ss)es|(?<!s)s)\b/, "$1") : unit}`;

/** `enough` may ask for more than `n`. */
export function verdictOf(
  { claims, n, minimum, unit }: Judged,
  enough = n >= minimum,
): { readonly verdict: Verdict; readonly reason: string } {
  if (!enough)
    return {
      verdict: "insufficient",
      reason: `Not enough data: ${counted(n, unit)}, at least ${minimum} are needed.`,
    };
  const failed = claims.find(({ state }) => state === "fails");
  if (failed !== undefined) return { verdict: "refuted", reason: `Does not hold here: ${failed.text}.` };
  const open = claims.find(({ state }) => state === "open");
  if (open === undefined) return { verdict: "confirmed", reason: "Holds here, with the whole interval." };
  return {
    verdict: "insufficient",
    reason: Number.isNaN(open.measured)
      ? `Cannot be measured here: ${open.text}.`
      : `The interval covers the bound: ${open.text}.`,
  };
}

/** A claim before it is judged. */
interface DraftClaim {
  /** Key of the value, with its item: "B04.below2Hours". */
  readonly key: string;
  readonly text: string;
  readonly side: "above" | "below";
  readonly bound: number;
  readonly interval: DrawnInterval;
  /** Where the number must lie; an interval scaled from a part of the units may pass its ends. */
  readonly range?: readonly [number, number];
  /** Of numbers made from the values of items; else the value of the key. */
  readonly measured?: number;
  /** Unless the item has it. */
  readonly published?: number;
}

export const claim = (
  key: string,
  text: string,
  side: "above" | "below",
  bound: number,
  interval: DrawnInterval,
  range?: readonly [number, number],
): DraftClaim => ({ key, text, side, bound, interval, ...(range === undefined ? {} : { range }) });

/** Fewer files, runs, jobs, users or days than this say nothing about a site; ours. */
export const MINIMUM = 30;

export type Setting = readonly [setting: string, key: string, value?: number];

/** A finding before it is judged. */
export interface Draft extends Pick<StudyFinding, "id" | "title" | "statement" | "n" | "minimum" | "unit"> {
  readonly claims: readonly DraftClaim[];
  /** How the number moves with the choice: setting and key, and the value unless it is that of the key. */
  readonly sensitivity: readonly Setting[];
}

/** Values of items by key: "A05.readWriteShare". */
interface KeyedNumbers {
  value(key: string): number;
  published(key: string): number | null;
}

/** `toNumber`: which number is meant where the paper prints several. */
export function keyedNumbers<Published>(
  results: Readonly<Record<string, StudyResult<Published>>>,
  toNumber: (published: Published) => number | undefined,
): KeyedNumbers {
  return {
    value: (key) => numberOf(results, key),
    published(full) {
      const [item, key] = itemAndKey(full);
      const known = results[item]?.published[key];
      return known === undefined ? null : (toNumber(known) ?? null);
    },
  };
}

const EVERYWHERE = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

function judgedClaim(draft: DraftClaim, numbers: KeyedNumbers): Claim {
  const { interval: drawn, range: [least, most] = EVERYWHERE, ...claim } = draft;
  const measured = steady(claim.measured ?? numbers.value(claim.key));
  const { low, high } = around(measured, drawn);
  const interval = [Math.max(least, low), Math.min(most, high)] as const;
  return {
    ...claim,
    measured,
    published: claim.published ?? numbers.published(claim.key),
    interval: [steady(interval[0]), steady(interval[1])],
    state: stateOf(measured, interval, claim.side, claim.bound),
  };
}

/** `any`: whether there is anything to study. */
export function judgedFinding(draft: Draft, numbers: KeyedNumbers, any = true): StudyFinding {
  const { id, title, statement, minimum, unit } = draft;
  const claims = draft.claims.map((claim) => judgedClaim(claim, numbers));
  const { published, measured, interval } = claims[0] as Claim;
  const sensitivity = draft.sensitivity.map(([setting, key, value = numbers.value(key)]) => ({
    ...{ setting, value, key },
  }));
  const n = Number.isNaN(draft.n) ? 0 : draft.n;
  const verdict = verdictOf({ claims, n, minimum, unit }, any && n >= minimum);
  return {
    ...{ id, title, statement, published, measured, interval, ...verdict },
    ...{ n, minimum, unit, claims, sensitivity },
  };
}
