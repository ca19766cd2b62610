/**
 * Rows of `minutes` and `targets` on their way into the store, in columns. Values are 64-bit words that are copied in
 * halves: a million rows a second leave no time for a BigInt each.
 */
import { assert } from "../../base/assert.ts";
import { LOW } from "../../base/words.ts";
import {
  type ColumnSource,
  MISSING_I64,
  type RowSink,
  storedMinutes,
  storedTargets,
  type Value,
} from "../../model/index.ts";
import type { JobIdentity } from "../../formats/lustre/index.ts";
import { SLOT_COLUMNS } from "./counter-slots.ts";
import type { TargetFile } from "./reading-rows.ts";

const SLOTS = SLOT_COLUMNS.length;
const MISSING_HIGH = 0x80000000;
const MINUTE_NS = 60_000_000_000n;
/** Not recorded in any row. */
const NOTHING: ColumnSource = { all: null };

/** Rows of one difference of readings: what they share. */
interface Block {
  readonly file: TargetFile;
  readonly from: number;
  to: number;
  readonly minute: bigint;
  readonly seconds: number;
  /** A bit for each slot in which a row has a value. */
  filled: number;
  /** Whether a row says why. */
  explained: boolean;
  /** Whether a row says of which cluster, user or node it is. */
  placed: boolean;
}

export class DifferenceRows {
  readonly #withJobs: boolean;
  readonly #blocks: Block[] = [];
  #values: BigInt64Array[] = [];
  #halves: Uint32Array[] = [];
  #keys = new BigUint64Array(0);
  #keyHalves = new Uint32Array(0);
  /** As long as the most rows so far; those that count come first. */
  readonly #jobs: JobIdentity[] = [];
  readonly #why: (string | null)[] = [];
  #rows = 0;
  /** Of the block that is being filled, and of all since the last flush. */
  #filled = 0;
  #everFilled = 0;
  #explained = false;
  #placed = false;
  /** Values that 63 bits cannot hold; they are left out. */
  tooLarge = 0;

  constructor({ withJobs }: { readonly withJobs: boolean }) {
    this.#withJobs = withJobs;
    this.#reserve(4096);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Where to go back to when an input turns out to be damaged. */
  mark(): readonly [rows: number, blocks: number] {
    return [this.#rows, this.#blocks.length];
  }

  /** Forgets what came after the mark. No flush may have been in between. */
  back([rows, blocks]: readonly [number, number]): void {
    this.#endBlock();
    for (let slot = 0; slot < SLOTS; slot++)
      if ((this.#everFilled >> slot) & 1)
        (this.#values[slot] as BigInt64Array).fill(MISSING_I64, rows, this.#rows);
    if (rows === 0) this.#everFilled = 0;
    this.#rows = rows;
    this.#blocks.length = Math.min(blocks, this.#blocks.length);
  }

  /** The rows that follow belong to this difference. */
  begin(file: TargetFile, fromNs: bigint, toNs: bigint): void {
    this.#endBlock();
    const [minute, seconds] = [toNs / MINUTE_NS, Number(toNs - fromNs) / 1e9];
    const place = { file, from: this.#rows, to: this.#rows };
    this.#blocks.push({ ...place, minute, seconds, filled: 0, explained: false, placed: false });
  }

  /** May come twice for one block. */
  #endBlock(): void {
    const last = this.#blocks.at(-1);
    if (last === undefined) return;
    last.to = this.#rows;
    last.filled |= this.#filled;
    if (this.#explained) last.explained = true;
    if (this.#placed) last.placed = true;
    this.#everFilled |= this.#filled;
    this.#filled = 0;
    this.#explained = false;
    this.#placed = false;
    if (last.from === last.to) this.#blocks.pop();
  }

  /** Adds the word at `halves[2 * word]` to a slot of the row that is being filled. */
  add(slot: number, halves: Uint32Array, word: number): void {
    const into = this.#halves[slot] as Uint32Array;
    const at = 2 * this.#rows;
    this.#filled |= 1 << slot;
    let low = halves[2 * word + LOW] as number;
    let high = halves[2 * word + 1 - LOW] as number;
    if (into[at + 1 - LOW] !== MISSING_HIGH) {
      low += into[at + LOW] as number;
      high += into[at + 1 - LOW] as number;
      if (low >= 4294967296) high++;
    }
    if (high >= MISSING_HIGH) {
      this.tooLarge++;
      return;
    }
    into[at + LOW] = low;
    into[at + 1 - LOW] = high;
  }

  /** The counter was there and did not grow. */
  present(slot: number): void {
    const into = this.#halves[slot] as Uint32Array;
    const at = 2 * this.#rows;
    this.#filled |= 1 << slot;
    if (into[at + 1 - LOW] === MISSING_HIGH) into[at + 1 - LOW] = 0;
  }

  /** The row is whole. The key of its job is word `key` of `keys`. */
  end(job: JobIdentity | undefined, keys: Uint32Array, key: number, why: string | null): void {
    const row = this.#rows++;
    if (job !== undefined) {
      assert(this.#withJobs, "rows of targets are of no job");
      this.#jobs[row] = job;
      if (job.cluster !== undefined || job.userId !== undefined || job.node !== undefined)
        this.#placed = true;
      this.#keyHalves[2 * row] = keys[2 * key] as number;
      this.#keyHalves[2 * row + 1] = keys[2 * key + 1] as number;
    }
    this.#why[row] = why;
    if (why !== null) this.#explained = true;
    if (this.#rows === this.#keys.length) this.#reserve(2 * this.#rows);
  }

  async flush(sink: RowSink): Promise<void> {
    this.#endBlock();
    for (const { file, from, to, minute, seconds, filled, explained, placed } of this.#blocks) {
      const columns: Record<string, ColumnSource> = {
        file_system: { all: file.fileSystem || null },
        target: { all: file.target },
        minute_unix: { all: minute },
        seconds: { all: seconds },
        why: explained ? this.#why.slice(from, to) : NOTHING,
      };
      for (let slot = 0; slot < SLOTS; slot++)
        columns[SLOT_COLUMNS[slot] as string] =
          (filled >> slot) & 1 ? (this.#values[slot] as BigInt64Array).subarray(from, to) : NOTHING;
      if (this.#withJobs) {
        const jobs = this.#jobs.slice(from, to);
        const place = (of: (job: JobIdentity) => Value | undefined): ColumnSource =>
          placed ? jobs.map((job) => of(job) ?? null) : NOTHING;
        await sink.append(storedMinutes, to - from, {
          ...columns,
          job_key: this.#keys.subarray(from, to),
          job_id: jobs.map(({ jobId }) => jobId),
          cluster: place(({ cluster }) => cluster),
          user_id: place(({ userId }) => userId),
          node: place(({ node }) => node),
        });
      } else await sink.append(storedTargets, to - from, { ...columns, server: { all: file.server } });
    }
    this.back([0, 0]);
  }

  #reserve(rows: number): void {
    for (let slot = 0; slot < SLOTS; slot++) {
      const values = new BigInt64Array(rows).fill(MISSING_I64);
      values.set((this.#values[slot] as BigInt64Array | undefined)?.subarray(0, this.#rows) ?? []);
      this.#values[slot] = values;
      this.#halves[slot] = new Uint32Array(values.buffer);
    }
    const keys = new BigUint64Array(rows);
    keys.set(this.#keys.subarray(0, this.#rows));
    this.#keys = keys;
    this.#keyHalves = new Uint32Array(keys.buffer);
  }
}
