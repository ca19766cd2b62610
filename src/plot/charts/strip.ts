/** One bar per storage target, side by side: its height is one value, its colour another. */

import type { StripChart } from "../../model/index.ts";
import { classesOf } from "../classes.ts";
import { formatExact, formatTick } from "../format.ts";
import { frame, placesAxis } from "../frame.ts";
import { classLegend, missingMark } from "../legend.ts";
import { type Box, overlaps } from "../places.ts";
import { publishedMarks } from "../published.ts";
import { horizontalLine, label, lines, rectPath, tag, title } from "../svg.ts";
import { fitMiddle, textWidth } from "../text.ts";
import { valueAxis } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT, FONT_SMALL, nothingToDraw, recorded } from "./chart.ts";

export const strip: ChartKind<StripChart> = {
  draw,
  csv: ({ itemLabel, items, height, colour, published = [] }) => ({
    columns: [
      { label: itemLabel, unit: "text" },
      { label: height.label, unit: height.unit },
      { label: colour.label, unit: colour.unit },
      { label: "note", unit: "text" },
    ],
    rows: [
      ...items.map((item) => [item.name, item.height, item.colour, item.note ?? ""]),
      ...published.map(({ label: name, value }) => [name, value, Number.NaN, ""]),
    ],
  }),
  table: ({ itemLabel, items, height, colour, published = [] }) => ({
    columns: [
      { label: itemLabel, unit: "text" },
      { label: height.label, unit: height.unit },
      { label: colour.label, unit: colour.unit },
      { label: "note", unit: "text" },
    ],
    rows: [
      ...items.map((item) => [item.name, recorded(item.height), recorded(item.colour), item.note ?? null]),
      ...published.map(({ label: name, value }) => [name, value, null, null]),
    ],
  }),
};

const PLOT_HEIGHT = 110;

function draw(chart: StripChart, context: DrawContext) {
  const { items, height, colour, itemLabel, ofTotal, published = [] } = chart;
  if (items.length === 0) return nothingToDraw(context.width);
  const axis = valueAxis(
    [...items.map((item) => item.height), ...published.map(({ value }) => value)],
    height.scale ?? "linear",
    3,
    height.unit,
  );
  const left = 14 + Math.max(20, ...axis.ticks.map((t) => textWidth(formatTick(t, height.unit), FONT_SMALL)));
  const right = context.width - 10;
  const [top, bottom] = [26, 26 + PLOT_HEIGHT];
  const made = frame({
    ...{ left, right, top, bottom },
    ...{ x: placesAxis(items.length), y: { ...axis, unit: height.unit } },
  });
  const classes = classesOf(
    items.map((item) => item.colour),
    colour.scale ?? "linear",
    colour.unit,
  );
  const isLog = colour.scale === "log";
  const classOf = (value: number) =>
    value === 0 && !isLog && classes.bounds.length > 1 ? 0 : classes.of(value);
  const grey = items.some((item) => item.height !== 0 && classOf(item.colour) < 0);
  const base = axis.scale === "log" ? axis.domain[0] : 0;
  const band = (right - left) / items.length;
  // A single target is a bar, not a wall; a thousand stand without gaps.
  const width = band > 60 ? 60 : band > 4 ? band * 0.84 : band;
  let body = made.grid + made.axes;
  const drawn: Box[] = [];
  for (const [index, item] of items.entries()) {
    const middle = left + (index + 0.5) * band;
    const hover = title(
      `${item.name}: ${height.label} ${formatExact(item.height, height.unit)}; ` +
        `${colour.label} ${formatExact(item.colour, colour.unit)}${item.note === undefined ? "" : `; ${item.note}`}`,
    );
    if (!Number.isFinite(item.height)) {
      body += tag("g", {}, hover + missingMark(middle, made.y(base) - 6));
      continue;
    }
    if (item.height === 0 || (axis.scale === "log" && item.height <= base)) continue;
    const [a, b] = [made.y(base), made.y(item.height)];
    const of = classOf(item.colour);
    const fill = of < 0 ? "var(--plot-other)" : classes.colour(of);
    // A trace of load is still load: at least one pixel.
    const size = Math.max(1, Math.abs(a - b));
    const y = b <= a ? a - size : a;
    body += tag("path", { d: rectPath(middle - width / 2, y, width, size), fill }, hover);
    drawn.push({ left: middle - width / 2, right: middle + width / 2, top: y, bottom: y + size });
  }
  body += lines(horizontalLine(made.y(base), left, right), "muted");
  body += names(chart, band, left, bottom);
  body += publishedMarks(published, {
    ...{ box: { left, right, top, bottom }, unit: height.unit, axis: "y", place: made.y },
    covered: (place) => drawn.some((bar) => overlaps(place, bar)),
  });
  const used = ofTotal === undefined ? "" : usedText(chart, ofTotal);
  const usedWidth = used === "" ? 0 : textWidth(used, FONT) + 16;
  body += label(fitMiddle(height.label, right - 8 - usedWidth, FONT), {
    ...{ x: 8, y: 14, fill: "var(--plot-muted)" },
  });
  if (used !== "") body += label(used, { x: right, y: 14, "text-anchor": "end", "font-weight": 600 });
  body += label(fitMiddle(itemLabel, right - left, FONT), {
    ...{ x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle", fill: "var(--plot-muted)" },
  });
  const legend = classLegend(
    classes,
    colour,
    colour.label + (grey ? "; grey: none or not recorded" : ""),
    left,
    right,
    bottom + 40,
  );
  return { body: body + legend.body, height: bottom + 42 + legend.height };
}

function usedText({ items, itemLabel }: StripChart, ofTotal: number): string {
  const used = items.filter((item) => item.height > 0).length;
  return `${used} of ${ofTotal} ${fitMiddle(itemLabel, 120, FONT)} used`;
}

/** As many names as stand apart; the others are there on hover. */
function names({ items }: StripChart, band: number, left: number, bottom: number): string {
  const shown = items.map(({ name }) => fitMiddle(name, 90, FONT_SMALL));
  const widest = Math.max(...shown.map((name) => textWidth(name, FONT_SMALL)));
  const every = Math.max(1, Math.ceil((widest + 8) / band));
  let body = "";
  for (let index = 0; index < items.length; index += every) {
    // The last place may be too near the edge for its name.
    const x = left + (index + 0.5) * band;
    if (index > 0 && x + widest / 2 > left + band * items.length + 10) continue;
    const full = items[index]!.name;
    body += label(
      shown[index]!,
      { x, y: bottom + 14, "font-size": FONT_SMALL, "text-anchor": "middle" },
      shown[index] === full ? undefined : full,
    );
  }
  return body;
}
