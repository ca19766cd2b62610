/** Columns of numbers as byte planes, for encode.ts. */

/** How one column is stored, in the head. `width` planes of `count` bytes follow each other. */
export interface Column {
  /**
   * plain: the integer itself; delta: difference from the entry before; both with the sign in the lowest bit when
   * `signed`. dictionary: index into `values`. short: the upper 20 bits of a 32-bit float. double: the bytes of a
   * 64-bit float.
   */
  readonly kind: "plain" | "delta" | "dictionary" | "short" | "double";
  readonly count: number;
  readonly width: number;
  readonly signed?: boolean;
  readonly values?: readonly number[];
}

type Numbers = Float64Array | Uint32Array | Uint8Array;

/** Doubles are exact below 2^53, and the sign takes a bit. */
const INTEGER_MAX = 2 ** 52;
/** More than this and the list of values costs more than it saves. */
const DICTIONARY_MAX = 4096;
/** Bits of a 32-bit float that busy seconds do without: 11 of its 23 digits are kept, and the hidden one. */
const SHORT_SHIFT = 11;

export class ColumnWriter {
  readonly #parts: Uint8Array[] = [];
  byteLength = 0;

  /** Numbers that are mostly integers. If one is not, or is too large, all are stored as doubles. */
  integers(values: Numbers): Column {
    const { count, integer, min } = measure(values);
    if (!integer) return this.#doubles(values as Float64Array);
    const candidates = [planes("plain", count, plain(values, min < 0), min < 0)];
    if (count > 1) candidates.push(planes("delta", count, differences(values), true));
    const dictionary = dictionaryOf(values);
    if (dictionary !== undefined)
      candidates.push({
        ...planes("dictionary", count, dictionary.index, false),
        values: dictionary.values,
        extraBits: dictionary.values.length * 24,
      });
    const sizes = candidates.map(bits);
    return this.#add(candidates[sizes.indexOf(Math.min(...sizes))] as Candidate);
  }

  /** Numbers of which some twelve binary digits matter. */
  shortFloats(values: Float64Array): Column {
    const float = new Float32Array(values);
    const words = new Uint32Array(float.buffer);
    const rounded = new Float64Array(values.length);
    // The sign is 0: durations. A carry out of the digits raises the exponent, as it should.
    for (let i = 0; i < words.length; i++)
      rounded[i] = ((words[i] as number) + (1 << (SHORT_SHIFT - 1))) >>> SHORT_SHIFT;
    return this.#add(planes("short", values.length, rounded, false));
  }

  copyTo(bytes: Uint8Array): void {
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
  }

  #doubles(values: Float64Array): Column {
    const count = values.length;
    const own = new Float64Array(values);
    const raw = new Uint8Array(own.buffer);
    const bytes = new Uint8Array(count * 8);
    for (let plane = 0; plane < 8; plane++)
      for (let i = 0; i < count; i++) bytes[plane * count + i] = raw[i * 8 + plane] as number;
    return this.#add({ kind: "double", count, width: 8, bytes });
  }

  #add({ kind, count, width, signed, values, bytes }: Candidate): Column {
    this.#parts.push(bytes);
    this.byteLength += bytes.length;
    return {
      kind,
      count,
      width,
      ...(signed === true ? { signed } : {}),
      ...(values === undefined ? {} : { values }),
    };
  }
}

interface Candidate extends Column {
  readonly bytes: Uint8Array;
  readonly extraBits?: number;
}

function measure(values: Numbers): { count: number; integer: boolean; min: number } {
  let min = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isInteger(value) || Math.abs(value) >= INTEGER_MAX / 2 || Object.is(value, -0))
      return { count: values.length, integer: false, min };
    if (value < min) min = value;
  }
  return { count: values.length, integer: true, min };
}

function plain(values: Numbers, signed: boolean): Float64Array {
  const out = new Float64Array(values);
  if (signed) for (let i = 0; i < out.length; i++) out[i] = withSign(out[i] as number);
  return out;
}

function differences(values: Numbers): Float64Array {
  const out = new Float64Array(values.length);
  let last = 0;
  for (let i = 0; i < out.length; i++) {
    const value = values[i] as number;
    out[i] = withSign(value - last);
    last = value;
  }
  return out;
}

/** 0, -1, 1, -2, … as 0, 1, 2, 3, …, without 32-bit arithmetic. */
function withSign(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function dictionaryOf(values: Numbers): { index: Float64Array; values: number[] } | undefined {
  if (values.length < 64) return undefined;
  const indexes = new Map<number, number>();
  const index = new Float64Array(values.length);
  const limit = Math.min(DICTIONARY_MAX, values.length / 4);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    let at = indexes.get(value);
    if (at === undefined) {
      at = indexes.size;
      if (at >= limit) return undefined;
      indexes.set(value, at);
    }
    index[i] = at;
  }
  return { index, values: [...indexes.keys()] };
}

/** Spreads non-negative integers over as many planes as the largest needs. */
function planes(kind: Column["kind"], count: number, values: Float64Array, signed: boolean): Candidate {
  let max = 0;
  for (let i = 0; i < count; i++) if ((values[i] as number) > max) max = values[i] as number;
  let width = 0;
  for (let rest = max; rest >= 1; rest = Math.floor(rest / 256)) width++;
  const bytes = new Uint8Array(width * count);
  for (let i = 0; i < count; i++) {
    const value = values[i] as number;
    const high = Math.floor(value / 2 ** 32);
    const low = value >>> 0;
    for (let plane = 0; plane < width; plane++) {
      const word = plane < 4 ? low >>> (8 * plane) : high >>> (8 * (plane - 4));
      bytes[plane * count + i] = word & 255;
    }
  }
  return { kind, count, width, signed, bytes };
}

/** About how many bits deflate needs, by the entropy of each plane. */
function bits({ bytes, count, width, extraBits }: Candidate): number {
  let total = extraBits ?? 0;
  const seen = new Uint32Array(256);
  for (let plane = 0; plane < width; plane++) {
    seen.fill(0);
    for (let i = plane * count; i < (plane + 1) * count; i++) (seen[bytes[i] as number] as number)++;
    for (const times of seen) if (times > 0) total += times * Math.log2(count / times);
  }
  return total;
}
