/**
 * Columns of whole numbers from zero to 2^53 in 32-bit words. A column begins with its form: one value for all rows, a
 * word each, or two. Writing and reading cost little more than a copy.
 */
import { assert } from "./assert.ts";

const ONE_VALUE = 0;
const NARROW = 1;
const WIDE = 2;
const WORD = 2 ** 32;

/** Words that a column takes at most. */
export const columnWordsMax = (rows: number): number => Math.max(3, 1 + 2 * rows);

/** Writes rows [from, to) of `values` at `place`; returns the place behind. */
export function putColumn(
  values: Float64Array,
  from: number,
  to: number,
  words: Uint32Array,
  place: number,
): number {
  const first = values[from] as number;
  let most = first;
  let same = true;
  for (let i = from + 1; i < to; i++) {
    const value = values[i] as number;
    if (value !== first) same = false;
    if (value > most) most = value;
  }
  const rows = to - from;
  if (same) {
    words[place] = ONE_VALUE;
    words[place + 1] = most % WORD;
    words[place + 2] = most / WORD;
    return place + 3;
  }
  words[place] = most < WORD ? NARROW : WIDE;
  const at = place + 1 - from;
  for (let i = from; i < to; i++) words[at + i] = values[i] as number;
  if (most < WORD) return place + 1 + rows;
  const high = at + rows;
  for (let i = from; i < to; i++) words[high + i] = (values[i] as number) / WORD;
  return place + 1 + 2 * rows;
}

/** Where rows of spans lie. */
export interface SpanExtent {
  base: number;
  last: number;
  lastEnd: number;
}

/**
 * Writes two columns as `getSpans` reads them, and to `extent` where they lie. `starts` and `ends` are scratch afterwards, and
 * no end lies before its start.
 */
export function putSpans(
  starts: Float64Array,
  ends: Float64Array,
  from: number,
  to: number,
  words: Uint32Array,
  place: number,
  extent: SpanExtent,
): number {
  let base = starts[from] as number;
  let last = base;
  let lastEnd = ends[from] as number;
  let longest = 0;
  for (let i = from; i < to; i++) {
    const start = starts[i] as number;
    const end = ends[i] as number;
    if (start < base) base = start;
    if (start > last) last = start;
    if (end > lastEnd) lastEnd = end;
    if (end - start > longest) longest = end - start;
  }
  extent.base = base;
  extent.last = last;
  extent.lastEnd = lastEnd;
  if (longest < WORD && last - base < WORD) {
    const endAt = place + 1 - from;
    const startAt = endAt + 1 + to - from;
    words[place] = words[startAt - 1 + from] = NARROW;
    for (let i = from; i < to; i++) {
      const start = starts[i] as number;
      words[endAt + i] = (ends[i] as number) - start;
      words[startAt + i] = start - base;
    }
    return startAt + to;
  }
  for (let i = from; i < to; i++) {
    ends[i]! -= starts[i] as number;
    starts[i]! -= base;
  }
  return putColumn(starts, from, to, words, putColumn(ends, from, to, words, place));
}

/**
 * Reads two columns, one behind the other: distances of ends from starts, and of starts from `base`, into rows [from, to);
 * returns the place behind them.
 */
export function getSpans(
  words: Uint32Array,
  place: number,
  base: number,
  starts: Float64Array,
  ends: Float64Array,
  from: number,
  to: number,
): number {
  const next = place + 1 + to - from;
  if (words[place] === NARROW && words[next] === NARROW) {
    const [endAt, startAt] = [place + 1 - from, next + 1 - from];
    for (let i = from; i < to; i++) {
      const start = (words[startAt + i] as number) + base;
      starts[i] = start;
      ends[i] = (words[endAt + i] as number) + start;
    }
    return next + 1 + to - from;
  }
  const behind = getColumn(words, getColumn(words, place, ends, from, to), starts, from, to);
  for (let i = from; i < to; i++) {
    const start = (starts[i] as number) + base;
    starts[i] = start;
    ends[i]! += start;
  }
  return behind;
}

/** Reads a column into rows [from, to) of `values`; returns the place behind it. */
export function getColumn(
  words: Uint32Array,
  place: number,
  values: Float64Array | Uint32Array,
  from: number,
  to: number,
): number {
  const form = words[place] as number;
  assert(form <= WIDE, `${form} is no form of a column`);
  if (form === ONE_VALUE) {
    values.fill((words[place + 1] as number) + (words[place + 2] as number) * WORD, from, to);
    return place + 3;
  }
  const rows = to - from;
  values.set(words.subarray(place + 1, place + 1 + rows), from);
  if (form === NARROW) return place + 1 + rows;
  const high = place + 1 + rows - from;
  for (let i = from; i < to; i++) values[i]! += (words[high + i] as number) * WORD;
  return place + 1 + 2 * rows;
}
