/** Numbers in sentences. */
import { formatSeconds } from "../../base/units.ts";

/** Three digits. */
export const shortNumber = (value: number): string => String(Number(value.toPrecision(3)));

/** `6.17 s`, `250 ms`, `79.5 µs`: traces of calls are full of short times. */
export function shortTime(seconds: number): string {
  if (seconds === 0 || seconds >= 0.9995) return formatSeconds(seconds);
  if (seconds >= 0.9995e-3) return `${shortNumber(seconds * 1e3)} ms`;
  if (seconds >= 0.9995e-6) return `${shortNumber(seconds * 1e6)} µs`;
  return `${shortNumber(seconds * 1e9)} ns`;
}
