/** The evidence of a cause: items side by side, the culprits hatched in the colour of severity and labelled. */

import type { CulpritChart } from "../../model/index.ts";
import { formatExact, formatTick } from "../format.ts";
import { type Frame, frame, placesAxis } from "../frame.ts";
import { missingMark } from "../legend.ts";
import { coordinate, horizontalLine, label, lines, tag, title } from "../svg.ts";
import { fitMiddle, fitNames, textWidth } from "../text.ts";
import { thinnedTicks, valueAxis } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT, FONT_SMALL, nothingToDraw, recorded } from "./chart.ts";

export const culprit: ChartKind<CulpritChart> = {
  draw,
  csv: (chart) => ({
    columns: columnsOf(chart),
    rows: chart.items.map(({ name, value }, at) => [name, value, markOf(chart, at)]),
  }),
  table: (chart) => ({
    columns: columnsOf(chart),
    rows: chart.items.map(({ name, value }, at) => [name, recorded(value), markOf(chart, at)]),
  }),
};

const columnsOf = ({ itemLabel, value }: CulpritChart) => [
  { label: itemLabel, unit: "text" as const },
  { label: value.label, unit: value.unit },
  { label: "mark", unit: "text" as const },
];

const markOf = (chart: CulpritChart, at: number) => (chart.marked.includes(at) ? "cause" : "");

/** Narrower than this, bars become one area. */
const BAR_PX_MIN = 4;
const BAR_PX_MAX = 64;
const ROW_PX = 26;
/** How much wider bold words are. */
const BOLD = 1.1;
/** Names of more culprits would crowd out the others. */
const NAMED_MAX = 12;
const AREA_HEIGHT = 200;
const BARS_HEIGHT = 180;

function draw(chart: CulpritChart, context: DrawContext) {
  if (chart.items.length === 0) return nothingToDraw(context.width);
  return chart.direction === "vertical" ? vertical(chart, context) : horizontal(chart, context);
}

/** The axis of values; times are all in seconds, so that they can be compared, and no finer than the largest. */
function axisOf({ items, value, line }: CulpritChart, count: number) {
  const values = [...items.map((item) => item.value), line?.value ?? 0];
  const isTime = value.unit === "seconds";
  const axis = valueAxis(values, value.scale ?? "linear", count, isTime ? "none" : value.unit);
  const most = values.reduce((high, one) => (one > high ? one : high), 0);
  const finest = 10 ** (Math.floor(Math.log10(most || 1)) - 2);
  const text = (number: number) => {
    if (!isTime || number === 0) return formatTick(number, value.unit);
    if (number < finest / 2) return `< ${Number(finest.toPrecision(1))} s`;
    const rounded = Math.round(number / finest) * finest;
    const digits = Math.max(0, -Math.floor(Math.log10(finest)));
    return `${Number(rounded.toFixed(digits)).toLocaleString("en-US", { maximumFractionDigits: 12 })} s`;
  };
  return { ...axis, unit: value.unit, text };
}

function vertical(chart: CulpritChart, context: DrawContext) {
  const { items, line } = chart;
  const axis = axisOf(chart, 4);
  const left = 12 + Math.max(22, ...axis.ticks.map((tick) => textWidth(axis.text(tick), FONT_SMALL)));
  const right = context.width - 8;
  const band = (right - left) / items.length;
  const isArea = band < BAR_PX_MIN;
  const top = 24;
  const bottom = top + (isArea ? AREA_HEIGHT : BARS_HEIGHT);
  const made = frame({
    ...{ left, right, top, bottom },
    ...{ x: placesAxis(items.length), y: axis },
  });
  let body = made.grid;
  if (chart.emptyLabel !== undefined && line !== undefined && line.value > 0)
    body += tag("rect", {
      ...{ x: left, y: made.y(line.value), width: right - left, height: bottom - made.y(line.value) },
      fill: "var(--plot-surface)",
    });
  body += isArea ? areas(chart, context, made, bottom) : columns(chart, context, made, band);
  body += lines(horizontalLine(bottom, left, right), "muted") + made.axes;
  const names = itemNames(chart, made, band, bottom);
  const words = labels(chart, made, left, right, top);
  body += names.body + lineMark(chart, made, left, right, words.taken) + words.body;
  return { body, height: bottom + names.height };
}

