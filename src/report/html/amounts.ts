/** Times of one column or figure in one unit, so that they can be compared. */
import { formatCount, formatSeconds } from "../../base/units.ts";

/** `46,447 s`, `0.384 s`: three digits, and all of those before the point. */
export const secondsText = (seconds: number): string =>
  seconds >= 1000 ? `${formatCount(seconds)} s` : formatSeconds(seconds);

/** Times of a run in the unit of its headline: `24.6 min` from 1,000 s on, `16.7 h` from 1,000 min on. */
export function runTimeText(runSeconds: number): (seconds: number) => string {
  if (runSeconds < 999.5) return secondsText;
  const [scale, unit] = runSeconds < 60 * 999.5 ? [60, "min"] : [3600, "h"];
  return (seconds) => `${Number((seconds / scale).toPrecision(3))} ${unit}`;
}
