/** What an observation is made of before it is judged. */
import type { DrawnInterval } from "../../common/intervals.ts";
import type * as judge from "../../common/judge.ts";
import type { SystemOptions } from "../options.ts";
import type { Prepared } from "../prepare.ts";

/** Fewer jobs, users or days than this say nothing about a site; ours. */
export const MINIMUM = 30;
export const MDTS_MIN = 2;
export const GROUPS_MIN = 10;
/** Three weeks have each weekday often enough. */
export const DAYS_MIN = 21;

export interface Draft extends Omit<judge.Draft, "sensitivity"> {
  /** Values that show how the number moves with the choice: setting and key. */
  readonly sensitivity: readonly (readonly [setting: string, key: string])[];
}

export const SHARE = [0, 1] as const;
export const CORRELATION = [-1, 1] as const;

export const claim = (
  key: string,
  text: string,
  side: "above" | "below",
  bound: number,
  interval: DrawnInterval,
  range?: readonly [number, number],
): judge.DraftClaim => ({ key, text, side, bound, interval, ...(range === undefined ? {} : { range }) });

export type Make = (
  prepared: Prepared,
  options: SystemOptions,
  value: (key: string) => number,
) => readonly Draft[];
