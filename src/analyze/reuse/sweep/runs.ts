/** The runs that touch selected files, with their bytes to them: how one-sided they are, and how much they move (A06, A11). */
import { COMPLETE, FLAGS, READ_KNOWN, type Records, RUN, WRITTEN_KNOWN } from "./records.ts";
import { Column, ExactSums, mixed } from "./words.ts";

/** Runs that figures are drawn from and intervals are made of. */
const SAMPLE_MAX = 100_000;
/** Accesses that are grouped at a time: their table stays in the cache. */
const GROUP_ROWS = 32_768;

const READ_RUN = 1;
const WRITE_RUN = 2;
const BALANCED_RUN = 0;

/** Words of a row of runs: id of the run, bytes read, bytes written, two each. */
export const RUN_STRIDE = 6;

/** What is known of an access, in a byte. */
export const RUN_COMPLETE = 1;
export const RUN_READ = 2;
export const RUN_WRITTEN = 4;

export const runState = (flags: number): number =>
  ((flags & COMPLETE) === 0 ? 0 : RUN_COMPLETE) |
  ((flags & READ_KNOWN) === 0 ? 0 : RUN_READ) |
  ((flags & WRITTEN_KNOWN) === 0 ? 0 : RUN_WRITTEN);

/** Accesses as rows of runs with their states, and room for as many more rows. */
export interface RunRows {
  readonly words: Uint32Array;
  readonly states: Uint8Array;
  readonly rows: number;
  readonly room: Uint32Array;
}

/** Turns records into rows of runs in their own memory, at most half as wide. The records are gone then. */
export function runRows({ words, stride, starts }: Records): RunRows {
  const rows = starts[starts.length - 1] as number;
  const states = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    const from = row * stride;
    const to = row * RUN_STRIDE;
    states[row] = runState(words[from + FLAGS] as number);
    for (let i = 0; i < RUN_STRIDE; i++) words[to + i] = words[from + RUN + i] as number;
  }
  return { words, states, rows, room: words.subarray(rows * RUN_STRIDE, 2 * rows * RUN_STRIDE) };
}

export class Runs {
  count = 0;
  partial = 0;
  idle = 0;
  unknown = 0;
  /** Of the runs that moved bytes, by how one-sided they are: from 0.9, 0.95, 0.99, and the option on. */
  readonly oneSided = new Float64Array(4);
  moving = 0;
  reads = 0;
  writes = 0;
  balanced = 0;
  sumOfX = 0;
  readonly #bytes = new ExactSums(3);
  readonly readBytes = new Column();
  readonly writeBytes = new Column();
  readonly sample = new RunSample(SAMPLE_MAX);
  readonly #bounds: readonly number[];
  readonly #table = new GroupTable();

  constructor(oneSided: number) {
    this.#bounds = [0.9, 0.95, 0.99, oneSided];
  }

  get bytes() {
    const [balanced, read, written] = [BALANCED_RUN, READ_RUN, WRITE_RUN].map((type) =>
      this.#bytes.value(type),
    );
    return { balanced: balanced as bigint, read: read as bigint, written: written as bigint };
  }

  /** Groups rows by run; all rows of a run must be among them. */
  add({ words, states, rows, room }: RunRows): void {
    const parts = 2 ** Math.max(0, Math.ceil(Math.log2(rows / GROUP_ROWS)));
    if (parts === 1) {
      this.#group(words, states, 0, rows);
      return;
    }
    // Tables of a part stay in the cache; one of all runs would miss it at every access.
    const moved = new Uint8Array(rows);
    const starts = partition(words, states, rows, parts, room, moved);
    for (let part = 0; part < parts; part++)
      this.#group(room, moved, starts[part] as number, starts[part + 1] as number);
  }

  #group(words: Uint32Array, rowStates: Uint8Array, from: number, to: number): void {
    const table = this.#table.reach(to - from);
    const { slots, keys, states, r, w } = table;
    const mask = slots.length - 1;
    let groups = 0;
    for (let i = from; i < to; i++) {
      const at = i * RUN_STRIDE;
      const low = words[at] as number;
      const high = words[at + 1] as number;
      let slot = mixed(low, high) & mask;
      let group = slots[slot] as number;
      while (group !== -1 && (keys[2 * group] !== low || keys[2 * group + 1] !== high)) {
        slot = (slot + 1) & mask;
        group = slots[slot] as number;
      }
      const state = rowStates[i] as number;
      if (group === -1) {
        group = groups++;
        slots[slot] = group;
        keys[2 * group] = low;
        keys[2 * group + 1] = high;
        states[group] = state;
      } else {
        // Known when any access is; complete when all are.
        const before = states[group] as number;
        states[group] = ((before | state) & ~RUN_COMPLETE) | (before & state & RUN_COMPLETE);
      }
      if ((state & RUN_READ) !== 0) r.add(group, words[at + 2] as number, words[at + 3] as number);
      if ((state & RUN_WRITTEN) !== 0) w.add(group, words[at + 4] as number, words[at + 5] as number);
    }
    for (let group = 0; group < groups; group++)
      this.#measure(
        states[group] as number,
        r,
        w,
        group,
        keys[2 * group] as number,
        keys[2 * group + 1] as number,
      );
    table.clear(groups);
  }

  #measure(state: number, r: ExactSums, w: ExactSums, at: number, low: number, high: number): void {
    this.count++;
    if ((state & RUN_COMPLETE) === 0) {
      this.partial++;
      return;
    }
    if ((state & RUN_READ) === 0 || (state & RUN_WRITTEN) === 0) {
      this.unknown++;
      return;
    }
    const [read, written] = [r.about(at), w.about(at)];
    let difference = read - written;
    let bytes = read + written;
    if (!r.isSmall(at) || !w.isSmall(at)) {
      difference = Number(r.value(at) - w.value(at));
      bytes = Number(r.value(at) + w.value(at));
    }
    if (bytes === 0) {
      this.idle++;
      return;
    }
    this.moving++;
    const x = Math.abs(difference) / bytes;
    this.sumOfX += x;
    for (let i = 0; i < 4; i++)
      if (x >= (this.#bounds[i] as number)) this.oneSided[i] = (this.oneSided[i] as number) + 1;
    const type = difference > 0 ? READ_RUN : difference < 0 ? WRITE_RUN : BALANCED_RUN;
    this.#bytes.addSum(type, r, at);
    this.#bytes.addSum(type, w, at);
    if (type === READ_RUN) {
      this.reads++;
      this.readBytes.push(bytes);
    } else if (type === WRITE_RUN) {
      this.writes++;
      this.writeBytes.push(bytes);
    } else this.balanced++;
    this.sample.add(mixed(high, low), x, Math.sign(difference), bytes);
  }
}

