/**
 * Rows of `minutes` and `targets` on their way into the store, in columns. Values are 64-bit words that are copied in
 * halves: a million rows a second leave no time for a BigInt each.
 */
import { LOW } from "../../base/words.ts";
import { MISSING_I64, type RowSink, storedMinutes, storedTargets } from "../../model/index.ts";
import { SLOT_COLUMNS } from "./counter-slots.ts";
import type { TargetFile } from "./reading-rows.ts";

const SLOTS = SLOT_COLUMNS.length;
const MISSING_HIGH = 0x80000000;
const MINUTE_NS = 60_000_000_000n;

/** Rows of one difference of readings: what they share. */
interface Block {
  readonly file: TargetFile;
  readonly from: number;
  to: number;
  readonly minute: bigint;
  readonly seconds: number;
}

export class DifferenceRows {
  readonly #withJobs: boolean;
  readonly #blocks: Block[] = [];
  #values: BigInt64Array[] = [];
  #halves: Uint32Array[] = [];
  #keys = new BigUint64Array(0);
  readonly #ids: string[] = [];
  readonly #why: (string | null)[] = [];
  #rows = 0;
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
    for (const values of this.#values) values.fill(MISSING_I64, rows, this.#rows);
    this.#rows = this.#ids.length = this.#why.length = rows;
    this.#blocks.length = blocks;
  }

  /** The rows that follow belong to this difference. */
  begin(file: TargetFile, fromNs: bigint, toNs: bigint): void {
    this.#endBlock();
    const seconds = Number(toNs - fromNs) / 1e9;
    this.#blocks.push({ file, from: this.#rows, to: this.#rows, minute: toNs / MINUTE_NS, seconds });
  }

  #endBlock(): void {
    const last = this.#blocks.at(-1);
    if (last === undefined) return;
    last.to = this.#rows;
    if (last.from === last.to) this.#blocks.pop();
  }

  /** Adds the word at `halves[2 * word]` to a slot of the row that is being filled. */
  add(slot: number, halves: Uint32Array, word: number): void {
    const into = this.#halves[slot] as Uint32Array;
    const at = 2 * this.#rows;
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
    if (into[at + 1 - LOW] === MISSING_HIGH) into[at + 1 - LOW] = 0;
  }

  /** The row is whole. */
  end(id: string, key: bigint, why: string | null): void {
    const row = this.#rows++;
    if (this.#withJobs) {
      this.#ids.push(id);
      this.#keys[row] = key;
    }
    this.#why.push(why);
    if (this.#rows === this.#keys.length) this.#reserve(2 * this.#rows);
  }

  async flush(sink: RowSink): Promise<void> {
    this.#endBlock();
    for (const { file, from, to, minute, seconds } of this.#blocks) {
      const columns = {
        file_system: { all: file.fileSystem || null },
        target: { all: file.target },
        minute_unix: { all: minute },
        seconds: { all: seconds },
        why: this.#why.slice(from, to),
        ...Object.fromEntries(
          SLOT_COLUMNS.map((name, slot) => [name, (this.#values[slot] as BigInt64Array).subarray(from, to)]),
        ),
      };
      if (this.#withJobs)
        await sink.append(storedMinutes, to - from, {
          ...columns,
          job_key: this.#keys.subarray(from, to),
          job_id: this.#ids.slice(from, to),
        });
      else await sink.append(storedTargets, to - from, { ...columns, server: { all: file.server } });
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
  }
}
