/** Turns the text of an option into its value, or says in one line why it cannot. */

import { UsageError } from "../base/errors.ts";
import type { OptionSpec } from "./command.ts";
import { parseChoice } from "../base/choice.ts";

export function parseValue(flag: string, spec: OptionSpec, text: string): string | number {
  switch (spec.kind) {
    case "number":
      return parseNumber(flag, spec, text);
    case "bytes":
      return checkRange(flag, spec, text, parseBytes(flag, text));
    case "choice":
      return parseChoice(flag, spec.choices, text);
    default:
      return text;
  }
}

const POWERS = "KMGTPE";

/** A number of bytes: 4096, 64K, 1.5MiB, 2g, 10KB. Letters are powers of 1024. */
export function parseBytes(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)\s*(?:([KMGTPE])(?:i?B)?|B)?$/i.exec(text.trim());
  if (!match) throw new UsageError(`${flag} ${text}: expected a size such as 4096, 64K or 1.5MiB`);
  const power = match[2] ? POWERS.indexOf(match[2].toUpperCase()) + 1 : 0;
  const bytes = Math.round(Number(match[1]) * 1024 ** power);
  if (!Number.isSafeInteger(bytes)) throw new UsageError(`${flag} ${text}: more than 2^53 bytes`);
  return bytes;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

function parseNumber(flag: string, spec: Range & { readonly integer?: boolean }, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw new UsageError(`${flag} ${text}: expected a number`);
  if (spec.integer && !Number.isSafeInteger(value)) {
    throw new UsageError(`${flag} ${text}: expected a whole number`);
  }
  return checkRange(flag, spec, text, value);
}

function checkRange(flag: string, { min, max }: Range, text: string, value: number): number {
  if (min !== undefined && value < min) throw new UsageError(`${flag} ${text}: must be at least ${min}`);
  if (max !== undefined && value > max) throw new UsageError(`${flag} ${text}: must be at most ${max}`);
  return value;
}

/** Of `--window`: `12.5-14` as seconds. */
export function parseWindow(text: string): { startSeconds: number; endSeconds: number } {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text);
  const [startSeconds, endSeconds] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || !(startSeconds < endSeconds))
    throw new UsageError(`--window ${text} is not FROM-TO in seconds with FROM before TO, such as 12.5-14`);
  return { startSeconds, endSeconds };
}

const UNIT_NS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  "": 1e9,
  min: 60e9,
  m: 60e9,
  h: 3600e9,
  d: 86_400e9,
};

/** `1s`, `250ms`, `1.5`, `30d`: nanoseconds; a bare number is seconds. */
function durationNs(flag: string, text: string, examples: string): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)\s*([a-zµ]*)$/.exec(text.trim());
  const unit = match === null ? undefined : UNIT_NS[match[2] as string];
  if (match === null || unit === undefined)
    throw new UsageError(`${flag} ${text}: expected a time such as ${examples}`);
  return Number(match[1]) * unit;
}

/** A time in a trace, in whole nanoseconds. */
export function parseDuration(flag: string, text: string): number {
  const ns = Math.round(durationNs(flag, text, "1s, 250ms or 1.5"));
  if (!Number.isSafeInteger(ns)) throw new UsageError(`${flag} ${text}: too long`);
  return ns;
}

/** A time on the clock, in whole milliseconds. */
export function durationMs(
  flag: string,
  text: string,
  least = 1,
  examples = "60s, 5min, 12h or 30d",
): number {
  const ms = Math.round(durationNs(flag, text, examples) / 1e6);
  if (ms > 3_650 * 86_400_000) throw new UsageError(`${flag} ${text}: more than ten years`);
  if (ms < least) throw new UsageError(`${flag} ${text}: must be at least ${least} ms`);
  return ms;
}
