/** What is kept of each job with minutes: shares of its run, bursts of writes, and their period. */
import { longer } from "../../../base/room.ts";
import { Random } from "../../../base/prng.ts";
import { NO_PERIOD, type Period, PeriodFinder } from "../common/periods.ts";
import { ioMinutesOf } from "../common/run-minutes.ts";
import type { Jobs } from "./jobs.ts";
import type { Run } from "./minutes.ts";
import type { SystemOptions } from "./options.ts";

/** Upper ends of the classes of bursts, as shares of memory and in bytes; what lies beyond the last has a class too. */
const MEMORY_ENDS = [0.01, 0.05, 0.1, 0.5, 1] as const;
export const MEMORY_NAMES = [
  "below1",
  "from1To5",
  "from5To10",
  "from10To50",
  "from50To100",
  "above100",
] as const;
const BYTE_ENDS = [1e3, 1e6, 1e9, 1e12] as const;
/** The first is for minutes that only read. */
export const BYTE_NAMES = [
  "zero",
  "below1KB",
  "from1KBTo1MB",
  "from1MBTo1GB",
  "from1GBTo1TB",
  "above1TB",
] as const;

/** Gaps for which the sensitivity of bursts is told. */
export const GAPS = [0, 1, 2, 5] as const;

const KEEP = 3;
const STREAM = 1209;

/** A job whose series is drawn. */
export interface KeptSeries {
  readonly job: number;
  readonly written: Float64Array;
  readonly period: Period;
}

export class Series {
  count = 0;
  #room = 1024;
  /** Place in the jobs, -1 where none is known. */
  job = new Int32Array(1024);
  bins = new Float64Array(1024);
  ioMinutes = new Float64Array(1024);
  writeMinutes = new Float64Array(1024);
  read = new Float64Array(1024);
  written = new Float64Array(1024);
  /** Minutes that hold 90 % of the bytes. */
  mostMinutes = new Float64Array(1024);
  bursts = new Float64Array(1024);
  /** Bytes of the largest burst, and memory of the job; NaN: not known. */
  largest = new Float64Array(1024);
  memory = new Float64Array(1024);
  /** Minutes by class of their burst, side by side. */
  memoryClass = new Float64Array(1024 * MEMORY_NAMES.length);
  byteClass = new Float64Array(1024 * BYTE_NAMES.length);
  /** Period in minutes, 0 without; strength and confidence; NaN: too short or without writes. */
  period = new Float64Array(1024);
  strength = new Float64Array(1024);
  confidence = new Float64Array(1024);
  /** Largest burst below 5 % of memory when bursts go on over this many minutes, by GAPS. */
  readonly below5ByGap = new Float64Array(GAPS.length);
  readonly burstsByGap = new Float64Array(GAPS.length);
  readonly kept: KeptSeries[] = [];
  readonly #jobs: Jobs;
  readonly #options: SystemOptions;
  readonly #finder = new PeriodFinder();
  readonly #random = new Random(0);
  readonly #limit: number;
  #sizes = new Float64Array(2048);

  constructor(jobs: Jobs, options: SystemOptions) {
    this.#jobs = jobs;
    this.#options = options;
    // This many of the shuffled series may be as high for a confidence of 95 %.
    this.#limit = Math.max(0, Math.floor(0.05 * (options.shuffles + 1) + 1e-9) - 1);
  }

