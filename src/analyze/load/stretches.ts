/** Stretches that a window is cut into, for small pictures. Long ones are whole hours or days, so that roll-ups fill them. */
import type { Window } from "./window.ts";

const STRETCHES = 16;
const HOUR = 60;
const DAY = 1440;
/** Windows of this length have stretches of some hours, and of some days. */
const HOURS_LEAST = 32 * HOUR;
const DAYS_LEAST = 8 * DAY;

/** The span whose multiples stretches begin at. */
export function grainOf({ from, to, grain }: Window): number {
  return grain ?? (to - from >= DAYS_LEAST ? DAY : to - from >= HOURS_LEAST ? HOUR : 1);
}

export function stretchMinutes(window: Window): number {
  const grain = grainOf(window);
  const least = Math.max(1, Math.ceil((window.to - window.from) / STRETCHES));
  return Math.ceil(least / grain) * grain;
}

/** The minute at which the first stretch begins: at the window's start, or before it at a whole hour or day. */
export const stretchesBegin = (window: Window): number =>
  Math.floor(window.from / grainOf(window)) * grainOf(window);

export const stretchesOf = (window: Window): number =>
  Math.ceil((window.to - stretchesBegin(window)) / stretchMinutes(window));

/** Which stretch a row with `minute_unix` is in. */
export const stretchSql = (window: Window, table = ""): string =>
  `((${table}minute_unix - ${stretchesBegin(window)}) // ${stretchMinutes(window)})::integer`;
