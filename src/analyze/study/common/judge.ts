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
  if (side === "above") return low > bound ? "holds" : high < bound ? "fails" : "open";
  return high < bound ? "holds" : low > bound ? "fails" : "open";
}

/** The reason of what is confirmed, where there is no more to say. */
export const HELD = "Holds here with its whole interval.";

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
      reason: `Not enough data: ${counted(n, unit)}, minimum ${minimum}.`,
    };
  const decider = decidingClaim(claims);
  if (decider?.state === "fails")
    return { verdict: "refuted", reason: `Does not hold here: ${decider.text}.` };
  if (decider?.state !== "open") return { verdict: "confirmed", reason: HELD };
  return {
    verdict: "insufficient",
    reason: Number.isNaN(decider.measured)
      ? `Cannot be measured here: ${decider.text}.`
      : `The interval covers the bound: ${decider.text}.`,
  };
}

/** The claim that decides: the first that fails, else the first that is open, else the first. Its numbers stand in the row of the verdict. */
function decidingClaim(claims: readonly Claim[]): Claim | undefined {
  const first = (state: Claim["state"]) => claims.find((one) => one.state === state);
  return first("fails") ?? first("open") ?? claims[0];
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

const claim =
  (side: "above" | "below") =>
  (
    key: string,
    bound: number,
    text: string,
    interval: DrawnInterval,
    range?: readonly [number, number],
  ): DraftClaim => ({ key, text, side, bound, interval, ...(range === undefined ? {} : { range }) });

export const above = claim("above");
export const below = claim("below");

/** Fewer files, runs, jobs, users or days than this say nothing about a site; ours. */
export const MINIMUM = 30;

export type Setting = readonly [setting: string, key: string, value?: number];

/** A finding before it is judged. */
export interface Draft extends Pick<StudyFinding, "id" | "title" | "statement" | "n" | "unit"> {
  /** Least `n` to judge by; `MINIMUM` unless given. */
  readonly minimum?: number;
  readonly claims: readonly DraftClaim[];
  /** How the number moves with the choice: setting and key, and the value unless it is that of the key. */
  readonly sensitivity: readonly Setting[];
  /** The claim whose units `n` counts, unless it is the first; it decides when there are too few. */
  readonly scarce?: string;
  /** Where the paper can be read in more than one way: what each reading gives, in sentences. */
  readonly readings?: string;
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
  const { id, title, statement, minimum = MINIMUM, unit } = draft;
  const claims = draft.claims.map((claim) => judgedClaim(claim, numbers));
  const sensitivity = draft.sensitivity.map(([setting, key, value = numbers.value(key)]) => ({
    ...{ setting, value, key },
  }));
  const n = Number.isNaN(draft.n) ? 0 : draft.n;
  const { verdict, reason } = verdictOf({ claims, n, minimum, unit }, any && n >= minimum);
  const scarce = n < minimum ? claims.find(({ key }) => key === draft.scarce) : undefined;
  const { key: decidedBy, published, measured, interval } = scarce ?? (decidingClaim(claims) as Claim);
  return {
    ...{ id, title, statement, decidedBy, published, measured, interval, verdict },
    reason: draft.readings === undefined || !any ? reason : `${reason} ${draft.readings}`,
    ...{ n, minimum, unit, claims, sensitivity },
  };
}
