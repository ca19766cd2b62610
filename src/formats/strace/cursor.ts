/**
 * The arguments of a call as strace prints them. Strings are escaped, so a quote inside one always has a backslash;
 * names of descriptors (`-y`) have `<` and `>` escaped, but sockets (`-yy`) hold arrows inside brackets.
 */
import { DecimalReader } from "../text/decimal.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const SPACE = 32;
const LESS = 60;
const GREATER = 62;
const OPEN = 40;
const CLOSE = 41;
const SLASH = 47;
const LIST = 91;
const LETTER_I = 105;

/** Bytes that open something which hides commas, and those that close it: ( [ { and ) ] }. */
const isOpening = (byte: number) => byte === OPEN || byte === 91 || byte === 123;
const isClosing = (byte: number) => byte === CLOSE || byte === 93 || byte === 125;

/** Space, comma, `<` or a bracket that closes. */
const endsDescriptor = (byte: number) => byte === SPACE || byte === COMMA || byte === LESS || isClosing(byte);

export class Cursor {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  /** The name that `descriptor` found, as a range of bytes; empty without one. */
  nameFrom = 0;
  nameTo = 0;
  listElided = false;
  readonly #decimal = new DecimalReader();

  set(bytes: Uint8Array, at: number, end: number): void {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** A descriptor such as `3`, `3</path>`, `AT_FDCWD</dir>`; NaN when it has no number. Moves behind it. */
  descriptor(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end && !endsDescriptor(bytes[at] as number)) at++;
    const number = this.#decimal.plain(bytes, this.at, at);
    const value = number === at ? (this.#decimal.value[0] as number) : Number.NaN;
    this.nameFrom = this.nameTo = at;
    if (bytes[at] === LESS && at < end) {
      this.nameFrom = at + 1;
      at = this.#nameEnd(at + 1);
    }
    // `</path>(deleted)`
    if (bytes[at] === OPEN && at < end) {
      while (at < end && bytes[at] !== CLOSE) at++;
      at++;
    }
    this.at = at;
    return value;
  }

  /** Moves over a directory before a path, if there is one, and returns its name. */
  folder(): { readonly from: number; readonly to: number } {
    if (this.is('"')) return { from: this.at, to: this.at };
    this.descriptor();
    const found = { from: this.nameFrom, to: this.nameTo };
    this.next();
    return found;
  }

  /** Finds where a name ends; returns the index behind its `>`. */
  #nameEnd(from: number): number {
    const { bytes, end } = this;
    const path = bytes[from] === SLASH;
    let depth = 0;
    let at = from;
    this.nameTo = end;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE && !path) at = this.#stringEnd(at) - 1;
      else if (isOpening(byte) && !path) depth++;
      else if (isClosing(byte) && !path) depth--;
      else if (byte === LESS) {
        // `-yy` adds what a device is: `</dev/null<char 1:3>>`.
        if (depth === 0) this.nameTo = at;
        while (at < end && bytes[at] !== GREATER) at++;
      } else if (byte === GREATER && depth <= 0) break;
    }
    if (this.nameTo === end) this.nameTo = Math.min(at, end);
    return Math.min(at + 1, end);
  }

  /** The index behind the string that starts at `from`. */
  #stringEnd(from: number): number {
    const { bytes, end } = this;
    let at = from + 1;
    while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    return Math.min(at + 1, end);
  }

  /** Moves to the next argument, over whatever is left of this one; false when there is none. */
  next(): boolean {
    this.skip();
    if (this.at >= this.end || this.bytes[this.at] !== COMMA) return false;
    this.at++;
    while (this.at < this.end && this.bytes[this.at] === SPACE) this.at++;
    return true;
  }

  /** Moves over this argument, up to the comma or bracket behind it. */
  skip(): void {
    const { bytes, end } = this;
    let at = this.at;
    let depth = 0;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) at = this.#stringEnd(at) - 1;
      else if (byte === LESS && isNameStart(bytes, at)) at = this.#nameEnd(at + 1) - 1;
      else if (isOpening(byte)) depth++;
      else if (isClosing(byte)) {
        if (depth === 0) break;
        depth--;
      } else if (byte === COMMA && depth === 0) break;
    }
    this.at = at;
  }

  /** A number; NaN when there is something else, such as NULL. */
  number(): number {
    const next = this.#decimal.plain(this.bytes, this.at, this.end);
    if (next < 0) return Number.NaN;
    this.at = next;
    // `0x7ffe…` is an address.
    return this.bytes[next] === 120 ? Number.NaN : (this.#decimal.value[0] as number);
  }

  /** The quoted string here, still escaped, as a range in nameFrom and nameTo; false when there is none. */
  string(): boolean {
    if (this.at >= this.end || this.bytes[this.at] !== QUOTE) return false;
    this.nameFrom = this.at + 1;
    this.at = this.#stringEnd(this.at);
    this.nameTo = Math.max(this.nameFrom, this.at - 1);
    return true;
  }

  /**
   * The sum of `iov_len` in the list here; NaN when it is an address. `listElided` says whether strace left out the end.
   */
  vectorBytes(): number {
    const { bytes } = this;
    if (bytes[this.at] !== LIST) return Number.NaN;
    const from = this.at;
    this.skip();
    const end = this.at;
    let sum = 0;
    for (let at = from; at < end; at++) {
      if (bytes[at] === QUOTE) at = this.#stringEnd(at) - 1;
      else if (bytes[at] === LETTER_I && this.is("iov_len=", at)) {
        at = this.#decimal.plain(bytes, at + 8, end) - 1;
        if (at < 0) return Number.NaN;
        sum += this.#decimal.value[0] as number;
      }
    }
    this.listElided = end - from > 4 && this.is(", ...]", end - 6);
    return sum;
  }

  /** True when the bytes at `at` are `text`. */
  is(text: string, at = this.at): boolean {
    for (let i = 0; i < text.length; i++) if (this.bytes[at + i] !== text.charCodeAt(i)) return false;
    return at + text.length <= this.end;
  }
}

/** A `<` behind a digit or AT_FDCWD begins a name; elsewhere it is a shift, as in `1<<3`. */
function isNameStart(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1] as number;
  const behind = bytes[at + 1];
  const afterNumber = (before >= 48 && before <= 57) || before === 68;
  return afterNumber && behind !== LESS && behind !== SPACE;
}

/** Text of a name: `\n`, `\"`, octal `\303` and `\x41` become bytes, the bytes UTF-8. */
export function unescaped(bytes: Uint8Array, from: number, to: number): string {
  const out: number[] = [];
  for (let at = from; at < to; at++) {
    if (bytes[at] !== BACKSLASH || at + 1 >= to) {
      out.push(bytes[at] as number);
      continue;
    }
    at++;
    const letter = String.fromCharCode(bytes[at] as number);
    const tail = String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 3)));
    const octal = /^[0-7]{1,3}/.exec(tail)?.[0];
    const hex = /^x[0-9a-f]{2}/i.exec(tail)?.[0];
    if (octal !== undefined) out.push(Number.parseInt(octal, 8) & 255);
    else if (hex !== undefined) out.push(Number.parseInt(hex.slice(1), 16));
    else out.push(LETTERS[letter] ?? (bytes[at] as number));
    at += (octal?.length ?? hex?.length ?? 1) - 1;
  }
  return new TextDecoder().decode(Uint8Array.from(out));
}

const LETTERS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7, b: 8 };
