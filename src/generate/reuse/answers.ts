/**
 * The true answers, from the truth by plain loops: the reference that analyses of the logs are compared with. It follows
 * ANALYSES.md word for word, a file at a time, and shares nothing with the analyses.
 */
import { createHash } from "node:crypto";
import { localHour } from "./calendar.ts";
import { MIN_BYTES, MIN_RUNS } from "./scenario.ts";
import type { AccessTruth, FileTruth, Group } from "./truth.ts";

const HOUR = 3600;

/** Answers by item and key; byte totals are exact. */
export type Answers = Readonly<Record<string, Readonly<Record<string, number | bigint>>>>;

/** A sum of whole numbers that may pass 2^53. */
class ExactSum {
  #large = 0n;
  #small = 0;

  add(value: number): void {
    this.#small += value;
    if (this.#small > 2 ** 52) this.#carry();
  }

  get total(): bigint {
    this.#carry();
    return this.#large;
  }

  #carry(): void {
    this.#large += BigInt(this.#small);
    this.#small = 0;
  }
}

class Mean {
  sum = 0;
  count = 0;

  add(value: number): void {
    this.sum += value;
    this.count++;
  }

  get value(): number {
    return this.sum / this.count;
  }
}

/** Numbers that are kept one by one, as doubles. */
class Values {
  #values = new Float64Array(1024);
  count = 0;

  add(value: number): void {
    if (this.count === this.#values.length) {
      const longer = new Float64Array(2 * this.count);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.count++] = value;
  }

  get mean(): number {
    let sum = 0;
    for (let i = 0; i < this.count; i++) sum += this.#values[i] as number;
    return sum / this.count;
  }

  /** Linear interpolation between the two nearest: position (count - 1) × p in the sorted values. */
  percentile(p: number): number {
    const sorted = this.#values.slice(0, this.count).sort();
    const at = (this.count - 1) * p;
    const low = Math.floor(at);
    const below = sorted[low] as number;
    const above = sorted[Math.min(low + 1, this.count - 1)] as number;
    return below + (above - below) * (at - low);
  }
}

export class AnswerBook {
  #logs = 0;
  #files = 0;
  readonly #applications = new Set<number>();
  readonly #users = new Set<number>();
  readonly #bytesRead = new ExactSum();
  readonly #bytesWritten = new ExactSum();

