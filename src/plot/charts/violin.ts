/** One mirrored density per group, with the mean as a solid line and median and quartiles thin. */

import type { ViolinChart } from "../../model/index.ts";
import { formatExact, formatTick, formatValue } from "../format.ts";
import { frame, placesAxis } from "../frame.ts";
import { lineSwatch, seriesLegend } from "../legend.ts";
import { type Box, HALO } from "../places.ts";
import { publishedMarks } from "../published.ts";
import { type Attributes, coordinate, label, tag, title } from "../svg.ts";
import { fitMiddle, fitNames, textWidth } from "../text.ts";
import { roleColour } from "../theme.ts";
import { spreadAxis } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT, FONT_SMALL, nothingToDraw, recorded } from "./chart.ts";

export const violin: ChartKind<ViolinChart> = {
  draw,
  csv: ({ groupLabel, groups, value, published }) => ({
    columns: [
      ...summaryColumns(groupLabel, value),
      { label: value.label, unit: value.unit },
      { label: "density", unit: "none" },
    ],
    rows: csvRows(groups, published),
  }),
  table: ({ groupLabel, groups, value, published = [] }) => ({
    columns: summaryColumns(groupLabel, value),
    rows: [
      ...groups.map(({ name, n, mean, lowerQuartile, median, upperQuartile }) => [
        name,
        ...[n, mean, lowerQuartile, median, upperQuartile].map(recorded),
      ]),
      ...published.map(({ label: name, value: of }) => [name, null, of, null, null, null]),
    ],
  }),
};

type Group = ViolinChart["groups"][number];

function summaryColumns(groupLabel: string, { unit }: ViolinChart["value"]) {
  return [
    { label: groupLabel, unit: "text" as const },
    { label: "n", unit: "count" as const },
    ...["mean", "lower quartile", "median", "upper quartile"].map((label) => ({ label, unit })),
  ];
}

function* csvRows(
  groups: readonly Group[],
  published: ViolinChart["published"] = [],
): Generator<(number | string)[]> {
  const none = Array.from({ length: 5 }, () => Number.NaN);
  for (const { name, n, mean, lowerQuartile, median, upperQuartile, values, densities } of groups) {
    const summary = [name, n, mean, lowerQuartile, median, upperQuartile];
    if (values.length === 0) yield [...summary, Number.NaN, Number.NaN];
    for (const [index, value] of values.entries()) yield [...summary, value, densities[index] ?? Number.NaN];
  }
  for (const { label: name, value } of published) yield [name, Number.NaN, value, ...none];
}

/** Fewer values have no shape worth drawing. */
const SHAPED_MIN = 5;
/** Share of a group's place that the widest violin takes. */
const FILLED = 0.86;
const VIOLIN_PX_MAX = 200;

function draw(chart: ViolinChart, context: DrawContext) {
  const { groups, groupLabel, value, published = [] } = chart;
  if (groups.length === 0) return nothingToDraw(context.width);
  const axis = spreadAxis(
    [...groups.flatMap(drawnValues), ...published.map((mark) => mark.value)],
    value.scale ?? "linear",
    6,
    value.unit,
  );
  const texts = axis.ticks.map((tick) => textWidth(formatTick(tick, value.unit), FONT_SMALL));
  const left = 14 + Math.max(20, ...texts);
  const right = context.width - 10;
  const legend = seriesLegend(LINES, context);
  const top = legend.height + 26;
  const bottom = top + Math.round(Math.min(300, Math.max(190, context.width * 0.4)));
  const box = { left, right, top, bottom };
  const made = frame({
    ...{ ...box, x: placesAxis(groups.length), y: { ...axis, unit: value.unit } },
  });
  const band = (right - left) / groups.length;
  const widest = Math.max(0, ...groups.filter(isShaped).map(({ densities }) => highest(densities)));
  const room = Math.min(VIOLIN_PX_MAX, band * FILLED) / 2;
  let body = legend.body + made.grid + made.axes;
  for (const [index, group] of groups.entries()) {
    const middle = left + (index + 0.5) * band;
    const halfAt = (at: number) => (widest > 0 ? (densityAt(group, at) / widest) * room : 0);
    body += violinOf(group, { middle, room, place: made.y, halfAt, log: axis.scale === "log", box, value });
  }
  body += publishedMarks(published, {
    ...{ box, unit: value.unit, axis: "y", place: made.y },
    covered: (place) =>
      groups.some((group, index) => {
        const at = group.values.filter(
          (one) => made.y(one) > place.top - 3 && made.y(one) < place.bottom + 3,
        );
        const half = Math.max(0, ...at.map((one) => (densityAt(group, one) / widest) * room));
        const middle = left + (index + 0.5) * band;
        return half > 0 && place.left < middle + half && place.right > middle - half;
      }),
  });
  const below = namesBelow(chart, band, box);
  body += below.body;
  body += label(fitMiddle(value.label, right - 8, FONT), {
    ...{ x: 8, y: legend.height + 14, fill: "var(--plot-muted)" },
  });
  body += label(fitMiddle(groupLabel, right - left, FONT), {
    ...{ x: (left + right) / 2, y: bottom + below.height + 14 },
    ...{ "text-anchor": "middle", fill: "var(--plot-muted)" },
  });
  return { body, height: bottom + below.height + 22 };
}

const MEAN = { stroke: "var(--plot-text)", "stroke-width": 2.5 };
const MEDIAN = { stroke: "var(--plot-text)", "stroke-width": 1 };
const QUARTILE = { stroke: "var(--plot-text)", "stroke-width": 1, "stroke-dasharray": "3 2" };
const LINES = [
  { name: "mean", show: lineSwatch(MEAN) },
  { name: "median", show: lineSwatch(MEDIAN) },
  { name: "quartiles", show: lineSwatch(QUARTILE) },
];

