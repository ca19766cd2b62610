/**
 * Critical I/O time from single calls. The run is split into phases, at times when no rank is in I/O; a phase takes as long
 * as its slowest rank is in I/O, since the others wait for it. Where ranks start only when another has ended, they wait
 * for all of them: such a phase takes as long as all turns.
 */
import type { BatchListener, CallBatch } from "../metric/index.ts";

export interface CriticalPath {
  /** Sum over phases of what the job waits for. */
  readonly seconds: number;
  /** The same if ranks that take turns worked at once. */
  readonly atOnceSeconds: number;
  readonly phases: number;
  /** Who the job waits for: the rank with most time in each phase, or every rank in its turn. By rank. */
  readonly waits: ReadonlyMap<number, CriticalRank>;
}

interface CriticalRank {
  /** Of phases in which the job waits for this rank. */
  readonly seconds: number;
  /** What these phases would take without it: the next rank's time, nothing after its turn. */
  readonly nextSeconds: number;
}

/** The ranks that the job waits for, longest first. */
export const longestWaits = (waits: CriticalPath["waits"]) =>
  [...waits]
    .map(([rank, one]) => ({ rank, ...one }))
    .sort((a, b) => b.seconds - a.seconds || a.rank - b.rank);

/** Phases are apart by this part of the run at least; shorter pauses are the program's own between calls. */
const GAP_SHARE = 0.001;
const GAP_NS_MIN = 1e6;
/** A phase ends with a time of I/O of half of the ranks: what single ranks do by themselves is none that all wait for. */
const PRESENT = 0.5;
/** Ranks take turns where the time of all of them exceeds the time with any of them in I/O by at most this part … */
const TURNS_OVERLAP = 0.05;
/** … and the next begins soon: pauses take less than this part of the turns. */
const TURNS_PAUSE = 0.5;

/** How ranks follow one another in a file. */
export interface TraceTurns {
  readonly ranks: number;
  /** Times that a rank began after all calls of others had ended, the last of them that of another rank. */
  readonly handOffs: number;
  /** Pauses before these. */
  readonly pauseSeconds: number;
  /** Time in calls of the rank with most. */
  readonly longestRankSeconds: number;
}

interface TurnLimits {
  readonly ranks: number;
  readonly overlap: number;
  readonly pause: number;
}

/** What makes turns in a file: two ranks follow one another by chance. */
export const TURN_LIMITS: TurnLimits = { ranks: 3, overlap: TURNS_OVERLAP, pause: TURNS_PAUSE };

/** Whether ranks work in a file one after another, the next soon after the last. */
export const isInTurn = (
  turns: TraceTurns,
  { callSeconds, busySeconds }: { readonly callSeconds: number; readonly busySeconds: number },
  limits: TurnLimits = TURN_LIMITS,
): boolean =>
  turns.ranks >= limits.ranks &&
  turns.handOffs >= turns.ranks - 1 &&
  callSeconds <= (1 + limits.overlap) * busySeconds &&
  turns.pauseSeconds <= limits.pause * busySeconds;

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
  /** Time of I/O without a longer pause, that the rank was last seen in. */
  readonly #stretchOf: Uint32Array;
  #stretches = 1;
  #stretchFrom = 0;
  #stretchRanks = 0;
  /** By rank: what the job waits for it, and what would be left. */
  readonly #waitNs: Float64Array;
  readonly #nextNs: Float64Array;
  readonly #present: number[] = [];
  #phases = 1;
  #open = false;
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
    this.#stretchOf = new Uint32Array(setting.ranks);
    this.#waitNs = new Float64Array(setting.ranks);
    this.#nextNs = new Float64Array(setting.ranks);
  }

  batch({ start, end, tally, starts }: CallBatch): void {
    for (let i = 0; i < starts; i++) this.#take(start, end, i, this.#rankOf[tally[i] as number] as number);
  }

  /** `ranks` has the rank of each number. */
  finish(ranks: readonly number[]): CriticalPath {
    this.#close();
    const waits = new Map<number, CriticalRank>();
    ranks.forEach((rank, number) => {
      const ns = this.#waitNs[number] as number;
      if (ns > 0) waits.set(rank, { seconds: ns / 1e9, nextSeconds: (this.#nextNs[number] as number) / 1e9 });
    });
    return {
      waits,
      seconds: this.#totalNs / 1e9,
      atOnceSeconds: this.#atOnceNs / 1e9,
      phases: this.#phases - 1,
    };
  }

  /** Columns and a row, since an argument that is a double costs an object. */
  #take(starts: Float64Array, ends: Float64Array, row: number, rank: number): void {
    const start = starts[row] as number;
    const end = ends[row] as number;
    if (this.#open && start >= this.#end) {
      const gap = start - this.#end;
      const present = this.#stretchRanks >= PRESENT * this.#alive(this.#stretchFrom, this.#end);
      if (gap > this.#gapNs && present) this.#close();
      else {
        this.#pauseNs += gap;
        if (rank !== this.#endRank) this.#handOffs++;
      }
      if (gap > this.#gapNs) this.#beginStretch(start);
    }
    if (!this.#open) {
      this.#open = true;
      this.#end = start;
      this.#beginStretch(start);
    }
    if (this.#stretchOf[rank] !== this.#stretches) {
      this.#stretchOf[rank] = this.#stretches;
      this.#stretchRanks++;
    }
    if (end > this.#end) this.#busyNs += end - Math.max(start, this.#end);
    if (end >= this.#end) {
      this.#end = end;
      this.#endRank = rank;
    }
    if (this.#phaseOf[rank] !== this.#phases) {
      this.#phaseOf[rank] = this.#phases;
      this.#rankNs[rank] = 0;
      this.#rankEnd[rank] = start;
      this.#ranks++;
      this.#present.push(rank);
    }
    const rankEnd = this.#rankEnd[rank] as number;
    if (end <= rankEnd) return;
    const more = end - Math.max(start, rankEnd);
    this.#rankEnd[rank] = end;
    this.#allNs += more;
    const rankNs = (this.#rankNs[rank] as number) + more;
    this.#rankNs[rank] = rankNs;
    if (rankNs > this.#longestNs) this.#longestNs = rankNs;
  }

  /** Notes the rank that this phase waits for. */
  #blame(isTurns: boolean): void {
    let [first, next] = [-1, 0];
    for (const rank of this.#present) {
      const ns = this.#rankNs[rank] as number;
      if (isTurns) this.#waitNs[rank]! += ns;
      if (first < 0 || ns > (this.#rankNs[first] as number)) {
        next = first < 0 ? 0 : (this.#rankNs[first] as number);
        first = rank;
      } else if (ns > next) next = ns;
    }
    this.#present.length = 0;
    if (isTurns || first < 0) return;
    this.#waitNs[first]! += this.#rankNs[first] as number;
    this.#nextNs[first]! += next;
  }

  #beginStretch(start: number): void {
    this.#stretches++;
    this.#stretchFrom = start;
    this.#stretchRanks = 0;
  }

  #close(): void {
    if (!this.#open) return;
    const isTurns =
      this.#ranks > 1 &&
      this.#handOffs >= this.#ranks - 1 &&
      this.#allNs <= (1 + TURNS_OVERLAP) * this.#busyNs &&
      this.#pauseNs <= TURNS_PAUSE * this.#busyNs;
    this.#totalNs += isTurns ? this.#busyNs : this.#longestNs;
    this.#atOnceNs += this.#longestNs;
    this.#blame(isTurns);
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
