/** Analysis of a series of minutes: write bursts, write period, share of minutes with I/O. */
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

/** Write bursts: runs of minutes with written bytes, with gaps of up to `maxGapMinutes` minutes (B14). */
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
  /** Minutes from the start to the end of the run, inclusive. */
  readonly minutes: number;
  readonly ioMinutes: number;
  readonly writeMinutes: number;
  /** Share of minutes with bytes read or written (B12). */
  readonly share: number;
  readonly writeShare: number;
  /** Share of the fewest minutes that hold 90 % of the bytes. */
  readonly shareOf90Percent: number;
}

/** `inside`: minutes that count in the run (see insideOf); `minutes`: all minutes of the run. */
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
/** If more shuffled series than this reach the same height, there is no period, and the test stops. */
const HIGH_MAX = 10;
/** Longer series are summed in wider steps. */
const STEPS_MAX = 1 << 14;
const LEAST_BURSTS = 3;

/** The write period (B13). Null if there is none, or with fewer than three bursts. */
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
