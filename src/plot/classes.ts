/** A sequential scale in a few classes: few paths to draw, and a legend that can be read back. */

import type { Unit } from "../model/index.ts";
import { SEQUENTIAL_CLASSES } from "./theme.ts";
import { tickStep } from "./ticks.ts";

/** How far a log scale reaches below the highest value. */
const DECADES = 1e6;

export interface Classes {
  /** Bounds: class c holds values from bounds[c] up to bounds[c + 1]; the last includes its upper bound. */
  readonly bounds: readonly number[];
  /** Class of a value, or -1 when it is not drawn: zero, negative, infinite or not recorded. */
  of(value: number): number;
  /** Colour of a class; few classes are spread over the whole scale. */
  colour(index: number): string;
}

export function classesOf(values: Iterable<number>, scale: "linear" | "log", unit: Unit): Classes {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (!(value > 0) || value === Number.POSITIVE_INFINITY) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const bounds = high === 0 ? [] : scale === "log" ? logBounds(low, high) : linearBounds(high, unit);
  const count = Math.max(0, bounds.length - 1);
  return {
    bounds,
    of(value) {
      if (!(value > 0) || value === Number.POSITIVE_INFINITY || count === 0) return -1;
      let index = 0;
      while (index < count - 1 && value >= bounds[index + 1]!) index++;
      return index;
    },
    colour: (index) => spreadColour(index, count),
  };
}

/** The decades of counts: 1, then up to 10, up to 100, and so on to the highest; class c holds what is above bounds[c]. */
export function decadeClasses(counts: Iterable<number>): Classes {
  let high = 0;
  for (const count of counts) if (count > high && count < Number.POSITIVE_INFINITY) high = count;
  const bounds = high > 0 ? [0, 1] : [];
  while (high > 0 && bounds.at(-1)! < high) bounds.push(Number(`1e${bounds.length - 1}`));
  const classes = Math.max(0, bounds.length - 1);
  return {
    bounds,
    of(count) {
      if (!(count > 0) || count === Number.POSITIVE_INFINITY || classes === 0) return -1;
      let index = 0;
      while (index < classes - 1 && count > bounds[index + 1]!) index++;
      return index;
    },
    colour: (index) => spreadColour(index, classes),
  };
}

function spreadColour(index: number, count: number): string {
  const spread = count <= 1 ? SEQUENTIAL_CLASSES - 1 : (index * (SEQUENTIAL_CLASSES - 1)) / (count - 1);
  return `var(--plot-seq-${Math.round(spread)})`;
}

/** From zero in round steps, up to the step that holds the highest. */
function linearBounds(high: number, unit: Unit): number[] {
  const step = tickStep(high, SEQUENTIAL_CLASSES, unit);
  const count = Math.max(1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, i) => (step < 1 ? i / Math.round(1 / step) : i * step));
}

function logBounds(low: number, high: number): number[] {
  if (low === high) return [low, high];
  const bounds = [low];
  // One stray tiny value would leave all others in the last class: what lies further below is the first class.
  const from = Math.max(low, high / DECADES);
  for (let i = 1; i < SEQUENTIAL_CLASSES; i++) {
    const exact = from * (high / from) ** (i / SEQUENTIAL_CLASSES);
    const nice = Number(exact.toPrecision(2));
    // Close values would round to the same bound; such a class would be empty.
    if (nice > bounds.at(-1)! && nice < high) bounds.push(nice);
  }
  bounds.push(high);
  return bounds;
}
