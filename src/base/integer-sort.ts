/**
 * Sorting whole numbers held as doubles, such as nanoseconds. What is in order costs one look; what is nearly in order
 * (calls of threads in the order of their ends) is settled by insertion; the rest is a radix sort with digits of up to
 * 11 bits, and only as many as the range of the values needs.
 *
 * A whole number x below 2^52 is the low 52 bits of the double 2^52 + x, so digits are read from its 32-bit halves.
 */
import { LOW } from "./words.ts";

const BUCKETS = 2048;
const BIAS = 2 ** 52;
/** Where each digit starts; none crosses the halves of a double. */
const SHIFTS = [0, 11, 22, 32, 43];
const WIDTHS = [11, 11, 10, 11, 9];
/** Moves per value that insertion may cost before radix takes over, and moves that it may cost in any case. */
const MOVES = 4;
const MOVES_FREE = 4096;
/** Up to here insertion is faster whatever the order. */
const FEW = 64;

/** Keeps its scratch memory from call to call. */
export class IntegerSorter {
  #scratch = new Float64Array(0);
  #keys = new Float64Array(0);
  #rows = new Uint32Array(0);
  #otherRows = new Uint32Array(0);
  #offsets = new Uint32Array(0);
  readonly #counts = new Uint32Array(SHIFTS.length * BUCKETS);

  /** How many bytes it holds. */
  get memoryBytes(): number {
    const rows = this.#rows.byteLength + this.#otherRows.byteLength;
    return this.#scratch.byteLength + this.#keys.byteLength + rows + this.#offsets.byteLength;
  }

