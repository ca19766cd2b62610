/** What an observation is made of before it is judged. */
import type { Interval } from "../../../../base/bootstrap.ts";
import type { DrawnInterval } from "../../reuse/index.ts";
import type { SystemOptions } from "../options.ts";
import type { Prepared } from "../prepare.ts";

/** Fewer jobs, users or days than this say nothing about a site; ours. */
export const MINIMUM = 30;
export const MDTS_MIN = 2;
export const GROUPS_MIN = 10;
/** Three weeks have each weekday often enough. */
export const DAYS_MIN = 21;

export interface DraftClaim {
  /** Key of the value, with its item: "B04.below2Hours". */
  readonly key: string;
  readonly text: string;
  readonly side: "above" | "below";
  readonly bound: number;
  readonly interval: DrawnInterval | Interval;
  /** Where the number must lie; an interval scaled from a part may pass its ends. */
  readonly range?: readonly [number, number];
}

export interface Draft {
  readonly id: string;
  readonly title: string;
  readonly statement: string;
  readonly n: number;
  readonly minimum: number;
  readonly unit: string;
  readonly claims: readonly DraftClaim[];
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
  interval: DrawnInterval | Interval,
  range?: readonly [number, number],
): DraftClaim => ({ key, text, side, bound, interval, ...(range === undefined ? {} : { range }) });

export type Make = (
  prepared: Prepared,
  options: SystemOptions,
  value: (key: string) => number,
) => readonly Draft[];
