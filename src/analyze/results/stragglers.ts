/** Slow ranks, for benchmarks that write times per rank. */
import { quantileOf } from "../../base/statistics.ts";
import type { FoundRankTimes } from "../../model/index.ts";

export interface StragglerGroup {
  readonly file: string;
  readonly benchmark: string;
  readonly operation: string;
  readonly ranks: number;
  readonly medianSeconds: number;
  readonly slowestSeconds: number;
  readonly slowestRank: number;
  /** Slowest / median. */
  readonly ratio: number;
  /** Ranks that took at least 1.5 times the median. */
  readonly late: number;
}

/** Our choice: smaller ratios occur by chance. */
const LATE = 1.5;

/** Largest ratio first. */
export function stragglersOf(times: readonly FoundRankTimes[]): StragglerGroup[] {
  return times
    .filter(({ seconds }) => seconds.length > 1)
    .map(({ file, benchmark, operation, ranks, seconds }) => {
      const medianSeconds = quantileOf(seconds, 0.5);
      const slowestSeconds = seconds.reduce((most, one) => Math.max(most, one));
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
