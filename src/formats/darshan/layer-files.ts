/** The files of a module while its records pass by, as rows of `layers` in the making. */
import { assert } from "../../base/assert.ts";
import { IdIndex } from "../../base/id-index.ts";
import { PackedNumbers } from "../../base/packed.ts";
import { LOW, wordNumber } from "../../base/words.ts";
import type { TableBuilder } from "../../model/index.ts";
import type { Places } from "./layer-counters.ts";

/** Files of a module: each has a row from its first record on. */
export class FileColumns {
  readonly #ids = new IdIndex();
  readonly #parents = new PackedNumbers();
  #hasParents = false;
  readonly #firstRow: number;
  /** How many records each file has. */
  readonly records: PackedNumbers;
  readonly shared: PackedNumbers;
  /** Ranks with reads or writes, of files that have a record of each. */
  readonly ioRanks: PackedNumbers;
  readonly chunkBytes: PackedNumbers;
  readonly sums: readonly PackedNumbers[];
  readonly maxima: readonly PackedNumbers[];
  readonly realSums: readonly PackedNumbers[];
  readonly firsts: readonly PackedNumbers[];
  readonly lasts: readonly PackedNumbers[];
  readonly longestRead: Timed;
  readonly longestWrite: Timed;
  readonly slowest: RankTimed;
  readonly fastest: RankTimed;
  readonly secondsSpread: Spread;
  readonly bytesSpread: Spread;
  readonly accesses: FrequentColumns;
  readonly strides: FrequentColumns;

  /** `firstRow`: how many rows `table` has, and will have of modules before this one. */
  constructor(places: Places, table: TableBuilder, firstRow: number) {
    this.#firstRow = firstRow;
    const scratch = scratchOf(table, firstRow);
    this.records = scratch.records;
    this.shared = scratch.shared;
    this.secondsSpread = scratch.secondsSpread;
    this.bytesSpread = scratch.bytesSpread;
    const named = (columns: readonly (readonly [string, unknown])[]) =>
      columns.map(([column]) => table.numbers(column));
    this.chunkBytes = table.numbers("chunk_bytes");
    this.ioRanks = table.numbers("io_ranks");
    this.sums = named(places.sums);
    this.maxima = named(places.maxima);
    this.realSums = named(places.realSums);
    this.firsts = named(places.realFirsts);
    this.lasts = named(places.realLasts);
    const timed = (what: string): Timed => ({
      seconds: table.numbers(`${what}_seconds`),
      bytes: table.numbers(`${what}_bytes`),
    });
    this.longestRead = timed("longest_read");
    this.longestWrite = timed("longest_write");
    this.slowest = { ...timed("slowest"), rank: table.numbers("slowest_rank") };
    this.fastest = { ...timed("fastest"), rank: table.numbers("fastest_rank") };
    const frequent = (what: string, slots: readonly unknown[]) =>
      new FrequentColumns(
        slots.flatMap((_, slot) =>
          ["bytes", "count"].map((part) => table.numbers(`${what}${slot + 1}_${part}`)),
        ),
      );
    this.accesses = frequent("access", places.accesses);
    this.strides = frequent("stride", places.strides);
  }

  get count(): number {
    return this.#ids.count;
  }

  get firstRow(): number {
    return this.#firstRow;
  }

  /** The row of the file whose id is word `id`; the words behind it may name its parent (`parent`, or -1). */
  rowOf(u32: Uint32Array, u64: BigUint64Array, id: number, parent: number): number {
    const known = this.count;
    const number = this.#ids.numberOf(u32[2 * id + LOW] as number, u32[2 * id + 1 - LOW] as number);
    if (number === known && parent >= 0) {
      this.#hasParents = true;
      this.#parents.setExact(number, u64[parent] as bigint);
    }
    return this.#firstRow + number;
  }

  ids(): BigUint64Array {
    const ids = new BigUint64Array(this.count);
    const halves = new Uint32Array(ids.buffer);
    for (let number = 0; number < ids.length; number++) {
      halves[2 * number + LOW] = this.#ids.low(number);
      halves[2 * number + 1 - LOW] = this.#ids.high(number);
    }
    return ids;
  }

