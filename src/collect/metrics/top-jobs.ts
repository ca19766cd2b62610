/**
 * The jobs of one target that are shown by name, and the sum of all others. Each event is counted in one series:
 *
 * 1. A job that gets a place is shown with the value that it had when it was last shown, or 0. What it does counts with the others
 *    until every reader of the page has seen that; from then on it counts by name.
 * 2. A job that loses its place counts with the others again. Its series stays as it is until every reader has seen the last value
 *    and Prometheus can no longer be far off when it estimates what came after; then it goes.
 *
 * So no number ever falls, and the sum over all series grows by what all jobs did, in the eyes of every reader.
 */
import { addValues, loadOf, noValues, OPERATIONS, type Values } from "./operations.ts";
import type { PageReaders } from "./readers.ts";
import { ShownValues } from "./shown-values.ts";

interface Place {
  values: Values;
  /** Load of the last samples, halved with each new one. */
  load: number;
  idle: number;
  /** The sample and the round of reading from which on it has been shown. */
  readonly shownSample: number;
  readonly shownRound: number;
  /** All readers know its first value, so it may grow. */
  counts: boolean;
  /** The sample and the round of the last growth. */
  grownSample: number;
  grownRound: number;
}

/** Idle samples after which a job loses its place. */
const IDLE_MAX = 60;
/** Jobs without a place whose values are kept in case they come back. */
const REMEMBERED_MAX = 1000;
/** At most this many for each place; nobody is shown by name for the first time until there is room. */
const LEAVING = 2;
/** Rounds of reading for which a series that has ended stays as it is. */
const SETTLED_ROUNDS = 5;
/**
 * Rounds for which a series that has grown is shown at least. `increase()` adds half an interval to a series that has ended: after
 * 80 rounds that is 0.6 % of it.
 */
const SHOWN_ROUNDS = 80;

export class TopJobs {
  readonly #most: number;
  readonly #readers: PageReaders;
  /** Jobs with a place. */
  readonly #members = new Map<string, Place>();
  /** Former members that are still shown. */
  readonly #leaving = new Map<string, Place>();
  readonly #remembered = new Map<string, Values>();
  readonly #others: ShownValues;
  readonly #total: ShownValues;
  /** Of the sample that is not committed yet: of members, of the busiest of the rest, and of all the rest. */
  #grown = new Map<string, Values>();
  #candidates = new Map<string, { values: Values; load: number }>();
  #rest = noValues();

  constructor(most: number, readers: PageReaders) {
    this.#most = most;
    this.#readers = readers;
    this.#others = new ShownValues(readers, OPERATIONS.length);
    this.#total = new ShownValues(readers, OPERATIONS.length);
  }

  /** Names of the jobs that have a place now. */
  get members(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** All series with a name. */
  get shown(): [job: string, values: Values][] {
    return [...this.#members, ...this.#leaving].map(([job, { values }]) => [job, values]);
  }

  get others(): Values {
    return this.#others.values;
  }

  get total(): Values {
    return this.#total.values;
  }

  /** `values` may be reused by the caller. */
  add(job: string, values: Values): void {
    const into = this.#grown.get(job) ?? this.#candidates.get(job)?.values;
    if (into !== undefined) addValues(into, values);
    else if (this.#members.has(job)) this.#grown.set(job, [...values]);
    else if (this.#most === 0) addValues(this.#rest, values);
    else this.#propose(job, values, loadOf(values));
  }

  #propose(job: string, values: Values, load: number): void {
    if (this.#candidates.size < this.#most) {
      this.#candidates.set(job, { values: [...values], load });
      return;
    }
    const [least, lowest] = leastOf(this.#candidates) as [string, { values: Values; load: number }];
    if (lowest.load >= load) {
      addValues(this.#rest, values);
      return;
    }
    this.#candidates.delete(least);
    addValues(this.#rest, lowest.values);
    this.#candidates.set(job, { values: [...values], load });
  }

  commit(): void {
    this.#others.settle();
    this.#total.settle();
    for (const [job, place] of this.#members) {
      const grown = this.#grown.get(job);
      place.load = place.load / 2 + (grown === undefined ? 0 : loadOf(grown));
      place.idle = grown === undefined ? place.idle + 1 : 0;
      place.counts ||= this.#readers.allHave(place.shownSample);
      if (grown !== undefined) this.#count(place, grown);
    }
    for (const [job, { idle }] of this.#members) if (idle > IDLE_MAX) this.#leave(job);
    for (const [job, { values, load }] of [...this.#candidates].sort((a, b) => b[1].load - a[1].load))
      this.#count(this.#hasRoomFor(load) ? this.#enter(job, load) : undefined, values);
    this.#count(undefined, this.#rest);
    for (const [job, place] of this.#leaving)
      if (this.#mayGo(place)) {
        this.#leaving.delete(job);
        this.#remember(job, place);
      }
    this.abort();
  }

  /** Discards the sample. */
  abort(): void {
    this.#grown = new Map();
    this.#candidates = new Map();
    this.#rest = noValues();
  }

  /** Counts growth by name if readers can see it, else with the others. */
  #count(place: Place | undefined, values: Values): void {
    this.#total.add(values);
    if (place?.counts !== true) {
      this.#others.add(values);
      return;
    }
    addValues(place.values, values);
    place.grownSample = this.#readers.samples;
    place.grownRound = this.#readers.rounds;
  }

  /** Whether a job with this load gets a place, replacing the member with the least load if needed. */
  #hasRoomFor(load: number): boolean {
    if (this.#members.size < this.#most) return true;
    const [least, lowest] = leastOf(this.#members) as [string, Place];
    return lowest.load < load && this.#leave(least);
  }

  #enter(job: string, load: number): Place {
    const { samples, rounds } = this.#readers;
    const place = this.#leaving.get(job) ?? {
      values: this.#remembered.get(job) ?? noValues(),
      ...{ load, idle: 0, shownSample: samples, shownRound: rounds, counts: false },
      ...{ grownSample: -1, grownRound: -1 },
    };
    place.load = load;
    place.idle = 0;
    this.#leaving.delete(job);
    this.#remembered.delete(job);
    this.#members.set(job, place);
    return place;
  }

  /** False if its series has to stay and there is no room. */
  #leave(job: string): boolean {
    const place = this.#members.get(job) as Place;
    if (this.#mayGo(place)) this.#remember(job, place);
    else if (this.#leaving.size < LEAVING * this.#most) this.#leaving.set(job, place);
    else return false;
    this.#members.delete(job);
    return true;
  }

  #mayGo({ grownSample, grownRound, shownRound }: Place): boolean {
    if (grownSample < 0) return true;
    const { rounds } = this.#readers;
    return (
      rounds - shownRound >= SHOWN_ROUNDS &&
      rounds - grownRound >= SETTLED_ROUNDS &&
      this.#readers.allHave(grownSample)
    );
  }

  #remember(job: string, { values }: Place): void {
    if (values.every((value) => value === 0n)) return;
    this.#remembered.set(job, values);
    if (this.#remembered.size <= REMEMBERED_MAX) return;
    const [oldest] = this.#remembered.keys();
    this.#remembered.delete(oldest as string);
  }
}

function leastOf<T extends { readonly load: number }>(from: ReadonlyMap<string, T>): [string, T] | undefined {
  let found: [string, T] | undefined;
  for (const entry of from) if (found === undefined || entry[1].load < found[1].load) found = entry;
  return found;
}
