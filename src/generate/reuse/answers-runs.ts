/** A06 and A11: runs by what they moved to and from selected files. */
import { ExactSum, Values } from "./answer-statistics.ts";
import type { Answers, SelectedFile } from "./answers.ts";
import type { FileTruth, RunTruth } from "./truth.ts";

/** Medians need all values; beyond this many runs of a type they are left out. */
const MEDIAN_RUNS_MAX = 1_000_000;

/** Runs of one type. */
class Kind {
  runs = 0;
  readonly bytes = new ExactSum();
  #values: Values | undefined = new Values();

  add(bytes: number): void {
    this.runs++;
    this.bytes.add(bytes);
    this.#values?.add(bytes);
    if (this.runs >= MEDIAN_RUNS_MAX) this.#values = undefined;
  }

  get mean(): number {
    return Number(this.bytes.total) / this.runs;
  }

  get median(): number | undefined {
    return this.#values?.percentile(0.5);
  }
}

export class RunAnswers {
  readonly #read = new Kind();
  readonly #write = new Kind();
  readonly #balanced = new Kind();
  #oneSided = 0;

  get runs(): number {
    return this.#read.runs + this.#write.runs + this.#balanced.runs;
  }

  /** Runs of a group, and the files of it that are selected. */
  add(runs: readonly RunTruth[], selected: readonly SelectedFile[]): void {
    const files = new Set<FileTruth>(selected.map(({ file }) => file));
    for (const { accesses } of runs) {
      let read = 0;
      let written = 0;
      let touched = false;
      for (const { file, bytesRead, bytesWritten } of accesses) {
        if (!files.has(file)) continue;
        touched = true;
        read += bytesRead;
        written += bytesWritten;
      }
      if (!touched) continue;
      const bytes = read + written;
      if (read > written) this.#read.add(bytes);
      else if (read < written) this.#write.add(bytes);
      else this.#balanced.add(bytes);
      if (Math.abs(read - written) / bytes >= 0.95) this.#oneSided++;
    }
  }

  answers(): Answers {
    const [read, write, balanced] = [this.#read, this.#write, this.#balanced];
    const { runs } = this;
    const bytes = read.bytes.total + write.bytes.total + balanced.bytes.total;
    const [readMedian, writeMedian] = [read.median, write.median];
    return {
      A06: {
        runs,
        readRuns: read.runs,
        writeRuns: write.runs,
        balanced: balanced.runs,
        oneSided95: this.#oneSided / runs,
      },
      A11: {
        readMeanBytes: read.mean,
        writeMeanBytes: write.mean,
        writeOverRead: write.mean / read.mean,
        meanBytes: Number(bytes) / runs,
        ...(readMedian === undefined ? {} : { readMedianBytes: readMedian }),
        ...(writeMedian === undefined ? {} : { writeMedianBytes: writeMedian }),
        readRunsBytes: read.bytes.total,
        writeRunsBytes: write.bytes.total,
        balancedRunsBytes: balanced.bytes.total,
        bytes,
      },
    };
  }
}
