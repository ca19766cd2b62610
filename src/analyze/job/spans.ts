/**
 * Spans of the application beside its I/O: how much of the computing has I/O under it, and how much I/O has nothing above it.
 * I/O of a process is hidden while a compute span is open: of the process itself, or of the one that it works for.
 */
import { commonLength, IntervalSet } from "../../base/interval-set.ts";
import type { SpanBlock, SpanName } from "../../model/index.ts";
import type { BatchListener, CallBatch } from "../metric/index.ts";

/** Of a process whose calls or spans are in the job, by rank. */
export interface SpanProcess {
  readonly pid: number;
  readonly host?: string;
  readonly parent?: number;
}

interface NamedSpans extends SpanName {
  readonly count: number;
  /** Time with such a span open, summed over processes. */
  readonly seconds: number;
  readonly isCompute: boolean;
}

interface ProcessSpans {
  readonly rank: number;
  readonly computeSeconds: number;
  /** With a call of the process under way. */
  readonly ioSeconds: number;
  readonly unhiddenSeconds: number;
}

export interface SpanFacts {
  /** Longest first. */
  readonly names: readonly NamedSpans[];
  readonly processes: readonly ProcessSpans[];
  /** Summed over processes, and the part of it with I/O under way for the same process. */
  readonly computeSeconds: number;
  readonly hidingSeconds: number;
  /** Summed over processes. */
  readonly ioSeconds: number;
  readonly unhiddenSeconds: number;
  /** Times of the job as start, end, start, end … in nanoseconds: computing, I/O, and I/O that nothing hides. */
  readonly compute: Float64Array;
  readonly io: Float64Array;
  readonly unhidden: Float64Array;
  /** The same for each category. */
  readonly categories: ReadonlyMap<string, Float64Array>;
  /** The same for the first of `names`. */
  readonly lanes: readonly Float64Array[];
}

/** Names that have a lane of their own on the timeline. */
const LANES_MAX = 8;

/** What people and libraries call computing; the analyser of DFTracer goes by the first word. */
const COMPUTE = /comput|forward|backward|optimi[sz]er/i;
/** What is named after I/O is none, whatever the words above say of its surroundings. */
const IO =
  /read|writ|load|open|clos|save|checkpoint|fetch|file|data|storage|hdf5|^h5|netcdf|mpi|\bio\b|_io\b|\bio_/i;
/** A span that is open nearly all the time, such as `main`, says nothing of what goes on. */
const FRAME_SHARE = 0.9;

interface Own {
  count: number;
  readonly set: IntervalSet;
}

export class SpanTimes {
  /** By rank, then by name. */
  readonly #ranks = new Map<number, Map<string, Own>>();
  readonly #names = new Map<string, SpanName>();

  get isEmpty(): boolean {
    return this.#ranks.size === 0;
  }