function columns(chart: CulpritChart, context: DrawContext, made: Frame, band: number): string {
  const width = Math.min(BAR_PX_MAX, band * 0.82);
  const marked = new Set(chart.marked);
  const bar = (at: number) => {
    const { name, value } = chart.items[at]!;
    const hover = title(`${name}: ${formatExact(value, chart.value.unit)}`);
    const middle = made.x(at + 0.5);
    if (!Number.isFinite(value)) return tag("g", {}, hover + missingMark(middle, made.y(0) - 6));
    const [low, high] = [made.y(0), made.y(value)];
    // A trace of something is still something.
    const height = value === 0 ? 0 : Math.max(2, low - high);
    return tag("rect", { x: middle - width / 2, y: low - height, width, height }, hover);
  };
  const group = (fill: string, of: readonly number[]) =>
    of.length === 0 ? "" : tag("g", { fill }, of.map(bar).join(""));
  const all = chart.items.map((_, at) => at);
  return (
    group(
      context.fill("context"),
      all.filter((at) => !marked.has(at)),
    ) + group(context.fill(chart.severity), chart.marked)
  );
}

/** Neighbours with the same mark are one shape. */
function areas(chart: CulpritChart, context: DrawContext, made: Frame, bottom: number): string {
  const marked = new Set(chart.marked);
  let body = "";
  for (let from = 0; from < chart.items.length; ) {
    const isMarked = marked.has(from);
    let to = from;
    let d = `M${coordinate(made.x(from))} ${coordinate(bottom)}`;
    while (to < chart.items.length && marked.has(to) === isMarked) {
      const y = coordinate(made.y(chart.items[to]!.value || 0));
      d += `L${coordinate(made.x(to))} ${y}H${coordinate(made.x(to + 1))}`;
      to++;
    }
    d += `L${coordinate(made.x(to))} ${coordinate(bottom)}Z`;
    const role = isMarked ? chart.severity : "context";
    const edge = isMarked ? { stroke: `var(--plot-${role})`, "stroke-width": 1.5 } : {};
    body += tag("path", { d, fill: context.fill(role), ...edge });
    from = to;
  }
  return body;
}

/** Each name where it has room; else some, and those of the culprits before all others. */
function itemNames(chart: CulpritChart, made: Frame, band: number, bottom: number) {
  const texts = fitNames(
    chart.items.map(({ name }) => name),
    Math.max(28, Math.min(140, band * 2)),
    FONT_SMALL,
  );
  const widths = texts.map((text) => textWidth(text, FONT_SMALL) + 8);
  const [first, last] = [made.x(0), made.x(chart.items.length)];
  const taken: [number, number][] = [];
  const place = (at: number) => {
    const half = (widths[at] as number) / 2;
    const x = Math.max(first + half - 12, Math.min(last - half + 8, made.x(at + 0.5)));
    if (taken.some(([from, to]) => x + half > from && x - half < to)) return "";
    taken.push([x - half, x + half]);
    const isMarked = chart.marked.includes(at);
    return label(
      texts[at] as string,
      {
        ...{ x, y: bottom + 15, "text-anchor": "middle", "font-size": FONT_SMALL },
        fill: isMarked ? `var(--plot-severity-${chart.severity})` : "var(--plot-muted)",
        ...(isMarked ? { "font-weight": 600 } : {}),
      },
      texts[at] === chart.items[at]!.name ? undefined : chart.items[at]!.name,
    );
  };
  const count = chart.items.length;
  const step = Math.max(1, Math.ceil(count / Math.max(1, Math.floor((last - first) / 64))));
  const wanted = [
    ...new Set([
      ...chart.marked.slice(0, 1),
      ...[0, count - 1],
      ...(chart.marked.length <= NAMED_MAX ? chart.marked : []),
      ...Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step),
      ...(count <= 40 ? chart.items.keys() : []),
    ]),
  ].slice(0, 200);
  const body = wanted.map(place).join("");
  const heading = label(chart.itemLabel, {
    ...{ x: (first + last) / 2, y: bottom + 31, "text-anchor": "middle", "font-size": FONT_SMALL },
    fill: "var(--plot-muted)",
  });
  return { body: body + heading, height: 38 };
}

/** Words that are there already, and the line from them down to the culprit. */
interface Taken {
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly leader: number | undefined;
}

