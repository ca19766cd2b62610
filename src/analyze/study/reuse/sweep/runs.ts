/** The runs that touch selected files, with their bytes to them: how one-sided they are, and how much they move (A06, A11). */
import { RunningMedian } from "../../../../base/running-median.ts";
import { COMPLETE, READ_KNOWN, WRITTEN_KNOWN } from "./records.ts";
import { gather, partStarts, RUN_STRIDE, type RunRows } from "./run-rows.ts";
import { RunSample, type RunSampleState } from "./run-sample.ts";
import { mixed } from "../../common/hash.ts";
import { WordSums } from "./words.ts";

/** Runs that figures are drawn from and intervals are made of. */
const SAMPLE_MAX = 100_000;
/** Accesses that are grouped at a time: their table stays in the cache. */
const GROUP_ROWS = 32_768;
/** Rounds in which accesses are put side by side by run, so that they take little beside the records. Each reads all. */
const ROUNDS = 4;
/** Fewer are not worth a round. */
const ROUND_ROWS = 2 ** 20;

const BOTH_KNOWN = READ_KNOWN | WRITTEN_KNOWN;
const READ_RUN = 1;
const WRITE_RUN = 2;
const BALANCED_RUN = 0;
const NO_RUN = -1;

/** All that is known of runs, as it goes from thread to thread. */
export interface RunsState {
  readonly counts: Readonly<Record<(typeof COUNTS)[number], number>>;
  readonly oneSided: Float64Array;
  readonly bytes: readonly bigint[];
  readonly medians: Medians | undefined;
  readonly sample: RunSampleState;
}

/** Of the bytes of read runs and of write runs. */
interface Medians {
  readonly read: number;
  readonly written: number;
}

const COUNTS = [
  "count",
  "partial",
  "idle",
  "unknown",
  "moving",
  "reads",
  "writes",
  "balanced",
  "sumOfX",
] as const;

export class Runs {
  count = 0;
  partial = 0;
  idle = 0;
  unknown = 0;
  /** Of the runs that moved bytes, by how one-sided they are: from 0.9, 0.95, 0.99, and the option on. */
  oneSided = new Float64Array(4);
  moving = 0;
  reads = 0;
  writes = 0;
  balanced = 0;
  sumOfX = 0;
  readonly #bytes = new WordSums(3);
  readonly #readBytes: RunningMedian;
  readonly #writeBytes: RunningMedian;
  sample = new RunSample(SAMPLE_MAX);
  #medians: Medians | undefined;
  readonly #bounds: readonly number[];
  readonly #table = new GroupTable();

  /** `kept`: amounts that are kept for medians; without it as many as runs in the order of their hashes need. */
  constructor(oneSided: number, kept?: number) {
    this.#bounds = [0.9, 0.95, 0.99, oneSided];
    this.#readBytes = new RunningMedian(kept);
    this.#writeBytes = new RunningMedian(kept);
  }

  get bytes() {
    const [balanced, read, written] = [BALANCED_RUN, READ_RUN, WRITE_RUN].map((type) =>
      this.#bytes.value(type),
    );
    return { balanced: balanced as bigint, read: read as bigint, written: written as bigint };
  }

