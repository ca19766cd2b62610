/** Categories with one bar per series, side by side or stacked, upwards or to the right. */

import type { BarsChart, Role } from "../../model/index.ts";
import { roundTimes } from "../clock-names.ts";
import { formatExact, formatTick, formatValue, NOT_RECORDED } from "../format.ts";
import { type Frame, frame, placesAxis } from "../frame.ts";
import { type LegendEntry, missingMark, seriesLegend } from "../legend.ts";
import { type Box, overlaps } from "../places.ts";
import { publishedMarks, publishedPlaces } from "../published.ts";
import { horizontalLine, label, lines, tag, title, verticalLine } from "../svg.ts";
import { cleanText, fitMiddle, fitNames, textWidth } from "../text.ts";
import { thinnedTicks, type ValueAxis, valueAxis } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT, FONT_SMALL, nothingToDraw, recorded } from "./chart.ts";
import { hasWhiskers, whiskerColumns, whiskerLines, whiskerOf } from "./whiskers.ts";

export const bars: ChartKind<BarsChart> = {
  draw,
  csv: (chart) => ({
    columns: [
      { label: chart.categoryLabel, unit: "text" },
      { label: "series", unit: "text" },
      { label: chart.value.label, unit: chart.value.unit },
      ...(hasWhiskers(chart) ? whiskerColumns(chart) : []),
    ],
    rows: [
      ...chart.categories.flatMap((category, index) =>
        chart.series.map((one) => [
          category,
          one.name,
          one.values[index] ?? Number.NaN,
          ...(hasWhiskers(chart) ? [one.low?.[index] ?? Number.NaN, one.high?.[index] ?? Number.NaN] : []),
        ]),
      ),
      ...publishedOf(chart).map(({ label: name, value }) => [
        ...["", name, value],
        ...(hasWhiskers(chart) ? [Number.NaN, Number.NaN] : []),
      ]),
    ],
  }),
  table: (chart) => ({
    columns: [
      { label: chart.categoryLabel, unit: "text" },
      ...chart.series.flatMap(({ name }) => [
        { label: name, unit: chart.value.unit },
        ...(hasWhiskers(chart) ? whiskerColumns(chart, `${name}: `) : []),
      ]),
    ],
    rows: chart.categories
      .map((category, index) => [
        category,
        ...chart.series.flatMap(({ values, low, high }) => [
          recorded(values[index] ?? Number.NaN),
          ...(hasWhiskers(chart)
            ? [recorded(low?.[index] ?? Number.NaN), recorded(high?.[index] ?? Number.NaN)]
            : []),
        ]),
      ])
      .concat(
        (chart.published ?? []).map(({ label: name, value }) => [
          name,
          ...chart.series.flatMap(() => [value, ...(hasWhiskers(chart) ? [null, null] : [])]),
        ]),
      ),
  }),
};

/** A place among the categories has no value; its label tells it. */
const publishedOf = ({ published = [], publishedPlaces: places = [] }: BarsChart) => [
  ...published,
  ...places.map(({ label: name }) => ({ label: name, value: Number.NaN })),
];

/** A bar in units of the axes: `from` and `to` across categories (category i covers [i, i + 1]), then values. */
interface Bar {
  readonly category: number;
  readonly series: number;
  readonly role: Role;
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
  /** Ends of the whisker; absent without one. */
  readonly whisker?: readonly [number, number] | undefined;
  readonly hover: string;
}

/** A place where a bar would be if its value were known and finite; in a stack, its end. */
interface Gap {
  readonly at: number;
  readonly value: number;
  readonly hover: string;
}

const HEIGHT_MAX = 6000;
/** Share of a category's place that its bars take. */
const FILLED = 0.72;
/** A bar is a bar, not a wall. */
const BAR_PX_MAX = 90;
const NUMBER_PX = 12;

function draw(chart: BarsChart, context: DrawContext) {
  const { categories, series, direction } = chart;
  if (categories.length === 0 || series.length === 0) return nothingToDraw(context.width);
  const entries: LegendEntry[] = series.map(({ name, role }) => ({ name, show: role }));
  const isMissing = (v: number | undefined) => v === undefined || Number.isNaN(v);
  if (series.some(({ values }) => categories.some((_, index) => isMissing(values[index]))))
    entries.push({ name: NOT_RECORDED, show: "missing" });
  const legend = entries.length > 1 ? seriesLegend(entries, context) : { body: "", height: 0 };
  const drawing = direction === "vertical" ? vertical : horizontal;
  const { body, height } = drawing(chart, context, legend.height + 6);
  return { body: legend.body + body, height };
}

