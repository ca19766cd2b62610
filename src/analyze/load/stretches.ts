/** Steps of a window for sparklines. Long steps are whole hours or days, so that roll-ups can be used. */
import type { Window } from "./window.ts";

const STRETCHES = 16;
const HOUR = 60;
const DAY = 1440;
/** Windows of this length have steps of hours, and of days. */
const HOURS_LEAST = 32 * HOUR;
const DAYS_LEAST = 8 * DAY;

/** Steps begin at multiples of this span. */
export function grainOf({ from, to, grain }: Window): number {
  return grain ?? (to - from >= DAYS_LEAST ? DAY : to - from >= HOURS_LEAST ? HOUR : 1);
}

export function stretchMinutes(window: Window): number {
  const grain = grainOf(window);
  const least = Math.max(1, Math.ceil((window.to - window.from) / STRETCHES));
  return Math.ceil(least / grain) * grain;
}

/** The first minute of the first step: at the start of the window, or at a whole hour or day before it. */
export const stretchesBegin = (window: Window): number =>
  Math.floor(window.from / grainOf(window)) * grainOf(window);

export const stretchesOf = (window: Window): number =>
  Math.ceil((window.to - stretchesBegin(window)) / stretchMinutes(window));

/** SQL for the step of a row with `minute_unix`. */
export const stretchSql = (window: Window, table = ""): string =>
  `((${table}minute_unix - ${stretchesBegin(window)}) // ${stretchMinutes(window)})::integer`;
