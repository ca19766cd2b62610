/** Where an axis is marked: round numbers, and for time the steps of a clock. */

import type { Unit } from "../model/finding.ts";
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
export function logTicks(min: number, max: number, count: number): number[] {
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

/** Every k-th tick, so that their texts stand apart on an axis of `width` pixels. */
export function thinnedTicks(ticks: readonly number[], width: number, unit: Unit): number[] {
  const widest = Math.max(0, ...ticks.map((tick) => textWidth(formatTick(tick, unit), 10)));
  const every = Math.max(1, Math.ceil(((widest + 10) * ticks.length) / Math.max(1, width)));
  return ticks.filter((_, index) => index % every === 0);
}