function vertical(chart: BarsChart, context: DrawContext, top: number) {
  const { categories, value } = chart;
  const axis = valueAxis(valuesOf(chart), value.scale ?? "linear", 5, value.unit);
  const left = 14 + Math.max(...axis.ticks.map((t) => textWidth(formatTick(t, value.unit), FONT_SMALL)), 20);
  const right = context.width - 10;
  const band = (right - left) / categories.length;
  const slots = chart.stacked ? 1 : chart.series.length;
  const filled = Math.min(FILLED, (slots * BAR_PX_MAX) / band);
  const { bars, gaps } = layOut(chart, axis, filled);
  // The mark of what is missing stands above the number, which stands above the stack.
  const plotTop = top + (chart.stacked && gaps.length > 0 ? 38 : 22);
  const plotBottom = plotTop + Math.round(Math.min(260, Math.max(150, context.width * 0.34)));
  const made = frame({
    ...{ left, right, top: plotTop, bottom: plotBottom },
    ...{ x: placesAxis(categories.length), y: { ...axis, unit: value.unit } },
  });
  const names = namesBelow(chart, band, { left, bottom: plotBottom, width: context.width });
  let body = label(fitMiddle(value.label, right - 8, FONT), { x: 8, y: top + 10, fill: "var(--plot-muted)" });
  body += made.grid + barMarks(bars, context, made, "x") + whiskerLines(bars, made, "x");
  // On a log axis zero stands at the low end, as do bars that begin there.
  body += lines(horizontalLine(made.y(0), left, right), "muted") + made.axes + names.body;
  for (const { at, value: end, hover } of gaps)
    body += tag("g", {}, title(hover) + missingMark(made.x(at), made.y(end) - (end > 0 ? 18 : 6)));
  body += valuesAbove(chart, bars, made);
  const box = { left, right, top: plotTop, bottom: plotBottom };
  const covered = coveredBy(bars, (bar) => boxOf(bar, made, "x"));
  body += publishedMarks(chart.published ?? [], {
    ...{ box, unit: value.unit, axis: "y", place: made.y },
    covered,
  });
  body += publishedPlaces(chart.publishedPlaces ?? [], { box, place: made.x, covered });
  const categoryLabel = fitMiddle(chart.categoryLabel, right - left, FONT);
  body += label(categoryLabel, {
    ...{ x: (left + right) / 2, y: plotBottom + names.height + 14 },
    ...{ "text-anchor": "middle", fill: "var(--plot-muted)" },
  });
  return { body, height: plotBottom + names.height + 22 };
}

function horizontal(chart: BarsChart, context: DrawContext, top: number) {
  const { categories, series, value, stacked } = chart;
  const { width } = context;
  const axis = valueAxis(valuesOf(chart), value.scale ?? "linear", width < 480 ? 3 : 5, value.unit);
  const { bars, gaps } = layOut(chart, axis, FILLED);
  const band = Math.min(
    stacked || series.length === 1 ? 22 : 8 + 13 * series.length,
    HEIGHT_MAX / categories.length,
  );
  const shownNames = fitNames(categories, Math.min(width * 0.4, 320), FONT);
  const left = 14 + Math.max(...shownNames.map((name) => textWidth(name, FONT)));
  const endTexts = barEnds(chart, bars);
  const valueRoom =
    Math.max(0, ...endTexts.map(({ text }) => textWidth(text, FONT_SMALL))) + (gaps.length === 0 ? 8 : 22);
  const lastTick = textWidth(formatTick(axis.ticks.at(-1) ?? 0, value.unit), FONT_SMALL) / 2;
  const right = width - Math.max(valueRoom, lastTick + 4, 10);
  const plotTop = top + 16;
  const plotBottom = plotTop + Math.max(band * categories.length, 24);
  const made = frame({
    ...{ left, right, top: plotTop, bottom: plotBottom },
    x: { ...axis, ticks: thinnedTicks(axis.ticks, right - left, value.unit), unit: value.unit },
    y: { ...placesAxis(categories.length), down: true },
  });
  const fits = textWidth(cleanText(chart.categoryLabel), FONT) <= left - 12;
  const heading = fitMiddle(chart.categoryLabel, width * 0.6, FONT);
  let body = made.grid + barMarks(bars, context, made, "y") + whiskerLines(bars, made, "y");
  body += lines(verticalLine(made.x(0), plotTop, plotBottom), "muted") + made.axes;
  body += label(heading, {
    ...{ x: fits ? left - 7 : 8, y: top + 8, "text-anchor": fits ? "end" : "start" },
    fill: "var(--plot-muted)",
  });
  const every = Math.ceil(12 / band);
  for (let index = 0; index < categories.length; index += every) {
    const full = categories[index]!;
    body += label(
      shownNames[index]!,
      {
        ...{ x: left - 7, y: made.y(index + 0.5) + 4, "text-anchor": "end" },
        ...{ fill: isZero(chart, index) ? "var(--plot-muted)" : undefined },
      },
      shownNames[index] === full ? undefined : full,
    );
  }
  body += publishedMarks(chart.published ?? [], {
    // Between the bars are their numbers: texts stand above.
    ...{ box: { left, right, top: plotTop - 15, bottom: plotBottom }, unit: value.unit, axis: "x" },
    place: made.x,
    covered: ({ bottom }) => bottom > plotTop,
  });
  const textsByPlace = new Map(endTexts.map(({ at, text }) => [at, text]));
  for (const { at, value: end, hover } of gaps) {
    const text = end === 0 ? "" : (textsByPlace.get(at) ?? "");
    const x = made.x(end) + 9 + (text === "" ? 0 : textWidth(text, FONT_SMALL) + 1);
    body += tag("g", {}, title(hover) + missingMark(x, made.y(at)));
  }
  const slot = stacked || series.length === 1 ? band : (band * FILLED) / series.length;
  if (slot >= 9)
    for (const { at, value: end, text } of endTexts) {
      const place = { x: made.x(end) + 4, y: made.y(at) + 3.5, "font-size": FONT_SMALL };
      body += label(text, { ...place, fill: "var(--plot-muted)" });
    }
  const name = fitMiddle(value.label, width - 16, FONT);
  const middle = clamp((left + right) / 2, textWidth(name, FONT) / 2 + 8, width);
  body += label(name, { x: middle, y: plotBottom + 32, "text-anchor": "middle", fill: "var(--plot-muted)" });
  return { body, height: plotBottom + 40 };
}