  add(
    { count, startNs, endNs, process, name, names }: SpanBlock,
    ranks: readonly number[],
    shiftNs: number,
  ): void {
    const keys = names.map(keyOf);
    for (let i = 0; i < count; i++) {
      const key = keys[name[i] as number] as string;
      if (!this.#names.has(key)) this.#names.set(key, names[name[i] as number] as SpanName);
      const rank = ranks[process[i] as number] as number;
      let own = this.#ranks.get(rank);
      if (own === undefined) this.#ranks.set(rank, (own = new Map()));
      let spans = own.get(key);
      if (spans === undefined) own.set(key, (spans = { count: 0, set: new IntervalSet() }));
      if (spans.set.add((startNs[i] as number) + shiftNs, (endNs[i] as number) + shiftNs)) spans.count++;
    }
  }

  /** Listens to calls in order of time; `rankOf` has the rank of each tally. */
  listener(
    rankOf: (tally: number) => number,
    processes: readonly SpanProcess[],
    runSeconds: number,
  ): HiddenTimes {
    const isCompute = this.#computeNames(runSeconds);
    const compute = new Map<number, IntervalSet>();
    for (const [rank, own] of this.#ranks)
      for (const [key, { set }] of own) {
        if (!isCompute.has(key)) continue;
        const known = compute.get(rank);
        if (known === undefined) compute.set(rank, copyOf(set));
        else known.addAll(set);
      }
    return new HiddenTimes(rankOf, compute, processes, { ranks: this.#ranks, names: this.#names, isCompute });
  }

  #computeNames(runSeconds: number): Set<string> {
    const named = [...this.#names].filter(
      ([, { category, name }]) => COMPUTE.test(name) || (COMPUTE.test(category) && !IO.test(name)),
    );
    if (named.length > 0) return new Set(named.map(([key]) => key));
    return new Set(
      [...this.#names].flatMap(([key, { category, name }]) =>
        IO.test(category) || IO.test(name) || this.#isFrame(key, runSeconds) ? [] : [key],
      ),
    );
  }

  #isFrame(key: string, runSeconds: number): boolean {
    return [...this.#ranks.values()].some(
      (own) => (own.get(key)?.set.length ?? 0) > FRAME_SHARE * runSeconds * 1e9,
    );
  }
}

interface Known {
  readonly ranks: ReadonlyMap<number, ReadonlyMap<string, Own>>;
  readonly names: ReadonlyMap<string, SpanName>;
  readonly isCompute: ReadonlySet<string>;
}

/** I/O of a rank that is under way, and how far the compute spans above it are gone through. */
interface Progress {
  readonly above: Float64Array;
  at: number;
  endNs: number;
  ioNs: number;
  unhiddenNs: number;
}

class HiddenTimes implements BatchListener {
  readonly #rankOf: (tally: number) => number;
  readonly #compute: ReadonlyMap<number, IntervalSet>;
  readonly #processes: readonly SpanProcess[];
  readonly #known: Known;
  readonly #progress = new Map<number, Progress>();
  /** For each process that computes, I/O that it could hide: its own, and that of processes which work for it. */
  readonly #served = new Map<number, IntervalSet>();
  readonly #io = new IntervalSet();
  readonly #unhidden = new IntervalSet();

  constructor(
    rankOf: (tally: number) => number,
    compute: ReadonlyMap<number, IntervalSet>,
    processes: readonly SpanProcess[],
    known: Known,
  ) {
    this.#rankOf = rankOf;
    this.#compute = compute;
    this.#processes = processes;
    this.#known = known;
  }

  batch({ starts, start, end, tally }: CallBatch): void {
    for (let i = 0; i < starts; i++)
      this.#take(this.#rankOf(tally[i] as number), start[i] as number, end[i] as number);
  }

  #take(rank: number, startNs: number, endNs: number): void {
    let own = this.#progress.get(rank);
    if (own === undefined) {
      own = { above: this.#aboveOf(rank), at: 0, endNs: Number.NEGATIVE_INFINITY, ioNs: 0, unhiddenNs: 0 };
      this.#progress.set(rank, own);
    }
    const from = Math.max(startNs, own.endNs);
    if (endNs <= from) return;
    own.endNs = endNs;
    own.ioNs += endNs - from;
    this.#io.add(from, endNs);
    for (const owner of this.#ownersOf(rank)) {
      let served = this.#served.get(owner);
      if (served === undefined) this.#served.set(owner, (served = new IntervalSet()));
      served.add(from, endNs);
    }
    this.#addUnhidden(own, from, endNs);
  }

  /** What of [from, to) lies in no compute span. Times of a rank only rise. */
  #addUnhidden(own: Progress, from: number, to: number): void {
    const { above } = own;
    while (own.at < above.length && (above[own.at + 1] as number) <= from) own.at += 2;
    let at = from;
    for (let next = own.at; at < to; next += 2) {
      const gapEnd = next < above.length ? Math.min(to, above[next] as number) : to;
      if (gapEnd > at) {
        own.unhiddenNs += gapEnd - at;
        this.#unhidden.add(at, gapEnd);
      }
      if (next >= above.length) return;
      at = Math.max(at, above[next + 1] as number);
    }
  }

  #aboveOf(rank: number): Float64Array {
    const above = new IntervalSet();
    for (const owner of this.#ownersOf(rank)) above.addAll(this.#compute.get(owner) as IntervalSet);
    return above.pairs().slice();
  }

  readonly #owners = new Map<number, readonly number[]>();

  #ownersOf(rank: number): readonly number[] {
    let owners = this.#owners.get(rank);
    if (owners === undefined) this.#owners.set(rank, (owners = this.#findOwners(rank)));
    return owners;
  }