  readonly #selectedIds: bigint[] = [];
  readonly #selectedApplications = new Set<number>();
  readonly #selectedUsers = new Set<number>();
  readonly #selectedRead = new ExactSum();
  readonly #selectedWritten = new ExactSum();
  #accesses = 0;
  readonly #classes = { readHeavy: 0, writeHeavy: 0, readWrite: 0 };
  #readRuns = 0;
  #writeRuns = 0;
  #balanced = 0;
  #oneSided = 0;
  readonly #readGaps = new Values();
  readonly #writeGaps = new Values();
  readonly #streaks = {
    read: { mean: new Mean(), atLeast2: 0, exactly2: 0 },
    write: { mean: new Mean(), atLeast2: 0, exactly2: 0 },
  };
  #sharedFiles = 0;
  readonly #applicationGaps = new Mean();
  readonly #posixBytes = new Mean();
  readonly #ostBytes: number[];
  readonly #hourBytes = new Float64Array(24);
  readonly #hourTime = Array.from({ length: 24 }, () => new Mean());
  readonly #hourCov = Array.from({ length: 24 }, () => new Mean());
  readonly #covBytes = new Mean();
  readonly #covTime = new Mean();
  readonly #covByClass = {
    RH: { bytes: new Mean(), time: new Mean() },
    WH: { bytes: new Mean(), time: new Mean() },
    RW: { bytes: new Mean(), time: new Mean() },
  };
  #below5 = 0;

  /** `osts`: how many the system has; one that no selected file lies on still counts as a target without load. */
  constructor(osts: number) {
    this.#ostBytes = new Array(osts).fill(0);
  }

  get selectedFiles(): number {
    return this.#selectedIds.length;
  }

  add({ runs, files }: Group): void {
    this.#logs += runs.length;
    for (const run of runs) {
      this.#applications.add(run.application);
      this.#users.add(run.user);
    }
    this.#files += files.length;
    for (const file of files) {
      let read = 0;
      let written = 0;
      for (const access of file.accesses) {
        read += access.bytesRead;
        written += access.bytesWritten;
      }
      this.#bytesRead.add(read);
      this.#bytesWritten.add(written);
      if (read + written >= MIN_BYTES && file.accesses.length >= MIN_RUNS) this.#select(file, read, written);
    }
  }

  #select(file: FileTruth, read: number, written: number): void {
    const accesses = [...file.accesses].sort((a, b) => a.run.start - b.run.start);
    this.#selectedIds.push((BigInt(file.idHigh) << 32n) | BigInt(file.idLow));
    this.#selectedRead.add(read);
    this.#selectedWritten.add(written);
    this.#accesses += accesses.length;
    for (const { run } of accesses) {
      this.#selectedApplications.add(run.application);
      this.#selectedUsers.add(run.user);
    }
    const difference = (read - written) / (read + written);
    const fileClass = difference >= 0.9 ? "RH" : difference <= -0.9 ? "WH" : "RW";
    if (fileClass === "RH") this.#classes.readHeavy++;
    else if (fileClass === "WH") this.#classes.writeHeavy++;
    else this.#classes.readWrite++;
    this.#runClasses(accesses);
    this.#gapsAndStreaks(accesses);
    this.#sharing(accesses);
    this.#variation(accesses, fileClass);
    this.#hours(accesses);
    for (const ost of file.osts) {
      this.#ostBytes[ost] = (this.#ostBytes[ost] as number) + (read + written) / file.osts.length;
    }
  }

  /** A06; a run touches one selected file. */
  #runClasses(accesses: readonly AccessTruth[]): void {
    for (const { bytesRead, bytesWritten } of accesses) {
      if (bytesRead > bytesWritten) this.#readRuns++;
      else if (bytesRead < bytesWritten) this.#writeRuns++;
      else this.#balanced++;
      if (Math.abs(bytesRead - bytesWritten) / (bytesRead + bytesWritten) >= 0.95) this.#oneSided++;
    }
  }

  /** A07 to A09. */
  #gapsAndStreaks(accesses: readonly AccessTruth[]): void {
    for (const type of ["read", "write"] as const) {
      const isOfType = ({ bytesRead, bytesWritten }: AccessTruth) =>
        type === "read" ? bytesRead > bytesWritten : bytesWritten > bytesRead;
      const starts = accesses.filter(isOfType).map(({ run }) => run.start);
      if (starts.length >= 2) {
        let sum = 0;
        for (let i = 1; i < starts.length; i++) sum += (starts[i] as number) - (starts[i - 1] as number);
        const gaps = type === "read" ? this.#readGaps : this.#writeGaps;
        gaps.add(sum / (starts.length - 1) / HOUR);
      }
      let streaks = 0;
      let inStreak = false;
      for (const access of accesses) {
        const matches = isOfType(access);
        if (matches && !inStreak) streaks++;
        inStreak = matches;
      }
      // A type that never occurs counts as streaks of 0.
      const mean = streaks === 0 ? 0 : starts.length / streaks;
      const all = this.#streaks[type];
      all.mean.add(mean);
      if (mean >= 2) all.atLeast2++;
      if (Math.round(mean) === 2) all.exactly2++;
    }
  }

  /** A10. */
  #sharing(accesses: readonly AccessTruth[]): void {
    const starts = new Map<number, number[]>();
    for (const { run } of accesses) {
      const own = starts.get(run.application);
      if (own === undefined) starts.set(run.application, [run.start]);
      else own.push(run.start);
    }
    if (starts.size >= 2) this.#sharedFiles++;
    for (const own of starts.values()) {
      if (own.length < 2) continue;
      let sum = 0;
      for (let i = 1; i < own.length; i++) sum += (own[i] as number) - (own[i - 1] as number);
      this.#applicationGaps.add(sum / (own.length - 1) / HOUR);
    }
    let posix = 0;
    let count = 0;
    for (const { layer, bytesRead, bytesWritten } of accesses) {
      if (layer !== 0) continue;
      posix += bytesRead + bytesWritten;
      count++;
    }
    if (count > 0) this.#posixBytes.add(posix / count);
  }

  /** A15: all runs of the file, both types together. */
  #variation(accesses: readonly AccessTruth[], fileClass: "RH" | "WH" | "RW"): void {
    const bytes = cov(accesses.map(({ bytesRead, bytesWritten }) => bytesRead + bytesWritten));
    const time = cov(accesses.map(({ slowestSeconds }) => slowestSeconds));
    this.#covBytes.add(bytes);
    this.#covTime.add(time);
    if (bytes < 0.05) this.#below5++;
    this.#covByClass[fileClass].bytes.add(bytes);
    this.#covByClass[fileClass].time.add(time);
  }

  /** A14. */
  #hours(accesses: readonly AccessTruth[]): void {
    let longest = 0;
    for (const { slowestSeconds } of accesses) longest = Math.max(longest, slowestSeconds);
    const cells = Array.from({ length: 24 }, () => [] as number[]);
    for (const { run, bytesRead, bytesWritten, slowestSeconds } of accesses) {
      const hour = localHour(run.start);
      this.#hourBytes[hour] = (this.#hourBytes[hour] as number) + bytesRead + bytesWritten;
      (this.#hourTime[hour] as Mean).add(slowestSeconds / longest);
      (cells[hour] as number[]).push(slowestSeconds);
    }
    cells.forEach((times, hour) => {
      if (times.length >= 2) (this.#hourCov[hour] as Mean).add(cov(times));
    });
  }

  finish(): { readonly answers: Answers; readonly selectedFilesSha256: string } {
    const selected = this.selectedFiles;
    const { read, write } = this.#streaks;
    const ids = BigUint64Array.from(this.#selectedIds).sort();
    const hash = createHash("sha256");
    for (const id of ids) hash.update(`${id}\n`);
    const times = this.#hourTime.map(({ value }) => value);
    const covs = this.#hourCov.map(({ value }) => value);
    const { RH, WH } = this.#covByClass;
    const answers: Answers = {
      A01: {
        logs: this.#logs,
        files: this.#files,
        applications: this.#applications.size,
        users: this.#users.size,
        bytesRead: this.#bytesRead.total,
        bytesWritten: this.#bytesWritten.total,
      },
      A04: {
        files: selected,
        runs: this.#accesses,
        applications: this.#selectedApplications.size,
        users: this.#selectedUsers.size,
        bytesRead: this.#selectedRead.total,
        bytesWritten: this.#selectedWritten.total,
      },
      A05: this.#classes,
      A06: {
        runs: this.#accesses,
        readRuns: this.#readRuns,
        writeRuns: this.#writeRuns,
        balanced: this.#balanced,
        oneSided95: this.#oneSided / this.#accesses,
      },
      A08: {
        readMeanHours: this.#readGaps.mean,
        writeMeanHours: this.#writeGaps.mean,
        readP80Hours: this.#readGaps.percentile(0.8),
        writeP80Hours: this.#writeGaps.percentile(0.8),
      },
      A09: {
        readMean: read.mean.value,
        writeMean: write.mean.value,
        readAtLeast2: read.atLeast2 / selected,
        writeAtLeast2: write.atLeast2 / selected,
        readExactly2: read.exactly2 / selected,
        writeExactly2: write.exactly2 / selected,
      },
      A10: {
        sharedByTwoOrMore: this.#sharedFiles / selected,
        applicationMeanHours: this.#applicationGaps.value,
      },
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
    return { answers, selectedFilesSha256: hash.digest("hex") };
  }
}

/** Coefficient of variation with the population's standard deviation, as a fraction. */
function cov(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / values.length) / mean;
}

/** Correlation of ranks, with average ranks for ties, over the pairs that have both values. */
function spearman(x: readonly number[], y: readonly number[]): number {
  const kept = x.map((_, i) => i).filter((i) => !Number.isNaN(x[i]) && !Number.isNaN(y[i]));
  const rank = (values: readonly number[]) =>
    values.map((value) => {
      const below = values.filter((other) => other < value).length;
      const equal = values.filter((other) => other === value).length;
      return below + (equal + 1) / 2;
    });
  const a = rank(kept.map((i) => x[i] as number));
  const b = rank(kept.map((i) => y[i] as number));
  const middle = (kept.length + 1) / 2;
  let both = 0;
  let own = 0;
  let other = 0;
  for (let i = 0; i < kept.length; i++) {
    const p = (a[i] as number) - middle;
    const q = (b[i] as number) - middle;
    both += p * q;
    own += p * p;
    other += q * q;
  }
  return both / Math.sqrt(own * other);
}
