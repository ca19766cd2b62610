/** Times of one column or figure in one unit, so that they can be compared. */
import { formatCount, formatSeconds } from "../../base/units.ts";

/** `46,447 s`, `0.384 s`: three digits, and all of those before the point. */
export const secondsText = (seconds: number): string =>
  seconds >= 1000 ? `${formatCount(seconds)} s` : formatSeconds(seconds);
