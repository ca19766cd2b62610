/** How long the runs on selected files take among each other: drawn once to know who meets whom, then once more with it. */
import type { Clock } from "./draft.ts";
import { jobId } from "./identity.ts";
import type { Population } from "./population.ts";
import { plantedRemovals } from "./removals.ts";
import { type FileClass, IO_TIME } from "./scenario.ts";
import { SelectedFiles } from "./selected.ts";
import { playTransfers, Transfers, type TransferTimes } from "./target-load.ts";
import { SELECTED } from "./truth.ts";

/** Nobody meets anybody; the transfers are noted down. */
function notingClock(transfers: Transfers): Clock {
  return (_, { start, drawnMs, alone, readShare, bytes, first, width }) => {
    const [readSeconds, writeSeconds] = [alone * readShare, alone * (1 - readShare)];
    const demand = bytes / alone / width / IO_TIME.ostRate;
    transfers.add(start, readSeconds, demand, first, width);
    transfers.add(start + drawnMs / 1000 - writeSeconds, writeSeconds, demand, first, width);
    return { readSeconds, writeSeconds, durationMs: drawnMs };
  };
}

/** Times as they are when transfers meet. A run that writes ends with its writes. */
function sharedClock({ start, end }: TransferTimes): Clock {
  return (number, draft) => {
    const [read, write] = [2 * number, 2 * number + 1];
    const readSeconds = (end[read] as number) - (start[read] as number);
    const writeSeconds = (end[write] as number) - (start[write] as number);
    const seconds =
      writeSeconds > 0
        ? (end[write] as number) - draft.start
        : Math.max(draft.drawnMs / 1000, 1.05 * readSeconds + 10);
    return { readSeconds, writeSeconds, durationMs: Math.round(1000 * seconds) };
  };
}

/** What answers.json says of load: the slopes that were planted, and runs without which others would have been faster. */
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

/** Who meets whom among the runs on selected files. All are drawn once for it: 56 bytes a run. */
export class Contention {
  readonly clock: Clock;
  readonly #transfers = new Transfers();
  readonly #population: Population;
  readonly #slowed: number;

  constructor(population: Population) {
    const transfers = this.#transfers;
    this.#population = population;
    for (const _ of new SelectedFiles(population, notingClock(transfers)).files());
    const times = playTransfers(transfers, population.osts, population.slope);
    this.clock = sharedClock(times);
    this.#slowed = slowedRuns(transfers, times);
  }

  answers(): LoadAnswers {
    const { osts, slope, options } = this.#population;
    // Runs that touch several files have numbers of their own.
    const removals = (options.filesPerRun ?? 1) === 1 ? plantedRemovals(this.#transfers, osts, slope) : [];
    const job = (number: number) => String(jobId({ kind: SELECTED, number }));
    return {
      ...{ ostBytesPerSecond: IO_TIME.ostRate, slope, elasticity: IO_TIME.elasticity, noise: IO_TIME.noise },
      slowedRuns: this.#slowed,
      removals: removals.map(({ run, changed }) => ({
        job: job(run),
        changed: changed.map(({ run: one, seconds, without }) => ({ job: job(one), seconds, without })),
      })),
    };
  }
}

function slowedRuns({ alone, count }: Transfers, { start, end }: TransferTimes): number {
  let slowed = 0;
  for (let i = 0; i < count; i += 2) {
    const took = (at: number) => (end[at] as number) - (start[at] as number);
    const least = (alone[i] as number) + (alone[i + 1] as number);
    if (took(i) + took(i + 1) >= SLOWED * least) slowed++;
  }
  return slowed;
}
