/**
 * Text as bytes, at hundreds of megabytes a second: numbers are written digit by digit into a buffer that is
 * handed on when it is full. Formats follow C's printf (`%d`, `%u`, `%.6f`), ties included.
 */
import { HOST_LITTLE_ENDIAN } from "./words.ts";

const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const SPACE = 32;

const scratchF64 = new Float64Array(1);
const scratchU32 = new Uint32Array(scratchF64.buffer);
const F64_HIGH = HOST_LITTLE_ENDIAN ? 1 : 0;

const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;

/** Where full buffers go. The bytes are only valid during the call. */
type Flush = (bytes: Uint8Array) => void;

export class TextWriter {
  bytes: Uint8Array;
  /** Next free byte of `bytes`. */
  at = 0;
  readonly #flush: Flush;

  constructor(flush: Flush, capacity = 1 << 20) {
    this.bytes = new Uint8Array(capacity);
    this.#flush = flush;
  }

  /** Makes room for `length` more bytes: hands on what is there, and grows when that is not enough. */
  reserve(length: number): void {
    if (this.at + length <= this.bytes.length) return;
    this.flush();
    if (length > this.bytes.length) this.bytes = new Uint8Array(length * 2);
  }

  flush(): void {
    if (this.at === 0) return;
    const full = this.bytes.subarray(0, this.at);
    this.at = 0;
    this.#flush(full);
  }

  /** Text; ASCII goes byte by byte, anything else through UTF-8. */
  text(value: string): void {
    this.reserve(value.length * 3);
    const { bytes } = this;
    let at = this.at;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) {
        this.raw(new TextEncoder().encode(value));
        return;
      }
      bytes[at++] = code;
    }
    this.at = at;
  }

  raw(value: Uint8Array): void {
    this.reserve(value.length);
    if (value.length > 48) {
      this.bytes.set(value, this.at);
      this.at += value.length;
      return;
    }
    const { bytes } = this;
    let at = this.at;
    for (let i = 0; i < value.length; i++) bytes[at++] = value[i] as number;
    this.at = at;
  }

  byte(value: number): void {
    if (this.at === this.bytes.length) this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** `%ld` of a 64-bit word in two halves. */
  int64(low: number, high: number): void {
    this.reserve(24);
    this.at = putInt64(this.bytes, this.at, low, high);
  }

  /** `%lu` of a 64-bit word in two halves. */
  uint64(low: number, high: number): void {
    this.reserve(24);
    this.at = putUint64(this.bytes, this.at, low, high);
  }

  /** `%d` of a whole number that a double holds exactly. */
  integer(value: number): void {
    this.reserve(24);
    this.at = putInteger(this.bytes, this.at, value);
  }

  /** `%.{decimals}f`, for 1 to 9 decimals. */
  fixed(value: number, decimals: number): void {
    this.reserve(360);
    this.at = putFixed(this.bytes, this.at, value, decimals);
  }
}

/** Moves the text [from, to) right so that it is at least `width` wide; returns the new end. */
export function padLeft(bytes: Uint8Array, from: number, to: number, width: number): number {
  const missing = width - (to - from);
  if (missing <= 0) return to;
  bytes.copyWithin(from + missing, from, to);
  bytes.fill(SPACE, from, from + missing);
  return to + missing;
}

/** `%{width}ld` of a 64-bit word in two halves: digits from the right, then blanks. */
export function putInt64Right(
  bytes: Uint8Array,
  at: number,
  width: number,
  low: number,
  high: number,
): number {
  if (high >= 0x100000) return padLeft(bytes, at, putInt64(bytes, at, low, high), width);
  return putIntegerRight(bytes, at, width, high * 4294967296 + low);
}

/** `%{width}d` of a whole number from 0 below 2^53. */
export function putIntegerRight(bytes: Uint8Array, at: number, width: number, value: number): number {
  const end = at + width;
  let to = end;
  let rest = value;
  if (rest >= 1e9) {
    if (rest >= 1e15 || width < 9) return padLeft(bytes, at, putInteger(bytes, at, value), width);
    const upper = Math.floor(rest / 1e9);
    to -= 9;
    putDigits(bytes, to, rest - upper * 1e9, 9);
    rest = upper;
  }
  let small = rest | 0;
  do {
    const tenth = (small / 10) | 0;
    if (to <= at) return padLeft(bytes, at, putInteger(bytes, at, value), width);
    bytes[--to] = ZERO + small - tenth * 10;
    small = tenth;
  } while (small > 0);
  while (to > at) bytes[--to] = SPACE;
  return end;
}

/** `%{width}.{decimals}f`. */
export function putFixedRight(
  bytes: Uint8Array,
  at: number,
  width: number,
  value: number,
  decimals: number,
): number {
  const power = POWERS[decimals] as number;
  const scaled = value * power;
  if (value > 0 && scaled < 1e12) {
    let whole = Math.floor(scaled);
    const fraction = scaled - whole;
    if (fraction < 0.499755859375 || fraction > 0.500244140625) {
      if (fraction > 0.5) whole++;
      const units = Math.floor(whole / power);
      const pointAt = at + width - decimals - 1;
      if (putIntegerRight(bytes, at, width - decimals - 1, units) === pointAt) {
        bytes[pointAt] = POINT;
        return putDigits(bytes, pointAt + 1, whole - units * power, decimals);
      }
    }
  }
  return padLeft(bytes, at, putFixed(bytes, at, value, decimals), width);
}

