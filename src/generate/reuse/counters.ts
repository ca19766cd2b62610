/**
 * What the recorder counts of an access: calls, sizes and the spread over ranks. Ranks differ in a way that can be
 * summed in closed form, so that the counters of 8,192 ranks cost as much as those of two: in the order of their speed
 * their times fall evenly from the slowest to the fastest, and their bytes rise evenly.
 */
import { RANK_BYTES_SPREAD, RANK_TIME_COV } from "./scenario.ts";
import { type AccessTruth, MPIIO } from "./truth.ts";

const MIB = 1048576;
const TRANSFER_MAX = 4 * MIB;
const COLLECTIVE_BYTES = 16 * MIB;

/** Upper bounds of the access size classes, inclusive; the tenth class is open. */
const SIZE_BOUNDS = [100, 1024, 10240, 102400, MIB, 4 * MIB, 10 * MIB, 100 * MIB, 1024 * MIB];

export function sizeClass(bytes: number): number {
  let at = 0;
  while (at < SIZE_BOUNDS.length && bytes > (SIZE_BOUNDS[at] as number)) at++;
  return at;
}

/** Counters of one access; one object serves for all, as `of` fills it again. */
export class AccessCounters {
  shared = false;
  ioRanks = 0;
  opens = 0;
  /** Calls of `transferBytes`, and one of `restBytes` when that is not 0. */
  readonly reads = new Transfers();
  readonly writes = new Transfers();
  collective = 0;
  independent = 0;
  /** Sums over ranks. */
  readSeconds = 0;
  writeSeconds = 0;
  metaSeconds = 0;
  slowestSeconds = 0;
  fastestSeconds = 0;
  varianceSeconds = 0;
  varianceBytes = 0;
  slowestRank = 0;
  fastestRank = 0;
  slowestBytes = 0;
  fastestBytes = 0;

  of(access: AccessTruth): this {
    const { ioRanks: n, bytesRead, bytesWritten } = access;
    this.ioRanks = n;
    this.shared = n > 1;
    this.opens = n;
    this.reads.of(bytesRead, n);
    this.writes.of(bytesWritten, n);
    const high = access.layer === MPIIO ? highCalls(bytesRead, n) + highCalls(bytesWritten, n) : 0;
    this.collective = this.shared ? high : 0;
    this.independent = this.shared ? 0 : high;
    const spread = n === 1 ? 0 : timeSpread(access.layer);
    const times = n === 1 ? 1 : n * (1 - spread / 2);
    this.readSeconds = access.readSeconds * times;
    this.writeSeconds = access.writeSeconds * times;
    this.metaSeconds = access.metaSeconds * times;
    this.slowestSeconds = access.slowestSeconds;
    this.fastestSeconds = access.slowestSeconds * (1 - spread);
    this.varianceSeconds = n === 1 ? 0 : ((access.slowestSeconds * spread) ** 2 * (n + 1)) / (12 * (n - 1));
    const bytes = bytesRead + bytesWritten;
    const step = bytesStep(bytes, n);
    const rest = bytes - n * Math.floor(bytes / n);
    // Bytes are m + step (2i - n + 1), and the last rank has the rest too.
    this.varianceBytes =
      n === 1
        ? 0
        : (step * step * (n * n - 1)) / 3 + (2 * rest * step * (n - 1) + rest * rest) / n - (rest / n) ** 2;
    this.slowestRank = rankAt(0, n);
    this.fastestRank = rankAt(n - 1, n);
    this.slowestBytes = rankBytes(access, 0);
    this.fastestBytes = rankBytes(access, n - 1);
    return this;
  }
}

/** Calls of one direction. */
export class Transfers {
  bytes = 0;
  calls = 0;
  full = 0;
  transferBytes = 0;
  restBytes = 0;
  /** Calls behind the previous one of the same rank. */
  sequential = 0;

  of(bytes: number, ranks: number): void {
    this.bytes = bytes;
    if (bytes === 0) {
      this.calls = this.full = this.transferBytes = this.restBytes = this.sequential = 0;
      return;
    }
    this.transferBytes = Math.max(1, Math.min(TRANSFER_MAX, Math.floor(bytes / ranks)));
    this.full = Math.floor(bytes / this.transferBytes);
    this.restBytes = bytes - this.full * this.transferBytes;
    this.calls = this.full + (this.restBytes > 0 ? 1 : 0);
    this.sequential = Math.max(0, this.calls - ranks);
  }
}

/** Calls through MPI-IO: every rank as often. */
function highCalls(bytes: number, ranks: number): number {
  return bytes === 0 ? 0 : ranks * Math.max(1, Math.ceil(bytes / ranks / COLLECTIVE_BYTES));
}

/** Fastest = slowest × (1 - this): an even fall with the coefficient of variation of the layer. */
function timeSpread(layer: number): number {
  const cov = RANK_TIME_COV[layer] as number;
  return cov / (1 / Math.sqrt(12) + cov / 2);
}

function bytesStep(bytes: number, n: number): number {
  return n === 1 ? 0 : Math.floor((Math.floor(bytes / n) * RANK_BYTES_SPREAD) / (n - 1));
}

/** The rank at a place in the order of speed, the slowest first; n is a power of two. */
export function rankAt(place: number, n: number): number {
  return (place * 5 + 3) % n;
}

/** Seconds of the rank at a place in the order of speed. */
export function rankSeconds({ layer, ioRanks: n, slowestSeconds }: AccessTruth, place: number): number {
  return n === 1 ? slowestSeconds : slowestSeconds * (1 - (timeSpread(layer) * place) / (n - 1));
}

/** Bytes of the rank at a place in the order of speed. */
export function rankBytes({ ioRanks: n, bytesRead, bytesWritten }: AccessTruth, place: number): number {
  const bytes = bytesRead + bytesWritten;
  const mean = Math.floor(bytes / n);
  const rest = place === n - 1 ? bytes - n * mean : 0;
  return mean + bytesStep(bytes, n) * (2 * place - n + 1) + rest;
}
