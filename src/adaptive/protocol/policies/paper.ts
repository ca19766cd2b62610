/** The paper's policy: one writer per file, whole blocks, adaptive writes round robin over the groups still writing. */
import { assert } from "../../../base/assert.ts";
import { evenLayout } from "../layout.ts";
import {
  type Choice,
  type CoordinatorPolicy,
  canGive,
  type FilePolicy,
  type GroupView,
  type IdleFile,
  type Policy,
} from "../policy.ts";

export const paperPolicy: Policy = {
  name: "paper",
  separateIndex: true,
  offers: "group-complete",
  slotsMax: 1,
  reportsProgress: false,
  layout: ({ writers, targets }) => evenLayout(writers, targets),
  file: () => new OneAtATime(),
  coordinator: () => new RoundRobin(),
};

class OneAtATime implements FilePolicy {
  #rate = Number.NaN;
  #began = 0;
  #bytes = 0;
  #seconds = 0;
  rateAt(): number {
    return this.#rate;
  }
  slots(): number {
    return 1;
  }
  began(now: number): void {
    this.#began = now;
  }
  ended(now: number, _active: number, bytes: number): void {
    assert(now >= this.#began, "a write ends after it began");
    this.#bytes += bytes;
    this.#seconds += now - this.#began;
    if (this.#seconds > 0) this.#rate = this.#bytes / this.#seconds;
  }
  pieceBytes(): number {
    return Number.POSITIVE_INFINITY;
  }
}

class RoundRobin implements CoordinatorPolicy {
  readonly speculateSeconds = 0;
  #next = 0;

  choose(idle: IdleFile, groups: readonly GroupView[]): Choice | undefined {
    for (let i = 0; i < groups.length; i++) {
      const view = groups[(this.#next + i) % groups.length] as GroupView;
      if (view.group === idle.group || !canGive(view)) continue;
      this.#next = (view.group + 1) % groups.length;
      const whole = Number.POSITIVE_INFINITY;
      return { group: view.group, bytes: whole, piecesMax: 1, pieceBytes: whole };
    }
    return undefined;
  }
}
