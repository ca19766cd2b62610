/**
 * Minutes of the runs of a job id: which run each belongs to, where in the run it counts, and how many have I/O. The study of
 * a system and the look at a single job both count by these rules (B12).
 */

/** Samples up to this many minutes after the end of a run count in its last minute, by default. */
export const LATE_MINUTES = 1;

/** Starts and ends outside of this are no times: 1971 to 2200. */
export const TIME_LEAST_NS = 31_536_000_000_000_000n;
export const TIME_MOST_NS = 7_258_118_400_000_000_000n;

/**
 * Hands over the stretch [from, to) of the rising `minutes` that each run has: a minute belongs to the last run that has begun
 * by then. `begins` are the first minutes of the runs, rising. Gives the number of minutes before anybody had begun.
 */
export function eachRun(
  minutes: ArrayLike<number>,
  count: number,
  begins: readonly number[],
  take: (run: number, from: number, to: number) => void,
): number {
  if (begins.length === 0) return 0;
  let from = 0;
  while (from < count && (minutes[from] as number) < (begins[0] as number)) from++;
  const early = from;
  for (let run = 0; run < begins.length; run++) {
    const next = begins[run + 1] ?? Infinity;
    let to = from;
    while (to < count && (minutes[to] as number) < next) to++;
    if (to > from) take(run, from, to);
    from = to;
  }
  return early;
}

/** Place of a minute in a run from its first to its last minute, both included; -1: it lies outside. */
export function placeIn(minute: number, first: number, last: number, lateMinutes: number): number {
  return minute < first || minute > last + lateMinutes ? -1 : Math.min(minute, last) - first;
}

interface IoMinutes {
  /** Minutes with a byte read or written, and with one written. */
  readonly io: number;
  readonly write: number;
  readonly read: number;
  readonly written: number;
  /** The fewest minutes that hold 90 % of the bytes. */
  readonly most: number;
}

/** Of the first `count` minutes of a run; minutes without bytes may be left out. `room` holds at least as many numbers. */
export function ioMinutesOf(
  read: Float64Array,
  written: Float64Array,
  count: number,
  room: Float64Array,
): IoMinutes {
  let [io, write, readSum, writtenSum] = [0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const [r, w] = [read[i] as number, written[i] as number];
    readSum += r;
    writtenSum += w;
    if (w > 0) write++;
    if (r + w > 0) room[io++] = r + w;
  }
  const sizes = room.subarray(0, io).sort();
  let [held, most] = [0, 0];
  for (let i = io - 1; i >= 0 && held < 0.9 * (readSum + writtenSum); i--) {
    held += sizes[i] as number;
    most++;
  }
  return { io, write, read: readSum, written: writtenSum, most };
}
