/** Ticks of a time axis, and of an axis of bytes. */

interface Ticks {
  readonly step: number;
  readonly values: readonly number[];
  /** Written once in front; the labels count from it. Empty when labels are whole times. */
  readonly base: string;
  label(value: number): string;
}

const UNITS: readonly [number, string][] = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];

/** Ticks at 1, 2 or 5 × 10^n seconds, at most `most` of them. Far in, labels count from a base: "+20 µs". */
export function timeTicks(t0: number, t1: number, most: number): Ticks {
  const step = niceStep((t1 - t0) / Math.max(1, most));
  const first = Math.ceil(t0 / step - 1e-9);
  const last = Math.floor(t1 / step + 1e-9);
  const values: number[] = [];
  for (let i = first; i <= last && values.length < 200; i++) values.push(i * step);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (decimals <= 3 || t1 < step * 2000)
    return {
      step,
      values,
      base: "",
      label: t1 < 1 ? (value) => scaled(value, step, t1) : (value) => `${value.toFixed(decimals)} s`,
    };
  const baseStep = 10 ** Math.ceil(Math.log10(t1 - t0) - 1e-9);
  const base = Math.floor(t0 / baseStep) * baseStep;
  return {
    step,
    values,
    base: `${base.toFixed(Math.max(0, -Math.round(Math.log10(baseStep))))} s`,
    label: (value) => `+${scaled(value - base, step, t1 - t0)}`,
  };
}

/** In the largest unit that does not exceed `span`. */
function scaled(value: number, step: number, span: number): string {
  const [unit, name] = UNITS.find(([size]) => span >= size * 0.999) ?? (UNITS.at(-1) as [number, string]);
  const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  return `${(value / unit).toFixed(digits)} ${name}`;
}

export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const lead = least / power;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}
