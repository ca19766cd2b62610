/** What a paper prints, in the picture of what was measured: lines with their values, and points where a curve should pass. */

import type { PublishedMark, PublishedPlace, Unit } from "../model/index.ts";
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
/** How far places along a line are apart. */
const STEP = 12;

interface Placing {
  readonly box: Box;
  readonly unit: Unit;
  /** Which way the value axis goes. */
  readonly axis: "x" | "y";
  place(value: number): number;
  /** Height of a share, where there are curves. */
  placeShare?(share: number): number;
  /** Upright lines of what was measured. */
  readonly uprights?: readonly number[];
  /** Whether curves or bars are drawn in a place: text stands elsewhere where it can. */
  covered(place: Box): boolean;
}

/** Lines and points first, so that no line crosses a text. */
export function publishedMarks(marks: readonly PublishedMark[], placing: Placing): string {
  const known = marks.filter(({ value }) => Number.isFinite(value));
  const own = known.flatMap((mark) => {
    const at = placing.place(mark.value);
    return placing.axis === "x" && !isPoint(mark, placing) ? [at] : [];
  });
  const levels = placing.axis === "y" ? known.map(({ value }) => placing.place(value)) : [];
  const covered = (one: Box) =>
    placing.covered(one) || levels.some((level) => level > one.top && level < one.bottom);
  const lines = [...own, ...(placing.uprights ?? [])];
  const taken: Box[] = [];
  return (
    known.map((mark) => shapeOf(mark, placing)).join("") +
    known.map((mark) => textOf(mark, { ...placing, covered }, lines, taken)).join("")
  );
}

const isPoint = ({ share }: PublishedMark, { placeShare }: Placing): boolean =>
  share !== undefined && placeShare !== undefined;

function shapeOf(mark: PublishedMark, placing: Placing): string {
  const { value, share, label } = mark;
  const { box, unit, axis, place, placeShare } = placing;
  const at = place(value);
  const hover = title(
    `${label}: ${formatExact(value, unit)}${share === undefined ? "" : `, ${formatExact(share, "share")}`}`,
  );
  if (share !== undefined && placeShare !== undefined) return diamond(at, placeShare(share), hover);
  return axis === "x"
    ? tag("path", { d: verticalLine(at, box.top, box.bottom), ...LINE }, hover)
    : tag("path", { d: horizontalLine(at, box.left, box.right), ...LINE }, hover);
}

/** Beside its mark: clear of everything, else over what was measured on a ground of its own, else only on hover. */
function textOf(mark: PublishedMark, placing: Placing, lines: readonly number[], taken: Box[]): string {
  const { value, share, label } = mark;
  const { box, unit, axis, place, placeShare, covered } = placing;
  const text = fitMiddle(`${label} ${formatValue(value, unit)}`, TEXT_PX_MAX, FONT_SMALL);
  const width = textWidth(text, FONT_SMALL);
  const at = place(value);
  const upright = isPoint(mark, placing) || axis === "x";
  const starts = upright ? [at + 6, at - 6 - width] : steps(box.right - width - 4, box.left + 4);
  const y = share === undefined || placeShare === undefined ? Number.NaN : placeShare(share);
  const heights = isPoint(mark, placing)
    ? [12, -12, 0, 26, -26, 40, -40].map((away) => y + away)
    : upright
      ? [...Array.from({ length: ROWS }, (_, row) => box.bottom - 9 - row * ROW), box.top + 8]
      : [at - 8, at + 9];
  return placed(text, starts, heights, { box, covered, lines, taken });
}

interface Room {
  readonly box: Box;
  readonly lines: readonly number[];
  readonly taken: Box[];
  covered(place: Box): boolean;
}

function placed(
  text: string,
  starts: readonly number[],
  heights: readonly number[],
  { box, lines, taken, covered }: Room,
): string {
  const places = heights
    .flatMap((height) => starts.map((start) => textBox(text, start, height)))
    .filter((one) => within(one, box) && !taken.some((other) => overlaps(one, other)));
  const isCrossed = (one: Box) => lines.some((line) => line > one.left - 3 && line < one.right + 3);
  const clear = places.find((one) => !isCrossed(one) && !covered(one));
  const free = clear ?? places.find((one) => !covered(one)) ?? places[0];
  if (free === undefined) return "";
  taken.push(free);
  return (clear === undefined ? ground(free) : "") + boxedText(text, free, text);
}

interface Along {
  readonly box: Box;
  place(category: number): number;
  covered(place: Box): boolean;
}

/** Places among categories: a line at one of them, or two lines where it is a range. */
export function publishedPlaces(places: readonly PublishedPlace[], { box, place, covered }: Along): string {
  const ends = places.map(({ from, to }) => [place(from), place(to ?? from)] as const);
  const lines = ends.flat();
  const taken: Box[] = [];
  const paths = places.map(({ label }, index) => {
    const both = [...new Set(ends[index])].map((at) => verticalLine(at, box.top, box.bottom)).join("");
    return tag("path", { d: both, ...LINE }, title(label));
  });
  const texts = places.map(({ label }, index) => {
    const [start, end] = ends[index]!;
    const text = fitMiddle(label, TEXT_PX_MAX, FONT_SMALL);
    const starts = [end + 6, start - 6 - textWidth(text, FONT_SMALL)];
    const heights = Array.from({ length: ROWS }, (_, row) => box.top + 8 + row * ROW);
    return placed(text, starts, heights, { box, lines, taken, covered });
  });
  return paths.join("") + texts.join("");
}

/** From the right end to the left one. */
function steps(from: number, to: number): number[] {
  const count = Math.max(1, Math.floor((from - to) / STEP) + 1);
  return Array.from({ length: count }, (_, step) => from - step * STEP);
}

const ground = ({ left, right, top, bottom }: Box): string =>
  tag("rect", {
    ...{ x: left - 3, y: top, width: right - left + 6, height: bottom - top, rx: 3 },
    fill: "var(--plot-background)",
  });

function diamond(x: number, y: number, hover: string): string {
  const d = `M${coordinate(x)} ${coordinate(y - 6)}l6 6l-6 6l-6 -6z`;
  return tag(
    "path",
    { d, fill: "var(--plot-background)", stroke: "var(--plot-text)", "stroke-width": 1.6 },
    hover,
  );
}
