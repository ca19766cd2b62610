/** What a series of minutes shows: bursts of writes, a period, and how much of the time there was I/O. */
import { Random } from "../../base/prng.ts";
import { type Period, PeriodFinder } from "../study/common/periods.ts";
import { ioMinutesOf } from "../study/common/run-minutes.ts";

export interface Minute {
  readonly minuteUnix: number;
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  readonly readCalls: bigint;
  readonly writeCalls: bigint;
  readonly metadataCalls: bigint;
}

export interface Burst {
  readonly firstMinuteUnix: number;
  readonly minutes: number;
  readonly bytes: bigint;
}

/** Longest stretches of minutes with written bytes; up to `maxGapMinutes` minutes without do not end one (B14). */
export function burstsOf(series: readonly Minute[], maxGapMinutes = 0): Burst[] {
  const bursts: Burst[] = [];
  for (const { minuteUnix, bytesWritten } of series) {
    if (bytesWritten <= 0n) continue;
    const last = bursts.at(-1);
    if (last !== undefined && minuteUnix - (last.firstMinuteUnix + last.minutes) <= maxGapMinutes)
      bursts[bursts.length - 1] = {
        firstMinuteUnix: last.firstMinuteUnix,
        minutes: minuteUnix - last.firstMinuteUnix + 1,
        bytes: last.bytes + bytesWritten,
      };
    else bursts.push({ firstMinuteUnix: minuteUnix, minutes: 1, bytes: bytesWritten });
  }
  return bursts;
}

export interface IoShare {
  /** Minutes that the run touches: from the one of its start to the one of its end. */
  readonly minutes: number;
  readonly ioMinutes: number;
  readonly writeMinutes: number;
  /** Minutes with a byte read or written, of all (B12). */
  readonly share: number;
  readonly writeShare: number;
  /** The fewest minutes that hold nine tenths of the bytes, of all. */
  readonly shareOf90Percent: number;
}

/** `inside`: minutes where they count in the run (see insideOf); `minutes`: all that the run has. */
export function ioShareOf(inside: readonly Minute[], minutes: number): IoShare {
  const column = (of: (minute: Minute) => bigint) => Float64Array.from(inside, (one) => Number(of(one)));
  const { io, write, most } = ioMinutesOf(
    column(({ bytesRead }) => bytesRead),
    column(({ bytesWritten }) => bytesWritten),
    inside.length,
    new Float64Array(inside.length),
  );
  return {
    minutes,
    ioMinutes: io,
    writeMinutes: write,
    share: io / minutes,
    writeShare: write / minutes,
    shareOf90Percent: most / minutes,
  };
}

const SHUFFLES = 99;
/** With more shuffled series than this as high there is no period, and no need to go on. */
const HIGH_MAX = 10;
/** Longer series are summed up in wider steps. */
const STEPS_MAX = 1 << 14;
const LEAST_BURSTS = 3;

/** The period of the writes (B13). Null when there is none, or with fewer than three bursts, which have none to speak of. */
export function periodOf(series: readonly Minute[], from: number, to: number): Period | null {
  if (burstsOf(series).length < LEAST_BURSTS) return null;
  const step = Math.max(1, Math.ceil((to - from) / STEPS_MAX));
  const bytes = new Float64Array(Math.ceil((to - from) / step));
  for (const { minuteUnix, bytesWritten } of series) {
    const at = Math.floor((minuteUnix - from) / step);
    if (at >= 0 && at < bytes.length) bytes[at] = (bytes[at] as number) + Number(bytesWritten);
  }
  const { minutes, ...found } = new PeriodFinder().find(
    bytes,
    bytes.length,
    new Random(1),
    SHUFFLES,
    HIGH_MAX,
  );
  return minutes === 0 ? null : { minutes: minutes * step, ...found };
}
