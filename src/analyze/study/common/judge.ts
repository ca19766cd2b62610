/** From a number and its interval to the state of a claim, and from claims to a verdict. */
import type { Claim, Verdict } from "./finding.ts";

/** Holds or fails with the whole interval; a quotient by zero is as far beyond a bound as can be. What cannot be measured stays open. */
export function stateOf(
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

export interface Judged {
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