function isShaped({ n, densities }: Group): boolean {
  return n >= SHAPED_MIN && densities.some((of) => of > 0 && Number.isFinite(of));
}

/** What the value axis has to hold of a group. */
function drawnValues(group: Group): number[] {
  const { n, mean, median, lowerQuartile, upperQuartile, values } = group;
  if (!(n > 0)) return [];
  return isShaped(group) ? [...values, mean, median, lowerQuartile, upperQuartile] : [mean];
}

function highest(densities: readonly number[]): number {
  let most = 0;
  for (const of of densities) if (of > most && of < Number.POSITIVE_INFINITY) most = of;
  return most;
}

/** Between two known densities on the straight line. */
function densityAt({ values, densities }: Group, at: number): number {
  const next = values.findIndex((value) => value >= at);
  if (next < 0) return 0;
  const [a, b] = [values[next - 1], values[next]!];
  const [low, high] = [finite(densities[next - 1]), finite(densities[next])];
  if (a === undefined || b === at) return b === at ? high : 0;
  return low + ((high - low) * (at - a)) / (b - a);
}

function finite(value: number | undefined): number {
  return value !== undefined && value > 0 && value < Number.POSITIVE_INFINITY ? value : 0;
}

interface Placing {
  readonly middle: number;
  readonly room: number;
  readonly log: boolean;
  readonly box: Box;
  readonly value: ViolinChart["value"];
  place(value: number): number;
  /** Half the width of the shape at a value. */
  halfAt(value: number): number;
}

function violinOf(group: Group, placing: Placing): string {
  const { middle, room, place, halfAt, log, box, value } = placing;
  const { n, mean, median, lowerQuartile, upperQuartile, role } = group;
  const drawable = (at: number) => Number.isFinite(at) && (!log || at > 0);
  if (!(n > 0)) {
    const at = { x: middle, y: (box.top + box.bottom) / 2, "text-anchor": "middle", "font-size": FONT_SMALL };
    const shown = textWidth("no data", FONT_SMALL) <= 2.2 * room + 8 ? "no data" : "–";
    return label(shown, { ...at, fill: "var(--plot-muted)", ...HALO }, `${group.name}: no data`);
  }
  const hover = title(
    `${group.name}: n = ${formatExact(n, "count")}; mean ${formatExact(mean, value.unit)}; ` +
      `median ${formatExact(median, value.unit)}; quartiles ${formatExact(lowerQuartile, value.unit)} and ` +
      formatExact(upperQuartile, value.unit),
  );
  const line = (at: number, half: number, style: Attributes) =>
    drawable(at)
      ? tag("path", {
          d: `M${coordinate(middle - half)} ${coordinate(place(at))}h${coordinate(2 * half)}`,
          ...{ fill: "none", ...style },
        })
      : "";
  const least = Math.min(9, room);
  let body = hover;
  if (isShaped(group)) {
    body += shape(group, placing, drawable);
    for (const at of [lowerQuartile, upperQuartile]) body += line(at, Math.max(3, halfAt(at)), QUARTILE);
    body += line(median, Math.max(3, halfAt(median)), MEDIAN);
    body += line(mean, Math.max(least, halfAt(mean) + 3), MEAN);
  } else body += line(mean, Math.max(least, room * 0.3), { ...MEAN, stroke: roleColour(role) });
  return tag("g", {}, body);
}

function shape(group: Group, { middle, place, halfAt }: Placing, drawable: (at: number) => boolean): string {
  const values = group.values.filter(drawable);
  const sides = [1, -1].map((side) =>
    values.map((at) => `${coordinate(middle + side * halfAt(at))} ${coordinate(place(at))}`),
  );
  if (values.length === 0) return "";
  const d = `M${sides[0]!.join("L")}L${sides[1]!.reverse().join("L")}z`;
  const colour = roleColour(group.role);
  return tag("path", { d, fill: colour, "fill-opacity": 0.3, stroke: colour, "stroke-linejoin": "round" });
}

/** Name, n and mean under each violin, as far as they have room. */
function namesBelow({ groups, value }: ViolinChart, band: number, { left, bottom }: Box) {
  const every = Math.max(1, Math.ceil(34 / band));
  const room = band * every - 6;
  const shown = fitNames(
    groups.map(({ name }) => name),
    room,
    FONT,
  );
  const counts = groups.map(({ n }) => `n = ${formatExact(n > 0 ? n : 0, "count")}`);
  const means = groups.map(({ n, mean }) => (n > 0 ? `mean ${formatValue(mean, value.unit)}` : ""));
  const fits = (texts: readonly string[]) => texts.every((text) => textWidth(text, FONT_SMALL) <= room);
  const rows = [counts.map((text) => (fits(counts) ? text : text.slice(4))), ...(fits(means) ? [means] : [])];
  let body = "";
  for (let index = 0; index < groups.length; index += every) {
    const at = { x: left + (index + 0.5) * band, "text-anchor": "middle" };
    const { name } = groups[index]!;
    body += label(shown[index]!, { ...at, y: bottom + 15 }, shown[index] === name ? undefined : name);
    for (const [row, texts] of rows.entries()) {
      const text = fitMiddle(texts[index]!, room, FONT_SMALL);
      const y = bottom + 29 + 13 * row;
      body += label(text, { ...at, y, "font-size": FONT_SMALL, fill: "var(--plot-muted)" });
    }
  }
  return { body, height: 22 + 13 * rows.length };
}
