/**
 * Counters that only grow become what happened between two readings. The rules, for each row (a job on a target, or
 * a whole file of counters):
 *
 * 1. Another start_time, or another mount: all of the new value.
 * 2. Any counter of the row fell: the row began again, all of its values. (Where start_time says that it did not,
 *    only the counter that fell.)
 * 3. There now and not at the last reading: all of the value. At the first reading of a target nobody knows when it
 *    came about, so it is "carried in", unless its start_time is after the collection began (and not in the future, which is a
 *    clock that cannot be compared).
 * 4. Absent: nothing. It is remembered for one clean-up interval, since a file that is read in pieces can miss a row:
 *    one that could not have expired and comes back no smaller goes on where it was.
 * 5. Else the growth. A row that was idle for longer than servers keep rows is marked as suspect.
 *
 * A counter that is negative without having passed 2^63 - 1 is left out, and the next reading is compared with the last one that was
 * right. A line that cannot be read counts as one that was not printed.
 */
import type { CounterTable } from "./counter-table.ts";
import { BEGUN, DeltaRows, GROWN, PASSED_END, RESET, RESTARTED, SUSPECT } from "./delta-rows.ts";
import { KEPT, TargetState } from "./delta-state.ts";
import { type Deltas, TrackerCounts, type TrackerOptions } from "./delta-types.ts";
import { difference, FELL, INVALID, isNegative, SAME, WRAPPED } from "./difference.ts";
import { type Reading, SAMPLES, SUM, WORDS } from "./reading.ts";
import { copyWord, copyWords, hasNegative, isZero } from "./kept-words.ts";
import { RowTable, sameId } from "./row-table.ts";
import { isStamp, NO_STAMP, nsBetween } from "./stamp.ts";
import { AssertionError } from "../../base/assert.ts";

export type { Deltas, TrackerOptions } from "./delta-types.ts";

const SECOND = 1_000_000_000n;

export class DeltaTracker {
  readonly counts = new TrackerCounts();
  readonly #table: CounterTable;
  readonly #cleanupNs: number;
  readonly #options: TrackerOptions;
  readonly #states = new Map<string, TargetState>();
  /** Clients whose mounts have been read, with the time of their first reading. */
  readonly #clients = new Map<string, bigint>();
  readonly #changed = new DeltaRows();
  readonly #carriedIn = new DeltaRows();
  readonly #scratch = new TargetState();
  /** Rows by id of the state that is compared, once one is looked for: most readings have the order of the last one. */
  readonly #index = new RowTable();
  #indexed: TargetState | undefined;
  #replacedBytes = 0;
  #taken = new Uint8Array(64);
  /** The growth of each counter of a row, before it is known whether the row began again. */
  readonly #growth = new Uint32Array(2 * KEPT * 4096);
  readonly #found = new Uint8Array(4096);
  /** Counters that the row had and no longer prints. */
  #gone = 0;
  #invalid = { count: 0, name: "" };

  constructor(table: CounterTable, options: TrackerOptions = {}) {
    this.#table = table;
    this.#options = options;
    this.#cleanupNs = Number(options.cleanupNs || 600n * SECOND);
  }

  get targets(): number {
    return this.#states.size;
  }

  /** What is kept of each file of counters; for whoever carries it over a restart. Keys are `host\nkind\ntarget\nclient`. */
  get states(): Map<string, TargetState> {
    return this.#states;
  }

