/** What an observation is made of before it is judged. */
import type { Draft } from "../../common/judge.ts";
import type { Prepared } from "../prepare.ts";

/** Fewer targets, groups or days than this say nothing about a site; ours. */
export const MDTS_MIN = 2;
export const GROUPS_MIN = 10;
/** Three weeks have each weekday often enough. */
export const DAYS_MIN = 21;

/** Gini coefficient of the loads of targets: two that handle 60 % and 40 % have 0.1; ours. */
export const UNEVEN = 0.2;

export const SHARE = [0, 1] as const;
export const CORRELATION = [-1, 1] as const;

export type Make = (prepared: Prepared, value: (key: string) => number) => readonly Draft[];
