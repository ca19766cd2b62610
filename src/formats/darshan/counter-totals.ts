/** All records of a module as one: each counter by its rule (darshan-parser --total), as darshan-util 3.5.0 does it. */
import { LOW, wordNumber } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import type { DerivedColumns, ModuleSpec } from "./modules/index.ts";

export interface CounterFigures {
  readonly integers: BigInt64Array;
  readonly reals: Float64Array;
}

/** Below this a sum of integers is added up as a double. */
const PART_MAX = 2 ** 52;
/** High half of the totals from which on one more part could reach the end. */
const SAFE_HIGH = 2 ** 30;

export class CounterTotals {
  readonly #spec: ModuleSpec;
  readonly #columns: DerivedColumns;
  readonly #integers: BigInt64Array;
  readonly #halves: Uint32Array;
  readonly #reals: Float64Array;
  /** What is still to be added to `#integers`, where that cannot wrap: a BigInt per counter and record is slow. */
  readonly #parts: Float64Array;
  #first: bigint | undefined;
  /** Word indexes by rule, so that the loop over a record does not look at names. */
  readonly #sums: number[] = [];
  readonly #lasts: number[] = [];
  readonly #maxima: number[] = [];
  readonly #commons: number[] = [];
  readonly #realSums: number[] = [];
  readonly #realFirsts: number[] = [];
  readonly #realMaxima: number[] = [];

  constructor(spec: ModuleSpec, columns: DerivedColumns) {
    this.#spec = spec;
    this.#columns = columns;
    this.#integers = new BigInt64Array(spec.integers.length);
    this.#halves = new Uint32Array(this.#integers.buffer);
    this.#parts = new Float64Array(spec.integers.length);
    this.#reals = new Float64Array(spec.reals.length);
    spec.integers.forEach(({ total, name }, index) => {
      if (total === "sum") this.#sums.push(index);
      else if (total === "last") this.#lasts.push(index);
      else if (total === "max") this.#maxima.push(index);
      else if (total === "common" && name.includes("1_")) this.#commons.push(index);
    });
    const longest = new Set(columns.longest.map(([time]) => time - spec.realsAt));
    spec.reals.forEach(({ total }, index) => {
      if (total === "sum") this.#realSums.push(index);
      else if (total === "first") this.#realFirsts.push(index);
      else if (total === "max" && !longest.has(index)) this.#realMaxima.push(index);
    });
  }

  add(block: RecordBlock): void {
    for (let k = 0; k < block.count; k++) this.#addRecord(block, block.at(k));
  }