function lineMark(
  { line, marked, items }: CulpritChart,
  made: Frame,
  left: number,
  right: number,
  taken: Taken | undefined,
): string {
  if (line === undefined || !(line.value > 0)) return "";
  const y = made.y(line.value);
  const text = fitMiddle(line.label, right - left, FONT_SMALL);
  const wide = textWidth(text, FONT_SMALL) + 4;
  // On the side where the culprit is not, if nothing stands there; else above what does; else the caption says it.
  const isLeftFirst = (marked[0] ?? 0) > items.length / 2;
  const sides = [isLeftFirst, !isLeftFirst].map((isLeft) => {
    const [from, to] = isLeft ? [left, left + wide] : [right - wide, right];
    const under = items.filter((_, at) => made.x(at) < to && made.x(at + 1) > from);
    const highest = made.y(under.reduce((most, item) => Math.max(most, item.value || 0), line.value));
    return { isLeft, from, to, y: highest - 5, isClear: highest === y };
  });
  const isFree = (side: { from: number; to: number; y: number }) =>
    taken === undefined ||
    ((taken.to < side.from || taken.from > side.to || Math.abs(taken.y - side.y) >= FONT + 2) &&
      !(taken.leader !== undefined && taken.leader >= side.from && taken.leader <= side.to));
  const free = sides.filter(isFree);
  const side = free.find(({ isClear }) => isClear) ?? free[0];
  return (
    tag("path", {
      d: horizontalLine(y, left, right),
      ...{ stroke: "var(--plot-text)", "stroke-dasharray": "4 3", fill: "none" },
    }) +
    (side === undefined
      ? ""
      : haloed(text, {
          ...{ x: side.isLeft ? left + 2 : right, y: side.y, "text-anchor": side.isLeft ? "start" : "end" },
          "font-size": FONT_SMALL,
          fill: "var(--plot-muted)",
        }))
  );
}

/** The mark says what it is beside the culprit, on the side with more room; what the others are stands above them. */
function labels(
  chart: CulpritChart,
  made: Frame,
  left: number,
  right: number,
  top: number,
): { readonly body: string; readonly taken: Taken | undefined } {
  const { items, marked, severity } = chart;
  if (marked.length === 0) return { body: "", taken: undefined };
  const [first, last] = [marked[0] as number, marked.at(-1) as number];
  const highest = marked.reduce((most, at) => Math.max(most, items[at]!.value || 0), 0);
  const [from, to] = [made.x(first), made.x(last + 1)];
  const isRight = right - to >= from - left;
  const room = isRight ? right - to : from - left;
  const text = fitMiddle(chart.markLabel, Math.max(room - 24, right - left - 16), FONT);
  const wide = textWidth(text, FONT) + 20;
  // Others must not stand behind the words.
  const others = items.reduce(
    (most, item, at) => (marked.includes(at) ? most : Math.max(most, item.value || 0)),
    0,
  );
  const clear = made.y(others) - 8;
  const markTop = made.y(highest);
  // A culprit below the others is named above them, with a line down to it.
  const isBelow = others > 0.8 * highest;
  const isBeside = wide <= room && !isBelow;
  const y = isBeside
    ? Math.max(top + 26, Math.min(markTop + 14, clear))
    : Math.max(top - 10, Math.min(markTop, clear + 8) - 8);
  const middle = (from + to) / 2;
  const x = isBeside
    ? isRight
      ? to + 10
      : from - 10
    : Math.max(left + wide / 2, Math.min(right - wide / 2, middle));
  const anchor = isBeside ? (isRight ? "start" : "end") : "middle";
  const hasLeader = isBelow && markTop - y > 16;
  const leader = hasLeader
    ? tag("path", {
        d: `M${coordinate(middle)} ${coordinate(y + 5)}V${coordinate(markTop - 3)}`,
        ...{ stroke: `var(--plot-severity-${severity})`, fill: "none" },
      })
    : "";
  const ground = chart.emptyLabel === undefined ? "background" : "surface";
  let body = leader;
  body += haloed(
    text,
    {
      ...{ x, y, "text-anchor": anchor, "font-size": FONT, "font-weight": 600 },
      fill: `var(--plot-severity-${severity})`,
    },
    ground,
  );
  if (chart.emptyLabel !== undefined && chart.line !== undefined) {
    const space = made.y(others) - made.y(chart.line.value);
    if (space > 64)
      body += haloed(
        fitMiddle(chart.emptyLabel, right - to - 24, FONT),
        {
          ...{ x: right - 10, y: made.y(chart.line.value) + space / 2 + 12, "text-anchor": "end" },
          ...{ "font-size": FONT, fill: "var(--plot-text)" },
        },
        ground,
      );
  }
  if (chart.restLabel !== undefined && isRight && right - to > 64 && clear > y + 18)
    body += haloed(
      fitMiddle(chart.restLabel, right - to - 24, FONT),
      {
        ...{ x: Math.min(to + 10, right), y: clear, "font-size": FONT, fill: "var(--plot-muted)" },
      },
      ground,
    );
  const start = anchor === "start" ? x : anchor === "end" ? x - wide : x - wide / 2;
  return {
    body,
    taken: { from: start, to: start + wide, y, leader: hasLeader ? middle : undefined },
  };
}