  /** Sorts the first `count` values in place, ascending. They are whole, and within 2^53 of each other and of zero. */
  sort(values: Float64Array, count: number): void {
    if (isSorted(values, count)) return;
    if (insertionSort(values, count)) return;
    const { low, range } = extentOf(values, count);
    if (range >= BIAS) {
      values.subarray(0, count).sort();
      return;
    }
    if (this.#scratch.length < count) this.#scratch = new Float64Array(roomFor(count));
    const scratch = this.#scratch;
    const digits = digitsOf(range);
    // So placed that the last pass ends in `values`.
    let from = digits % 2 === 0 ? values : scratch;
    let to = digits % 2 === 0 ? scratch : values;
    this.#bias(values, from, count, BIAS - low, digits);
    for (let digit = 0; digit < digits; digit++) {
      const places = this.#places(digit);
      const back = digit === digits - 1 ? BIAS - low : 0;
      scatter(from, to, count, places, digit, back);
      [from, to] = [to, from];
    }
  }

  /**
   * Row numbers in ascending order of the first `count` values, which stay as they are; undefined when they are in order.
   * Equal values keep their order. The answer is valid until the next call.
   */
  order(values: Float64Array, count: number): Uint32Array | undefined {
    if (isSorted(values, count)) return undefined;
    const { low, range } = extentOf(values, count);
    if (this.#rows.length < count) {
      this.#rows = new Uint32Array(roomFor(count));
      this.#otherRows = new Uint32Array(roomFor(count));
    }
    if (range >= BIAS) {
      const rows = this.#rows.subarray(0, count);
      for (let row = 0; row < count; row++) rows[row] = row;
      return rows.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
    }
    if (this.#scratch.length < count) this.#scratch = new Float64Array(roomFor(count));
    if (this.#keys.length < count) this.#keys = new Float64Array(roomFor(count));
    if (insertionOrder(values, this.#keys, this.#rows, count)) return this.#rows.subarray(0, count);
    const digits = digitsOf(range);
    let [from, to, rows, otherRows] = [this.#keys, this.#scratch, this.#rows, this.#otherRows];
    this.#bias(values, from, count, BIAS - low, digits);
    for (let row = 0; row < count; row++) rows[row] = row;
    for (let digit = 0; digit < digits; digit++) {
      scatterRows(from, to, rows, otherRows, count, this.#places(digit), digit);
      [from, to, rows, otherRows] = [to, from, otherRows, rows];
    }
    return rows.subarray(0, count);
  }

  /**
   * Sorts the first `count` of `offsets`, none above `most`, and writes them to `values` with `base` added. `offsets` is
   * scratch afterwards. Half the memory of doubles goes through each pass, so this is the fastest way for many.
   */
  sortOffsets(offsets: Uint32Array, count: number, most: number, base: number, values: Float64Array): void {
    const bits = most === 0 ? 1 : 32 - Math.clz32(most);
    const digits = Math.ceil(bits / 11);
    const width = Math.ceil(bits / digits);
    if (this.#offsets.length < count) this.#offsets = new Uint32Array(roomFor(count));
    this.#countOffsets(offsets, count, digits, width);
    let [from, to]: [Uint32Array, Uint32Array] = [offsets, this.#offsets];
    const mask = (1 << width) - 1;
    for (let digit = 0; digit < digits - 1; digit++) {
      scatterOffsets(from, to, count, this.#places(digit), digit * width, mask);
      [from, to] = [to, from];
    }
    const places = this.#places(digits - 1);
    const shift = (digits - 1) * width;
    for (let i = 0; i < count; i++) {
      const offset = from[i] as number;
      const bucket = offset >>> shift;
      const place = places[bucket] as number;
      places[bucket] = place + 1;
      values[place] = base + offset;
    }
  }

  #countOffsets(offsets: Uint32Array, count: number, digits: number, width: number): void {
    const counts = this.#counts.fill(0, 0, digits * BUCKETS);
    const mask = (1 << width) - 1;
    if (digits === 3)
      for (let i = 0; i < count; i++) {
        const offset = offsets[i] as number;
        counts[offset & mask]!++;
        counts[2048 + ((offset >>> width) & mask)]!++;
        counts[4096 + (offset >>> (2 * width))]!++;
      }
    else
      for (let i = 0; i < count; i++) {
        const offset = offsets[i] as number;
        counts[offset & mask]!++;
        if (digits > 1) counts[2048 + (offset >>> width)]!++;
      }
  }

  /** Writes the keys with their bias and counts all digits on the way. */
  #bias(values: Float64Array, keys: Float64Array, count: number, bias: number, digits: number): void {
    const counts = this.#counts.fill(0);
    const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * count);
    for (let i = 0; i < count; i++) {
      keys[i] = (values[i] as number) + bias;
      const low = words[2 * i + LOW] as number;
      counts[low & 2047]!++;
      if (digits > 1) counts[2048 + ((low >>> 11) & 2047)]!++;
      if (digits > 2) counts[4096 + (low >>> 22)]!++;
      if (digits > 3) {
        const high = words[2 * i + 1 - LOW] as number;
        counts[6144 + (high & 2047)]!++;
        counts[8192 + ((high >>> 11) & 511)]!++;
      }
    }
  }

  /** Counts of a digit become the places where its buckets start. */
  #places(digit: number): Uint32Array {
    const places = this.#counts.subarray(digit * BUCKETS, (digit + 1) * BUCKETS);
    let place = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const size = places[bucket] as number;
      places[bucket] = place;
      place += size;
    }
    return places;
  }
}

/** A little more than asked, so that growing batches do not allocate each time. */
const roomFor = (count: number) => count + (count >>> 3);

function digitsOf(range: number): number {
  let digits = 1;
  while (digits < SHIFTS.length && range >= 2 ** (SHIFTS[digits] as number)) digits++;
  return digits;
}

function isSorted(values: Float64Array, count: number): boolean {
  for (let i = 1; i < count; i++) if ((values[i] as number) < (values[i - 1] as number)) return false;
  return true;
}

/** The least value, and how far the greatest lies above it. */
export function extentOf(values: Float64Array, count: number): { low: number; range: number } {
  let low = values[0] as number;
  let high = low;
  for (let i = 1; i < count; i++) {
    const value = values[i] as number;
    if (value < low) low = value;
    else if (value > high) high = value;
  }
  return { low, range: high - low };
}

/**
 * Sorts what is nearly in order. False when it gave up, as values far out of place say that more will come; the values are
 * then in some other order.
 */
export function insertionSort(values: Float64Array, count: number): boolean {
  const free = count <= FEW ? Number.POSITIVE_INFINITY : MOVES_FREE;
  let moves = 0;
  for (let i = 1; i < count; i++) {
    const value = values[i] as number;
    if (value >= (values[i - 1] as number)) continue;
    let at = i;
    for (; at > 0 && (values[at - 1] as number) > value; at--) values[at] = values[at - 1] as number;
    values[at] = value;
    moves += i - at;
    if (moves > MOVES * i + free) return false;
  }
  return true;
}

/** The same for row numbers; `keys` is scratch. */
function insertionOrder(values: Float64Array, keys: Float64Array, rows: Uint32Array, count: number): boolean {
  const free = count <= FEW ? Number.POSITIVE_INFINITY : MOVES_FREE;
  let moves = 0;
  for (let i = 0; i < count; i++) {
    const value = values[i] as number;
    let at = i;
    for (; at > 0 && (keys[at - 1] as number) > value; at--) {
      keys[at] = keys[at - 1] as number;
      rows[at] = rows[at - 1] as number;
    }
    keys[at] = value;
    rows[at] = i;
    moves += i - at;
    if (moves > MOVES * i + free) return false;
  }
  return true;
}

function scatter(
  from: Float64Array,
  to: Float64Array,
  count: number,
  places: Uint32Array,
  digit: number,
  back: number,
): void {
  const words = new Uint32Array(from.buffer, from.byteOffset, 2 * count);
  const { half, shift, mask } = cutOf(digit);
  for (let i = 0; i < count; i++) {
    const bucket = ((words[2 * i + half] as number) >>> shift) & mask;
    const place = places[bucket] as number;
    places[bucket] = place + 1;
    to[place] = (from[i] as number) - back;
  }
}

function scatterRows(
  from: Float64Array,
  to: Float64Array,
  rows: Uint32Array,
  toRows: Uint32Array,
  count: number,
  places: Uint32Array,
  digit: number,
): void {
  const words = new Uint32Array(from.buffer, from.byteOffset, 2 * count);
  const { half, shift, mask } = cutOf(digit);
  for (let i = 0; i < count; i++) {
    const bucket = ((words[2 * i + half] as number) >>> shift) & mask;
    const place = places[bucket] as number;
    places[bucket] = place + 1;
    to[place] = from[i] as number;
    toRows[place] = rows[i] as number;
  }
}

function scatterOffsets(
  from: Uint32Array,
  to: Uint32Array,
  count: number,
  places: Uint32Array,
  shift: number,
  mask: number,
): void {
  for (let i = 0; i < count; i++) {
    const offset = from[i] as number;
    const bucket = (offset >>> shift) & mask;
    const place = places[bucket] as number;
    places[bucket] = place + 1;
    to[place] = offset;
  }
}

function cutOf(digit: number): { half: number; shift: number; mask: number } {
  const shift = SHIFTS[digit] as number;
  const mask = (1 << (WIDTHS[digit] as number)) - 1;
  return { half: shift < 32 ? LOW : 1 - LOW, shift: shift % 32, mask };
}
