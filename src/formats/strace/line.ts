/**
 * What stands before a call:
 *
 *   1234  1712345678.123456 read(…          -o file, with -f
 *   [pid  1234] 1712345678.123456 read(…    on the terminal, where several processes run
 *   1712345678.123456 read(…                one process
 */
import { DecimalReader } from "../text/decimal.ts";

const SPACE = 32;
const POINT = 46;
const COLON = 58;
const OPEN = 40;

export const TIMED = 0;
/** A time of day (-t, -tt). */
export const TIME_OF_DAY = 1;
/** Since the line before (-r). */
export const RELATIVE = 2;
/** No time at all. */
export const UNTIMED = 3;
/** Not a line of strace. */
export const OTHER = 4;

/** Unix times since 1973; what is smaller counts from the line before. */
const UNIX_SECONDS_MIN = 1e8;

export class Prefix {
  /** NaN when the line does not name its process. */
  pid = Number.NaN;
  seconds = 0;
  nanos = 0;
  /** Where the call begins. */
  at = 0;
  readonly #decimal = new DecimalReader();

  /** Reads the beginning of a line; one of the constants above. */
  read(bytes: Uint8Array, from: number, end: number): number {
    const decimal = this.#decimal;
    this.pid = Number.NaN;
    let at = skipSpaces(bytes, from, end);
    if (bytes[at] === 91) {
      at = this.#bracketed(bytes, at, end);
      if (at < 0) return OTHER;
    } else {
      const next = digitsEnd(bytes, at, end);
      if (next > at && bytes[next] === SPACE) {
        decimal.plain(bytes, at, next);
        this.pid = decimal.value[0] as number;
        at = skipSpaces(bytes, next, end);
      }
    }
    const next = digitsEnd(bytes, at, end);
    if (next === at || next >= end) {
      this.at = at;
      return startsCall(bytes, at, end) ? UNTIMED : OTHER;
    }
    if (bytes[next] === COLON) return TIME_OF_DAY;
    if (bytes[next] !== POINT && bytes[next] !== SPACE) return OTHER;
    const after = decimal.time(bytes, at, end, 9);
    if (after < 0 || bytes[after] !== SPACE) return OTHER;
    this.seconds = decimal.value[1] as number;
    this.nanos = decimal.value[2] as number;
    this.at = skipSpaces(bytes, after, end);
    if (this.seconds < UNIX_SECONDS_MIN) return startsCall(bytes, this.at, end) ? RELATIVE : OTHER;
    // -r together with -ttt: `(+ 0.000012)`.
    if (bytes[this.at] === OPEN && bytes[this.at + 1] === 43) {
      while (this.at < end && bytes[this.at] !== 41) this.at++;
      this.at = skipSpaces(bytes, this.at + 1, end);
    }
    return TIMED;
  }

  /** `[pid  1234] `; the index behind, or -1. */
  #bracketed(bytes: Uint8Array, from: number, end: number): number {
    if (bytes[from + 1] !== 112 || bytes[from + 2] !== 105 || bytes[from + 3] !== 100) return -1;
    const at = skipSpaces(bytes, from + 4, end);
    const next = this.#decimal.plain(bytes, at, end);
    if (next < 0 || bytes[next] !== 93) return -1;
    this.pid = this.#decimal.value[0] as number;
    return skipSpaces(bytes, next + 1, end);
  }
}

function skipSpaces(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] === SPACE) at++;
  return at;
}

function digitsEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] as number) >= 48 && (bytes[at] as number) <= 57) at++;
  return at;
}

/** The end of the name of a call, which is before its bracket; -1 when there is none. */
export function nameEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    const letter = (byte >= 97 && byte <= 122) || byte === 95 || (byte >= 48 && byte <= 57);
    if (!letter) return byte === OPEN && at > from ? at : -1;
  }
  return -1;
}

function startsCall(bytes: Uint8Array, at: number, end: number): boolean {
  return nameEnd(bytes, at, end) > 0;
}