  add(run: Run): void {
    if (this.count === this.#room) this.#grow();
    const at = this.count++;
    const { job, bins } = run;
    this.job[at] = job;
    this.bins[at] = bins;
    this.memory[at] =
      job < 0 ? Number.NaN : (this.#jobs.memory[job] as number) * (this.#jobs.nodes[job] as number);
    this.#minutes(at, run);
    this.#classes(at, run);
    this.#gaps(at, run);
    const period = this.#periodOf(at, run);
    this.period[at] = period?.minutes ?? Number.NaN;
    this.strength[at] = period?.strength ?? Number.NaN;
    this.confidence[at] = period?.confidence ?? Number.NaN;
    if (period !== undefined) this.#keep(run, period, this.written[at] as number);
  }

  isPeriodic(at: number): boolean {
    return (
      (this.period[at] as number) > 0 &&
      (this.strength[at] as number) >= this.#options.periodStrength &&
      (this.confidence[at] as number) >= 0.95 - 1e-9
    );
  }

  #grow(): void {
    this.#room *= 2;
    this.job = longer(this.job);
    this.bins = longer(this.bins);
    this.ioMinutes = longer(this.ioMinutes);
    this.writeMinutes = longer(this.writeMinutes);
    this.read = longer(this.read);
    this.written = longer(this.written);
    this.mostMinutes = longer(this.mostMinutes);
    this.bursts = longer(this.bursts);
    this.largest = longer(this.largest);
    this.memory = longer(this.memory);
    this.memoryClass = longer(this.memoryClass);
    this.byteClass = longer(this.byteClass);
    this.period = longer(this.period);
    this.strength = longer(this.strength);
    this.confidence = longer(this.confidence);
  }

  #minutes(at: number, { bins, read, written }: Run): void {
    if (bins > this.#sizes.length) this.#sizes = new Float64Array(2 * bins);
    const found = ioMinutesOf(read, written, bins, this.#sizes);
    this.ioMinutes[at] = found.io;
    this.writeMinutes[at] = found.write;
    this.read[at] = found.read;
    this.written[at] = found.written;
    this.mostMinutes[at] = found.most;
  }

  #classes(at: number, { bins, written }: Run): void {
    const { maxGapMinutes, burst } = this.#options;
    const memory = this.memory[at] as number;
    const [inMemory, inBytes] = [at * MEMORY_NAMES.length, at * BYTE_NAMES.length];
    this.byteClass[inBytes] = (this.ioMinutes[at] as number) - (this.writeMinutes[at] as number);
    let largest = 0;
    eachBurst(written, bins, maxGapMinutes, (from, to, bytes, minutes) => {
      this.bursts[at] = (this.bursts[at] as number) + 1;
      largest = Math.max(largest, bytes);
      // Minutes without a write within a burst belong to no class.
      for (let i = from; i < to; i++) {
        const own = written[i] as number;
        if (!(own > 0)) continue;
        const [size, weight] = burst === "minute" ? [own, 1] : [bytes, minutes];
        const byte = inBytes + 1 + classOf(size, BYTE_ENDS);
        this.byteClass[byte] = (this.byteClass[byte] as number) + weight;
        if (!Number.isNaN(memory)) {
          const share = size / memory;
          const cell = inMemory + (share === 1 ? MEMORY_ENDS.length - 1 : classOf(share, MEMORY_ENDS));
          this.memoryClass[cell] = (this.memoryClass[cell] as number) + weight;
        }
        if (burst === "whole") break;
      }
    });
    this.largest[at] = largest;
  }

  #gaps(at: number, { bins, written }: Run): void {
    GAPS.forEach((gap, i) => {
      let largest = 0;
      eachBurst(written, bins, gap, (_from, _to, bytes) => {
        largest = Math.max(largest, bytes);
        if (this.job[at] !== -1) this.burstsByGap[i] = (this.burstsByGap[i] as number) + 1;
      });
      if (largest / (this.memory[at] as number) < 0.05)
        this.below5ByGap[i] = (this.below5ByGap[i] as number) + 1;
    });
  }

  #periodOf(at: number, { bins, written }: Run): Period | undefined {
    if (bins < this.#options.periodBins || this.writeMinutes[at] === 0) return undefined;
    // One stretch of writes that never stops or never comes again has no period.
    if ((this.bursts[at] as number) < 2 && this.#options.maxGapMinutes === 0 && isFlat(written, bins))
      return NO_PERIOD;
    this.#random.restart(this.#options.seed, STREAM, at);
    return this.#finder.find(written, bins, this.#random, this.#options.shuffles, this.#limit);
  }

  /** The periodic jobs with most bytes written, in at least an hour, for the figure; else the largest. */
  #keep({ job, bins, written }: Run, period: Period, bytes: number): void {
    if (bins < 30) return;
    const score = (one: KeptSeries) =>
      (one.period.strength >= this.#options.periodStrength ? 1e18 : 0) + sumOf(one.written);
    const own = (period.strength >= this.#options.periodStrength ? 1e18 : 0) + bytes;
    if (this.kept.length === KEEP && own <= score(this.kept[KEEP - 1] as KeptSeries)) return;
    this.kept.push({ job, written: written.slice(0, bins), period });
    this.kept.sort((a, b) => score(b) - score(a));
    this.kept.length = Math.min(KEEP, this.kept.length);
  }
}

const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);

function isFlat(written: Float64Array, bins: number): boolean {
  for (let i = 1; i < bins; i++) if (written[i] !== written[0]) return false;
  return true;
}

function classOf(size: number, ends: readonly number[]): number {
  let at = 0;
  while (at < ends.length && size >= (ends[at] as number)) at++;
  return at;
}

/** Bursts of writes: [from, to) with at most `gap` minutes without a write between two with one; `minutes` have writes. */
function eachBurst(
  written: Float64Array,
  bins: number,
  gap: number,
  take: (from: number, to: number, bytes: number, minutes: number) => void,
): void {
  for (let i = 0; i < bins; ) {
    if (!((written[i] as number) > 0)) {
      i++;
      continue;
    }
    const from = i;
    let [bytes, minutes, last] = [0, 0, i];
    for (; i < bins && i - last <= gap + 1; i++) {
      if (!((written[i] as number) > 0)) continue;
      bytes += written[i] as number;
      minutes++;
      last = i;
    }
    take(from, last + 1, bytes, minutes);
    i = last + 1;
  }
}
