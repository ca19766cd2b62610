/** Options of `plimsoll write` from their text. */
import { UsageError } from "../../base/errors.ts";
import { parseBytes } from "../values.ts";

/** Base speed when only fractions are given. */
const BASE_SPEED = 100 * 2 ** 20;

/** `0-15`, `0,4,8-11`: OST numbers. */
export function parseOsts(text: string): number[] {
  const wrong = () => new UsageError(`--lustre ${text}: expected OST numbers such as 0-15 or 0,4,8-11`);
  return text.split(",").flatMap((part) => {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part.trim());
    if (match === null) throw wrong();
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (last < first || last - first > 100_000) throw wrong();
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/**
 * `TARGET:SPEED` each: bytes per second (20M, 20MB/s), or a share of the base (0.125). With a share, or a base that was given,
 * every other target is throttled to the base. Undefined without a throttle.
 */
export function parseSpeeds(
  texts: readonly string[],
  base: number | undefined,
  targets: number,
): number[] | undefined {
  if (texts.length === 0 && base === undefined) return undefined;
  const given = texts.map((text) => parseSpeed(text, targets));
  const needsBase = base !== undefined || given.some(({ share }) => share !== undefined);
  const common = needsBase ? (base ?? BASE_SPEED) : 0;
  const speeds = Array.from({ length: targets }, () => common);
  for (const { target, share, rate } of given)
    speeds[target] = share === undefined ? (rate as number) : share * common;
  return speeds;
}

function parseSpeed(text: string, targets: number): { target: number; share?: number; rate?: number } {
  const wrong = (detail: string) =>
    new UsageError(`--target-speed ${text}: ${detail}; expected TARGET:SPEED such as 0:0.125 or 2:20M`);
  const match = /^(\d+):(.+)$/.exec(text);
  if (match === null) throw wrong("not two parts");
  const [target, value] = [Number(match[1]), match[2] as string];
  if (target >= targets) throw wrong(`there are ${targets} targets, from 0`);
  if (/^(?:0?\.\d+|1(?:\.0*)?)$/.test(value)) {
    if (Number(value) === 0) throw wrong("a share of 0");
    return { target, share: Number(value) };
  }
  const rate = parseBytes("--target-speed", value.replace(/\/s$/, ""));
  if (rate === 0) throw wrong("a speed of 0");
  return { target, rate };
}
