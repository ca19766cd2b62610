/** Time in MPI calls over all ranks, as AutoPerf counts it. Keeps sums per operation and a few numbers per rank. */
import { ExactSums } from "../../base/exact-sums.ts";
import type { MpiRow } from "../../model/index.ts";

export interface MpiFacts {
  /** Ranks with a record. */
  readonly ranks: number;
  readonly calls: bigint;
  readonly bytes: bigint;
  /** In MPI calls, summed over ranks. */
  readonly seconds: number;
  readonly meanSeconds: number;
  /** Of the run time, the mean rank; NaN when the run time is not known. */
  readonly share: number;
  /** The rank with most time in MPI calls, and the one with least, which others may have waited for. */
  readonly slowest: MpiRank;
  readonly fastest: MpiRank;
  /** Time of the slowest rank over the mean; NaN without time. */
  readonly spread: number;
  /** Waiting for others before collectives, summed over ranks; NaN where it was not measured. */
  readonly syncSeconds: number;
  /** Those that were called, most time first. */
  readonly operations: readonly MpiOperation[];
  /** Most time first: all of them, or as many at both ends as fit. */
  readonly perRank: readonly MpiRank[];
}

export interface MpiRank {
  readonly rank: number;
  readonly node: string;
  readonly seconds: number;
  readonly syncSeconds: number;
}

export interface MpiOperation {
  readonly name: string;
  readonly calls: bigint;
  readonly bytes: bigint;
  /** Ranks that called it. */
  readonly ranks: number;
  /** Summed over ranks. */
  readonly seconds: number;
  readonly slowestRank: number;
  readonly slowestSeconds: number;
  /** Time of the slowest rank over the mean of all ranks; NaN without time. */
  readonly spread: number;
  readonly longestSeconds: number;
  readonly syncSeconds: number;
}

/** Ranks that are named, half of them from each end. */
const RANKS_MAX = 20;

class OperationSums {
  readonly exact = new ExactSums(2);
  ranks = 0;
  seconds = 0;
  slowestRank = 0;
  slowestSeconds = -1;
  longestSeconds = 0;
  syncSeconds = Number.NaN;

  add(row: MpiRow, at: number, rank: number): void {
    const [calls, seconds] = [row.calls[at] as number, row.seconds[at] as number];
    if (calls === 0 && seconds === 0) return;
    this.exact.add(0, calls);
    this.exact.add(1, row.bytes[at] as number);
    this.ranks++;
    this.seconds += seconds;
    if (seconds > this.slowestSeconds) [this.slowestRank, this.slowestSeconds] = [rank, seconds];
    this.longestSeconds = Math.max(this.longestSeconds, row.longestSeconds[at] as number);
    this.syncSeconds = sum(this.syncSeconds, row.syncSeconds[at] as number);
  }

  finish(name: string, ranks: number): MpiOperation {
    const { seconds, slowestRank, slowestSeconds, longestSeconds, syncSeconds } = this;
    return {
      ...{ name, calls: this.exact.at(0), bytes: this.exact.at(1), ranks: this.ranks, seconds },
      ...{ slowestRank, slowestSeconds, spread: (slowestSeconds * ranks) / seconds },
      ...{ longestSeconds, syncSeconds },
    };
  }
}

export class MpiTimes {
  readonly #operations = new Map<string, OperationSums>();
  /** Names of nodes are kept once. */
  readonly #nodes = new Map<string, string>();
  readonly #ranks: MpiRank[] = [];

  add(row: MpiRow, rank: number): void {
    row.operations.forEach((name, at) => {
      let sums = this.#operations.get(name);
      if (sums === undefined) this.#operations.set(name, (sums = new OperationSums()));
      sums.add(row, at, rank);
    });
    const node = this.#nodes.get(row.node) ?? row.node;
    this.#nodes.set(node, node);
    this.#ranks.push({ rank, node, seconds: row.totalSeconds, syncSeconds: row.totalSyncSeconds });
  }

  /** Undefined without records. */
  finish(runSeconds: number): MpiFacts | undefined {
    const ranks = [...this.#ranks].sort((a, b) => b.seconds - a.seconds || a.rank - b.rank);
    const [slowest, fastest] = [ranks[0], ranks.at(-1)];
    if (slowest === undefined || fastest === undefined) return undefined;
    const operations = [...this.#operations]
      .filter(([, sums]) => sums.ranks > 0)
      .map(([name, sums]) => sums.finish(name, ranks.length))
      .sort((a, b) => b.seconds - a.seconds);
    const seconds = ranks.reduce((total, one) => total + one.seconds, 0);
    const meanSeconds = seconds / ranks.length;
    return {
      ranks: ranks.length,
      calls: operations.reduce((total, { calls }) => total + calls, 0n),
      bytes: operations.reduce((total, { bytes }) => total + bytes, 0n),
      ...{ seconds, meanSeconds, share: runSeconds > 0 ? meanSeconds / runSeconds : Number.NaN },
      ...{ slowest, fastest, spread: slowest.seconds / meanSeconds },
      syncSeconds: ranks.reduce((total, one) => sum(total, one.syncSeconds), Number.NaN),
      operations,
      perRank:
        ranks.length <= RANKS_MAX
          ? ranks
          : [...ranks.slice(0, RANKS_MAX / 2), ...ranks.slice(-RANKS_MAX / 2)],
    };
  }
}

/** Of what was measured; NaN where nothing was. */
const sum = (a: number, b: number) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : a + b);
