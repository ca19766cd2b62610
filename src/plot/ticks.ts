/** Where an axis is marked: round numbers, and for time the steps of a clock. */

import type { Unit } from "../model/index.ts";
import { formatTick } from "./format.ts";
import { textWidth } from "./text.ts";

const CLOCK_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800,
  604_800,
];
const WHOLE: ReadonlySet<Unit> = new Set(["index", "count", "calls", "files", "ranks"]);

/** The distance of marks so that there are about `count`. */
export function tickStep(span: number, count: number, unit: Unit): number {
  const rough = span / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  if ((unit === "seconds" || unit === "unix-seconds") && rough > 1) {
    const clock = CLOCK_STEPS.find((step) => step >= rough);
    if (clock !== undefined) return clock;
    return 86_400 * decimalStep(rough / 86_400);
  }
  const step = decimalStep(rough);
  return WHOLE.has(unit) ? Math.max(1, step) : step;
}

/** Exact: engines differ in the last bit of `10 ** power`. */
function tenTo(power: number): number {
  return Number(`1e${power}`);
}

function decimalStep(rough: number): number {
  const power = tenTo(Math.floor(Math.log10(rough)));
  const lead = rough / power;
  const nice = lead <= 1.0001 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10;
  return power * nice;
}

export function linearTicks(min: number, max: number, count: number, unit: Unit): number[] {
  const step = tickStep(max - min, count, unit);
  const ticks: number[] = [];
  const last = Math.floor(max / step + 1e-9);
  // "|| 0" turns -0 into 0.
  for (let at = Math.ceil(min / step - 1e-9) || 0; at <= last && ticks.length < 100; at++)
    // Dividing by the inverse gives 0.3, not 0.30000000000000004.
    ticks.push(step < 1 ? at / Math.round(1 / step) : at * step);
  return ticks;
}

/** Powers of ten, every k-th if they are many. */
function logTicks(min: number, max: number, count: number): number[] {
  const first = Math.ceil(Math.log10(min) - 1e-9);
  const last = Math.floor(Math.log10(max) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  const ticks: number[] = [];
  for (let power = first; power <= last; power += every) ticks.push(tenTo(power));
  return ticks;
}

export interface ValueAxis {
  readonly scale: "linear" | "log";
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}

/** An axis for bars: from zero, or on a log axis from below the smallest value so that it too has a length. */
export function valueAxis(
  values: Iterable<number>,
  scale: "linear" | "log",
  count: number,
  unit: Unit,
): ValueAxis {
  let [low, high, least] = [0, 0, Number.POSITIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
    if (value > 0 && value < least) least = value;
  }
  if (scale === "log" && high > 0) {
    const from = 0.55 * tenTo(Math.floor(Math.log10(least)));
    const to = Math.max(high * 1.15, from * 20);
    const domain = [Math.max(from, Number.MIN_VALUE * 1e10), Math.min(to, 1e308)] as const;
    return { scale, domain, ticks: logTicks(domain[0], domain[1], count) };
  }
  if (high === low) high = low + 1;
  const step = tickStep(high - low, count, unit);
  const domain = [Math.floor(low / step) * step, Math.ceil(high / step - 1e-9) * step] as const;
  return { scale: "linear", domain, ticks: linearTicks(domain[0], domain[1], count, unit) };
}

/** An axis for places: from the smallest value to the largest, with a little room. Log: of the positive ones. */
export function spreadAxis(
  values: Iterable<number>,
  scale: "linear" | "log",
  count: number,
  unit: Unit,
): ValueAxis {
  const isLog = scale === "log";
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value) || (isLog && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) [low, high] = [0, 1];
  else if (isLog) {
    // Distances are finite within these.
    [low, high] = [Math.min(Math.max(low, 1e-290), 1e290), Math.max(Math.min(high, 1e290), 1e-290)];
    const decades = Math.log10(high) - Math.log10(low);
    const room = Math.max(10 ** (0.03 * decades), decades < 0.2 ? 1.5 : 1.05);
    const domain = [low / room, high * room] as const;
    return { scale, domain, ticks: logMarks(domain[0], domain[1], count, unit) };
  }
  [low, high] = [Math.max(low, -1e300), Math.min(high, 1e300)];
  if (low === high) {
    const room = Math.abs(low) * 0.1 || 1;
    [low, high] = [low === 0 ? 0 : low - room, low + room];
  }
  const step = tickStep(high - low, count, unit);
  const domain = [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step] as const;
  return { scale: "linear", domain, ticks: linearTicks(domain[0], domain[1], count, unit) };
}

/** From a minute on, time is read by the clock. */
const CLOCK_DECADES = [1, 10, 60, 600, 3600, 86_400];
const CLOCK_FINE = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 18_000, 36_000, 86_400];

/** Marks of a log axis: decades, every k-th if many; with 2 and 5 between them if few; for time those of a clock. */
export function logMarks(min: number, max: number, count: number, unit: Unit): number[] {
  const inside = (marks: readonly number[]) => marks.filter((mark) => mark >= min && mark <= max);
  const decades = inside(logSteps(min, max, unit, [1], CLOCK_DECADES));
  if (decades.length > count) {
    const every = Math.ceil(decades.length / count);
    return decades.filter((_, index) => index % every === 0);
  }
  // From an hour to a day it is far, and the hours between are read.
  if (decades.length > (unit === "seconds" ? count / 2 : 2)) return decades;
  const fine = inside(logSteps(min, max, unit, [1, 2, 5], CLOCK_FINE));
  if (fine.length > 1) return fine.length > 1.5 * count ? fine.filter((_, index) => index % 2 === 0) : fine;
  return linearTicks(min, max, count, unit).filter((mark) => mark >= min && mark <= max);
}

function logSteps(min: number, max: number, unit: Unit, digits: readonly number[], clock: readonly number[]) {
  const [first, last] = [Math.floor(Math.log10(min)) - 1, Math.ceil(Math.log10(max))];
  const powers = (from: number, to: number) => {
    const steps: number[] = [];
    for (let power = from; power <= to; power++)
      for (const digit of digits) steps.push(Number(`${digit}e${power}`));
    return steps;
  };
  if (unit !== "seconds") return powers(first, last);
  const days = powers(0, last - 4).map((step) => 86_400 * step);
  return [...powers(first, -1), ...clock, ...days.filter((step) => step > 86_400)];
}

/** Where a value stands between two pixels; what lies outside the axis stands at its end. */
export function placeOn({ scale, domain: [low, high] }: ValueAxis, from: number, to: number) {
  const [start, end] = scale === "log" ? [Math.log10(low), Math.log10(high)] : [low, high];
  const span = end - start || 1;
  return (value: number): number => {
    const inside = Math.min(high, Math.max(low, value));
    return from + (((scale === "log" ? Math.log10(inside) : inside) - start) / span) * (to - from);
  };
}

/** Every k-th tick, so that their texts stand apart on an axis of `width` pixels. */
export function thinnedTicks(
  ticks: readonly number[],
  width: number,
  unit: Unit,
  text = (tick: number) => formatTick(tick, unit),
): number[] {
  const widest = Math.max(0, ...ticks.map((tick) => textWidth(text(tick), 10)));
  const every = Math.max(1, Math.ceil(((widest + 10) * ticks.length) / Math.max(1, width)));
  return ticks.filter((_, index) => index % every === 0);
}