  get memoryBytes(): number {
    let sum = this.#scratch.memoryBytes;
    for (const state of this.#states.values()) sum += state.memoryBytes;
    return sum;
  }

  /** Memory of columns that larger ones took the place of since the last question; free once somebody cleans up. */
  takeReplacedBytes(): number {
    const bytes = this.#replacedBytes;
    this.#replacedBytes = 0;
    return bytes;
  }

  /** Takes a reading as known, so that the next one is compared with it; for the last one before a restart of ours. */
  prime(reading: Reading, host = ""): void {
    this.feed(reading, host);
  }

  /**
   * The next reading of a target, in the order of time. `host` keeps files apart that have the same name on many
   * nodes, such as llite. Undefined when the reading cannot be used: not later than the last one, or cut.
   */
  feed(reading: Reading, host = ""): Deltas | undefined {
    if (reading.table !== this.#table) throw new AssertionError("a reading of another table of counters");
    if (reading.readAtNs === NO_STAMP) throw new AssertionError("a reading without the time of reading");
    this.counts.readings++;
    const key = `${host}\n${reading.kind}\n${reading.target || reading.param}\n${reading.client}`;
    const before = this.#states.get(key);
    const toNs = reading.readAtNs;
    if (before !== undefined && toNs <= before.readAtNs) {
      this.counts.outOfOrder++;
      return undefined;
    }
    const isJobs = reading.kind === "job_stats";
    if (reading.cut) {
      this.counts.cut++;
      // Of a file without rows nobody can say which counters are missing.
      if (!isJobs) return undefined;
    }
    const isRemount = before === undefined && this.#isRemount(reading, host);
    this.#changed.count = this.#carriedIn.count = 0;
    this.#invalid = { count: 0, name: "" };
    this.#compare(reading, before, isRemount);
    this.#scratch.readAtNs = toNs;
    const state = before ?? new TargetState();
    const bytes = state.memoryBytes;
    state.assign(this.#scratch);
    if (state.memoryBytes !== bytes) this.#replacedBytes += bytes;
    if (before === undefined) this.#states.set(key, state);
    if (this.counts.readings % 256 === 0) this.#forget(toNs);
    const fromNs = before === undefined ? undefined : this.#fromNs;
    const every = this.#options.everyNs;
    const gap = fromNs !== undefined && every !== undefined && 2n * (toNs - fromNs) > 3n * every;
    if (gap) this.counts.gaps++;
    const invalid = this.#invalid;
    this.counts.invalid += invalid.count;
    return { reading, fromNs, toNs, gap, changed: this.#changed, carriedIn: this.#carriedIn, invalid };
  }

  #fromNs = 0n;

  /** A mount that was not there at an earlier reading of the same client began at 0 since. */
  #isRemount(reading: Reading, host: string): boolean {
    if (reading.mount === "") return false;
    const client = `${host}\n${reading.fileSystem}`;
    const first = this.#clients.get(client);
    if (first === undefined) this.#clients.set(client, reading.readAtNs);
    const isRemount = first !== undefined && first < reading.readAtNs;
    if (isRemount) this.counts.remounts++;
    return isRemount;
  }

  #compare(reading: Reading, before: TargetState | undefined, isRemount: boolean): void {
    const next = this.#scratch;
    next.clear();
    this.#indexed = undefined;
    this.#fromNs = before?.readAtNs ?? 0n;
    const known = before?.rows ?? 0;
    if (this.#taken.length < known) this.#taken = new Uint8Array(2 * known);
    this.#taken.fill(0, 0, known);
    const rows = reading.cut ? reading.rows - 1 : reading.rows;
    let guess = 0;
    for (let row = 0; row < rows; row++) {
      let old = -1;
      if (before !== undefined) {
        const from = reading.idFrom[row] as number;
        const to = reading.idTo[row] as number;
        old =
          guess < known && sameId(before, guess, reading.ids, from, to)
            ? guess
            : this.#find(reading, row, before);
        if (old >= 0) {
          guess = old + 1;
          this.#taken[old] = 1;
        }
      }
      this.#row(reading, row, before, old, isRemount);
    }
    if (before !== undefined) this.#absent(reading, before);
  }

  /** The row of the state with the id of row `row` of the reading, or -1. */
  #find(reading: Reading, row: number, before: TargetState): number {
    const index = this.#index;
    if (this.#indexed !== before) {
      index.reset(before.rows);
      for (let old = 0; old < before.rows; old++) {
        const [from, to] = [before.idFrom[old] as number, before.idTo[old] as number];
        index.findOrAdd(before, before.ids, from, to, before.idHash[old] as number, old);
      }
      this.#indexed = before;
    }
    const [from, to] = [reading.idFrom[row] as number, reading.idTo[row] as number];
    return index.find(before, reading.ids, from, to, reading.idHash[row] as number);
  }

  #row(
    reading: Reading,
    row: number,
    before: TargetState | undefined,
    old: number,
    isRemount: boolean,
  ): void {
    const { counts } = this;
    if (before === undefined || old < 0) {
      const started = reading.startNs[row] as bigint;
      const since = this.#options.sinceNs;
      const isSince = since !== undefined && started > since && started <= reading.readAtNs + SECOND;
      const isNew = before !== undefined || isRemount || isSince;
      if (isNew) counts.begun++;
      else counts.carriedIn++;
      this.#whole(reading, row, isNew ? this.#changed : this.#carriedIn, isRemount ? RESTARTED : BEGUN);
      return;
    }
    const { startHalves } = reading;
    const startKnown = isStamp(startHalves, row) && isStamp(before.startHalves, old);
    if (startKnown && nsBetween(before.startHalves, old, startHalves, row) !== 0) {
      counts.restarted++;
      this.#whole(reading, row, this.#changed, RESTARTED);
      return;
    }
    const absentAt = before.absentAt[old] as number;
    const wasAbsent = !Number.isNaN(absentAt);
    if (wasAbsent && !startKnown && this.#expiredBy(absentAt, before, old)) {
      counts.begun++;
      this.#whole(reading, row, this.#changed, BEGUN);
      return;
    }
    const fell = this.#growths(reading, row, before, old);
    if (fell && !startKnown) {
      counts.reset++;
      this.#whole(reading, row, this.#changed, RESET);
      return;
    }
    if (wasAbsent) counts.returned++;
    const isSuspect =
      !startKnown && reading.kind === "job_stats" && this.#wasStale(reading, row, before, old);
    this.#grown(reading, row, before, old, isSuspect);
  }

  /** Whether a row that was gone at `absentAt` had been idle long enough to be removed by the server. */
  #expiredBy(absentAt: number, before: TargetState, old: number): boolean {
    const last = before.snapshotNs[old] as bigint;
    return last === NO_STAMP || absentAt - Number(last) >= this.#cleanupNs;
  }

