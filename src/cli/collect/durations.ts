/** Times on the command line of collectors, from seconds to days. */
import { UsageError } from "../../base/errors.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  "": 1000,
  min: 60_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `60s`, `1min`, `12h`, `30d`: whole milliseconds; a bare number is seconds. */
export function durationMs(flag: string, text: string, least = 1): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)$/.exec(text.trim());
  const unit = match === null ? undefined : UNIT_MS[match[2] as string];
  if (match === null || unit === undefined)
    throw new UsageError(`${flag} ${text}: expected a time such as 60s, 5min, 12h or 30d`);
  const ms = Math.round(Number(match[1]) * unit);
  if (!Number.isSafeInteger(ms) || ms > 3_650 * 86_400_000)
    throw new UsageError(`${flag} ${text}: more than ten years`);
  if (ms < least) throw new UsageError(`${flag} ${text}: must be at least ${least} ms`);
  return ms;
}