/** Words over a drawing, with the ground around them so that lines behind do not strike them out. */
const haloed = (text: string, attributes: Parameters<typeof label>[1], ground = "background") =>
  text === ""
    ? ""
    : label(text, {
        ...attributes,
        ...{ stroke: `var(--plot-${ground})`, "stroke-width": 3, "paint-order": "stroke" },
      });

function horizontal(chart: CulpritChart, context: DrawContext) {
  const { items, value, marked, severity, line } = chart;
  const { width } = context;
  const axis = axisOf(chart, width < 480 ? 3 : 5);
  // Names of culprits are bold.
  const names = fitNames(
    items.map(({ name }) => name),
    Math.min(width * 0.42, 260) / BOLD,
    FONT,
  );
  const left = 16 + BOLD * Math.max(...names.map((name) => textWidth(name, FONT)));
  const texts = items.map((item) => (Number.isFinite(item.value) ? axis.text(item.value) : "not recorded"));
  const right = width - 14 - BOLD * Math.max(...texts.map((text) => textWidth(text, FONT)));
  const top = chart.markLabel === "" ? 8 : 26;
  const bottom = top + items.length * ROW_PX;
  const made = frame({
    ...{ left, right, top, bottom },
    x: { ...axis, ticks: thinnedTicks(axis.ticks, right - left, value.unit, axis.text) },
    y: { ...placesAxis(items.length), down: true },
  });
  const lineX = line !== undefined && line.value > 0 ? made.x(line.value) : Number.NaN;
  let body = made.grid;
  for (const [at, item] of items.entries()) {
    const isMarked = marked.includes(at);
    const middle = made.y(at + 0.5);
    const end = Number.isFinite(item.value) ? made.x(item.value) : left;
    const hover = `${item.name}: ${formatExact(item.value, value.unit)}`;
    const tone = isMarked
      ? { fill: `var(--plot-severity-${severity})`, "font-weight": 600 }
      : { fill: "var(--plot-text)" };
    body += tag(
      "rect",
      {
        ...{ x: left, y: middle - 7, width: item.value === 0 ? 0 : Math.max(2, end - left), height: 14 },
        fill: context.fill(isMarked ? severity : "context"),
      },
      title(hover),
    );
    body += label(
      names[at] as string,
      { x: left - 8, y: middle + 4, "text-anchor": "end", ...tone },
      item.name,
    );
    const text = texts[at] as string;
    // Not across the line.
    const begin = Math.max(end, left) + 6;
    const isStruck = lineX > begin - 4 && lineX < begin + BOLD * textWidth(text, FONT);
    body += label(text, { x: isStruck ? lineX + 6 : begin, y: middle + 4, ...tone });
  }
  body += tag("path", {
    d: `M${coordinate(left)} ${top}V${coordinate(bottom)}`,
    ...{ stroke: "var(--plot-muted)", fill: "none" },
  });
  if (lineX > 0)
    body += tag("path", {
      d: `M${coordinate(lineX)} ${top}V${coordinate(bottom)}`,
      ...{ stroke: "var(--plot-text)", "stroke-dasharray": "4 3", fill: "none" },
    });
  body += made.axes;
  body += label(fitMiddle(chart.markLabel, width - 16, FONT), {
    ...{ x: 8, y: 14, fill: `var(--plot-severity-${severity})`, "font-weight": 600 },
  });
  const under = [line?.label, chart.restLabel].filter((one) => one !== undefined && one !== "");
  if (under.length === 0) return { body, height: bottom + 24 };
  body += label(fitMiddle(under.join(" · "), width - 16, FONT_SMALL), {
    ...{ x: 8, y: bottom + 33, "font-size": FONT_SMALL, fill: "var(--plot-muted)" },
  });
  return { body, height: bottom + 40 };
}
