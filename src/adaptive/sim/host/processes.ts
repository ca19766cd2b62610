/** The processes of a run: created at their first input, dropped when they end. */
import { assert } from "../../../base/assert.ts";
import { Process, type Rank, type Setup, sizeOf } from "../../protocol/index.ts";

const LIVES = 0;
export const FINISHED = 1;
export const DEAD = 2;

export class Processes {
  /** Neither finished nor dead. */
  left: number;
  readonly #setup: Setup;
  readonly #make: (setup: Setup, rank: Rank) => Process;
  readonly #all: (Process | undefined)[];
  readonly #gone: Uint8Array;

  constructor(setup: Setup, make: ((setup: Setup, rank: Rank) => Process) | undefined) {
    this.#setup = setup;
    this.#make = make ?? ((of, rank) => new Process(of, rank));
    this.#all = new Array(setup.writers);
    this.#gone = new Uint8Array(setup.writers);
    this.left = setup.writers;
  }

  of(rank: Rank): Process {
    assert(this.#gone[rank] === LIVES, "an ended process stays ended");
    const known = this.#all[rank];
    if (known !== undefined) return known;
    const made = this.#make(this.#setup, rank);
    this.#all[rank] = made;
    return made;
  }

  isGone(rank: Rank): boolean {
    return this.#gone[rank] !== LIVES;
  }

  end(rank: Rank, how: typeof FINISHED | typeof DEAD): void {
    assert(!this.isGone(rank), "a process ends once");
    this.#gone[rank] = how;
    this.#all[rank] = undefined;
    this.left--;
    assert(this.left >= 0, "no more processes end than there were");
  }

  living(): Rank[] {
    const ranks: Rank[] = [];
    for (let rank = 0; rank < this.#setup.writers; rank++) if (!this.isGone(rank)) ranks.push(rank);
    return ranks;
  }

  /** Ranks that take a first step. A plain writer of a run without timers is created with its first message. */
  starters(): Rank[] {
    const { heartbeatSeconds, writers, layout, sizes } = this.#setup;
    const { firstRank, groups } = layout;
    const leaders = Array.from(firstRank.subarray(0, groups));
    if (heartbeatSeconds === 0 && typeof sizes === "number" && sizes > 0) return leaders;
    const leads = new Set(leaders);
    const starts: Rank[] = [];
    for (let rank = 0; rank < writers; rank++)
      if (heartbeatSeconds > 0 || sizeOf(this.#setup, rank) === 0 || leads.has(rank)) starts.push(rank);
    return starts;
  }
}