  /** A process that computes, else the one that started it, else those of its host, else all that compute. */
  #findOwners(rank: number): readonly number[] {
    if (this.#compute.has(rank)) return [rank];
    const { parent, host } = this.#processes[rank] ?? {};
    const computing = [...this.#compute.keys()];
    const isOf = (test: (other: SpanProcess) => boolean) =>
      computing.filter(
        (one) => this.#processes[one] !== undefined && test(this.#processes[one] as SpanProcess),
      );
    const starters = isOf((one) => parent !== undefined && one.pid === parent && one.host === host);
    if (starters.length > 0) return starters;
    const near = isOf((one) => one.host === host);
    return near.length > 0 ? near : computing;
  }

  facts(): SpanFacts {
    const ranks = [...new Set([...this.#progress.keys(), ...this.#known.ranks.keys()])].sort((a, b) => a - b);
    const processes = ranks.map((rank) => {
      const own = this.#progress.get(rank);
      return {
        rank,
        computeSeconds: (this.#compute.get(rank)?.length ?? 0) / 1e9,
        ioSeconds: (own?.ioNs ?? 0) / 1e9,
        unhiddenSeconds: (own?.unhiddenNs ?? 0) / 1e9,
      };
    });
    const sum = (of: (one: ProcessSpans) => number) => processes.reduce((total, one) => total + of(one), 0);
    let hidingNs = 0;
    for (const [owner, served] of this.#served)
      hidingNs += commonLength(served, this.#compute.get(owner) as IntervalSet);
    const names = this.#namedSpans();
    return {
      names,
      lanes: names.slice(0, LANES_MAX).map((one) => this.#timesOf(one)),
      processes,
      computeSeconds: sum(({ computeSeconds }) => computeSeconds),
      hidingSeconds: hidingNs / 1e9,
      ioSeconds: sum(({ ioSeconds }) => ioSeconds),
      unhiddenSeconds: sum(({ unhiddenSeconds }) => unhiddenSeconds),
      compute: unionOf(this.#compute.values()),
      io: this.#io.pairs(),
      unhidden: this.#unhidden.pairs(),
      categories: this.#categories(),
    };
  }

  #namedSpans(): NamedSpans[] {
    return [...this.#known.names]
      .map(([key, name]) => {
        let [count, seconds] = [0, 0];
        for (const own of this.#known.ranks.values()) {
          count += own.get(key)?.count ?? 0;
          seconds += (own.get(key)?.set.length ?? 0) / 1e9;
        }
        return { ...name, count, seconds, isCompute: this.#known.isCompute.has(key) };
      })
      .sort((a, b) => b.seconds - a.seconds);
  }

  #timesOf({ category, name }: SpanName): Float64Array {
    const key = keyOf({ category, name });
    return unionOf([...this.#known.ranks.values()].flatMap((own) => own.get(key)?.set ?? []));
  }

  #categories(): Map<string, Float64Array> {
    const sets = new Map<string, IntervalSet[]>();
    for (const own of this.#known.ranks.values())
      for (const [key, { set }] of own) {
        const { category } = this.#known.names.get(key) as SpanName;
        const known = sets.get(category);
        if (known === undefined) sets.set(category, [set]);
        else known.push(set);
      }
    return new Map([...sets].map(([category, own]) => [category, unionOf(own)]));
  }
}

const keyOf = ({ category, name }: SpanName) => `${category}\n${name}`;

const copyOf = (set: IntervalSet) => {
  const copy = new IntervalSet();
  copy.addAll(set);
  return copy;
};

function unionOf(sets: Iterable<IntervalSet>): Float64Array {
  const union = new IntervalSet();
  for (const set of sets) union.addAll(set);
  return union.pairs();
}
