/** T of every group, over accesses that come in order of their start: two numbers and a sum per group are enough. */
import type { BatchListener, CallBatch } from "./call-times.ts";

export class GroupUnions implements BatchListener {
  readonly #groupOf: Uint32Array;
  readonly #start: Float64Array;
  readonly #end: Float64Array;
  readonly #closed: Float64Array;

  /** `groupOf` has the group of each tally. */
  constructor(groupOf: Uint32Array, groups: number) {
    this.#groupOf = groupOf;
    this.#start = new Float64Array(groups);
    this.#end = new Float64Array(groups);
    this.#closed = new Float64Array(groups);
  }

  batch({ start, end, tally, starts }: CallBatch): void {
    this.add(start, end, tally, starts);
  }

  add(starts: Float64Array, ends: Float64Array, tallies: Uint32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const group = this.#groupOf[tallies[i] as number] as number;
      const start = starts[i] as number;
      const end = ends[i] as number;
      const open = this.#end[group] as number;
      if (start <= open) {
        if (end > open) this.#end[group] = end;
      } else {
        this.#closed[group]! += open - (this.#start[group] as number);
        this.#start[group] = start;
        this.#end[group] = end;
      }
    }
  }

  /** T of each group. */
  times(): Float64Array {
    return this.#closed.map((_, group) => this.busyOf(group));
  }

  /** In the unit of the times. */
  busyOf(group: number): number {
    return (this.#closed[group] as number) + (this.#end[group] as number) - (this.#start[group] as number);
  }
}