  #wasStale(reading: Reading, row: number, before: TargetState, old: number): boolean {
    const { snapshotHalves } = reading;
    if (!isStamp(before.snapshotHalves, old) || !isStamp(snapshotHalves, row)) return false;
    return nsBetween(before.snapshotHalves, old, snapshotHalves, row) >= this.#cleanupNs;
  }

  /** All of a row's values, and the row as the next state has it. */
  #whole(reading: Reading, row: number, into: DeltaRows, why: number): void {
    this.#openNext(reading, row);
    const { halves, column } = reading;
    const to = reading.entryTo[row] as number;
    for (let entry = reading.entryFrom[row] as number; entry < to; entry++) {
      if (isZero(halves, entry)) continue;
      const word = entry * WORDS;
      if (hasNegative(halves, word)) {
        this.#leaveOut(column[entry] as number);
        // Nobody knows what it was before, so it must not count as new when it is right again.
        if (into === this.#carriedIn)
          this.#scratch.addEntry(column[entry] as number, halves, word + SAMPLES, word + SUM);
        continue;
      }
      into.add(row, column[entry] as number, halves, word + SAMPLES, word + SUM, why);
      this.#scratch.addEntry(column[entry] as number, halves, word + SAMPLES, word + SUM);
    }
  }

  #openNext(reading: Reading, row: number): void {
    const next = this.#scratch;
    const from = reading.idFrom[row] as number;
    const own = next.openRow(reading.ids, from, reading.idTo[row] as number, reading.idHash[row] as number);
    copyWord(reading.snapshotHalves, row, next.snapshotHalves, own);
    copyWord(reading.startHalves, row, next.startHalves, own);
  }

  /** The growth of every counter of the row; true when one of them fell. */
  #growths(reading: Reading, row: number, before: TargetState, old: number): boolean {
    const { halves, column } = reading;
    const from = reading.entryFrom[row] as number;
    const to = reading.entryTo[row] as number;
    const oldTo = before.entryTo[old] as number;
    let then = before.entryFrom[old] as number;
    let matched = 0;
    let fell = false;
    for (let entry = from; entry < to; entry++) {
      const at =
        then < oldTo && before.column[then] === column[entry]
          ? then
          : this.#search(before, old, column[entry] as number);
      const into = KEPT * (entry - from);
      const word = entry * WORDS;
      if (at < 0) {
        this.#found[entry - from] = copyWords(halves, word, this.#growth, into);
        continue;
      }
      then = at + 1;
      matched++;
      const samples = difference(halves, word + SAMPLES, before.halves, KEPT * at, this.#growth, into);
      const sum = difference(halves, word + SUM, before.halves, KEPT * at + 1, this.#growth, into + 1);
      if (samples === FELL || sum === FELL) {
        fell = true;
        this.#found[entry - from] = copyWords(halves, word, this.#growth, into) === INVALID ? INVALID : FELL;
      } else this.#found[entry - from] = Math.max(samples, sum);
    }
    // In a file without rows a counter that is no longer printed is zero, so it fell.
    this.#gone = oldTo - (before.entryFrom[old] as number) - matched;
    return fell || (this.#gone > 0 && !mayLackCounters(reading));
  }

  #search(before: TargetState, old: number, column: number): number {
    const to = before.entryTo[old] as number;
    for (let at = before.entryFrom[old] as number; at < to; at++) if (before.column[at] === column) return at;
    return -1;
  }

  #grown(reading: Reading, row: number, before: TargetState, old: number, isSuspect: boolean): void {
    this.#openNext(reading, row);
    const { counts } = this;
    const { halves, column } = reading;
    const from = reading.entryFrom[row] as number;
    const to = reading.entryTo[row] as number;
    let changes = 0;
    for (let entry = from; entry < to; entry++) {
      const word = entry * WORDS;
      const found = this.#found[entry - from] as number;
      if (found === INVALID) {
        this.#keepValid(reading, entry, before, old);
        continue;
      }
      if (!isZero(halves, entry))
        this.#scratch.addEntry(column[entry] as number, halves, word + SAMPLES, word + SUM);
      if (found === SAME) continue;
      if (found === FELL) counts.backwards++;
      if (found === WRAPPED) counts.wrapped++;
      const why = found === FELL ? RESET : found === WRAPPED ? PASSED_END : isSuspect ? SUSPECT : GROWN;
      const into = KEPT * (entry - from);
      this.#changed.add(row, column[entry] as number, this.#growth, into, into + 1, why);
      changes++;
    }
    if (isSuspect && changes > 0) counts.suspect++;
    if (this.#gone > 0) this.#keepUnprinted(reading, row, before, old);
  }

  #leaveOut(column: number): void {
    if (this.#invalid.count++ === 0) this.#invalid.name = this.#table.names[column] as string;
  }

  /** The next reading of this counter is compared with the last one that was right, if there was one. */
  #keepValid({ halves, column: columns }: Reading, entry: number, before: TargetState, old: number): void {
    const column = columns[entry] as number;
    const then = this.#search(before, old, column);
    const word = entry * WORDS;
    this.#leaveOut(column);
    if (then < 0) return;
    const wasValid = !isNegative(before.halves, KEPT * then) && !isNegative(before.halves, KEPT * then + 1);
    if (wasValid) this.#scratch.addEntry(column, before.halves, KEPT * then, KEPT * then + 1);
    else this.#scratch.addEntry(column, halves, word + SAMPLES, word + SUM);
  }

  /** Counters that a row no longer has: kept, should it have been a torn reading. */
  #keepUnprinted(reading: Reading, row: number, before: TargetState, old: number): void {
    if (!mayLackCounters(reading)) return;
    const to = before.entryTo[old] as number;
    for (let at = before.entryFrom[old] as number; at < to; at++) {
      const column = before.column[at] as number;
      if (reading.entryOf(row, column) < 0)
        this.#scratch.addEntry(column, before.halves, KEPT * at, KEPT * at + 1);
    }
  }

  /** Rows of the last reading that this one lacks. */
  #absent(reading: Reading, before: TargetState): void {
    const now = Number(reading.readAtNs);
    let there = 0;
    let busy = 0;
    for (let old = 0; old < before.rows; old++) {
      if (!Number.isNaN(before.absentAt[old] as number)) continue;
      there++;
      if (this.#taken[old] === 0 && !this.#expiredBy(now, before, old)) busy++;
    }
    const isCleared = !reading.cut && 2 * busy > there;
    if (isCleared) this.counts.cleared++;
    for (let old = 0; old < before.rows; old++) {
      if (this.#taken[old] === 1) continue;
      const since = before.absentAt[old] as number;
      const isFirst = Number.isNaN(since);
      const isExpired = this.#expiredBy(isFirst ? now : since, before, old);
      if (isFirst && !reading.cut) {
        if (isExpired) this.counts.expired++;
        else this.counts.vanished++;
      }
      if (isFirst ? isCleared && !isExpired : now - since > this.#cleanupNs) continue;
      // A row that a cut text may have had was there, as far as anyone knows.
      const absentAt = reading.cut && isFirst ? Number.NaN : isFirst ? now : since;
      this.#scratch.keepRow(before, old, absentAt);
    }
  }

  #forget(nowNs: bigint): void {
    const limit = nowNs - (this.#options.forgetNs ?? 86_400n * SECOND);
    for (const [key, state] of this.#states) if (state.readAtNs < limit) this.#states.delete(key);
  }
}

/** Whether a counter that is missing may have been there: rows are read in pieces, and lines can be broken. */
function mayLackCounters({ kind, notes }: Reading): boolean {
  return kind === "job_stats" || notes.brokenLines > 0;
}
