/** Lines over bars from the least to the greatest of what a bar is the mean of. */

import { type Markish, ruleX, ruleY } from "@observablehq/plot";
import type { BarsChart } from "../../model/index.ts";

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

/** A line from the least to the greatest with a cap at each end, over the bars. */
export function whiskerMarks(bars: readonly Whiskered[], across: "x" | "y"): Markish[] {
  const of = bars.filter(({ whisker }) => whisker !== undefined);
  if (of.length === 0) return [];
  const style = { stroke: "var(--plot-text)", strokeWidth: 1 };
  const middle = of.map(({ from, to }) => (from + to) / 2);
  const [low, high] = [0, 1].map((end) => of.map(({ whisker }) => whisker?.[end as 0 | 1] as number));
  const capFrom = of.map(({ from, to }) => from + ((1 - CAP) / 2) * (to - from));
  const capTo = of.map(({ from, to }) => to - ((1 - CAP) / 2) * (to - from));
  return across === "x"
    ? [
        ruleX(of, { x: middle, y1: low!, y2: high!, ...style }),
        ruleY(of, { y: low!, x1: capFrom, x2: capTo, ...style }),
        ruleY(of, { y: high!, x1: capFrom, x2: capTo, ...style }),
      ]
    : [
        ruleY(of, { y: middle, x1: low!, x2: high!, ...style }),
        ruleX(of, { x: low!, y1: capFrom, y2: capTo, ...style }),
        ruleX(of, { x: high!, y1: capFrom, y2: capTo, ...style }),
      ];
}
