/**
 * Takes the reads and writes of blocks: checks each, adds it to the tally it belongs to, and puts its times into the chunk of the
 * runs. This is the loop that every access passes, so it works on local variables: what process, file and flags decide is
 * decided when they change, and sums go to the tally then.
 */
import {
  CALL_ERROR,
  CALL_NESTED,
  CALL_NONFILE,
  Operation,
  type CallBlock,
  type CallWords,
} from "../../model/index.ts";
import type { AccessChunk } from "./access-runs.ts";
import { type Source, SPAN_LIMIT_NS } from "./clocks.ts";
import type { CallDurations } from "./durations.ts";
import { type Duplicates, duplicateKey } from "./duplicates.ts";
import { SUMMAND_LIMIT } from "./growing-sums.ts";
import { type Tallies, TALLY_WRITE } from "./tallies.ts";

/** How many accesses were taken, and how many not, by reason. */
export interface Counts {
  accesses: number;
  nested: number;
  failed: number;
  endBeforeStart: number;
  timeUnknown: number;
  sizeNegative: number;
  sizeUnknown: number;
  nonFile: number;
  direction: number;
  file: number;
  time: number;
}

export const noCounts = (): Counts => ({
  ...{ accesses: 0, nested: 0, failed: 0 },
  ...{ endBeforeStart: 0, timeUnknown: 0, sizeNegative: 0, sizeUnknown: 0 },
  ...{ nonFile: 0, direction: 0, file: 0, time: 0 },
});

/** Flush interval that keeps local sums exact. */
const SUM_LIMIT = SUMMAND_LIMIT / 2;
const WORD = 2 ** 32;

type Verdict = "take" | "nonFile" | "direction" | "file";

/** Which accesses count, and how. */
export interface KernelOptions {
  readonly blockBytes: number;
  readonly ceilPerAccess: boolean;
  readonly includeNonFile: boolean;
  readonly only?: "read" | "write";
  /** Count the time of fsync and similar calls, as accesses of 0 bytes. */
  readonly syncs?: boolean;
}

/** Process and file tables for the kernel. */
interface KernelNames {
  pidOf(process: number): number;
  allows(file: number): boolean;
}

export class BlockKernel {
  readonly #tallies: Tallies;
  readonly #runs: AccessChunk;
  readonly #duplicates: Duplicates;
  readonly #names: KernelNames;
  readonly #options: KernelOptions;

  constructor(
    tallies: Tallies,
    runs: AccessChunk,
    duplicates: Duplicates,
    names: KernelNames,
    options: KernelOptions,
  ) {
    this.#tallies = tallies;
    this.#runs = runs;
    this.#duplicates = duplicates;
    this.#names = names;
    this.#options = options;
  }

