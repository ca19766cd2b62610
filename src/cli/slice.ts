/** `3/16`: one of several. */
import { UsageError } from "../base/errors.ts";
import type { Slice } from "../node/walk.ts";

export function parseSlice(name: string, text: string): Slice {
  const match = /^(\d+)\/(\d+)$/.exec(text);
  const [index, of] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || !(index >= 1 && index <= of))
    throw new UsageError(`${name} ${text} is not I/N with I from 1 to N, such as 3/16`);
  return { index, of };
}
