/** A12 to A15: load of OSTs and of hours, interfaces, and variation from run to run. */
import { cov, Mean, spearman } from "./answer-statistics.ts";
import type { Answers, SelectedFile } from "./answers.ts";
import { localHour } from "./calendar.ts";
import { type AccessTruth, POSIX } from "./truth.ts";

const HOURS = 24;

export class LoadAnswers {
  readonly #ostBytes: number[];
  readonly #posixBytes = new Mean();
  readonly #hourBytes = new Float64Array(HOURS);
  readonly #hourTime = Array.from({ length: HOURS }, () => new Mean());
  readonly #hourCov = Array.from({ length: HOURS }, () => new Mean());
  readonly #covBytes = new Mean();
  readonly #covTime = new Mean();
  readonly #covByClass = {
    RH: { bytes: new Mean(), time: new Mean() },
    WH: { bytes: new Mean(), time: new Mean() },
    RW: { bytes: new Mean(), time: new Mean() },
  };
  #below5 = 0;

  constructor(osts: number) {
    this.#ostBytes = new Array(osts).fill(0);
  }

  add({ file, accesses, fileClass, bytesRead, bytesWritten }: SelectedFile): void {
    for (const ost of file.osts) {
      this.#ostBytes[ost] = (this.#ostBytes[ost] as number) + (bytesRead + bytesWritten) / file.osts.length;
    }
    const bytes = Float64Array.from(accesses, (access) => access.bytesRead + access.bytesWritten);
    const seconds = Float64Array.from(accesses, ({ slowestSeconds }) => slowestSeconds);
    this.#interface(accesses, bytes);
    this.#variation(bytes, seconds, fileClass);
    this.#hours(accesses, bytes, seconds);
  }

  /** A13: bytes of POSIX accesses, a mean for each file. */
  #interface(accesses: readonly AccessTruth[], bytes: Float64Array): void {
    let sum = 0;
    let count = 0;
    accesses.forEach(({ layer }, i) => {
      if (layer !== POSIX) return;
      sum += bytes[i] as number;
      count++;
    });
    if (count > 0) this.#posixBytes.add(sum / count);
  }

  /** A15: all runs of the file, both types together. */
  #variation(bytes: Float64Array, seconds: Float64Array, fileClass: "RH" | "WH" | "RW"): void {
    const [ofBytes, ofTime] = [cov(bytes), cov(seconds)];
    this.#covBytes.add(ofBytes);
    this.#covTime.add(ofTime);
    if (ofBytes < 0.05) this.#below5++;
    this.#covByClass[fileClass].bytes.add(ofBytes);
    this.#covByClass[fileClass].time.add(ofTime);
  }

  /** A14: the runs of the file that start in one hour are a cell. */
  #hours(accesses: readonly AccessTruth[], bytes: Float64Array, seconds: Float64Array): void {
    const hours = Uint8Array.from(accesses, ({ run }) => localHour(run.start));
    const counts = new Float64Array(HOURS);
    const sums = new Float64Array(HOURS);
    const squares = new Float64Array(HOURS);
    let longest = 0;
    for (let i = 0; i < seconds.length; i++) {
      const hour = hours[i] as number;
      longest = Math.max(longest, seconds[i] as number);
      counts[hour] = (counts[hour] as number) + 1;
      sums[hour] = (sums[hour] as number) + (seconds[i] as number);
    }
    for (let i = 0; i < seconds.length; i++) {
      const hour = hours[i] as number;
      const mean = (sums[hour] as number) / (counts[hour] as number);
      squares[hour] = (squares[hour] as number) + ((seconds[i] as number) - mean) ** 2;
      this.#hourBytes[hour] = (this.#hourBytes[hour] as number) + (bytes[i] as number);
      (this.#hourTime[hour] as Mean).add((seconds[i] as number) / longest);
    }
    for (let hour = 0; hour < HOURS; hour++) {
      const count = counts[hour] as number;
      if (count < 2) continue;
      const mean = (sums[hour] as number) / count;
      (this.#hourCov[hour] as Mean).add(Math.sqrt((squares[hour] as number) / count) / mean);
    }
  }

  answers(selected: number): Answers {
    const times = this.#hourTime.map(({ value }) => value);
    const covs = this.#hourCov.map(({ value }) => value);
    const { RH, WH } = this.#covByClass;
    return {
      A12: { leastOverMost: Math.min(...this.#ostBytes) / Math.max(...this.#ostBytes) },
      A13: { posixBytesPerRun: this.#posixBytes.value },
      A14: {
        spearman: spearman(times, covs),
        peakHour: this.#hourBytes.indexOf(Math.max(...this.#hourBytes)),
        lowestHourCov: Math.min(...covs.filter((value) => !Number.isNaN(value))),
      },
      A15: {
        meanCovBytes: this.#covBytes.value,
        meanCovTime: this.#covTime.value,
        below5PercentBytes: this.#below5 / selected,
        writeHeavyMeanCovBytes: WH.bytes.value,
        readHeavyMeanCovTime: RH.time.value,
      },
    };
  }
}
