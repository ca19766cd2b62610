/** Decimal numbers in bytes, without strings in between: nanoseconds exactly, whatever the unit. */

const ZERO = 48;
const POINT = 46;
const MINUS = 45;
const PLUS = 43;

const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, i) => 10 ** i);

/**
 * Reads numbers at a place and says where they end; the value lies in fields of an array, since a returned double would
 * be put on the heap each time.
 */
export class DecimalReader {
  /** [0] the plain value; [1] whole seconds and [2] nanoseconds of a time, both with the sign of the time. */
  readonly value = new Float64Array(3);

  /** A number without exponent. Returns the index after it, or -1 when there is none. */
  plain(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    const sign = bytes[at];
    if (sign === MINUS || sign === PLUS) at++;
    const first = at;
    let value = 0;
    let digit = 0;
    while (at < end && (digit = (bytes[at] as number) - ZERO) >= 0 && digit <= 9) {
      value = value * 10 + digit;
      at++;
    }
    let digits = at - first;
    if (at < end && bytes[at] === POINT) {
      at++;
      const fractionAt = at;
      let fraction = 0;
      while (at < end && (digit = (bytes[at] as number) - ZERO) >= 0 && digit <= 9) {
        if (at - fractionAt < 15) fraction = fraction * 10 + digit;
        at++;
      }
      digits += at - fractionAt;
      value += fraction / (POWERS_OF_TEN[Math.min(at - fractionAt, 15)] as number);
    }
    if (digits === 0) return -1;
    this.value[0] = sign === MINUS ? 0 - value : value;
    return at;
  }

  /**
   * A time whose unit has `unitDigits` decimal digits below it down to a nanosecond (seconds 9, milliseconds 6, ...).
   * Digits below a nanosecond are rounded. Returns the index after it, or -1 when there is none.
   */
  time(bytes: Uint8Array, from: number, end: number, unitDigits: number): number {
    let at = from;
    const sign = bytes[at];
    if (sign === MINUS || sign === PLUS) at++;
    const first = at;
    let whole = 0;
    let digit = 0;
    while (at < end && (digit = (bytes[at] as number) - ZERO) >= 0 && digit <= 9) {
      whole = whole * 10 + digit;
      at++;
    }
    let digits = at - first;
    let nanos = 0;
    if (unitDigits < 9) {
      // The last digits of the whole number are below a second; numbers of 19 digits do not fit a double at once.
      const cut = Math.max(first, at - (9 - unitDigits));
      whole = 0;
      for (let i = first; i < cut; i++) whole = whole * 10 + (bytes[i] as number) - ZERO;
      for (let i = cut; i < at; i++) nanos = nanos * 10 + (bytes[i] as number) - ZERO;
      nanos *= POWERS_OF_TEN[unitDigits] as number;
    }
    if (at < end && bytes[at] === POINT) {
      at++;
      const fractionAt = at;
      const fractionEnd = at + unitDigits;
      let fraction = 0;
      let rounding = 0;
      while (at < end && (digit = (bytes[at] as number) - ZERO) >= 0 && digit <= 9) {
        if (at < fractionEnd) fraction = fraction * 10 + digit;
        else if (at === fractionEnd && digit >= 5) rounding = 1;
        at++;
      }
      const count = at - fractionAt;
      digits += count;
      nanos += fraction * (POWERS_OF_TEN[Math.max(0, unitDigits - count)] as number) + rounding;
    }
    if (digits === 0) return -1;
    this.value[1] = sign === MINUS ? 0 - whole : whole;
    this.value[2] = sign === MINUS ? 0 - nanos : nanos;
    return at;
  }
}

/**
 * The same from text that may have an exponent, such as `1.7e9`; false when it is no finite number. Slow, for the few
 * fields that the fast way does not understand.
 */
export function timeFromText(text: string, unitDigits: number, into: DecimalReader): boolean {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (match === null) return false;
  const [, sign, whole = "", fraction = "", exponent] = match;
  if (whole === "" && fraction === "") return false;
  const shift = Number(exponent ?? 0);
  const digits = whole + fraction;
  const point = whole.length + shift;
  if (point > 40) return false;
  const padded =
    point <= 0
      ? `0.${"0".repeat(Math.min(-point, 40))}${digits}`
      : `${digits.padEnd(point, "0").slice(0, point)}.${digits.slice(point)}`;
  const bytes = new TextEncoder().encode(`${sign}${padded}`);
  return into.time(bytes, 0, bytes.length, unitDigits) === bytes.length;
}
