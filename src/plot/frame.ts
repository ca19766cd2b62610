/** The scales of a plot area with their grid lines and axes, in pixels that the caller has laid out. */

import type { Unit } from "../model/index.ts";
import { FONT_SMALL } from "./charts/index.ts";
import { formatTick } from "./format.ts";
import type { Box } from "./places.ts";
import { horizontalLine, label, lines, tag, verticalLine } from "./svg.ts";
import { placeOn, type ValueAxis } from "./ticks.ts";

export interface FrameAxis extends ValueAxis {
  readonly unit: Unit;
  /** Added to a tick to place it: an index names a whole row and is marked at the middle of the row. */
  readonly shift?: number;
  /** How a tick is written; as its unit says where it is left out. */
  readonly text?: (tick: number) => string;
}

interface FrameOptions extends Box {
  /** Pixels kept free at the left and at the bottom of the plot area, for values that a scale cannot hold. */
  readonly gutterX?: number;
  readonly gutterY?: number;
  readonly x: FrameAxis;
  /** `down` puts the smallest value at the top. */
  readonly y: FrameAxis & { readonly down?: boolean };
}

export interface Frame {
  /** Lines through the plot area at every tick. */
  readonly grid: string;
  /** Tick marks and their texts, below and at the left. */
  readonly axes: string;
  x(value: number): number;
  y(value: number): number;
}

const TICK_PX = 4;
/** From the plot area to the texts of its ticks. */
const TEXT_PX = 7;

export function frame({ left, right, top, bottom, gutterX = 0, gutterY = 0, x, y }: FrameOptions): Frame {
  const placeX = placeOn(x, left + gutterX, right);
  const placeY = y.down ? placeOn(y, top, bottom - gutterY) : placeOn(y, bottom - gutterY, top);
  const [below, beside] = [ticksOf(x, placeX), ticksOf(y, placeY)];
  // Capitals and digits are 0.71 em high; half of that puts a text at the height of its mark.
  const textY = bottom + TEXT_PX + 0.71 * FONT_SMALL;
  return {
    grid:
      lines(below.map(({ at }) => verticalLine(at, top, bottom)).join(""), "grid") +
      lines(beside.map(({ at }) => horizontalLine(at, left, right)).join(""), "grid"),
    axes:
      lines(below.map(({ at }) => verticalLine(at, bottom, bottom + TICK_PX)).join(""), "muted") +
      tickTexts(below.map(({ at, text }) => label(text, { x: at, y: textY })).join(""), "middle") +
      lines(beside.map(({ at }) => horizontalLine(at, left, left - TICK_PX)).join(""), "muted") +
      tickTexts(
        beside.map(({ at, text }) => label(text, { x: left - TEXT_PX, y: at + 0.32 * FONT_SMALL })).join(""),
        "end",
      ),
    x: placeX,
    y: placeY,
  };
}

/** An axis of `count` equal places without ticks; the caller writes names beside it. */
export function placesAxis(count: number): FrameAxis {
  return { scale: "linear", domain: [0, count], ticks: [], unit: "none" };
}

function ticksOf(
  { ticks, unit, shift = 0, text = (tick) => formatTick(tick, unit) }: FrameAxis,
  place: (value: number) => number,
) {
  return ticks.map((tick) => ({ at: place(tick + shift), text: text(tick) }));
}

function tickTexts(texts: string, anchor: "middle" | "end"): string {
  if (texts === "") return "";
  const font = { "font-size": FONT_SMALL, "font-variant": "tabular-nums" };
  return tag("g", { fill: "var(--plot-muted)", ...font, "text-anchor": anchor }, texts);
}
