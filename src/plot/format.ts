/** Numbers for people: three significant digits and a unit. `formatExact` has all digits, for hover and tables. */

import { formatBytes, formatRate, formatScaled } from "../base/units.ts";
import type { Unit } from "../model/index.ts";

export const NOT_RECORDED = "not recorded";

/** Between groups of three digits, as in the sentences of findings. */
const GROUP = ",";

/** The words after a plain number; what has none is written without. */
const WORDS: Partial<Readonly<Record<Unit, string>>> = {
  calls: "calls",
  "calls/s": "calls/s",
  "blocks/s": "blocks/s",
  files: "files",
  ranks: "ranks",
};

/** `1.07 GB`, `41.3 %`, `3.1×`, `1 234 calls`, `35 µs`, `2 h 13 min`; NaN is "not recorded", never zero. */
export function formatValue(value: number | bigint, unit: Unit): string {
  const number = Number(value);
  if (Number.isNaN(number)) return NOT_RECORDED;
  if (!Number.isFinite(number)) return number > 0 ? "infinite" : "-infinite";
  switch (unit) {
    case "bytes":
      return formatBytes(number);
    case "bytes/s":
      return formatRate(number);
    case "seconds":
      return formatDuration(number);
    case "share":
      return formatShare(number);
    case "ratio":
      return `${formatCount(number)}×`;
    case "unix-seconds":
      return formatInstant(number, false);
    case "index":
      return String(value);
    default:
      return withWord(formatCount(number), number, unit);
  }
}

/** Of a number in a column of differences. */
export const plusSign = (value: number | bigint, isSigned: boolean | undefined): string =>
  isSigned && value > 0 ? "+" : "";

/** All digits, grouped, with the unit: `1 073 741 824 B`. */
export function formatExact(value: number | bigint, unit: Unit): string {
  const number = Number(value);
  if (Number.isNaN(number)) return NOT_RECORDED;
  if (!Number.isFinite(number)) return number > 0 ? "infinite" : "-infinite";
  const digits = grouped(String(value));
  switch (unit) {
    case "bytes":
      return `${digits} B`;
    case "bytes/s":
      return `${digits} B/s`;
    case "seconds":
      return `${digits} s`;
    case "share":
      // 0.07 * 100 is 7.000000000000001: the shift is done on the decimal digits.
      return `${grouped(shiftedBy100(number))} %`;
    case "ratio":
      return `${digits}×`;
    case "unix-seconds":
      return formatInstant(number, true);
    case "index":
      return String(value);
    default:
      return withWord(digits, number, unit);
  }
}

/** For axes: the axis says what is counted, so no words, and zero needs no unit. */
export function formatTick(value: number, unit: Unit): string {
  if (value === 0 && unit !== "unix-seconds") return "0";
  if (unit === "unix-seconds") return formatInstant(value, false).slice(5, 16).replace("T", " ");
  return WORDS[unit] === undefined ? formatValue(value, unit) : formatCount(value);
}

/** The unit as the header of a column or a field shows it; empty when there is nothing to say. */
export function unitName(unit: Unit): string {
  return unit === "none" || unit === "text" || unit === "index" ? "" : unit;
}

function withWord(text: string, value: number, unit: Unit): string {
  const word = WORDS[unit];
  if (word === undefined) return text;
  return `${text} ${value === 1 ? word.replace(/s(?=$|\/)/, "") : word}`;
}

/** Up to 99 999 whole numbers stay whole, as people count; beyond, `1.23 M`. */
function formatCount(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) <= 99_999) return grouped(String(value));
  const size = Math.abs(value);
  if (size >= 999.5 && size <= 99_999) return grouped(String(Math.round(value)));
  return formatScaled(value, "").trim();
}

function formatShare(value: number): string {
  const percent = value * 100;
  // Three digits would round these to "100 %" and to an exponent: neither is what was measured.
  if (value < 1 && percent >= 99.95) return ">99.9 %";
  if (value > 0 && percent < 0.001) return "<0.001 %";
  return `${formatCount(Number(percent.toPrecision(3)))} %`;
}

const SMALL = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
] as const;

/** A larger unit and the next smaller: two are enough to read. */
const LARGE = [
  [86_400, "d", 3600, "h"],
  [3600, "h", 60, "min"],
  [60, "min", 1, "s"],
] as const;

function formatDuration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  const sign = seconds < 0 ? "-" : "";
  for (const [large, largeName, small, smallName] of LARGE) {
    // Days from two on; 59.96 s is "1 min".
    if (size < (large === 86_400 ? 2 * large : large) - small / 2) continue;
    const smalls = Math.round(size / small);
    const whole = Math.floor(smalls / (large / small));
    const rest = smalls - whole * (large / small);
    const count = formatCount(whole);
    return `${sign}${count} ${largeName}${rest === 0 ? "" : ` ${rest} ${smallName}`}`;
  }
  for (const [factor, name] of SMALL) {
    // 0.9996 ms rounds to 1 ms, not to 1000 µs.
    if (size < factor * 0.9995 && name !== "ns") continue;
    return `${sign}${Number((size / factor).toPrecision(3))} ${name}`;
  }
  return `${seconds} s`;
}

function formatInstant(seconds: number, exact: boolean): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `${seconds} s`;
  const text = date.toISOString();
  return exact && date.getMilliseconds() !== 0 ? text : text.replace(/\.\d+Z$/, "Z");
}

function shiftedBy100(value: number): string {
  const text = String(value);
  if (text.includes("e")) return String(value * 100);
  const sign = text.startsWith("-") ? "-" : "";
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const moved = whole + fraction.padEnd(2, "0").slice(0, 2);
  const rest = fraction.slice(2);
  return `${sign}${moved.replace(/^0+(?=\d)/, "")}${rest === "" ? "" : `.${rest}`}`;
}

function grouped(digits: string): string {
  if (digits.includes("e")) return digits;
  const [whole = "", fraction] = digits.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, GROUP);
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}
