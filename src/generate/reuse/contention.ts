/** Run times of runs on selected files under contention: drawn once to find overlaps, then again with them. */
import type { Clock } from "./draft.ts";
import { jobId } from "./identity.ts";
import type { Population } from "./population.ts";
import { plantedRemovals, type Removal } from "./removals.ts";
import { type FileClass, IO_TIME } from "./scenario.ts";
import { SelectedFiles } from "./selected.ts";
import { playTransfers, Transfers, type TransferTimes } from "./target-load.ts";
import { SELECTED } from "./truth.ts";

/** First pass, without contention: records the transfers. */
export function notingClock(transfers: Transfers): Clock {
  return (_, { start, drawnMs, alone, readShare, bytes, first, width }) => {
    const [readSeconds, writeSeconds] = [alone * readShare, alone * (1 - readShare)];
    const demand = bytes / alone / width / IO_TIME.ostRate;
    transfers.add(
      { start, alone: readSeconds },
      { start: start + drawnMs / 1000 - writeSeconds, alone: writeSeconds },
      { demand, first, width },
    );
    return { readSeconds, writeSeconds, durationMs: drawnMs };
  };
}

/** When the transfers of a run end: seconds of reads, seconds of writes, and the end of the writes. */
type RunTimes = readonly [readSeconds: number, writeSeconds: number, writeEnd: number];

export function runTimes({ start, end }: TransferTimes, run: number): RunTimes {
  const [read, write] = [2 * run, 2 * run + 1];
  const took = (at: number) => (end[at] as number) - (start[at] as number);
  return [took(read), took(write), end[write] as number];
}

/** Times as they are when transfers meet. A run that writes ends with its writes. */
export function sharedClock(timesOf: (number: number) => RunTimes): Clock {
  return (number, draft) => {
    const [readSeconds, writeSeconds, writeEnd] = timesOf(number);
    const seconds =
      writeSeconds > 0 ? writeEnd - draft.start : Math.max(draft.drawnMs / 1000, 1.05 * readSeconds + 10);
    return { readSeconds, writeSeconds, durationMs: Math.round(1000 * seconds) };
  };
}

/** Load in answers.json: the planted slopes, and jobs whose removal would make others faster. */
export interface LoadAnswers {
  /** Bytes per second of one OST. */
  readonly ostBytesPerSecond: number;
  /** An OST whose whole rate others want makes a transfer take 1 + this times as long. */
  readonly slope: number;
  /** Of I/O time against the load of the hour, by class of file. */
  readonly elasticity: Readonly<Record<FileClass, number>>;
  /** Coefficient of variation of what neither explains. */
  readonly noise: number;
  /** Runs that others made at least 5 % longer. */
  readonly slowedRuns: number;
  readonly removals: readonly RemovalAnswer[];
}

interface RemovalAnswer {
  /** The job whose run is taken away. */
  readonly job: string;
  /** Runs that change by a tenth and more: I/O time as it was, and without that run. */
  readonly changed: readonly { readonly job: string; readonly seconds: number; readonly without: number }[];
}

const SLOWED = 1.05;

/** Times of runs on selected files, and what answers.json says of them. */
export interface Load {
  readonly clock: Clock;
  answers(): LoadAnswers;
}

/** Overlaps among the runs on selected files. Draws all runs once: 94 bytes per run. */
export class Contention implements Load {
  readonly clock: Clock;
  readonly #transfers = new Transfers();
  readonly #times: TransferTimes;
  readonly #population: Population;

  constructor(population: Population) {
    const transfers = this.#transfers;
    this.#population = population;
    const [files, noting] = [new SelectedFiles(population), notingClock(transfers)];
    for (const file of files.placed()) files.show(file, noting);
    this.#times = playTransfers(transfers, population.osts, population.slope);
    this.clock = sharedClock((run) => runTimes(this.#times, run));
  }

  answers(): LoadAnswers {
    const { osts, slope, options } = this.#population;
    // Runs that touch several files have numbers of their own.
    const isOne = (options.filesPerRun ?? 1) === 1;
    const removals = isOne ? plantedRemovals(this.#transfers, this.#times, osts, slope) : [];
    return loadAnswers(this.#population, slowedRuns(this.#transfers, this.#times), removals);
  }
}

export function loadAnswers(
  { slope }: Population,
  slowed: number,
  removals: readonly Removal[],
): LoadAnswers {
  const job = (number: number) => String(jobId({ kind: SELECTED, number }));
  return {
    ...{ ostBytesPerSecond: IO_TIME.ostRate, slope, elasticity: IO_TIME.elasticity, noise: IO_TIME.noise },
    slowedRuns: slowed,
    removals: removals.map(({ run, changed }) => ({
      job: job(run),
      changed: changed.map(({ run: one, seconds, without }) => ({ job: job(one), seconds, without })),
    })),
  };
}

/** Of runs `from` to `to`. */
export function slowedRuns(
  { alone, count }: Transfers,
  { start, end }: TransferTimes,
  from = 0,
  to = count / 2,
): number {
  let slowed = 0;
  for (let i = 2 * from; i < 2 * to; i += 2) {
    const took = (at: number) => (end[at] as number) - (start[at] as number);
    const least = (alone[i] as number) + (alone[i + 1] as number);
    if (took(i) + took(i + 1) >= SLOWED * least) slowed++;
  }
  return slowed;
}
