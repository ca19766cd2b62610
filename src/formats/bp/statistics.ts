/** Min and max of data that comes piece by piece, without NaN and infinities. */
import { assert } from "../../base/assert.ts";
import type { BpStatistics } from "./index-data.ts";
import type { BpType } from "./types.ts";

type Elements =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;
type BigElements = BigInt64Array | BigUint64Array;

const VIEWS: Readonly<
  Record<string, new (buffer: ArrayBufferLike, offset: number, length: number) => Elements>
> = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
};
const BIG_VIEWS: Readonly<
  Record<string, new (buffer: ArrayBufferLike, offset: number, length: number) => BigElements>
> = { int64: BigInt64Array, uint64: BigUint64Array };

/** True when blocks of the type carry a min and a max. */
export const hasStatistics = (type: BpType): boolean => type.name in VIEWS || type.name in BIG_VIEWS;

/** Fewer bytes than this are compared one by one: looking at the marks would take longer. */
const MARKED_BYTES_MIN = 1 << 16;
const LOOKED_AT_BYTES = 1 << 12;

export class MinMax {
  readonly #type: BpType;
  #min: number | bigint | undefined;
  #max: number | bigint | undefined;

  constructor(type: BpType) {
    assert(hasStatistics(type), `no min and max of ${type.name}`);
    this.#type = type;
  }

  /** Whole elements, little endian as on this machine. */
  add(bytes: Uint8Array): void {
    const { name, size } = this.#type;
    const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
    const length = aligned.length / size;
    assert(Number.isInteger(length), `${aligned.length} bytes are no whole elements of ${name}`);
    const View = VIEWS[name];
    if (size === 1 && length >= MARKED_BYTES_MIN) this.#addBytes(aligned);
    else if (View !== undefined) this.#addNumbers(new View(aligned.buffer, aligned.byteOffset, length));
    else {
      const Big = BIG_VIEWS[name] as (typeof BIG_VIEWS)[string];
      this.#addBig(new Big(aligned.buffer, aligned.byteOffset, length));
    }
  }

  /**
   * Marks the pairs of bytes that occur, ten times as fast as comparing each; then looks at the marks. Most data of bytes
   * has all values among its first few thousand, and there is nothing to look for any more.
   */
  #addBytes(bytes: Uint8Array): void {
    const [low, high] = this.#type.kind === "integer" ? [-128, 127] : [0, 255];
    const signed = (part: Uint8Array) =>
      low === 0 ? part : new Int8Array(part.buffer, part.byteOffset, part.length);
    const lead = LOOKED_AT_BYTES + ((4 - (bytes.byteOffset % 4)) % 4);
    this.#addNumbers(signed(bytes.subarray(0, lead)));
    if (this.#min === low && this.#max === high) return;
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset + lead, (bytes.length - lead) >> 2);
    const seen = new Uint8Array(1 << 16);
    for (let i = 0; i < words.length; i++) {
      const word = words[i] as number;
      seen[word & 0xffff] = 1;
      seen[word >>> 16] = 1;
    }
    this.#addNumbers(signed(bytes.subarray(lead + 4 * words.length)));
    const pairs = new Uint16Array(seen.length);
    let count = 0;
    for (let pair = 0; pair < seen.length; pair++) if (seen[pair] === 1) pairs[count++] = pair;
    this.#addNumbers(signed(new Uint8Array(pairs.buffer, 0, 2 * count)));
  }

  #addNumbers(values: Elements): void {
    let [min, max] = [(this.#min as number) ?? Infinity, (this.#max as number) ?? -Infinity];
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      // Nearly always so, and then one way through: twice as fast as looking at both bounds in turn.
      if (value >= min && value <= max) continue;
      // NaN fails both; infinities are left out by the bounds.
      if (value < min && value !== -Infinity) min = value;
      if (value > max && value !== Infinity) max = value;
    }
    if (min <= max) [this.#min, this.#max] = [min, max];
  }

  #addBig(values: BigElements): void {
    if (values.length === 0) return;
    let [min, max] = [
      (this.#min as bigint) ?? (values[0] as bigint),
      (this.#max as bigint) ?? (values[0] as bigint),
    ];
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as bigint;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    [this.#min, this.#max] = [min, max];
  }

  statistics(): BpStatistics {
    const { size } = this.#type;
    if (this.#min === undefined || this.#max === undefined) {
      return { min: new Uint8Array(size), max: new Uint8Array(size), finite: false };
    }
    return { min: this.#raw(this.#min), max: this.#raw(this.#max), finite: true };
  }

  #raw(value: number | bigint): Uint8Array {
    const { name, size } = this.#type;
    const raw = new Uint8Array(size);
    const View = VIEWS[name];
    if (View !== undefined) new View(raw.buffer, 0, 1)[0] = value as number;
    else new (BIG_VIEWS[name] as (typeof BIG_VIEWS)[string])(raw.buffer, 0, 1)[0] = value as bigint;
    return raw;
  }
}
