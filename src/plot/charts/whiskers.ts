/** Lines over bars from the least to the greatest of what a bar is the mean of. */

import type { BarsChart } from "../../model/index.ts";
import type { Frame } from "../frame.ts";
import { horizontalLine, lines, verticalLine } from "../svg.ts";

export const hasWhiskers = ({ series, stacked }: BarsChart): boolean =>
  !stacked && series.some(({ low, high }) => low !== undefined && high !== undefined);

export const whiskerColumns = ({ value: { unit } }: BarsChart, of = "") => [
  { label: `${of}least`, unit },
  { label: `${of}greatest`, unit },
];

/** Both ends, when they are there and finite. */
export function whiskerOf(
  low: number | undefined,
  high: number | undefined,
): readonly [number, number] | undefined {
  if (low === undefined || high === undefined || !Number.isFinite(low) || !Number.isFinite(high))
    return undefined;
  return low <= high ? [low, high] : [high, low];
}

/** A bar with its place across categories and the ends of its whisker. */
interface Whiskered {
  readonly from: number;
  readonly to: number;
  readonly whisker?: readonly [number, number] | undefined;
}

/** Share of a bar that the caps of its whisker are wide. */
const CAP = 0.5;

/** Lines from the least to the greatest with a cap at each end, over bars that stand along `across`. */
export function whiskerLines(bars: readonly Whiskered[], made: Frame, across: "x" | "y"): string {
  const [place, placeValue] = across === "x" ? [made.x, made.y] : [made.y, made.x];
  const [stem, capLine] = across === "x" ? [verticalLine, horizontalLine] : [horizontalLine, verticalLine];
  let d = "";
  for (const { from, to, whisker } of bars) {
    if (whisker === undefined) continue;
    const [middle, half] = [(from + to) / 2, (CAP / 2) * (to - from)];
    const [low, high] = [placeValue(whisker[0]), placeValue(whisker[1])];
    const [capFrom, capTo] = [place(middle - half), place(middle + half)];
    d += stem(place(middle), low, high) + capLine(low, capFrom, capTo) + capLine(high, capFrom, capTo);
  }
  return lines(d, "text");
}
