/** What stands behind the arguments: `) = 4096 <0.000012>`, `) = -1 EBADF (…) <…>`, `) = ? ERESTARTSYS (…) <…>`. */
import { DecimalReader } from "../text/decimal.ts";
import type { Cursor } from "./cursor.ts";

const SPACE = 32;
const EQUALS = 61;
const LESS = 60;
const GREATER = 62;
const CLOSE = 41;
/** `<` and a time of up to this many bytes and `>`. */
const DURATION_BYTES_MAX = 32;

export class Result {
  /** NaN for `?` and for addresses. */
  value = Number.NaN;
  /** Nanoseconds; NaN when the line does not tell. */
  durationNs = Number.NaN;
  /** A signal came; the kernel starts the call again or tells the program. */
  interrupted = false;
  readonly #decimal = new DecimalReader();

  /** Reads from an argument on; false when the line is not whole. The cursor has the name of a descriptor returned. */
  read(cursor: Cursor): boolean {
    while (cursor.next());
    const { bytes, end } = cursor;
    if (cursor.at >= end || bytes[cursor.at] !== CLOSE) return false;
    let at = cursor.at + 1;
    while (at < end && bytes[at] === SPACE) at++;
    if (at >= end || bytes[at] !== EQUALS) return false;
    at++;
    while (at < end && bytes[at] === SPACE) at++;
    cursor.at = at;
    this.value = cursor.descriptor();
    this.interrupted = Number.isNaN(this.value) && cursor.is("? ERESTART", at);
    this.#duration(bytes, at, end);
    return cursor.at > at;
  }

  #duration(bytes: Uint8Array, from: number, end: number): void {
    this.durationNs = Number.NaN;
    if (bytes[end - 1] !== GREATER) return;
    let at = end - 2;
    const least = Math.max(from, end - DURATION_BYTES_MAX);
    while (at > least && bytes[at] !== LESS) at--;
    if (bytes[at] !== LESS) return;
    const next = this.#decimal.time(bytes, at + 1, end - 1, 9);
    if (next !== end - 1) return;
    this.durationNs = (this.#decimal.value[1] as number) * 1e9 + (this.#decimal.value[2] as number);
  }
}
