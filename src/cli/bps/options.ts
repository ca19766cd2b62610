/** Values of `plimsoll bps` that are more than text and numbers. */
import { GROUPINGS, type Grouping } from "../../analyze/metric/metrics.ts";
import { UsageError } from "../../base/errors.ts";
import { parseChoice } from "../../base/choice.ts";

const UNITS_NS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  "": 1e9,
  min: 60e9,
  m: 60e9,
  h: 3600e9,
};

/** `1s`, `250ms`, `1.5`: whole nanoseconds; a bare number is seconds. */
export function parseDuration(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)\s*([a-zµ]*)$/.exec(text.trim());
  const unit = match === null ? undefined : UNITS_NS[match[2] as string];
  if (match === null || unit === undefined)
    throw new UsageError(`${flag} ${text}: expected a time such as 1s, 250ms or 1.5`);
  const ns = Math.round(Number(match[1]) * unit);
  if (!Number.isSafeInteger(ns)) throw new UsageError(`${flag} ${text}: too long`);
  return ns;
}

/** `--by process,file` and `--by process --by file` are the same. */
export function parseGroupings(words: readonly string[]): Grouping[] {
  const names = words.flatMap((word) => word.split(",")).filter((name) => name !== "");
  return [...new Set(names.map((name) => parseChoice("--by", GROUPINGS, name) as Grouping))];
}