  parents(): BigUint64Array {
    const parents = new BigUint64Array(this.count);
    if (this.#hasParents)
      for (let number = 0; number < parents.length; number++)
        parents[number] = this.#parents.exactAt(number) ?? 0n;
    return parents;
  }

  /** Writes what is known only when all records have passed. */
  finish(table: TableBuilder, processes: bigint): void {
    assert(table.rows === this.#firstRow, "layers become rows in the order in which they were read");
    const [ranks, seconds, bytes] = ["ranks", "variance_seconds", "variance_bytes"].map((name) =>
      table.numbers(name),
    ) as [PackedNumbers, PackedNumbers, PackedNumbers];
    for (let row = this.#firstRow; row < this.#firstRow + this.count; row++) {
      if (this.shared.at(row) === 1) {
        ranks.setExact(row, processes);
        this.ioRanks.set(row, Number.NaN);
      } else ranks.set(row, this.records.at(row));
      seconds.set(row, this.secondsSpread.variance(row));
      bytes.set(row, this.bytesSpread.variance(row));
    }
    this.accesses.finish();
    this.strides.finish();
  }
}

interface Timed {
  readonly seconds: PackedNumbers;
  readonly bytes: PackedNumbers;
}

interface RankTimed extends Timed {
  readonly rank: PackedNumbers;
}

/** Mean and variance in one pass (Welford), per file; or a variance that the record knows. */
class Spread {
  /** Of files with several values. */
  readonly #count = new PackedNumbers();
  readonly #mean = new PackedNumbers();
  readonly #squares = new PackedNumbers();
  readonly known = new PackedNumbers();

  add(row: number, value: number): void {
    const mean = this.#mean.at(row);
    if (Number.isNaN(mean)) {
      this.#mean.set(row, value);
      return;
    }
    const count = (this.#count.at(row) || 1) + 1;
    const moved = mean + (value - mean) / count;
    this.#count.set(row, count);
    this.#mean.set(row, moved);
    this.#squares.add(row, (value - mean) * (value - moved));
  }

  variance(row: number): number {
    const known = this.known.at(row);
    if (!Number.isNaN(known)) return known;
    if (Number.isNaN(this.#mean.at(row))) return Number.NaN;
    return (this.#squares.at(row) || 0) / (this.#count.at(row) || 1);
  }
}

/** Columns of rows in the making that no table has. */
interface Scratch {
  /** The first row that it was used for. */
  readonly firstRow: number;
  readonly records: PackedNumbers;
  readonly shared: PackedNumbers;
  readonly secondsSpread: Spread;
  readonly bytesSpread: Spread;
}

const SCRATCH_ROWS = 1 << 13;
const scratches = new WeakMap<TableBuilder, Scratch>();

/**
 * The same for all modules and logs whose rows lie close together: pages of packed numbers are made for thousands of
 * rows, and a log of one process has a few.
 */
function scratchOf(table: TableBuilder, firstRow: number): Scratch {
  const known = scratches.get(table);
  if (known !== undefined && firstRow - known.firstRow < SCRATCH_ROWS) return known;
  const made = {
    ...{ firstRow, records: new PackedNumbers(), shared: new PackedNumbers() },
    ...{ secondsSpread: new Spread(), bytesSpread: new Spread() },
  };
  scratches.set(table, made);
  return made;
}

const SIZE_MAX = 2 ** 62;

/** A few more than the four that are shown, so that a value spread over ranks is not lost at once. */
const FREQUENT_KEPT = 64;

/** Four frequent values of each file with their counts; a file with several records has a map until the end. */
class FrequentColumns {
  /** value, count, value, count … */
  readonly #columns: readonly PackedNumbers[];
  readonly #maps = new Map<number, Map<number, number>>();
  /** Pairs of the record at hand. */
  readonly #sizes: number[] = [];
  readonly #times: number[] = [];

  constructor(columns: readonly PackedNumbers[]) {
    this.#columns = columns;
  }

  add(
    row: number,
    isFirst: boolean,
    places: readonly (readonly [number, number])[],
    u32: Uint32Array,
    at: number,
  ): void {
    const map = isFirst ? undefined : this.#mapOf(row);
    this.#sizes.length = 0;
    this.#times.length = 0;
    for (let slot = 0; slot < places.length; slot++) {
      const place = places[slot] as readonly [number, number];
      const times = wordNumber(u32, at + place[1]);
      if (times <= 0) continue;
      const size = wordNumber(u32, at + place[0]);
      // Beyond this no size or gap is real, and as a double it can round to the mark of a missing value.
      if (Math.abs(size) >= SIZE_MAX) continue;
      if (map === undefined) this.#take(size, times);
      else if (map.has(size) || map.size < FREQUENT_KEPT) map.set(size, (map.get(size) ?? 0) + times);
    }
    if (isFirst) this.#write(row);
  }

  /** Among the pairs at hand, the most frequent first, then the largest. */
  #take(size: number, times: number): void {
    const [sizes, counts] = [this.#sizes, this.#times];
    const known = sizes.indexOf(size);
    let place = known < 0 ? sizes.length : known;
    const count = known < 0 ? times : (counts[known] as number) + times;
    for (; place > 0; place--) {
      const [size1, count1] = [sizes[place - 1] as number, counts[place - 1] as number];
      if (count1 > count || (count1 === count && size1 > size)) break;
      sizes[place] = size1;
      counts[place] = count1;
    }
    sizes[place] = size;
    counts[place] = count;
  }

  #write(row: number): void {
    for (let slot = 0; slot < this.#sizes.length; slot++) {
      (this.#columns[2 * slot] as PackedNumbers).set(row, this.#sizes[slot] as number);
      (this.#columns[2 * slot + 1] as PackedNumbers).set(row, this.#times[slot] as number);
    }
  }

  #mapOf(row: number): Map<number, number> {
    let map = this.#maps.get(row);
    if (map === undefined) this.#maps.set(row, (map = this.#written(row)));
    return map;
  }

  #written(row: number): Map<number, number> {
    const map = new Map<number, number>();
    for (let slot = 0; slot < this.#columns.length; slot += 2) {
      const times = (this.#columns[slot + 1] as PackedNumbers).at(row);
      if (times > 0) map.set((this.#columns[slot] as PackedNumbers).at(row), times);
    }
    return map;
  }

  /** Writes the maps back, the most frequent values first. */
  finish(): void {
    for (const [row, map] of this.#maps) {
      const sorted = [...map].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
      for (let slot = 0; slot < this.#columns.length; slot += 2) {
        const [size, times] = sorted[slot / 2] ?? [Number.NaN, Number.NaN];
        (this.#columns[slot] as PackedNumbers).set(row, size);
        (this.#columns[slot + 1] as PackedNumbers).set(row, times);
      }
    }
    this.#maps.clear();
  }
}
