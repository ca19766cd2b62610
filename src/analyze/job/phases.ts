/**
 * Critical I/O time from single calls. The run is split into phases, at times when no rank is in I/O; a phase takes as long
 * as its slowest rank is in I/O, since the others wait for it. Where ranks start only when another has ended, they wait
 * for all of them: such a phase takes as long as all turns.
 */
import type { BatchListener, CallBatch } from "../metric/call-times.ts";

export interface CriticalPath {
  /** Sum over phases of what the job waits for. */
  readonly seconds: number;
  /** The same if ranks that take turns worked at once. */
  readonly atOnceSeconds: number;
  readonly phases: number;
}

/** Phases are apart by this part of the run at least; shorter pauses are the program's own between calls. */
const GAP_SHARE = 0.001;
const GAP_NS_MIN = 1e6;
/** A phase takes in half of the ranks that do I/O: what single ranks do by themselves is none that all wait for. */
const PRESENT = 0.5;
/** Ranks take turns where the time of all of them hardly exceeds the time with any of them in I/O … */
export const TURNS_OVERLAP = 1.05;
/** … and the next begins soon: pauses take less than this part of the turns. */
export const TURNS_PAUSE = 0.5;

/** From when to when a process lives; ranks of MPI live as long as the job. */
interface Lives {
  readonly firstNs: Float64Array;
  readonly lastNs: Float64Array;
}

export class Phases implements BatchListener {
  readonly #rankOf: Uint32Array;
  readonly #gapNs: number;
  readonly #alive: (fromNs: number, toNs: number) => number;
  /** Of each rank: the phase that its time is of, that time, and the end of its last call. */
  readonly #phaseOf: Uint32Array;
  readonly #rankNs: Float64Array;
  readonly #rankEnd: Float64Array;
  #phases = 1;
  #open = false;
  #from = 0;
  #end = 0;
  #endRank = -1;
  #ranks = 0;
  #longestNs = 0;
  #busyNs = 0;
  #allNs = 0;
  #handOffs = 0;
  #pauseNs = 0;
  #totalNs = 0;
  #atOnceNs = 0;

  /** `rankOf` has the number of the rank of each tally; `lives` only where processes come and go. */
  constructor(
    rankOf: Uint32Array,
    setting: {
      /** Those with calls. */
      readonly ranks: number;
      readonly spanNs: number;
      readonly lives?: Lives;
    },
  ) {
    this.#rankOf = rankOf;
    this.#gapNs = Math.max(GAP_NS_MIN, GAP_SHARE * setting.spanNs);
    this.#alive = setting.lives === undefined ? () => setting.ranks : aliveIn(setting.lives);
    this.#phaseOf = new Uint32Array(setting.ranks);
    this.#rankNs = new Float64Array(setting.ranks);
    this.#rankEnd = new Float64Array(setting.ranks);
  }

  batch({ start, end, tally, starts }: CallBatch): void {
    for (let i = 0; i < starts; i++)
      this.#take(start[i] as number, end[i] as number, this.#rankOf[tally[i] as number] as number);
  }

  finish(): CriticalPath {
    this.#close();
    return {
      seconds: this.#totalNs / 1e9,
      atOnceSeconds: this.#atOnceNs / 1e9,
      phases: this.#phases - 1,
    };
  }

  #take(start: number, end: number, rank: number): void {
    if (this.#open && start > this.#end) {
      const gap = start - this.#end;
      if (gap > this.#gapNs && this.#ranks >= PRESENT * this.#alive(this.#from, this.#end)) this.#close();
      else {
        this.#pauseNs += gap;
        if (rank !== this.#endRank) this.#handOffs++;
      }
    }
    if (!this.#open) {
      this.#open = true;
      this.#from = this.#end = start;
    }
    this.#busyNs += Math.max(0, end - Math.max(start, this.#end));
    if (end >= this.#end) [this.#end, this.#endRank] = [end, rank];
    if (this.#phaseOf[rank] !== this.#phases) {
      this.#phaseOf[rank] = this.#phases;
      this.#rankNs[rank] = 0;
      this.#rankEnd[rank] = start;
      this.#ranks++;
    }
    const more = Math.max(0, end - Math.max(start, this.#rankEnd[rank] as number));
    this.#allNs += more;
    this.#rankNs[rank]! += more;
    if (end > (this.#rankEnd[rank] as number)) this.#rankEnd[rank] = end;
    this.#longestNs = Math.max(this.#longestNs, this.#rankNs[rank] as number);
  }

  #close(): void {
    if (!this.#open) return;
    const isTurns =
      this.#ranks > 1 &&
      this.#handOffs >= this.#ranks - 1 &&
      this.#allNs <= TURNS_OVERLAP * this.#busyNs &&
      this.#pauseNs <= TURNS_PAUSE * this.#busyNs;
    this.#totalNs += isTurns ? this.#busyNs : this.#longestNs;
    this.#atOnceNs += this.#longestNs;
    this.#phases++;
    this.#open = false;
    this.#ranks = this.#longestNs = this.#busyNs = this.#allNs = this.#handOffs = this.#pauseNs = 0;
  }
}

/** How many of them live at some time of an interval. */
function aliveIn({ firstNs, lastNs }: Lives): (fromNs: number, toNs: number) => number {
  const [firsts, lasts] = [firstNs.slice().sort(), lastNs.slice().sort()];
  return (fromNs, toNs) => below(firsts, toNs, true) - below(lasts, fromNs, false);
}

/** How many sorted values are below, or also at, a bound. */
function below(sorted: Float64Array, bound: number, orAt: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = sorted[middle] as number;
    if (value < bound || (orAt && value === bound)) low = middle + 1;
    else high = middle;
  }
  return low;
}
