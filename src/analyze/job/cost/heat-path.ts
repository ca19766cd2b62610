/**
 * Critical time of files of single ranks from the heat map, where single calls were not recorded. Counters tell how long a
 * rank is in its files over the whole run; the heat map tells when. The run is split into phases, at bins in which no rank
 * moves data, and the time of a rank goes to phases by the bins that it fills. A phase takes as long as its slowest rank.
 */
import type { Activity } from "../activity.ts";
import type { JobFile } from "../job.ts";
import type { CriticalPath } from "../phases.ts";
import { timedRecords } from "./ledger.ts";

/** Part of the bytes that must be moved in files of single ranks, or the heat map shows the others. */
const OWN_BYTES_MIN = 0.95;
/** Part of the time in these files that must be of reads and writes: the heat map has no metadata calls. */
const MOVING_MIN = 0.9;

/** Undefined without a heat map, where it does not show when ranks are in their own files, and for a single phase. */
export function heatPath(
  files: readonly JobFile[],
  own: ReadonlyMap<number, number>,
  activity: Activity | undefined,
): CriticalPath | undefined {
  if (activity?.source !== "HEATMAP" || own.size < 2 || !isOfSingleRanks(files)) return undefined;
  const phases = phasesOf(activity);
  if (phases.length < 2) return undefined;
  const shares = laneShares(activity, phases);
  const waits = new Map<number, { seconds: number; nextSeconds: number }>();
  let seconds = 0;
  for (let phase = 0; phase < phases.length; phase++) {
    let [first, most, next] = [-1, 0, 0];
    for (const [rank, whole] of own) {
      const lane = Math.floor(rank / activity.ranksPerRow);
      const time = whole * (shares[lane * phases.length + phase] ?? 0);
      if (time > most) [first, most, next] = [rank, time, most];
      else if (time > next) next = time;
    }
    if (first < 0) continue;
    seconds += most;
    const known = waits.get(first) ?? { seconds: 0, nextSeconds: 0 };
    waits.set(first, { seconds: known.seconds + most, nextSeconds: known.nextSeconds + next });
  }
  return { seconds, atOnceSeconds: seconds, phases: phases.length, waits };
}

function isOfSingleRanks(files: readonly JobFile[]): boolean {
  let [bytes, ownBytes, ownSeconds, moving] = [0, 0, 0, 0];
  for (const file of files)
    for (const record of timedRecords(file)) {
      const moved = (record.bytesRead || 0) + (record.bytesWritten || 0);
      bytes += moved;
      if (record.ranks !== 1) continue;
      const transfers = (record.readSeconds || 0) + (record.writeSeconds || 0);
      ownBytes += moved;
      moving += transfers;
      ownSeconds += transfers + (record.metaSeconds || 0);
    }
  return bytes > 0 && ownBytes >= OWN_BYTES_MIN * bytes && moving >= MOVING_MIN * ownSeconds;
}

/** First and last bin of each stretch of time with data. */
function phasesOf({ bytesRead, bytesWritten }: Activity): (readonly [number, number])[] {
  const phases: (readonly [number, number])[] = [];
  let from = -1;
  for (let bin = 0; bin <= bytesRead.length; bin++) {
    const isBusy = ((bytesRead[bin] ?? 0) || (bytesWritten[bin] ?? 0)) > 0;
    if (isBusy && from < 0) from = bin;
    if (isBusy || from < 0) continue;
    phases.push([from, bin - 1]);
    from = -1;
  }
  return phases;
}

/**
 * Of the time of each row of the heat map in I/O, the part in each phase. A call moves its bytes evenly, so a bin that holds
 * half as much as the fullest of the phase was used half as long.
 */
function laneShares(
  { rows, bytesRead, cellsRead, cellsWritten }: Activity,
  phases: readonly (readonly [number, number])[],
): Float64Array {
  const bins = bytesRead.length;
  const shares = new Float64Array(rows * phases.length);
  for (let row = 0; row < rows; row++) {
    const own = shares.subarray(row * phases.length, (row + 1) * phases.length);
    for (const [phase, [from, to]] of phases.entries()) {
      let [bytes, fullest] = [0, 0];
      for (let bin = from; bin <= to; bin++) {
        const moved = (cellsRead[row * bins + bin] as number) + (cellsWritten[row * bins + bin] as number);
        bytes += moved;
        fullest = Math.max(fullest, moved);
      }
      own[phase] = fullest > 0 ? bytes / fullest : 0;
    }
    const whole = own.reduce((sum, one) => sum + one, 0);
    for (let phase = 0; whole > 0 && phase < own.length; phase++) own[phase]! /= whole;
  }
  return shares;
}
