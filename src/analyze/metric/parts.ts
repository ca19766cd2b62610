/**
 * A part of an input collected by itself, perhaps in another thread: everything in it is plain data, and the collection
 * that takes all parts in order (`CollectorSink.absorb`) is the same as if it had taken the accesses one by one.
 */
import type { CallBlock, CallWords } from "../../model/index.ts";
import { AccessRuns, type PackedRuns } from "./access-runs.ts";
import { BlockKernel, type Counts, type KernelOptions, noCounts } from "./block-kernel.ts";
import { Source } from "./clocks.ts";
import { Duplicates } from "./duplicates.ts";
import { Tallies, type TalliesData } from "./tallies.ts";

export interface PartOptions extends KernelOptions {
  readonly detail: boolean;
  /** How many records all parts have together. */
  readonly records: number;
}

/** What is to be known of an input to collect a part of it. It has one process. */
export interface PartOrigin {
  readonly pid: number;
  readonly offsetNs: number;
  /** On the clock of the input. */
  readonly fromNs: number;
  readonly toNs: number;
}

export interface CollectedPart {
  readonly counts: Counts;
  readonly minStartNs: number;
  readonly maxStartNs: number;
  readonly maxEndNs: number;
  readonly tallies: TalliesData;
  readonly packed: PackedRuns;
}

/** Collects parts one after the other; keeps its memory from part to part. */
export class PartCollector {
  readonly duplicates: Duplicates;
  readonly #options: PartOptions;
  readonly #runs: AccessRuns;

  /** `shared`: whether other threads are to see the times of a part. */
  constructor(options: PartOptions, shared: boolean) {
    this.#options = options;
    this.duplicates = new Duplicates(options.records);
    this.#runs = new AccessRuns({ shared, detail: options.detail });
  }

  /** `read` hands out calls whose processes are 0 and whose files have any numbers, many alike as words if it likes. */
  collect(
    origin: PartOrigin,
    read: (take: (block: CallBlock) => void, takeWords: ((calls: CallWords) => void) | undefined) => void,
  ): CollectedPart {
    const runs = this.#runs;
    const source = Object.assign(new Source(0, ""), {
      ...{ offsetNs: origin.offsetNs, fromNs: origin.fromNs, toNs: origin.toNs },
    });
    const counts = noCounts();
    const tallies = new Tallies();
    const names = { pidOf: () => origin.pid, allows: () => true };
    const kernel = new BlockKernel(tallies, runs, this.duplicates, names, this.#options);
    const take = (block: CallBlock) => {
      for (let from = 0; from < block.count; ) {
        from = kernel.take(block, from, source, counts);
        if (runs.count === runs.start.length) runs.makeRoom(0);
      }
    };
    const takeWords = (calls: CallWords) => {
      for (let { from } = calls; from < calls.to; ) {
        from = kernel.takeWords(calls, from, 0, source, counts);
        if (runs.count === runs.start.length) runs.makeRoom(0);
      }
    };
    read(take, kernel.takesWords(source) ? takeWords : undefined);
    runs.flush(0);
    const { minStartNs, maxStartNs, maxEndNs } = source;
    return {
      ...{ counts, minStartNs, maxStartNs, maxEndNs, tallies: tallies.data() },
      packed: runs.takePacked(),
    };
  }
}
