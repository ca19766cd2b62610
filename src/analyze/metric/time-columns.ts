/** Time cut into columns of equal width: how much of each was busy, and with how many accesses. */
import type { LevelListener, Stretches } from "./sweep.ts";

export class TimeColumns implements LevelListener {
  readonly widthNs: number;
  readonly columns: number;
  /** Nanoseconds with an access under way. */
  readonly busyNs: Float64Array;
  /** Nanoseconds of accesses: two at once for 5 ns are 10. */
  readonly accessNs: Float64Array;

  constructor(widthNs: number, columns: number) {
    this.widthNs = widthNs;
    this.columns = columns;
    this.busyNs = new Float64Array(columns);
    this.accessNs = new Float64Array(columns);
  }

  columnOf(ns: number): number {
    return Math.min(this.columns - 1, Math.floor(ns / this.widthNs));
  }

  stretches({ count, fromNs, toNs, level }: Stretches): void {
    for (let i = 0; i < count; i++) this.#stretch(fromNs[i] as number, toNs[i] as number, level[i] as number);
  }

  #stretch(fromNs: number, toNs: number, level: number): void {
    let column = this.columnOf(fromNs);
    for (let from = fromNs; from < toNs; column++) {
      const edge = column === this.columns - 1 ? toNs : Math.min(toNs, (column + 1) * this.widthNs);
      this.busyNs[column]! += edge - from;
      this.accessNs[column]! += level * (edge - from);
      from = edge;
    }
  }
}