/** All values the value axis has to hold: sums when stacked. */
function* valuesOf({ categories, series, stacked, published = [] }: BarsChart): Generator<number> {
  for (const { value } of published) yield value;
  for (let index = 0; index < categories.length; index++) {
    let sum = 0;
    for (const { values, low, high } of series) {
      const value = values[index] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      if (!stacked) yield* whiskerOf(low?.[index], high?.[index]) ?? [];
      // A stack starts with its first part: on a log axis that one must be visible too.
      if (!stacked || sum === 0) yield value;
      sum += Math.max(0, value);
    }
    if (stacked) yield sum;
  }
}

function layOut({ categories, series, stacked, value }: BarsChart, axis: ValueAxis, filled: number) {
  const [floor, ceiling] = axis.domain;
  // About a pixel: a trace of something is still something.
  const least = stacked || axis.scale === "log" ? 0 : (ceiling - floor) / 400;
  const [bars, gaps]: [Bar[], Gap[]] = [[], []];
  const slots = stacked ? 1 : series.length;
  for (let category = 0; category < categories.length; category++) {
    let [above, below] = [0, 0];
    const missing: string[] = [];
    for (const [index, { name, role, values, low: lows, high: highs }] of series.entries()) {
      const number = values[category] ?? Number.NaN;
      const whisker = stacked ? undefined : whiskerOf(lows?.[category], highs?.[category]);
      const from = category + (1 - filled) / 2 + (stacked ? 0 : (index * filled) / slots);
      const to = from + filled / slots;
      const range =
        whisker === undefined
          ? ""
          : ` (${formatExact(whisker[0], value.unit)} to ${formatExact(whisker[1], value.unit)})`;
      const hover = `${cleanText(categories[category]!)}: ${name}: ${formatExact(number, value.unit)}${range}`;
      if (!Number.isFinite(number)) {
        if (stacked) missing.push(hover);
        else gaps.push({ at: (from + to) / 2, value: 0, hover });
        continue;
      }
      const start = stacked ? (number < 0 ? below : above) : 0;
      const end = start + number;
      if (stacked && number < 0) below = end;
      else if (stacked) above = end;
      if (number === 0 || (axis.scale === "log" && end <= floor)) continue;
      const [low, high] = number < 0 ? [Math.min(end, -least), start] : [start, Math.max(end, least)];
      bars.push({ category, series: index, role, from, to, low, high, whisker, hover });
    }
    if (missing.length > 0) gaps.push({ at: category + 0.5, value: above, hover: missing.join("; ") });
  }
  return { bars: bars, gaps };
}

/** One group per series: its fill is then written once. */
function barMarks(bars: readonly Bar[], context: DrawContext, made: Frame, across: "x" | "y"): string {
  const rect = (bar: Bar) => {
    const { left, right, top, bottom } = boxOf(bar, made, across);
    return tag("rect", { x: left, y: top, width: right - left, height: bottom - top }, title(bar.hover));
  };
  return [...bySeries(bars).values()]
    .map((of) => tag("g", { fill: context.fill(of[0]!.role) }, of.map(rect).join("")))
    .join("");
}

