/** What a series of minutes shows: bursts of writes, a period, and how much of the time there was I/O. */
import { Random } from "../../base/prng.ts";

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
  /** Minutes with a byte read or written, of all (B12); at most 1, since the last bytes may be counted a minute late. */
  readonly share: number;
  readonly writeShare: number;
  /** The fewest minutes that hold nine tenths of the bytes, of all. */
  readonly shareOf90Percent: number;
}

export function ioShareOf(series: readonly Minute[], minutes: number): IoShare {
  const bytes = series
    .map(({ bytesRead, bytesWritten }) => bytesRead + bytesWritten)
    .filter((one) => one > 0n);
  const writeMinutes = series.filter(({ bytesWritten }) => bytesWritten > 0n).length;
  const total = bytes.reduce((sum, one) => sum + one, 0n);
  bytes.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  let [held, fewest] = [0n, 0];
  while (held * 10n < total * 9n) held += bytes[fewest++] as bigint;
  const share = (part: number) => (minutes > 0 ? Math.min(1, part / minutes) : Number.NaN);
  return {
    minutes,
    ioMinutes: bytes.length,
    writeMinutes,
    share: share(bytes.length),
    writeShare: share(writeMinutes),
    shareOf90Percent: share(fewest),
  };
}

export interface Period {
  readonly minutes: number;
  /** Autocorrelation at that distance, 0 to 1. */
  readonly strength: number;
  /** Share of shuffled series that have no peak as high. */
  readonly confidence: number;
}

const SHUFFLES = 99;
/** With more shuffled series than this as high there is no period, and no need to go on. */
const HIGH_MAX = 10;
/** Longer series are summed up in wider steps. */
const STEPS_MAX = 2048;
const LEAST_BURSTS = 3;

/**
 * The highest peak of the autocorrelation of log10(1 + bytes), from a distance of two steps to half of the series (B13). Null
 * when there is none, or with fewer than three bursts, which have no period to speak of.
 */
export function periodOf(series: readonly Minute[], from: number, to: number): Period | null {
  if (burstsOf(series).length < LEAST_BURSTS) return null;
  const step = Math.max(1, Math.ceil((to - from) / STEPS_MAX));
  const bytes = new Float64Array(Math.ceil((to - from) / step));
  for (const { minuteUnix, bytesWritten } of series) {
    const at = Math.floor((minuteUnix - from) / step);
    if (at >= 0 && at < bytes.length) bytes[at] = (bytes[at] as number) + Number(bytesWritten);
  }
  const values = centred(bytes.map((one) => Math.log10(1 + one)));
  const peak = peakOf(values);
  if (peak === null) return null;
  const random = new Random(1);
  let [high, done] = [0, 0];
  for (; done < SHUFFLES && high <= HIGH_MAX; done++) {
    shuffle(values, random);
    const other = peakOf(values);
    if (other !== null && other.height >= peak.height) high++;
  }
  const n = values.length;
  return {
    minutes: peak.at * step,
    strength: Math.min(1, (peak.height * n) / (n - peak.at)),
    confidence: 1 - (high + 1) / (done + 1),
  };
}

function centred(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  return values.map((one) => one - mean);
}

function peakOf(values: Float64Array): { at: number; height: number } | null {
  const n = values.length;
  const lags = Math.floor(n / 2) + 1;
  const sums = new Float64Array(lags + 1);
  for (let k = 0; k <= Math.min(lags, n - 1); k++)
    for (let i = 0; i + k < n; i++)
      sums[k] = (sums[k] as number) + (values[i] as number) * (values[i + k] as number);
  const square = sums[0] as number;
  if (!(square > 1e-12 * n)) return null;
  const slack = 1e-9 * square;
  let best = 0;
  for (let k = 2; k < lags; k++) {
    const here = sums[k] as number;
    if (here <= 0 || here - (sums[k - 1] as number) <= slack || here < (sums[k + 1] as number) - slack)
      continue;
    if (best === 0 || here > (sums[best] as number) + slack) best = k;
  }
  return best === 0 ? null : { at: best, height: (sums[best] as number) / square };
}

function shuffle(values: Float64Array, random: Random): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const held = values[i] as number;
    values[i] = values[j] as number;
    values[j] = held;
  }
}
