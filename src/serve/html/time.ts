/** Figures that share one time axis: line strips with their usual range, and heat map rows. */
import { formatCount } from "../../base/units.ts";
import type { Band } from "../../analyze/load/index.ts";
import { attribute, escapeHtml, markSvg, prose } from "../../report/html/index.ts";

export interface TimeAxis {
  /** Minutes since 1970 of the first step. */
  readonly from: number;
  readonly stepMinutes: number;
  readonly steps: number;
  /** Offset of the time zone from UTC in seconds. */
  readonly offsetSeconds: number;
}

const TICK_MINUTES = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080];
const TICKS_MOST = 7;

const clockOf = (axis: TimeAxis, minute: number): Date => new Date((minute * 60 + axis.offsetSeconds) * 1000);
const pad = (value: number): string => String(value).padStart(2, "0");

/** 14:05, or Jun 7 where steps are days. */
export function timeText(axis: TimeAxis, minute: number, withDay = false): string {
  const date = clockOf(axis, minute);
  const time = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}`;
  const day = `${date.toLocaleString("en", { month: "short", timeZone: "UTC" })} ${date.getUTCDate()}`;
  return withDay ? `${day}, ${time}` : time;
}

/** Start of the step that contains the minute, as in CSV. */
export const stepSql = ({ from, stepMinutes }: TimeAxis): string =>
  `make_timestamp((${from} + (minute_unix - ${from}) // ${stepMinutes} * ${stepMinutes}) * 60000000)`;

/** Round times, at most seven of them. */
export function axisHtml(axis: TimeAxis): string {
  const minutes = axis.steps * axis.stepMinutes;
  const step = TICK_MINUTES.find((one) => minutes / one <= TICKS_MOST) ?? 10_080;
  const offset = Math.round(axis.offsetSeconds / 60);
  const first = Math.ceil((axis.from + offset) / step) * step - offset;
  const labels: string[] = [];
  for (let minute = first; minute < axis.from + minutes; minute += step) {
    const left = (100 * (minute - axis.from)) / minutes;
    // The last label would leave the box.
    if (left > 93) continue;
    const text =
      step >= 1440 ? (timeText(axis, minute, true).split(",")[0] as string) : timeText(axis, minute);
    labels.push(`<span style="left:${left.toFixed(2)}%">${escapeHtml(text)}</span>`);
  }
  return `<div class="trow-axis"><span></span><div class="taxis axis">${labels.join("")}</div><span></span></div>`;
}

export interface Strip {
  readonly name: string;
  readonly unit: string;
  /** Values per second, in the unit; NaN: no sample. */
  readonly values: readonly number[];
  readonly band: Band | undefined;
  /** Shown instead of the state if there is no band. */
  readonly noBand?: string;
  /** Upper end of the axis, unless it follows from the values. */
  readonly top?: number;
}

const UNUSUAL = 1.25;

/** Where the last value lies relative to its usual range; "near": slightly outside. */
export function stripState({ values, band }: Strip): "above" | "below" | "usual" | "near" | "unknown" {
  const last = values.findLastIndex((value) => !Number.isNaN(value));
  const [value, low, high] = [values[last], band?.low[last], band?.high[last]];
  if (value === undefined || low === undefined || high === undefined || !(high > 0)) return "unknown";
  if (value > UNUSUAL * high) return "above";
  if (value < low / UNUSUAL / 2) return "below";
  return value > high || value < low ? "near" : "usual";
}

export function stripHtml(strip: Strip): string {
  const { values, band, name, unit } = strip;
  const all = [...values, ...(band?.high ?? [])].filter((value) => Number.isFinite(value));
  const top = strip.top ?? niceTop(all.reduce((most, value) => Math.max(most, value), 0));
  const last = values.findLast((value) => !Number.isNaN(value)) ?? Number.NaN;
  const at = values.findLastIndex((value) => !Number.isNaN(value));
  const state = stripState(strip);
  const words = { above: "warn", below: "info", usual: "good", near: "good" } as const;
  const mark =
    state === "unknown"
      ? strip.noBand === undefined
        ? ""
        : `<span>${escapeHtml(strip.noBand)}</span>`
      : `<span class="sev ${words[state]}">${markSvg(words[state])}${state}</span>`;
  const range = state === "unknown" ? "" : `${short(band?.low[at] ?? 0)}–${short(band?.high[at] ?? 0)}`;
  const summary = `${name}: ${short(last)} ${unit} now${range === "" ? "" : `, usual ${range}`}`;
  return `<div class="strip"><div class="l"><b>${escapeHtml(name)}</b><span>${escapeHtml(unit)}</span></div>
<div class="tplot" role="img" aria-label="${attribute(summary)}"><span class="ymax axis">${axisText(top)}</span><svg viewBox="0 0 ${values.length} 40" preserveAspectRatio="none" aria-hidden="true">${bandPath(band, top, values.length)}${state === "above" ? excessPath(values, band, top) : ""}${linePath(values, top)}</svg>${gapsHtml(values)}</div>
<div class="r"><b>${short(last)}</b>${mark}<span>${range}</span></div></div>`;
}

const y = (value: number, top: number): string => (39 - (38 * Math.min(value, top)) / (top || 1)).toFixed(1);

function bandPath(band: Band | undefined, top: number, count: number): string {
  if (band === undefined || count === 0) return "";
  const upper = Array.from({ length: count }, (_, at) => `${at + 0.5} ${y(band.high[at] ?? 0, top)}`);
  const lower = Array.from(
    { length: count },
    (_, at) => `${at + 0.5} ${y(band.low[at] ?? 0, top)}`,
  ).reverse();
  return `<path class="t-band" d="M${upper.join("L")}L${lower.join("L")}Z"/>`;
}

/** The part of the line above the usual range, in the colour of an alert. */
function excessPath(values: readonly number[], band: Band | undefined, top: number): string {
  const columns = values.flatMap((value, at) => {
    const high = band?.high[at] ?? Number.POSITIVE_INFINITY;
    if (!(value > high)) return [];
    return [`M${at} ${y(value, top)}H${at + 1}V${y(high, top)}H${at}Z`];
  });
  return `<path class="t-excess" d="${columns.join("")}"/>`;
}

/** The line breaks where samples are missing. */
function linePath(values: readonly number[], top: number): string {
  let path = "";
  values.forEach((value, at) => {
    if (Number.isNaN(value)) return;
    const isFirst = at === 0 || Number.isNaN(values[at - 1] as number);
    path += `${isFirst ? "M" : "L"}${at + 0.5} ${y(value, top)}`;
    // A lone step is a dot.
    if (isFirst && (at + 1 >= values.length || Number.isNaN(values[at + 1] as number))) path += "h0.4";
  });
  return `<path class="t-line" d="${path}"/>`;
}

/** 1, 2 or 5 times a power of ten, and at least the value. */
function niceTop(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const).find((step) => step * power >= value) ?? 10) * power;
}