/** Room for the runs of a part, used again for the next: what is allocated anew has to be cleared and collected. */
class GroupTable {
  slots = new Int32Array(0);
  keys = new Uint32Array(0);
  states = new Uint8Array(0);
  readonly r = new ExactSums(0);
  readonly w = new ExactSums(0);

  /** A table that is empty, with room for so many runs. */
  reach(runs: number): this {
    if (runs > this.states.length) {
      const room = Math.ceil(1.25 * runs);
      this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * room + 1))).fill(-1);
      this.keys = new Uint32Array(2 * room);
      this.states = new Uint8Array(room);
      this.r.reach(room);
      this.w.reach(room);
    }
    return this;
  }

  clear(runs: number): void {
    this.slots.fill(-1);
    this.r.clear(runs);
    this.w.clear(runs);
  }
}

/** Rows in `parts` parts, a power of two, all of a run in the same; returns where in `into` each part begins. */
function partition(
  words: Uint32Array,
  states: Uint8Array,
  rows: number,
  parts: number,
  into: Uint32Array,
  statesInto: Uint8Array,
): Uint32Array {
  const shift = 32 - Math.log2(parts);
  const starts = new Uint32Array(parts + 1);
  for (let row = 0; row < rows; row++) {
    const at = row * RUN_STRIDE;
    const part = (mixed(words[at] as number, words[at + 1] as number) >>> shift) + 1;
    starts[part] = (starts[part] as number) + 1;
  }
  for (let part = 0; part < parts; part++)
    starts[part + 1] = (starts[part + 1] as number) + (starts[part] as number);
  const next = starts.slice();
  for (let row = 0; row < rows; row++) {
    const from = row * RUN_STRIDE;
    const low = words[from] as number;
    const high = words[from + 1] as number;
    const part = mixed(low, high) >>> shift;
    const place = next[part] as number;
    next[part] = place + 1;
    statesInto[place] = states[row] as number;
    const to = place * RUN_STRIDE;
    into[to] = low;
    into[to + 1] = high;
    into[to + 2] = words[from + 2] as number;
    into[to + 3] = words[from + 3] as number;
    into[to + 4] = words[from + 4] as number;
    into[to + 5] = words[from + 5] as number;
  }
  return starts;
}

/** Runs whose hash is small, so many as there is room for: the same ones whatever the order in which they come. */
export class RunSample {
  readonly #max: number;
  #limit = 2 ** 32;
  #rows: { hash: Float64Array; x: Float64Array; side: Float64Array; bytes: Float64Array };
  #count = 0;

  constructor(max: number) {
    this.#max = max;
    this.#rows = room(1024);
  }

  add(hash: number, x: number, side: number, bytes: number): void {
    if (hash >= this.#limit) return;
    if (this.#count === this.#rows.hash.length) this.#grow();
    if (hash >= this.#limit) return;
    const rows = this.#rows;
    rows.hash[this.#count] = hash;
    rows.x[this.#count] = x;
    rows.side[this.#count] = side;
    rows.bytes[this.#count] = bytes;
    this.#count++;
  }

  get count(): number {
    return Math.min(this.#count, this.#max);
  }

  /** At most `max` of them, those with the smallest hashes first. */
  take(max = this.#max) {
    const { hash, x, side, bytes } = this.#rows;
    const order = Uint32Array.from({ length: this.#count }, (_, i) => i)
      // Equal hashes in the order of what they stand for, so that it does not matter who came first.
      .sort(
        (a, b) => (hash[a] as number) - (hash[b] as number) || (bytes[a] as number) - (bytes[b] as number),
      )
      .subarray(0, max);
    const of = (values: Float64Array) => Float64Array.from(order, (i) => values[i] as number);
    return { x: of(x), side: of(side), bytes: of(bytes) };
  }

  #grow(): void {
    if (this.#count <= this.#max) {
      const more = room(2 * this.#count);
      for (const name of COLUMNS) more[name].set(this.#rows[name]);
      this.#rows = more;
      return;
    }
    this.#limit /= 2;
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      if ((this.#rows.hash[i] as number) >= this.#limit) continue;
      for (const name of COLUMNS) this.#rows[name][kept] = this.#rows[name][i] as number;
      kept++;
    }
    this.#count = kept;
  }
}

const COLUMNS = ["hash", "x", "side", "bytes"] as const;

const room = (length: number) => ({
  hash: new Float64Array(length),
  x: new Float64Array(length),
  side: new Float64Array(length),
  bytes: new Float64Array(length),
});
