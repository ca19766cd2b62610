/** Where small texts stand in a plot: beside what they name, not upon each other. */

import { FONT, FONT_SMALL } from "./charts/index.ts";
import { type Attributes, coordinate, label, tag } from "./svg.ts";
import type { Unit } from "../model/index.ts";
import { formatTick } from "./format.ts";
import { fitMiddle, textWidth } from "./text.ts";
import { thinnedTicks } from "./ticks.ts";

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export function within(inner: Box, outer: Box): boolean {
  return (
    inner.left >= outer.left &&
    inner.right <= outer.right &&
    inner.top >= outer.top &&
    inner.bottom <= outer.bottom
  );
}

/** Keeps text readable over lines and colours. */
export const HALO: Attributes = {
  stroke: "var(--plot-background)",
  "stroke-width": 3,
  "stroke-linejoin": "round",
  "paint-order": "stroke",
};

/** The box of small text that begins at `left` with its middle at height `y`. */
export function textBox(text: string, left: number, y: number): Box {
  return { left, right: left + textWidth(text, FONT_SMALL), top: y - 7, bottom: y + 6 };
}

export function boxedText(text: string, box: Box, full: string): string {
  const at = { x: box.left, y: box.top + 10.5, "font-size": FONT_SMALL, ...HALO };
  return label(text, at, full === text ? undefined : full);
}

/** Names of the axes: below the middle, and upwards at the left. */
export function axisNames(x: string, y: string, { left, right, top, bottom }: Box): string {
  return (
    label(fitMiddle(x, right - left, FONT), {
      ...{ x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle", fill: "var(--plot-muted)" },
    }) +
    label(fitMiddle(y, bottom - top + 16, FONT), {
      ...{ x: 0, y: 0, transform: `translate(12 ${coordinate((top + bottom) / 2)}) rotate(-90)` },
      ...{ "text-anchor": "middle", fill: "var(--plot-muted)" },
    })
  );
}

/** What stands in a gutter: zeros, and on a log axis whatever is below. */
export function zeroText(values: Iterable<number>): string {
  for (const value of values) if (value < 0) return "≤ 0";
  return "0";
}

export function outline({ left, right, top, bottom }: Box): string {
  const place = { x: left, y: top, width: right - left, height: bottom - top };
  return tag("rect", { ...place, fill: "none", stroke: "var(--plot-grid)" });
}

/** Ticks that stand apart from each other and from the name of a gutter whose middle is at `zeroAt`. */
export function ticksBeside(
  zero: string,
  zeroAt: number,
  ticks: readonly number[],
  place: (tick: number) => number,
  right: number,
  unit: Unit,
): number[] {
  const half = (text: string) => textWidth(text, FONT_SMALL) / 2;
  const clear = zero === "" ? Number.NEGATIVE_INFINITY : zeroAt + half(zero) + 4;
  const free = ticks.filter((tick) => place(tick) - half(formatTick(tick, unit)) >= clear);
  return thinnedTicks(free, right - zeroAt, unit);
}

/** What to keep free at the right, so that the text of a mark at the very end is whole. */
export function edgeRoom(ticks: readonly number[], unit: Unit): number {
  return Math.max(14, textWidth(formatTick(ticks.at(-1) ?? 0, unit), FONT_SMALL) / 2 + 4);
}