  /** When all rows were added; nothing when too few of their amounts were kept to tell. */
  get medians(): Medians | undefined {
    const [read, written] = [this.#readBytes.value, this.#writeBytes.value];
    if (this.#medians === undefined && read !== undefined && written !== undefined)
      this.#medians = { read, written };
    return this.#medians;
  }

  /** Groups rows by run; all rows of a run must be among them. */
  add(source: RunRows): void {
    // Tables of a part stay in the cache; one of all runs would miss it at every access.
    const bits = Math.max(0, Math.ceil(Math.log2(source.rows / GROUP_ROWS)));
    const starts = partStarts(source, bits);
    const parts = starts.length - 1;
    const most = Math.max(ROUND_ROWS, Math.ceil(source.rows / ROUNDS));
    let room = new Uint32Array(0);
    for (let from = 0; from < parts; ) {
      const first = starts[from] as number;
      let to = from + 1;
      while (to < parts && (starts[to + 1] as number) - first <= most) to++;
      const words = ((starts[to] as number) - first) * RUN_STRIDE;
      if (words > room.length) room = new Uint32Array(words);
      gather(source, { bits, starts, from, to }, room);
      for (let part = from; part < to; part++)
        this.#group(room, (starts[part] as number) - first, (starts[part + 1] as number) - first);
      from = to;
    }
  }

  get state(): RunsState {
    return {
      counts: Object.fromEntries(COUNTS.map((name) => [name, this[name]])) as RunsState["counts"],
      oneSided: this.oneSided,
      bytes: [BALANCED_RUN, READ_RUN, WRITE_RUN].map((type) => this.#bytes.value(type)),
      medians: this.medians,
      sample: this.sample.state,
    };
  }

  /** The runs whose state this was. */
  static of(bound: number, { counts, oneSided, bytes, medians, sample }: RunsState): Runs {
    const runs = new Runs(bound);
    for (const name of COUNTS) runs[name] = counts[name];
    runs.oneSided = Float64Array.from(oneSided);
    bytes.forEach((sum, type) => {
      runs.#bytes.addBigint(type, sum);
    });
    runs.#medians = medians;
    runs.sample = RunSample.of(SAMPLE_MAX, sample);
    return runs;
  }

  #group(words: Uint32Array, from: number, to: number): void {
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
      const state = (words[at + 6] as number) & (COMPLETE | BOTH_KNOWN);
      if (group === -1) {
        group = groups++;
        slots[slot] = group;
        keys[2 * group] = low;
        keys[2 * group + 1] = high;
        states[group] = state;
      } else {
        // Known when all of its accesses are; complete likewise.
        states[group] = (states[group] as number) & state;
      }
      if ((state & READ_KNOWN) !== 0) r.add(group, words[at + 2] as number, words[at + 3] as number);
      if ((state & WRITTEN_KNOWN) !== 0) w.add(group, words[at + 4] as number, words[at + 5] as number);
    }
    for (let group = 0; group < groups; group++) {
      const small = r.isSmall(group) && w.isSmall(group);
      const type = this.#measure(
        states[group] as number,
        small ? r.about(group) - w.about(group) : Number(r.value(group) - w.value(group)),
        small ? r.about(group) + w.about(group) : Number(r.value(group) + w.value(group)),
        keys[2 * group] as number,
        keys[2 * group + 1] as number,
      );
      if (type === NO_RUN) continue;
      this.#bytes.addSum(type, r, group);
      this.#bytes.addSum(type, w, group);
    }
    table.clear(groups);
  }

  /** Counts a run by what it read less what it wrote, and both together. Returns its type, where it moved bytes. */
  #measure(state: number, difference: number, bytes: number, low: number, high: number): number {
    this.count++;
    if ((state & COMPLETE) === 0) {
      this.partial++;
      return NO_RUN;
    }
    if ((state & BOTH_KNOWN) !== BOTH_KNOWN) {
      this.unknown++;
      return NO_RUN;
    }
    if (bytes === 0) {
      this.idle++;
      return NO_RUN;
    }
    this.moving++;
    const x = Math.abs(difference) / bytes;
    this.sumOfX += x;
    for (let i = 0; i < 4; i++)
      if (x >= (this.#bounds[i] as number)) this.oneSided[i] = (this.oneSided[i] as number) + 1;
    const type = difference > 0 ? READ_RUN : difference < 0 ? WRITE_RUN : BALANCED_RUN;
    if (type === READ_RUN) {
      this.reads++;
      this.#readBytes.add(bytes);
    } else if (type === WRITE_RUN) {
      this.writes++;
      this.#writeBytes.add(bytes);
    } else this.balanced++;
    this.sample.add(mixed(high, low), x, Math.sign(difference), bytes);
    return type;
  }
}

/** Room for the runs of a part, used again for the next: what is allocated again has to be cleared and collected. */
class GroupTable {
  slots = new Int32Array(0);
  keys = new Uint32Array(0);
  states = new Uint16Array(0);
  readonly r = new WordSums(0);
  readonly w = new WordSums(0);

  /** A table that is empty, with room for this many runs. */
  reach(runs: number): this {
    if (runs > this.states.length) {
      const room = Math.ceil(1.25 * runs);
      this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * room + 1))).fill(-1);
      this.keys = new Uint32Array(2 * room);
      this.states = new Uint16Array(room);
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
