/** The files of a module while its records pass by, in columns that grow. */
import { GrowingIntegers, GrowingReals } from "../../base/growing.ts";
import { wordNumber } from "../../base/words.ts";
import { MISSING_I64 } from "../../model/index.ts";
import type { Places } from "./layer-counters.ts";

/** Files of a module in columns that grow; a million files would be too many objects. */
export class FileColumns {
  count = 0;
  /** Number of each file by its record id. */
  readonly #numbers = new Map<bigint, number>();
  readonly #integers: GrowingIntegers[] = [];
  readonly #reals: GrowingReals[] = [];
  readonly id = this.#integer(0n);
  readonly parentId = this.#integer(0n);
  readonly records = this.#real(0);
  readonly shared = this.#real(0);
  readonly chunkBytes = this.#real(Number.NaN);
  readonly sums: readonly GrowingIntegers[];
  readonly maxima: readonly GrowingIntegers[];
  readonly realSums: readonly GrowingReals[];
  readonly firsts: readonly GrowingReals[];
  readonly lasts: readonly GrowingReals[];
  readonly longestRead = this.#timed();
  readonly longestWrite = this.#timed();
  readonly slowest = { ...this.#timed(), rank: this.#integer(MISSING_I64) };
  readonly fastest = { ...this.#timed(), rank: this.#integer(MISSING_I64) };
  readonly secondsSpread = this.#spread();
  readonly bytesSpread = this.#spread();
  readonly accesses: FrequentColumns;
  readonly strides: FrequentColumns;

  constructor(places: Places) {
    this.sums = places.sums.map(() => this.#integer(MISSING_I64));
    this.maxima = places.maxima.map(() => this.#integer(MISSING_I64));
    this.realSums = places.realSums.map(() => this.#real(Number.NaN));
    this.firsts = places.realFirsts.map(() => this.#real(Number.NaN));
    this.lasts = places.realLasts.map(() => this.#real(Number.NaN));
    const frequent = (places: readonly unknown[]) =>
      new FrequentColumns(Array.from({ length: 2 * places.length }, () => this.#real(Number.NaN)));
    this.accesses = frequent(places.accesses);
    this.strides = frequent(places.strides);
  }

  /** The number of a file; new ones are added. */
  numberOf(id: bigint, parentId: bigint): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = this.count++;
    this.#numbers.set(id, number);
    for (const column of this.#integers) column.reach(this.count);
    for (const column of this.#reals) column.reach(this.count);
    this.id.values[number] = BigInt.asIntN(64, id);
    this.parentId.values[number] = BigInt.asIntN(64, parentId);
    return number;
  }

  #integer(missing: bigint): GrowingIntegers {
    const column = new GrowingIntegers(missing);
    this.#integers.push(column);
    return column;
  }

  #real(missing: number): GrowingReals {
    const column = new GrowingReals(missing);
    this.#reals.push(column);
    return column;
  }

  #timed() {
    return { seconds: this.#real(Number.NaN), bytes: this.#integer(MISSING_I64) };
  }

  #spread(): Spread {
    return new Spread(this.#real(0), this.#real(0), this.#real(0), this.#real(Number.NaN));
  }
}

/** Mean and variance in one pass (Welford), per file; or a variance that the record knows. */
class Spread {
  readonly #count: GrowingReals;
  readonly #mean: GrowingReals;
  readonly #squares: GrowingReals;
  readonly known: GrowingReals;

  constructor(count: GrowingReals, mean: GrowingReals, squares: GrowingReals, known: GrowingReals) {
    this.#count = count;
    this.#mean = mean;
    this.#squares = squares;
    this.known = known;
  }

  add(number: number, value: number): void {
    const count = (this.#count.values[number] as number) + 1;
    const mean = this.#mean.values[number] as number;
    const moved = mean + (value - mean) / count;
    this.#count.values[number] = count;
    this.#mean.values[number] = moved;
    this.#squares.values[number] =
      (this.#squares.values[number] as number) + (value - mean) * (value - moved);
  }

  variance(number: number): number {
    const known = this.known.values[number] as number;
    if (!Number.isNaN(known)) return known;
    const count = this.#count.values[number] as number;
    return count === 0 ? Number.NaN : (this.#squares.values[number] as number) / count;
  }
}

const SIZE_MAX = 2 ** 62;

/** A few more than the four that are shown, so that a value spread over ranks is not lost at once. */
const FREQUENT_KEPT = 64;

/** Four frequent values of each file with their counts; a file with several records has a map until the end. */
class FrequentColumns {
  /** value, count, value, count … */
  readonly columns: readonly GrowingReals[];
  readonly #maps = new Map<number, Map<number, number>>();

  constructor(columns: readonly GrowingReals[]) {
    this.columns = columns;
  }

  add(
    number: number,
    isFirst: boolean,
    places: readonly (readonly [number, number])[],
    u32: Uint32Array,
    at: number,
  ): void {
    let map = isFirst ? undefined : this.#maps.get(number);
    if (!isFirst && map === undefined) this.#maps.set(number, (map = this.#taken(number)));
    let slot = 0;
    for (const [value, count] of places) {
      const times = wordNumber(u32, at + count);
      if (times <= 0) continue;
      const size = wordNumber(u32, at + value);
      // Beyond this no size or gap is real, and as a double it can round to the mark of a missing value.
      if (Math.abs(size) >= SIZE_MAX) continue;
      if (map === undefined) {
        (this.columns[slot++] as GrowingReals).values[number] = size;
        (this.columns[slot++] as GrowingReals).values[number] = times;
      } else {
        const known = map.get(size);
        if (known !== undefined || map.size < FREQUENT_KEPT) map.set(size, (known ?? 0) + times);
      }
    }
  }

  #taken(number: number): Map<number, number> {
    const map = new Map<number, number>();
    for (let slot = 0; slot < this.columns.length; slot += 2) {
      const times = this.columns[slot + 1]?.values[number] as number;
      const size = this.columns[slot]?.values[number] as number;
      if (times > 0) map.set(size, (map.get(size) ?? 0) + times);
    }
    return map;
  }

  /** Writes the maps back, the most frequent values first. */
  finish(count: number): void {
    for (let number = 0; number < count; number++) {
      const map = this.#maps.get(number) ?? this.#taken(number);
      const sorted = [...map].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
      for (let slot = 0; slot < this.columns.length; slot += 2) {
        const [size, times] = sorted[slot / 2] ?? [Number.NaN, Number.NaN];
        (this.columns[slot] as GrowingReals).values[number] = size;
        (this.columns[slot + 1] as GrowingReals).values[number] = times;
      }
    }
    this.#maps.clear();
  }
}