/** Axis labels: like `short`, without trailing zeros. */
const axisText = (value: number): string => short(value).replace(/\.0+$|(\.\d*?[1-9])0+$/, "$1");

/** Three digits at most. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  if (value >= 100) return formatCount(value);
  return value >= 10
    ? value.toFixed(1)
    : value >= 0.995
      ? value.toFixed(2)
      : String(Number(value.toPrecision(2)));
}

export interface HeatRow {
  readonly name: string;
  readonly href: string | undefined;
  /** Values per second, in the unit of the map; NaN: no sample. */
  readonly values: readonly number[];
  readonly isMarked: boolean;
  readonly isLate: boolean;
}

const CLASSES = 5;

/** The value of the darkest colour: high enough that usual load stays pale. */
export function heatTop(rows: readonly HeatRow[]): number {
  const values = rows.flatMap((row) => row.values.filter((value) => value > 0)).sort((a, b) => a - b);
  const at = (part: number) => values[Math.floor(part * (values.length - 1))] ?? 0;
  // Keeps a few hot cells from blanking the rest, and an even map from looking hot.
  return niceTop(Math.max(at(0.98), 4 * at(0.5)));
}

export function heatRowsHtml(rows: readonly HeatRow[], top: number, axis: TimeAxis): string {
  return rows
    .map((row) => {
      const classes = `hrow${row.isMarked ? " warn" : ""}${row.isLate ? " late" : ""}`;
      const mark = row.isMarked ? `<span class="sev warn">${markSvg("warn")}</span>` : "";
      const name = `${mark}${prose(row.name)}`;
      const label =
        row.href === undefined
          ? `<span class="l">${name}</span>`
          : `<a class="l" href="${escapeHtml(row.href)}">${name}</a>`;
      const last = row.values.findLast((value) => !Number.isNaN(value)) ?? Number.NaN;
      return `<div class="${classes}">${label}<div class="tplot heat"${row.href === undefined ? "" : ` data-href="${escapeHtml(row.href)}" data-from="${axis.from}" data-step="${axis.stepMinutes}" data-steps="${axis.steps}"`}><svg viewBox="0 0 ${axis.steps} 1" preserveAspectRatio="none" shape-rendering="crispEdges" aria-hidden="true">${cellPaths(row.values, top)}</svg>${gapsHtml(row.values)}</div><span class="r">${row.isLate ? "late" : short(last)}</span></div>`;
    })
    .join("\n");
}

function classOf(value: number, top: number): number {
  if (!(value > 0)) return 0;
  return Math.min(CLASSES, 1 + Math.floor((CLASSES * value) / top));
}

/** Adjacent cells of one class become one rectangle. */
function cellPaths(values: readonly number[], top: number): string {
  const paths = new Map<number, string>();
  for (const { first, end, key } of runsOf(values, (value) =>
    Number.isNaN(value) ? -1 : classOf(value, top),
  ))
    if (key >= 0) paths.set(key, `${paths.get(key) ?? ""}M${first} 0H${end}V1H${first}Z`);
  return [...paths].map(([key, d]) => `<path class="c${key}" d="${d}"/>`).join("");
}

function gapsHtml(values: readonly number[]): string {
  return runsOf(values, (value) => Number(Number.isNaN(value)))
    .filter(({ key }) => key === 1)
    .map(
      ({ first, end }) =>
        `<i class="gapx" title="no sample" style="left:${((100 * first) / values.length).toFixed(2)}%;width:${((100 * (end - first)) / values.length).toFixed(2)}%"></i>`,
    )
    .join("");
}

function runsOf(
  values: readonly number[],
  keyOf: (value: number) => number,
): { readonly first: number; readonly end: number; readonly key: number }[] {
  const runs: { first: number; end: number; key: number }[] = [];
  values.forEach((value, at) => {
    const key = keyOf(value);
    const last = runs.at(-1);
    if (last?.key === key) last.end = at + 1;
    else runs.push({ first: at, end: at + 1, key });
  });
  return runs;
}

export const rampHtml = (top: number): string =>
  `<span class="ramp">0 ${Array.from({ length: CLASSES + 1 }, (_, at) => `<i class="c${at}"></i>`).join("")} over ${axisText(top)} <i class="gapbox"></i>no sample</span>`;