  figures(): CounterFigures {
    for (const index of this.#sums) this.#flush(index);
    return { integers: this.#integers, reals: this.#reals };
  }

  #addRecord(block: RecordBlock, at: number): void {
    const { u64, u32 } = block.views;
    const id = u64[at] as bigint;
    const opening = this.#first === undefined;
    this.#first ??= id;
    const sameFile = this.#first === id;
    // Once two files have met, the sum is of no file (the reference tool sets its id to 0).
    if (!sameFile) this.#first = 0n;
    this.#addIntegers(block, at);
    this.#addReals(block, at);
    if (sameFile) this.#compareRanks(block, at, wordNumber(u32, at + 1) === -1, opening);
    else this.#forgetRanks();
  }

  #addIntegers(block: RecordBlock, at: number): void {
    const { i64, u32 } = block.views;
    const { integersAt, needsFirstCommon } = this.#spec;
    const integers = this.#integers;
    for (const index of this.#sums) {
      // Most counters are zero, and halves tell so without making a BigInt.
      const word = 2 * (at + integersAt + index);
      if (u32[word] === 0 && u32[word + 1] === 0) continue;
      this.#addTo(index, u32, i64, at + integersAt + index);
    }
    for (const index of this.#lasts) integers[index] = i64[at + integersAt + index] as bigint;
    for (const index of this.#maxima) {
      const value = i64[at + integersAt + index] as bigint;
      if (value > (integers[index] as bigint)) integers[index] = value;
    }
    for (const index of this.#commons) {
      // MPI-IO passes over a record without a most frequent size.
      if (needsFirstCommon && i64[at + integersAt + index] === 0n) continue;
      mergeCommon(integers, this.#halves, index, i64, u32, at + integersAt + index);
    }
  }

  /** A total that has become negative, or may, is added up step by step. */
  #addTo(index: number, u32: Uint32Array, i64: BigInt64Array, word: number): void {
    const value = wordNumber(u32, word);
    const part = (this.#parts[index] as number) + value;
    if (value >= 0 && part < PART_MAX) {
      const high = this.#halves[2 * index + 1 - LOW] as number;
      if (high < SAFE_HIGH) {
        this.#parts[index] = part;
        return;
      }
    }
    this.#flush(index);
    const sum = BigInt.asIntN(64, (this.#integers[index] as bigint) + (i64[word] as bigint));
    this.#integers[index] = this.#spec.clampSums && sum < 0n ? -1n : sum;
  }

  #flush(index: number): void {
    const part = this.#parts[index] as number;
    if (part === 0) return;
    this.#integers[index] = (this.#integers[index] as bigint) + BigInt(part);
    this.#parts[index] = 0;
  }

  #addReals(block: RecordBlock, at: number): void {
    const { i64, f64 } = block.views;
    const { integersAt, realsAt } = this.#spec;
    const reals = this.#reals;
    for (const index of this.#realSums)
      reals[index] = (reals[index] as number) + (f64[at + realsAt + index] as number);
    for (const index of this.#realFirsts) {
      const value = f64[at + realsAt + index] as number;
      if (value > 0 && (reals[index] === 0 || value < (reals[index] as number))) reals[index] = value;
    }
    for (const index of this.#realMaxima) {
      const value = f64[at + realsAt + index] as number;
      if (value > (reals[index] as number)) reals[index] = value;
    }
    for (const [time, size] of this.#columns.longest) {
      const value = f64[at + time] as number;
      if (value > (reals[time - realsAt] as number)) {
        reals[time - realsAt] = value;
        this.#integers[size - integersAt] = i64[at + size] as bigint;
      }
    }
  }

  /** Fastest and slowest rank mean something only while all records are of one file. */
  #compareRanks(block: RecordBlock, at: number, isShared: boolean, opening: boolean): void {
    const { i64, f64 } = block.views;
    const columns = this.#columns;
    const { realsAt } = this.#spec;
    const bytes = (i64[at + columns.bytesRead] as bigint) + (i64[at + columns.bytesWritten] as bigint);
    const seconds =
      (f64[at + columns.readTime] as number) +
      (f64[at + columns.writeTime] as number) +
      (f64[at + columns.metaTime] as number);
    const fastest = isShared ? (f64[at + columns.fastestTime] as number) : seconds;
    if (opening || fastest < (this.#reals[columns.fastestTime - realsAt] as number))
      this.#setFastest(
        i64[isShared ? at + columns.fastestRank : at + 1] as bigint,
        isShared ? (i64[at + columns.fastestBytes] as bigint) : bytes,
        fastest,
      );
    const slowest = isShared ? (f64[at + columns.slowestTime] as number) : seconds;
    if (opening || slowest > (this.#reals[columns.slowestTime - realsAt] as number))
      this.#setSlowest(
        i64[isShared ? at + columns.slowestRank : at + 1] as bigint,
        isShared ? (i64[at + columns.slowestBytes] as bigint) : bytes,
        slowest,
      );
  }

  #forgetRanks(): void {
    this.#setFastest(-1n, -1n, 0);
    this.#setSlowest(-1n, -1n, 0);
  }

  #setFastest(rank: bigint, bytes: bigint, seconds: number): void {
    const { fastestRank, fastestBytes, fastestTime } = this.#columns;
    this.#integers[fastestRank - this.#spec.integersAt] = rank;
    this.#integers[fastestBytes - this.#spec.integersAt] = bytes;
    this.#reals[fastestTime - this.#spec.realsAt] = seconds;
  }

  #setSlowest(rank: bigint, bytes: bigint, seconds: number): void {
    const { slowestRank, slowestBytes, slowestTime } = this.#columns;
    this.#integers[slowestRank - this.#spec.integersAt] = rank;
    this.#integers[slowestBytes - this.#spec.integersAt] = bytes;
    this.#reals[slowestTime - this.#spec.realsAt] = seconds;
  }
}

/**
 * Merges the four most frequent values of a record (at `from`: four values, then four counts) into those of the sum
 * (at `at`). Equal values add their counts but keep their places; a new value goes in front of the first that is
 * rarer, or as rare and not larger, and the last one falls out. This is the reference tool's rule to the letter,
 * which shows on damaged counters: slots without a value merge like any other, a new count is weighed by its low 32
 * bits, and a value that stands twice in the record replaces itself.
 */
function mergeCommon(
  sum: BigInt64Array,
  sumHalves: Uint32Array,
  at: number,
  record: BigInt64Array,
  recordHalves: Uint32Array,
  from: number,
): void {
  const isNew = [true, true, true, true];
  for (let j = 0; j < 4; j++) {
    for (let k = 0; k < 4; k++) {
      if (!isSameWord(sumHalves, at + k, recordHalves, from + j)) continue;
      sum[at + k + 4] = (sum[at + k + 4] as bigint) + (record[from + j + 4] as bigint);
      isNew[j] = false;
    }
  }
  for (let j = 0; j < 4; j++) {
    if (!isNew[j]) continue;
    const value = record[from + j] as bigint;
    const count = record[from + j + 4] as bigint;
    if (value === 0n) break;
    let weight = count;
    for (let k = 0; k < 4; k++) if (sum[at + k] === value) weight += sum[at + k + 4] as bigint;
    weight = BigInt.asIntN(32, weight);
    let place = 0;
    while (place < 4) {
      const other = sum[at + place + 4] as bigint;
      if (other > weight || (other === weight && (sum[at + place] as bigint) > value)) place++;
      else break;
    }
    if (place === 4) break;
    insertCommon(sum, at, place, value, count);
  }
}

const isSameWord = (a: Uint32Array, i: number, b: Uint32Array, j: number) =>
  a[2 * i] === b[2 * j] && a[2 * i + 1] === b[2 * j + 1];

/** Puts a value at its place; those behind it move on, but for the same value. */
function insertCommon(sum: BigInt64Array, at: number, place: number, value: bigint, count: bigint): void {
  const values = [value];
  const counts = [count];
  for (let k = place; place + values.length < 4; k++) {
    if (sum[at + k] === value) continue;
    values.push(sum[at + k] as bigint);
    counts.push(sum[at + k + 4] as bigint);
  }
  sum.set(values, at + place);
  sum.set(counts, at + place + 4);
}