  /** Takes rows from `from` on until the block ends or the chunk is full; returns the row to continue with. */
  take(block: CallBlock, from: number, source: Source, counts: Counts): number {
    const { count, process, file, operation, flags, alike } = block;
    let at = from;
    let stretch = 0;
    while (at < count && this.#runs.count < this.#runs.start.length) {
      const [ownProcess, ownFile] = [process[at] as number, file[at] as number];
      const [ownOperation, ownFlags] = [operation[at] as number, flags[at] as number];
      let to = at + 1;
      if (alike !== undefined) {
        while ((alike[stretch] as number) <= at) stretch++;
        to = Math.min(count, alike[stretch] as number);
      } else
        while (
          to < count &&
          process[to] === ownProcess &&
          file[to] === ownFile &&
          operation[to] === ownOperation &&
          flags[to] === ownFlags
        )
          to++;
      if (
        ownOperation > Operation.write &&
        !(ownOperation === Operation.sync && this.#options.syncs === true)
      ) {
        at = to;
        continue;
      }
      const isWrite = ownOperation === Operation.write;
      const verdict = this.#verdict(ownFile, isWrite, ownFlags);
      if (verdict !== "take") {
        counts[verdict] += to - at;
        at = to;
        continue;
      }
      const tally = this.#tallies.find(
        ownProcess,
        ownFile,
        (isWrite ? TALLY_WRITE : 0) | (ownFlags & CALL_NESTED),
      );
      const pid = this.#names.pidOf(ownProcess);
      const before = this.#tallies.accesses[tally] as number;
      at = this.#takeAlike(block, at, to, tally, pid, source, counts);
      const taken = (this.#tallies.accesses[tally] as number) - before;
      if ((ownFlags & CALL_NESTED) !== 0) counts.nested += taken;
      else {
        counts.accesses += taken;
        if ((ownFlags & CALL_ERROR) !== 0) counts.failed += taken;
      }
    }
    return at;
  }

  /** Whether `takeWords` can take calls on that clock. */
  takesWords({ fromNs, toNs }: Source): boolean {
    return (
      fromNs === Number.NEGATIVE_INFINITY && toNs === Number.POSITIVE_INFINITY && !this.#options.ceilPerAccess
    );
  }

  /** The same as `take` for calls from `from` on that are not nested. */
  takeWords(calls: CallWords, from: number, process: number, source: Source, counts: Counts): number {
    const { to, file, operation, flags } = calls;
    const isWrite = operation === Operation.write;
    const verdict = this.#verdict(file, isWrite, flags);
    if (verdict !== "take") {
      counts[verdict] += to - from;
      return to;
    }
    const tally = this.#tallies.find(process, file, isWrite ? TALLY_WRITE : 0);
    const before = this.#tallies.accesses[tally] as number;
    const at = this.#takeAlikeWords(calls, from, tally, this.#names.pidOf(process), source, counts);
    counts.accesses += (this.#tallies.accesses[tally] as number) - before;
    return at;
  }

  /** `#takeAlike` from words, without columns in between; this is how large traces are read. */
  #takeAlikeWords(
    { words, to, low, baseHigh, baseLow, hasOffsets }: CallWords,
    from: number,
    tally: number,
    pid: number,
    source: Source,
    counts: Counts,
  ): number {
    const [tallies, duplicates, runs] = [this.#tallies, this.#duplicates, this.#runs];
    const { start: starts, end: ends, tally: owners, bytes: ownSizes } = runs;
    const durations = tallies.durations[tally] as CallDurations;
    const { offsetNs, number: clock } = source;
    // The low words of times of the sample's key.
    const keyBase = (offsetNs - baseLow) | 0;
    let floorNs = +durations.floorNs;
    let threshold = +duplicates.threshold;
    let minStartNs = +source.minStartNs;
    let maxStartNs = +source.maxStartNs;
    let maxEndNs = +source.maxEndNs;
    const firstRow = runs.count;
    let row = firstRow;
    let [bytesSum, callSum] = [0, 0];
    // High words seldom change; these are none, so that the first record shows the engine how it is when they do.
    let [startWord, startWordNs, endWord, endWordNs] = [-1, 0, -1, 0];
    let at = from;
    for (; at < to && row < starts.length; at++) {
      const word = 8 * at;
      const startLow = words[word + 4 + low] as number;
      const startHigh = words[word + 5 - low] as number;
      const endLow = words[word + 6 + low] as number;
      const endHigh = words[word + 7 - low] as number;
      if (startHigh !== startWord) {
        startWord = startHigh;
        startWordNs = asDouble((startHigh - baseHigh) * WORD - baseLow);
      }
      if (endHigh !== endWord) {
        endWord = endHigh;
        endWordNs = asDouble((endHigh - baseHigh) * WORD - baseLow);
      }
      const start = startWordNs + startLow;
      const end = endWordNs + endLow;
      const top = words[word + 3 - low] as number;
      let bytes = words[word + 2 + low] as number;
      const hasOffset = hasOffsets && top >>> 31 === 1;
      if (top !== 0 && !hasOffset) bytes += (top | 0) * WORD;
      if (
        !(start <= end && start > -SPAN_LIMIT_NS && end < SPAN_LIMIT_NS) ||
        !(bytes >= 0 && bytes < SUMMAND_LIMIT)
      ) {
        drop(start, end, bytes, counts);
        continue;
      }
      const duration = end - start;
      bytesSum += bytes;
      callSum += duration;
      if (bytesSum + callSum >= SUM_LIMIT) {
        tallies.addSums(tally, bytesSum, callSum, bytesSum, bytesSum);
        bytesSum = callSum = 0;
      }
      if (duration > floorNs) {
        const place = hasOffset ? placeOf(top, words[word] as number) : Number.NaN;
        durations.keep(duration, start, place, bytes, clock);
        floorNs = +durations.floorNs;
      }
      const key = duplicateKey((startLow + keyBase) | 0, (endLow + keyBase) | 0);
      if (key <= threshold) {
        const place = hasOffset ? placeOf(top, words[word] as number) : Number.NaN;
        duplicates.add(key, pid, start + offsetNs, end + offsetNs, bytes, place);
        threshold = +duplicates.threshold;
      }
      if (start < minStartNs) minStartNs = start;
      if (start > maxStartNs) maxStartNs = start;
      if (end > maxEndNs) maxEndNs = end;
      starts[row] = start;
      ends[row] = end;
      ownSizes[row] = bytes;
      row++;
    }
    owners.fill(tally, firstRow, row);
    durations.sketch.addDifferences(ends, starts, firstRow, row);
    runs.count = row;
    source.minStartNs = minStartNs;
    source.maxStartNs = maxStartNs;
    source.maxEndNs = maxEndNs;
    tallies.accesses[tally]! += row - firstRow;
    tallies.movedKnown[tally]! += row - firstRow;
    tallies.addSums(tally, bytesSum, callSum, bytesSum, bytesSum);
    return at;
  }

  #verdict(file: number, isWrite: boolean, flags: number): Verdict {
    const { only, includeNonFile } = this.#options;
    if ((flags & CALL_NONFILE) !== 0 && !includeNonFile) return "nonFile";
    if (only !== undefined && (only === "write") !== isWrite) return "direction";
    return this.#names.allows(file) ? "take" : "file";
  }

  /** Rows of one tally; returns the row after the last one that was taken. */
  #takeAlike(
    block: CallBlock,
    from: number,
    to: number,
    tally: number,
    pid: number,
    source: Source,
    counts: Counts,
  ): number {
    const { startNs, endNs, bytes: sizes, movedBytes, offset, flags } = block;
    const { blockBytes, ceilPerAccess } = this.#options;
    const tallies = this.#tallies;
    const duplicates = this.#duplicates;
    const runs = this.#runs;
    const { start: starts, end: ends, tally: owners, bytes: ownSizes } = runs;
    const nested = ((flags[from] as number) & CALL_NESTED) !== 0;
    const durations = tallies.durations[tally] as CallDurations;
    let { floorNs } = durations;
    const { offsetNs, fromNs, toNs, number: clock } = source;
    const ranged = fromNs > Number.NEGATIVE_INFINITY || toNs < Number.POSITIVE_INFINITY;
    let { threshold } = duplicates;
    let { minStartNs, maxStartNs, maxEndNs } = source;
    const firstRow = runs.count;
    let row = firstRow;
    let [accesses, bytesSum, callSum, movedKnown, movedSum, movedAsked] = [0, 0, 0, 0, 0, 0];
    let at = from;
    for (; at < to && row < starts.length; at++) {
      const start = Math.floor((startNs[at] as number) + 0.5);
      const end = Math.floor((endNs[at] as number) + 0.5);
      const bytes = sizes[at] as number;
      if (
        !(start <= end && start > -SPAN_LIMIT_NS && end < SPAN_LIMIT_NS) ||
        !(bytes >= 0 && bytes < SUMMAND_LIMIT && Math.floor(bytes) === bytes)
      ) {
        drop(start, end, bytes, counts);
        continue;
      }
      if (ranged && !(start >= fromNs && start < toNs)) {
        counts.time++;
        continue;
      }
      accesses++;
      bytesSum += bytes;
      if (movedBytes !== undefined) {
        const moved = movedBytes[at] as number;
        if (moved >= 0 && moved < SUMMAND_LIMIT) {
          movedKnown++;
          movedSum += moved;
          movedAsked += bytes;
        }
      }
      // None is negative, so no single one can be beyond it.
      if (bytesSum + callSum + movedSum >= SUM_LIMIT) {
        tallies.addSums(tally, bytesSum, callSum, movedSum, movedAsked);
        bytesSum = callSum = movedSum = movedAsked = 0;
      }
      if (nested) continue;
      const duration = end - start;
      callSum += duration;
      const place = offset === undefined ? Number.NaN : (offset[at] as number);
      if (duration > floorNs) {
        durations.keep(duration, start, place, bytes, clock);
        floorNs = +durations.floorNs;
      }
      if (ceilPerAccess) tallies.blocks.add(tally, wholeBlocks(bytes, blockBytes));
      const key = duplicateKey(start + offsetNs, end + offsetNs);
      if (key <= threshold) {
        duplicates.add(key, pid, start + offsetNs, end + offsetNs, bytes, place);
        threshold = +duplicates.threshold;
      }
      if (start < minStartNs) minStartNs = start;
      if (start > maxStartNs) maxStartNs = start;
      if (end > maxEndNs) maxEndNs = end;
      starts[row] = start;
      ends[row] = end;
      ownSizes[row] = bytes;
      row++;
    }
    owners.fill(tally, firstRow, row);
    durations.sketch.addDifferences(ends, starts, firstRow, row);
    runs.count = row;
    source.minStartNs = minStartNs;
    source.maxStartNs = maxStartNs;
    source.maxEndNs = maxEndNs;
    tallies.accesses[tally]! += accesses;
    tallies.movedKnown[tally]! += movedKnown;
    tallies.addSums(tally, bytesSum, callSum, movedSum, movedAsked);
    return at;
  }
}

/** In the file, of the two words that say it. */
const placeOf = (top: number, low: number): number => (top & 0x7fffffff) * WORD + low;

const DOUBLE = new Float64Array(1);

/**
 * The same number, as the engine keeps doubles: a loop that begins with small integers would be compiled for these, and again for
 * doubles once sums have grown.
 */
function asDouble(value: number): number {
  DOUBLE[0] = value;
  return DOUBLE[0];
}

function drop(start: number, end: number, bytes: number, counts: Counts): void {
  if (end < start) counts.endBeforeStart++;
  else if (!(start <= end && start > -SPAN_LIMIT_NS && end < SPAN_LIMIT_NS)) counts.timeUnknown++;
  else if (bytes < 0) counts.sizeNegative++;
  else counts.sizeUnknown++;
}

/** Exact: remainders are, where quotients would be rounded. */
export function wholeBlocks(bytes: number, blockBytes: number): number {
  const rest = bytes % blockBytes;
  return (bytes - rest) / blockBytes + (rest > 0 ? 1 : 0);
}
