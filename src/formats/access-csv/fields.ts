/** Where fields begin and end, in bytes. A separator of blanks is any run of them. */
import { NEWLINE } from "../text/windows.ts";

export const SPACE = 32;
export const QUOTE = 34;
const TAB = 9;
const RETURN = 13;

/** The next byte that is no blank; a tab that separates is none. */
export function skipBlanks(bytes: Uint8Array, from: number, end: number, separator: number): number {
  let at = from;
  while (at < end && (bytes[at] === SPACE || (bytes[at] === TAB && separator !== TAB))) at++;
  return at;
}

/** True at a newline, at CR LF, and at the end. */
export function isLineEnd(bytes: Uint8Array, at: number, end: number): boolean {
  if (at >= end || bytes[at] === NEWLINE) return true;
  return bytes[at] === RETURN && (at + 1 >= end || bytes[at + 1] === NEWLINE);
}

/** Behind the text of a field: the index of its separator or line end, past blanks; -1 when more text follows. */
export function endOfField(bytes: Uint8Array, from: number, end: number, separator: number): number {
  if (from < end && (bytes[from] === separator || bytes[from] === NEWLINE)) return from;
  if (separator === SPACE) return isLineEnd(bytes, from, end) || bytes[from] === TAB ? from : -1;
  const at = skipBlanks(bytes, from, end, separator);
  return (at < end && bytes[at] === separator) || isLineEnd(bytes, at, end) ? at : -1;
}

/** Where a field without quotes ends, without blanks behind it. */
export function wordEnd(bytes: Uint8Array, from: number, end: number, separator: number): number {
  let at = from;
  while (at < end && bytes[at] !== separator && !isLineEnd(bytes, at, end)) {
    if (separator === SPACE && bytes[at] === TAB) break;
    at++;
  }
  while (at > from && (bytes[at - 1] === SPACE || bytes[at - 1] === TAB)) at--;
  return at;
}

/**
 * The text between the quote at `from` and its partner on the same line, with doubled quotes as one, and the index
 * behind it; -1 when it has no partner.
 */
export function unquoted(bytes: Uint8Array, from: number, end: number): { inner: Uint8Array; after: number } {
  const inner: number[] = [];
  for (let at = from + 1; at < end && bytes[at] !== NEWLINE; at++) {
    if (bytes[at] === QUOTE) {
      if (at + 1 >= end || bytes[at + 1] !== QUOTE) return { inner: Uint8Array.from(inner), after: at + 1 };
      at++;
    }
    inner.push(bytes[at] as number);
  }
  return { inner: new Uint8Array(0), after: -1 };
}

export function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (bytes[at] !== SPACE && bytes[at] !== TAB && bytes[at] !== RETURN) return false;
  }
  return true;
}
