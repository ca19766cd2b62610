/** A05 and A07 to A10: classes of files, gaps and streaks of their runs, and the applications that share them. */
import { Mean, Values } from "./answer-statistics.ts";
import type { Answers, SelectedFile } from "./answers.ts";
import type { AccessTruth } from "./truth.ts";

const HOUR = 3600;
/** The share of files with a longer mean gap is one reading of the paper's sentence on 80 % of the files. */
const LONG_GAP_HOURS = 50;

/** Read runs or write runs of all files. */
class TypeSums {
  /** Mean gap of each file that has one. */
  readonly means = new Values();
  gaps = 0;
  streaks = 0;
  readonly streakMean = new Mean();
  atLeast2 = 0;
  exactly2 = 0;

  /** A file's runs of this type: how many, in how many streaks, and the time from the first to the last. */
  add(runs: number, streaks: number, seconds: number): void {
    if (runs >= 2) {
      this.gaps += runs - 1;
      this.means.add(seconds / (runs - 1) / HOUR);
    }
    this.streaks += streaks;
    // A type that never occurs counts as streaks of 0.
    const mean = streaks === 0 ? 0 : runs / streaks;
    this.streakMean.add(mean);
    if (mean >= 2) this.atLeast2++;
    if (Math.round(mean) === 2) this.exactly2++;
  }
}

export class SequenceAnswers {
  readonly #classes = { RH: 0, WH: 0, RW: 0 };
  readonly #read = new TypeSums();
  readonly #write = new TypeSums();
  #accesses = 0;
  #balanced = 0;
  #sharedFiles = 0;
  readonly #applicationGaps = new Mean();

  add({ accesses, fileClass }: SelectedFile): void {
    this.#classes[fileClass]++;
    this.#accesses += accesses.length;
    this.#type(accesses, 1, this.#read);
    this.#type(accesses, -1, this.#write);
    for (const access of accesses) if (typeOf(access) === 0) this.#balanced++;
    this.#sharing(accesses);
  }

  /** A07 to A09. */
  #type(accesses: readonly AccessTruth[], type: number, sums: TypeSums): void {
    let runs = 0;
    let streaks = 0;
    let first = 0;
    let last = 0;
    let inStreak = false;
    for (const access of accesses) {
      const matches = typeOf(access) === type;
      if (matches) {
        if (runs === 0) first = access.run.start;
        last = access.run.start;
        runs++;
        if (!inStreak) streaks++;
      }
      inStreak = matches;
    }
    sums.add(runs, streaks, last - first);
  }

  /** A10: for each application the time from its first run on the file to its last, over the gaps between. */
  #sharing(accesses: readonly AccessTruth[]): void {
    const spans = new Map<number, { first: number; last: number; runs: number }>();
    for (const { run } of accesses) {
      const span = spans.get(run.application);
      if (span === undefined) spans.set(run.application, { first: run.start, last: run.start, runs: 1 });
      else {
        span.last = run.start;
        span.runs++;
      }
    }
    if (spans.size >= 2) this.#sharedFiles++;
    for (const { first, last, runs } of spans.values())
      if (runs >= 2) this.#applicationGaps.add((last - first) / (runs - 1) / HOUR);
  }

  answers(selected: number): Answers {
    const [read, write] = [this.#read, this.#write];
    const { RH, WH, RW } = this.#classes;
    return {
      A05: { readHeavy: RH, writeHeavy: WH, readWrite: RW },
      A07: {
        accesses: this.#accesses,
        readGaps: read.gaps,
        writeGaps: write.gaps,
        readStreaks: read.streaks,
        writeStreaks: write.streaks,
        balanced: this.#balanced,
      },
      A08: {
        readMeanHours: read.means.mean,
        writeMeanHours: write.means.mean,
        readP80Hours: read.means.percentile(0.8),
        writeP80Hours: write.means.percentile(0.8),
        readLongShare: read.means.atLeast(LONG_GAP_HOURS),
        writeLongShare: write.means.atLeast(LONG_GAP_HOURS),
      },
      A09: {
        readMean: read.streakMean.value,
        writeMean: write.streakMean.value,
        readAtLeast2: read.atLeast2 / selected,
        writeAtLeast2: write.atLeast2 / selected,
        readExactly2: read.exactly2 / selected,
        writeExactly2: write.exactly2 / selected,
      },
      A10: {
        sharedByTwoOrMore: this.#sharedFiles / selected,
        applicationMeanHours: this.#applicationGaps.value,
      },
    };
  }
}

/** 1: a read run on the file; -1: a write run; 0: neither. */
function typeOf({ bytesRead, bytesWritten }: AccessTruth): number {
  return bytesRead > bytesWritten ? 1 : bytesRead < bytesWritten ? -1 : 0;
}
