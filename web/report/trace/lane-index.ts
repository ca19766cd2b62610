/**
 * Calls by lane, in order of their start, so that the calls of a window are found by binary search:
 *
 *   start   0   2   3   9          those to the right of the window: first start > windowEnd
 *   end     1   8   4  10
 *   maxEnd  1   8   8  10          those to the left: first maxEnd >= windowStart
 *
 * `maxEnd` is the largest end so far and rises, where the ends themselves do not.
 */
import type { TraceCalls } from "../../../src/model/index.ts";

export interface LaneIndex {
  readonly lanes: number;
  /** Entries of lane l: laneStart[l] to below laneStart[l + 1]. */
  readonly laneStart: Uint32Array;
  /** The call of each entry. */
  readonly call: Uint32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly maxEnd: Float64Array;
  readonly bytes: Float64Array;
  readonly write: Uint8Array;
  /** Row within the lane's half, so that calls at the same time do not cover each other. */
  readonly slot: Uint8Array;
}

/** Calls at the same time beyond this many share a row. */
const SLOTS_MAX = 8;

/** `laneOf` gives the lane of a call; calls of other layers and outside the lanes are left out. */
export function buildLaneIndex(
  calls: TraceCalls,
  layer: number,
  lanes: number,
  laneOf: (call: number) => number,
): LaneIndex {
  const lane = new Int32Array(calls.count).fill(-1);
  const laneStart = new Uint32Array(lanes + 1);
  for (let i = 0; i < calls.count; i++) {
    if (calls.layer[i] !== layer) continue;
    const at = laneOf(i);
    if (at >= lanes) continue;
    lane[i] = at;
    (laneStart[at + 1] as number)++;
  }
  for (let l = 0; l < lanes; l++) (laneStart[l + 1] as number) += laneStart[l] as number;
  const total = laneStart[lanes] as number;
  const call = new Uint32Array(total);
  const next = laneStart.slice();
  for (let i = 0; i < calls.count; i++) {
    const at = lane[i] as number;
    if (at >= 0) call[(next[at] as number)++] = i;
  }
  const index: LaneIndex = {
    lanes,
    laneStart,
    call,
    start: gather(calls.startSeconds, call, new Float64Array(total)),
    end: gather(calls.endSeconds, call, new Float64Array(total)),
    maxEnd: new Float64Array(total),
    bytes: gather(calls.bytes, call, new Float64Array(total)),
    write: gather(calls.write, call, new Uint8Array(total)),
    slot: new Uint8Array(total),
  };
  for (let l = 0; l < lanes; l++) finishLane(index, l);
  return index;
}

/** Not `from` with a function: that takes ten times as long. */
function gather<Values extends Float64Array | Uint8Array>(
  values: Values,
  places: Uint32Array,
  into: Values,
): Values {
  for (let i = 0; i < places.length; i++) into[i] = values[places[i] as number] as number;
  return into;
}

/**
 * All calls of a layer as one lane, in order of their start as the trace has them. Where the trace has no other layer its
 * columns serve as they are. Rows within the lane are not told apart.
 */
export function buildOneLane(calls: TraceCalls, layer: number): LaneIndex {
  const { count } = calls;
  let total = 0;
  for (let i = 0; i < count; i++) if (calls.layer[i] === layer) total++;
  const call = new Uint32Array(total);
  for (let i = 0, at = 0; i < count; i++) if (calls.layer[i] === layer) call[at++] = i;
  const column = <Values extends Float64Array | Uint8Array>(values: Values, into: () => Values): Values =>
    total === values.length ? values : gather(values, call, into());
  const doubles = () => new Float64Array(total);
  const end = column(calls.endSeconds, doubles);
  const maxEnd = doubles();
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < total; i++) {
    if ((end[i] as number) > max) max = end[i] as number;
    maxEnd[i] = max;
  }
  return {
    lanes: 1,
    laneStart: Uint32Array.of(0, total),
    call,
    start: column(calls.startSeconds, doubles),
    end,
    maxEnd,
    bytes: column(calls.bytes, doubles),
    write: column(calls.write, () => new Uint8Array(total)),
    slot: new Uint8Array(0),
  };
}

function finishLane(index: LaneIndex, lane: number): void {
  const { laneStart, start, end, maxEnd, write, slot } = index;
  const free = [new Float64Array(SLOTS_MAX), new Float64Array(SLOTS_MAX)];
  for (const ends of free) ends.fill(Number.NEGATIVE_INFINITY);
  let max = Number.NEGATIVE_INFINITY;
  for (let i = laneStart[lane] as number; i < (laneStart[lane + 1] as number); i++) {
    if ((end[i] as number) > max) max = end[i] as number;
    maxEnd[i] = max;
    const direction = write[i] as number;
    const ends = free[direction] as Float64Array;
    let at = 0;
    while (at < SLOTS_MAX - 1 && (ends[at] as number) > (start[i] as number)) at++;
    ends[at] = Math.max(ends[at] as number, end[i] as number);
    slot[i] = at;
  }
}

/** Rows that the entries [from, to) of a direction need; at least 1. */
export function slotsNeeded(index: LaneIndex, from: number, to: number, direction: number): number {
  let most = 0;
  for (let i = from; i < to; i++)
    if (index.write[i] === direction && (index.slot[i] as number) > most) most = index.slot[i] as number;
  return most + 1;
}

/** Entries [from, to) of a lane that may overlap the window; some at the front may have ended before it. */
export function visibleEntries(index: LaneIndex, lane: number, t0: number, t1: number): [number, number] {
  const low = index.laneStart[lane] as number;
  const high = index.laneStart[lane + 1] as number;
  return [lowerBound(index.maxEnd, t0, low, high), upperBound(index.start, t1, low, high)];
}

/** First entry of rising values in [low, high) that is not below `value`. */
export function lowerBound(
  values: Float64Array | Uint32Array,
  value: number,
  low: number,
  high: number,
): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as number) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** First entry of rising values in [low, high) that is above `value`. */
function upperBound(values: Float64Array | Uint32Array, value: number, low: number, high: number): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as number) <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}
