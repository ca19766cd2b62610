/** The union of intervals in any order, all in memory: what streams of them are compared with. */
import { assert } from "./assert.ts";
import { isInterval, type UnionLength } from "./intervals.ts";
import { sortPairs } from "./radix-sort.ts";

/** Length of the union of [starts[i], ends[i]], in any order. Takes twice the memory of the input. */
export function unionLength(
  starts: Float64Array | readonly number[],
  ends: Float64Array | readonly number[],
): UnionLength {
  assert(starts.length === ends.length, `${starts.length} starts do not match ${ends.length} ends`);
  return unionLengthOfPairs(interleave(toDoubles(starts), toDoubles(ends)));
}

/** The same for start, end, start, end, …; sorts `pairs` on the way, so give a copy of what you want to keep. */
export function unionLengthOfPairs(pairs: Float64Array): UnionLength {
  const kept = pairs.subarray(0, moveValidToFront(pairs));
  sortPairs(kept);
  const rejected = (pairs.length - kept.length) / 2;
  if (kept.length === 0) return { length: 0, groups: 0, rejected };
  let length = 0;
  let groups = 1;
  let groupStart = kept[0] as number;
  let groupEnd = kept[1] as number;
  for (let i = 2; i < kept.length; i += 2) {
    const start = kept[i] as number;
    const end = kept[i + 1] as number;
    if (groupEnd < start) {
      length += groupEnd - groupStart;
      groups++;
      groupStart = start;
      groupEnd = end;
    } else if (end > groupEnd) groupEnd = end;
  }
  return { length: length + (groupEnd - groupStart), groups, rejected };
}

/** Moves the intervals in front of what is rejected; returns how many values they take. */
function moveValidToFront(pairs: Float64Array): number {
  assert(pairs.length % 2 === 0, `pairs need an even number of values, not ${pairs.length}`);
  let kept = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const start = pairs[i] as number;
    const end = pairs[i + 1] as number;
    if (!isInterval(start, end)) continue;
    pairs[kept] = start;
    pairs[kept + 1] = end;
    kept += 2;
  }
  return kept;
}

function interleave(starts: Float64Array, ends: Float64Array): Float64Array {
  const pairs = new Float64Array(2 * starts.length);
  for (let i = 0; i < starts.length; i++) {
    pairs[2 * i] = starts[i] as number;
    pairs[2 * i + 1] = ends[i] as number;
  }
  return pairs;
}

function toDoubles(values: Float64Array | readonly number[]): Float64Array {
  return values instanceof Float64Array ? values : Float64Array.from(values);
}