const boxOf = ({ from, to, low, high }: Bar, made: Frame, across: "x" | "y"): Box =>
  across === "x"
    ? { left: made.x(from), right: made.x(to), top: made.y(high), bottom: made.y(low) }
    : { left: made.x(low), right: made.x(high), top: made.y(from), bottom: made.y(to) };

/** With a little room for the number over a bar. */
const coveredBy = (bars: readonly Bar[], box: (bar: Bar) => Box) => {
  const boxes = bars.map(box);
  return (place: Box) => boxes.some((bar) => overlaps(place, { ...bar, top: bar.top - NUMBER_PX }));
};

function bySeries(bars: readonly Bar[]): Map<number, Bar[]> {
  const groups = new Map<number, Bar[]>();
  for (const bar of bars) {
    const group = groups.get(bar.series);
    if (group) group.push(bar);
    else groups.set(bar.series, [bar]);
  }
  return groups;
}

/** Names under their bars: level if they all fit, else slanted, else only every k-th. */
function namesBelow(
  chart: BarsChart,
  band: number,
  { left, bottom, width }: { readonly left: number; readonly bottom: number; readonly width: number },
) {
  const { categories } = chart;
  const clean = fitNames(categories, 130, FONT_SMALL);
  const widest = Math.max(...clean.map((name) => textWidth(name, FONT_SMALL)));
  const times = roundTimes(categories, Math.floor((band * categories.length) / (widest + 16)));
  const level = widest <= band - 4 || times !== undefined;
  const every = level ? 1 : Math.max(1, Math.ceil(13 / band));
  const written = times ?? categories.flatMap((_, index) => (index % every === 0 ? [index] : []));
  let body = "";
  for (const index of written) {
    const middle = left + (index + 0.5) * band;
    // The last name stays within the picture.
    const half = textWidth(clean[index]!, FONT_SMALL) / 2 + 1;
    const x = level ? clamp(middle, half, width - half) : middle + 3;
    // A slanted name reaches to the left of its bar; near the edge there is less room.
    const shown = level ? clean[index]! : fitMiddle(clean[index]!, (x - 4) / 0.77, FONT_SMALL);
    const y = bottom + 14;
    body += label(
      shown,
      {
        ...{ x, y, "font-size": FONT_SMALL, "text-anchor": level ? "middle" : "end" },
        ...{ fill: isZero(chart, index) ? "var(--plot-muted)" : undefined },
        ...{ transform: level ? undefined : `rotate(-40 ${x.toFixed(1)} ${y})` },
      },
      shown === categories[index] ? undefined : categories[index],
    );
  }
  return { body, height: level ? 20 : 14 + Math.min(widest, 130) * 0.62 };
}

/** The number over each bar, when every number has room. */
function valuesAbove(chart: BarsChart, bars: readonly Bar[], made: Frame): string {
  // A whisker stands where the number would.
  if (hasWhiskers(chart)) return "";
  const ends = barEnds(chart, bars);
  const [first] = bars;
  if (first === undefined) return "";
  const slot = made.x(first.to) - made.x(first.from);
  if (ends.some(({ text }) => textWidth(text, 9) > slot + 6)) return "";
  return ends
    .map(({ at, value, text }) =>
      label(text, {
        ...{ x: made.x(at), y: made.y(value) - 3, "font-size": 9 },
        ...{ "text-anchor": "middle", fill: "var(--plot-muted)" },
      }),
    )
    .join("");
}

/** Where bars end, and the number there: of each bar, or of the whole stack. */
function barEnds({ categories, series, stacked, value }: BarsChart, bars: readonly Bar[]) {
  if (!stacked)
    return bars.map(({ from, to, low, high, whisker, series: index, category }) => ({
      at: (from + to) / 2,
      value: Math.max(high, low, whisker?.[1] ?? high),
      text: shortValue(series[index]!.values[category]!, value.unit),
    }));
  const tops = new Map<number, Bar>();
  for (const bar of bars) if (bar.high >= (tops.get(bar.category)?.high ?? 0)) tops.set(bar.category, bar);
  return categories.flatMap((_, index) => {
    const top = tops.get(index);
    if (top === undefined) return [];
    return [{ at: index + 0.5, value: top.high, text: shortValue(top.high, value.unit) }];
  });
}

/** Beside a bar the words "calls" or "files" would only repeat the axis. */
function shortValue(value: number, unit: BarsChart["value"]["unit"]): string {
  return unit === "index" || unit === "unix-seconds" ? formatValue(value, unit) : formatTick(value, unit);
}

function isZero({ series }: BarsChart, category: number): boolean {
  return series.every(({ values }) => values[category] === 0);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
