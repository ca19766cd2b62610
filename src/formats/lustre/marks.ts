/** Which counters the current row has had, so that a repeated one is seen without a search. */
import { COUNTERS_MAX } from "./counter-table.ts";

export class Marks {
  /** Row in which the counter was last seen, and its entry there. */
  readonly row = new Int32Array(COUNTERS_MAX).fill(-1);
  readonly entry = new Int32Array(COUNTERS_MAX);

  clear(): void {
    this.row.fill(-1);
  }
}
