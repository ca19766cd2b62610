/** What a paper prints, in the picture of what was measured: lines with their values, and points where a curve should pass. */

import type { PublishedMark, Unit } from "../model/index.ts";
import { FONT_SMALL } from "./charts/index.ts";
import { formatExact, formatValue } from "./format.ts";
import { type Box, boxedText, overlaps, textBox, within } from "./places.ts";
import { coordinate, horizontalLine, tag, title, verticalLine } from "./svg.ts";
import { fitMiddle, textWidth } from "./text.ts";

/** Unlike every line of data: neither a curve nor a mean. */
const LINE = {
  stroke: "var(--plot-text)",
  "stroke-width": 1.2,
  "stroke-dasharray": "10 3 2 3",
  fill: "none",
};
const TEXT_PX_MAX = 220;
const ROWS = 8;
const ROW = 13;

interface Placing {
  readonly box: Box;
  readonly unit: Unit;
  /** Which way the value axis goes. */
  readonly axis: "x" | "y";
  place(value: number): number;
  /** Height of a share, where there are curves. */
  placeShare?(share: number): number;
}

export function publishedMarks(marks: readonly PublishedMark[], placing: Placing): string {
  const taken: Box[] = [];
  return marks
    .filter(({ value }) => Number.isFinite(value))
    .map((mark) => oneMark(mark, placing, taken))
    .join("");
}

function oneMark(mark: PublishedMark, { box, unit, axis, place, placeShare }: Placing, taken: Box[]): string {
  const { value, share, label } = mark;
  const at = place(value);
  const hover = title(
    `${label}: ${formatExact(value, unit)}${share === undefined ? "" : `, ${formatExact(share, "share")}`}`,
  );
  const text = fitMiddle(`${label} ${formatValue(value, unit)}`, TEXT_PX_MAX, FONT_SMALL);
  const width = textWidth(text, FONT_SMALL);
  const isPoint = share !== undefined && placeShare !== undefined;
  const y = isPoint ? placeShare(share) : Number.NaN;
  const drawn = isPoint
    ? diamond(at, y, hover)
    : axis === "x"
      ? tag("path", { d: verticalLine(at, box.top, box.bottom), ...LINE }, hover)
      : tag("path", { d: horizontalLine(at, box.left, box.right), ...LINE }, hover);
  const rows = Array.from({ length: ROWS }, (_, row) => row * ROW);
  const starts = isPoint || axis === "x" ? [at + 6, at - 6 - width] : [box.right - width - 4, box.left + 4];
  const heights = isPoint
    ? [y + 12, y - 10, y]
    : axis === "x"
      ? rows.map((row) => box.bottom - 9 - row)
      : [at - 8, at + 9];
  const free = heights
    .flatMap((height) => starts.map((start) => textBox(text, start, height)))
    .find((one) => within(one, box) && !taken.some((other) => overlaps(one, other)));
  if (free === undefined) return drawn;
  taken.push(free);
  return drawn + boxedText(text, free, text);
}

function diamond(x: number, y: number, hover: string): string {
  const d = `M${coordinate(x)} ${coordinate(y - 6)}l6 6l-6 6l-6 -6z`;
  return tag(
    "path",
    { d, fill: "var(--plot-background)", stroke: "var(--plot-text)", "stroke-width": 1.6 },
    hover,
  );
}