export function putAscii(bytes: Uint8Array, at: number, value: string): number {
  for (let i = 0; i < value.length; i++) bytes[at++] = value.charCodeAt(i);
  return at;
}

/** ASCII text as bytes. */
export function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  putAscii(bytes, 0, text);
  return bytes;
}

export function putInt64(bytes: Uint8Array, at: number, low: number, high: number): number {
  if (high === 0) return putInteger(bytes, at, low);
  const signed = high | 0;
  if (signed >= -0x200000 && signed < 0x200000) return putInteger(bytes, at, signed * 4294967296 + low);
  return putAscii(bytes, at, BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low)).toString());
}

export function putUint64(bytes: Uint8Array, at: number, low: number, high: number): number {
  if (high < 0x200000) return putInteger(bytes, at, high * 4294967296 + low);
  // 2^64 has 20 digits: split at 10^10 with exact arithmetic on halves of the value below 2^53.
  const quotientHigh = Math.floor(high / 10000);
  const restHigh = high - quotientHigh * 10000;
  const middle = restHigh * 4294967296 + low;
  const quotientLow = Math.floor(middle / 10000);
  const last4 = middle - quotientLow * 10000;
  // The value is (quotientHigh * 2^32 + quotientLow) * 10^4 + last4, and the bracket is below 2^51.
  const upper = quotientHigh * 4294967296 + quotientLow;
  at = putInteger(bytes, at, upper);
  return putDigits(bytes, at, last4, 4);
}

/** Decimal digits of a whole number below 2^53 in magnitude; returns the new position. */
export function putInteger(bytes: Uint8Array, at: number, value: number): number {
  if (value < 10 && value >= 0) {
    bytes[at] = ZERO + value;
    return at + 1;
  }
  if (value < 0) {
    bytes[at++] = MINUS;
    value = -value;
  }
  if (value < 1e9) return putSmall(bytes, at, value);
  const upper = Math.floor(value / 1e9);
  at = upper < 1e9 ? putSmall(bytes, at, upper) : putInteger(bytes, at, upper);
  return putDigits(bytes, at, value - upper * 1e9, 9);
}

function putSmall(bytes: Uint8Array, at: number, value: number): number {
  let rest = value | 0;
  const digits =
    rest < 10
      ? 1
      : rest < 100
        ? 2
        : rest < 1e3
          ? 3
          : rest < 1e4
            ? 4
            : rest < 1e5
              ? 5
              : rest < 1e6
                ? 6
                : rest < 1e7
                  ? 7
                  : rest < 1e8
                    ? 8
                    : 9;
  const end = at + digits;
  for (let i = end - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0;
    bytes[i] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return end;
}

function putDigits(bytes: Uint8Array, at: number, value: number, digits: number): number {
  let rest = value | 0;
  for (let i = at + digits - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0;
    bytes[i] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return at + digits;
}

/** `%.{decimals}f` as the C library prints it: correctly rounded, ties to even, `nan`, `inf`, `-0.000000`. */
export function putFixed(bytes: Uint8Array, at: number, value: number, decimals: number): number {
  if (value === 0) {
    scratchF64[0] = value;
    if (scratchU32[F64_HIGH] !== 0) bytes[at++] = MINUS;
    bytes[at++] = ZERO;
    bytes[at++] = POINT;
    for (let i = 0; i < decimals; i++) bytes[at++] = ZERO;
    return at;
  }
  const magnitude = value < 0 ? -value : value;
  const power = POWERS[decimals] as number;
  const scaled = magnitude * power;
  // Below 2^40 the product is off by at most 2^-13, so a fraction further than 2^-12 from one half is safe.
  if (scaled < 1099511627776) {
    let whole = Math.floor(scaled);
    const fraction = scaled - whole;
    if (fraction < 0.499755859375 || fraction > 0.500244140625) {
      if (fraction > 0.5) whole++;
      if (value < 0) bytes[at++] = MINUS;
      const units = Math.floor(whole / power);
      at = putInteger(bytes, at, units);
      bytes[at++] = POINT;
      return putDigits(bytes, at, whole - units * power, decimals);
    }
  }
  return putAscii(bytes, at, slowFixed(value, decimals));
}

function slowFixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) {
    scratchF64[0] = value;
    return (scratchU32[F64_HIGH] as number) >>> 31 ? "-nan" : "nan";
  }
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  if (Math.abs(value) >= 4503599627370496) return `${BigInt(value)}.${"0".repeat(decimals)}`;
  const text = value.toFixed(decimals);
  // toFixed rounds ties away from zero, printf to even. A tie needs value * 2^(decimals + 1) odd and whole.
  const halves = Math.abs(value) * 2 ** (decimals + 1);
  if (halves >= 9007199254740992 || halves % 2 !== 1) return text;
  const last = text.charCodeAt(text.length - 1) - ZERO;
  // The tie was rounded up in magnitude to `last`; when that is odd, the even neighbour is one below, and an
  // odd digit never borrows.
  return last % 2 === 1 ? text.slice(0, -1) + String.fromCharCode(ZERO + last - 1) : text;
}
