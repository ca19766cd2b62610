/** Text of any length, some whole lines at a time: a log can be longer than the longest string, and than memory. */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { formatMany } from "../../base/units.ts";
import type { NoteSentence } from "../../model/index.ts";

const WINDOW_BYTES = 1 << 20;
const LINE_BYTES_MAX = 64 << 20;
export const NEWLINE = 10;
const RETURN = 13;

/**
 * Lines between `from` and `end` of `bytes`. All end with a newline but perhaps the very last of the input, which is in
 * the window with `last`. The bytes are only valid during the call.
 */
type UseWindow = (bytes: Uint8Array, from: number, end: number, last: boolean) => void;

/**
 * Reads front to back; a text whose lines end with CR alone has newlines in their place. A line that the window cuts is read again with the next one, which costs less than joining
 * pieces; so a source must be able to go back by as much as one line.
 */
export function eachWindow(source: ByteSource, use: UseWindow, windowBytes = WINDOW_BYTES): void {
  let offset = 0;
  let size = windowBytes;
  let window: Uint8Array | undefined;
  let returns: boolean | undefined;
  for (;;) {
    const read: Uint8Array = source.read(offset, size, window);
    const last = read.length < size;
    // Before the first line has an end, nothing was handed out that could have been cut otherwise.
    if (offset === 0) returns = endsWithReturns(read);
    const bytes = returns === true ? read.map((byte) => (byte === RETURN ? NEWLINE : byte)) : read;
    const end = last ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
    window = read;
    if (end === 0 && !last) {
      if (size >= LINE_BYTES_MAX)
        throw new FormatError(
          source.name,
          { offset },
          `a line of more than ${LINE_BYTES_MAX} bytes; not text?`,
        );
      size *= 2;
      window = undefined;
      continue;
    }
    const from = offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    use(bytes, from, end, last);
    if (last) return;
    offset += end;
    if (size > windowBytes) {
      size = windowBytes;
      window = undefined;
    }
  }
}

/** CR and no newline, as old Macintosh programs and some spreadsheets write. A CR at the very end may be half of CR LF. */
function endsWithReturns(bytes: Uint8Array): boolean {
  const at = bytes.indexOf(RETURN);
  return at >= 0 && at < bytes.length - 1 && !bytes.includes(NEWLINE);
}

/** Where the line that starts at `at` ends: the index of its newline, or `end`. */
export function lineEnd(bytes: Uint8Array, at: number, end: number): number {
  const newline = bytes.indexOf(NEWLINE, at);
  return newline < 0 || newline > end ? end : newline;
}

const LATIN = new TextDecoder("latin1");

/** A piece of a line for a message: short, and without bytes that upset a terminal. */
export function excerpt(bytes: Uint8Array, from: number, to: number): string {
  const text = LATIN.decode(bytes.subarray(from, Math.min(to, from + 40)));
  return `${text.replace(/[^\x20-\x7e]/g, "?")}${to - from > 40 ? "…" : ""}`;
}

/** The first bytes of an input as lines, without the last one when it may be cut; for a look before reading. */
export function headLines(head: Uint8Array): string[] {
  const text = LATIN.decode(head.subarray(0, 4096)).replace(/^\xef\xbb\xbf/, "");
  const lines = text.split(endsWithReturns(head) ? "\r" : /\r?\n/);
  if (lines.length > 1) lines.pop();
  return lines;
}

/** What is said of lines that cannot be used; `first` has the number of the first of them, and what is wrong with it. */
export const badLines =
  (first: string): NoteSentence =>
  (count) =>
    `${formatMany(count, "line was", "lines were")} skipped, the first is line ${first}`;
