/** Legends above or below a plot: series by swatch and name, classes of a sequential scale by their bounds. */

import type { Axis, Role } from "../model/index.ts";
import { type DrawContext, FONT, FONT_SMALL } from "./charts/index.ts";
import type { Classes } from "./classes.ts";
import { formatValue } from "./format.ts";
import { type Attributes, coordinate, label, tag, title } from "./svg.ts";
import { fitMiddle, textWidth } from "./text.ts";

export interface LegendEntry {
  readonly name: string;
  /** What the swatch shows; "missing" is the mark for values that were not recorded. */
  readonly show: Role | "missing" | Swatch;
}

/** A swatch of its own: a kind of line, a shape. */
interface Swatch {
  readonly width: number;
  /** From the left end, at the height of the middle. */
  draw(x: number, y: number): string;
}

interface Legend {
  readonly body: string;
  readonly height: number;
}

const SWATCH = 11;
const LINE = 18;

/** Entries from left to right, on as many lines as they need. */
export function seriesLegend(entries: readonly LegendEntry[], context: DrawContext): Legend {
  const [left, top] = [8, 4];
  const right = context.width - 8;
  let [x, y] = [left, top];
  let body = "";
  for (const { name, show } of entries) {
    const swatch = typeof show === "string" ? SWATCH : show.width;
    const shown = fitMiddle(name, Math.min(260, right - left - swatch - 6), FONT);
    const width = swatch + 5 + textWidth(shown, FONT);
    if (x > left && x + width > right) [x, y] = [left, y + LINE];
    if (typeof show !== "string") body += show.draw(x, y + SWATCH / 2);
    else
      body +=
        show === "missing"
          ? missingMark(x + SWATCH / 2, y + SWATCH / 2)
          : tag("rect", { x, y, width: SWATCH, height: SWATCH, fill: context.fill(show) });
    body += label(shown, { x: x + swatch + 5, y: y + 9.5 }, shown === name ? undefined : name);
    x += width + 14;
  }
  return { body, height: entries.length === 0 ? 0 : y - top + LINE };
}

/** A cross: here something is unknown. */
export function missingMark(x: number, y: number): string {
  return tag("path", {
    d: `M${(x - 3).toFixed(1)} ${(y - 3).toFixed(1)}l6 6m0 -6l-6 6`,
    stroke: "var(--plot-muted)",
    "stroke-width": 1.5,
    fill: "none",
  });
}

/** A piece of a line as it is drawn in the plot. */
export function lineSwatch(attributes: Attributes, width = 24): Swatch {
  const at = (x: number, y: number) => `M${coordinate(x)} ${coordinate(y)}h${width}`;
  return { width, draw: (x, y) => tag("path", { d: at(x, y), fill: "none", ...attributes }) };
}

/** A row of colours, each with the highest number that it holds under it. */
export function decadeLegend(
  classes: Classes,
  name: string,
  left: number,
  right: number,
  top: number,
): Legend {
  const count = classes.bounds.length - 1;
  if (count < 1) return { body: "", height: 0 };
  const texts = classes.bounds
    .slice(1)
    .map((bound) => `${bound === 1 ? "" : "≤ "}${formatValue(bound, "count")}`);
  const step = Math.min(60, (right - left) / count);
  const widest = Math.max(...texts.map((text) => textWidth(text, FONT_SMALL)));
  const every = Math.max(1, Math.ceil((widest + 6) / step));
  let body = heading(name, left, right, top);
  for (const [index, text] of texts.entries()) {
    const x = left + index * step;
    const at = { x, y: top + 16, width: step, height: 10, fill: classes.colour(index) };
    const range = index === 0 ? "1" : `more than ${formatValue(classes.bounds[index]!, "count")}, ${text}`;
    body += tag("rect", at, title(range));
    // The last, the highest, is always there.
    if ((count - 1 - index) % every === 0)
      body += label(text, { x: x + step / 2, y: top + 38, "font-size": FONT_SMALL, "text-anchor": "middle" });
  }
  return { body, height: 44 };
}

/** The name of a scale, shortened to its width. */
function heading(name: string, left: number, right: number, top: number): string {
  const shown = fitMiddle(name, right - left, FONT);
  return label(shown, { x: left, y: top + 10, fill: "var(--plot-muted)" }, shown === name ? undefined : name);
}

/** A row of colours with the bounds under it, as many as have room. */
export function classLegend(
  classes: Classes,
  axis: Axis,
  name: string,
  left: number,
  right: number,
  top: number,
): Legend {
  const count = classes.bounds.length - 1;
  if (count < 1) return { body: "", height: 0 };
  const texts = classes.bounds.map((bound) => formatValue(bound, axis.unit));
  const step = Math.min(46, (right - left) / count);
  // A few steps per label, so that labels stand apart.
  const widest = Math.max(...texts.map((text) => textWidth(text, FONT_SMALL)));
  const every = Math.max(1, Math.ceil((widest + 8) / step));
  let body = heading(name, left, right, top);
  for (let index = 0; index < count; index++) {
    const range = `<title>${texts[index]} to ${texts[index + 1]}</title>`;
    const at = { x: left + index * step, y: top + 16, width: step, height: 10 };
    body += tag("rect", { ...at, fill: classes.colour(index) }, range);
  }
  for (const [index, text] of texts.entries()) {
    // The last bound, the maximum, is always there; it takes the place of its neighbours.
    const isLast = index === count;
    if (!isLast && (index % every !== 0 || (count - index) * step < widest * 1.2 + 8)) continue;
    if (count === 1 && index === 0) continue;
    const x = count === 1 ? left : left + index * step;
    const anchor = index === 0 || count === 1 ? "start" : isLast && x + widest / 2 > right ? "end" : "middle";
    body += label(text, { x, y: top + 38, "font-size": FONT_SMALL, "text-anchor": anchor });
  }
  return { body, height: 44 };
}
