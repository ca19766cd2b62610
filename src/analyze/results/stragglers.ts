/** Ranks that took longer than the others, where a benchmark wrote the times of its ranks. */
import type { FoundRankTimes } from "../../model/index.ts";

export interface Straggling {
  readonly file: string;
  readonly benchmark: string;
  readonly operation: string;
  readonly ranks: number;
  readonly medianSeconds: number;
  readonly slowestSeconds: number;
  readonly slowestRank: number;
  /** Slowest over median. */
  readonly ratio: number;
  /** Ranks that took at least half as long again as the median. */
  readonly late: number;
}

/** Ours: below, ranks of one storage system differ by chance. */
const LATE = 1.5;

/** Largest ratio first. */
export function stragglersOf(times: readonly FoundRankTimes[]): Straggling[] {
  return times
    .filter(({ seconds }) => seconds.length > 1)
    .map(({ file, benchmark, operation, ranks, seconds }) => {
      const sorted = [...seconds].sort((a, b) => a - b);
      const middle = sorted.length >> 1;
      const medianSeconds =
        sorted.length % 2 === 1
          ? (sorted[middle] as number)
          : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
      const slowestSeconds = sorted.at(-1) as number;
      return {
        ...{ file, benchmark, operation, ranks: ranks.length, medianSeconds, slowestSeconds },
        slowestRank: ranks[seconds.indexOf(slowestSeconds)] as number,
        ratio: slowestSeconds / medianSeconds,
        late: seconds.filter((value) => value >= LATE * medianSeconds).length,
      };
    })
    .filter(({ ratio }) => Number.isFinite(ratio))
    .sort((a, b) => b.ratio - a.ratio);
}
