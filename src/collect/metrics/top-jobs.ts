/**
 * The jobs of one target that are shown by name, and all others together. A job that gets a place is counted from then on; what it
 * did before stays with the others. One that loses its place goes to the others with all it had and does not come back, so no
 * number ever falls and the sum over all is what all jobs did.
 */
import { addValues, loadOf, noValues, type Values } from "./operations.ts";

interface Member {
  values: Values;
  /** Load of the last samples; half of it is forgotten with each. */
  load: number;
  idle: number;
}

/** Samples after which a job that does nothing loses its place. */
const IDLE_MAX = 60;
/** Jobs that lost their place and are remembered for it. */
const RETIRED_MAX = 10_000;

export class TopJobs {
  readonly #most: number;
  readonly #members = new Map<string, Member>();
  readonly #retired = new Set<string>();
  readonly others = noValues();
  readonly total = noValues();
  /** Of the sample that is not committed yet: of members, of the busiest of the rest, and of all the rest. */
  #grown = new Map<string, Values>();
  #candidates = new Map<string, { values: Values; load: number }>();
  #rest = noValues();

  constructor(most: number) {
    this.#most = most;
  }

  get members(): ReadonlyMap<string, { readonly values: Values }> {
    return this.#members;
  }

  add(job: string, values: Values): void {
    const into = this.#grown.get(job) ?? this.#candidates.get(job)?.values;
    if (into !== undefined) addValues(into, values);
    else if (this.#members.has(job)) this.#grown.set(job, values);
    else if (this.#retired.has(job) || this.#most === 0) addValues(this.#rest, values);
    else this.#propose(job, values, loadOf(values));
  }

  #propose(job: string, values: Values, load: number): void {
    if (this.#candidates.size < this.#most) {
      this.#candidates.set(job, { values, load });
      return;
    }
    const [least, lowest] = leastOf(this.#candidates) as [string, { values: Values; load: number }];
    if (lowest.load >= load) {
      addValues(this.#rest, values);
      return;
    }
    this.#candidates.delete(least);
    addValues(this.#rest, lowest.values);
    this.#candidates.set(job, { values, load });
  }

  commit(): void {
    for (const [job, member] of this.#members) {
      const grown = this.#grown.get(job);
      member.load = member.load / 2 + (grown === undefined ? 0 : loadOf(grown));
      member.idle = grown === undefined ? member.idle + 1 : 0;
      if (grown !== undefined) {
        addValues(member.values, grown);
        addValues(this.total, grown);
      }
    }
    for (const [job, { idle }] of this.#members) if (idle > IDLE_MAX) this.#retire(job);
    for (const [job, { values, load }] of [...this.#candidates].sort((a, b) => b[1].load - a[1].load)) {
      addValues(this.total, values);
      if (this.#members.size >= this.#most) {
        const [least, lowest] = leastOf(this.#members) as [string, Member];
        if (lowest.load >= load) {
          addValues(this.others, values);
          continue;
        }
        this.#retire(least);
      }
      this.#members.set(job, { values, load, idle: 0 });
    }
    addValues(this.others, this.#rest);
    addValues(this.total, this.#rest);
    this.abort();
  }

  /** The sample does not count. */
  abort(): void {
    this.#grown = new Map();
    this.#candidates = new Map();
    this.#rest = noValues();
  }

  #retire(job: string): void {
    addValues(this.others, (this.#members.get(job) as Member).values);
    this.#members.delete(job);
    this.#retired.add(job);
    if (this.#retired.size <= RETIRED_MAX) return;
    for (const oldest of this.#retired) {
      this.#retired.delete(oldest);
      break;
    }
  }
}

function leastOf<T extends { readonly load: number }>(from: ReadonlyMap<string, T>): [string, T] | undefined {
  let found: [string, T] | undefined;
  for (const entry of from) if (found === undefined || entry[1].load < found[1].load) found = entry;
  return found;
}
