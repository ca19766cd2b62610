/**
 * A text into the readings that it holds, each with its time. Three kinds: texts in which every reading begins with a line
 * that is a time; a text that was read at the time in its name; and others, which are cut where their first line comes
 * again and get the time that Lustre printed in them.
 */
import { type ByteSource, HEAD_BYTES } from "../../base/source.ts";
import { headLines, NEWLINE } from "./windows.ts";
import { mayBeTime, timeFromLine, timeFromPath } from "./sample-time.ts";

/** Any bytes are some text. */
const LATIN = new TextDecoder("latin1");

export interface Piece {
  readonly from: number;
  readonly to: number;
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Undefined: only what is printed inside tells. */
  readonly timeNs: bigint | undefined;
}

const WINDOW_BYTES = 1 << 20;
/** As much of a line as is looked at. */
const LINE_BYTES = 256;

type TimedBy = "lines" | "name" | "content";

/** How the readings of a text get their times, and the time of its first, for putting files in order. */
export function timing(
  head: Uint8Array,
  path: string,
): { readonly by: TimedBy; readonly firstNs: bigint | undefined } {
  const first = firstLine(head);
  const line = timeFromLine(first);
  if (line !== undefined) return { by: "lines", firstNs: line };
  const name = timeFromPath(path);
  if (name !== undefined) return { by: "name", firstNs: name };
  return { by: "content", firstNs: printedTime(head) };
}

export function piecesOf(source: ByteSource, by: TimedBy): Piece[] {
  const whole = { from: 0, to: source.byteLength, line: 1, timeNs: undefined };
  if (by === "name") return [{ ...whole, timeNs: timeFromPath(source.name) }];
  if (by === "lines") return cutAt(source, mayBeTime, timeFromLine, true);
  const first = firstLine(source.read(0, HEAD_BYTES));
  if (first === "") return [whole];
  // Stamps differ from reading to reading; names do not.
  const isStamp = /^snapshot_time:?\s/.test(first);
  const begins = isStamp
    ? (line: string) => /^snapshot_time:?\s/.test(line)
    : (line: string) => line === first;
  const byte = first.charCodeAt(0);
  const pieces = cutAt(
    source,
    (found) => found === byte,
    (line) => (begins(line) ? 0n : undefined),
    false,
  );
  return pieces.length === 0 ? [whole] : pieces.map((piece) => ({ ...piece, timeNs: undefined }));
}

/** A part of a source as a source. */
export function partOf(source: ByteSource, { from, to }: Pick<Piece, "from" | "to">): ByteSource {
  if (from === 0 && to === source.byteLength) return source;
  return {
    name: source.name,
    byteLength: to - from,
    read: (offset, length, reuse) =>
      source.read(from + offset, Math.max(0, Math.min(length, to - from - offset)), reuse),
  };
}

function firstLine(head: Uint8Array): string {
  return headLines(head).find((line) => line.replace(/\0/g, "").trim() !== "") ?? "";
}

/** Microseconds are a count, not digits; for the order of files the second is enough. */
function printedTime(head: Uint8Array): bigint | undefined {
  for (const line of headLines(head)) {
    const match = /^snapshot_time:?\s+(\d{9,11})\b/.exec(line);
    if (match !== null) return BigInt(match[1] as string) * 1_000_000_000n;
  }
  return undefined;
}

/** Pieces from one line to the next that `timeOf` knows; without that line when it is nothing but a time. */
function cutAt(
  source: ByteSource,
  mayBegin: (byte: number) => boolean,
  timeOf: (line: string) => bigint | undefined,
  timeIsLine: boolean,
): Piece[] {
  const starts: { at: number; body: number; line: number; timeNs: bigint }[] = [];
  let line = 1;
  let lineStart = true;
  for (let offset = 0; offset < source.byteLength; offset += WINDOW_BYTES) {
    // Some bytes more, so that a line that the window cuts is seen whole.
    const bytes = source.read(offset, WINDOW_BYTES + LINE_BYTES);
    const end = Math.min(bytes.length, WINDOW_BYTES);
    const before = lineStart ? -1 : bytes.indexOf(NEWLINE);
    if (before >= 0 && before < end) line++;
    for (let at = before < 0 && !lineStart ? end : before + 1; at < end; ) {
      const newline = bytes.indexOf(NEWLINE, at);
      const to = newline < 0 ? bytes.length : newline;
      if (mayBegin(bytes[at] as number) && to - at < LINE_BYTES) {
        const timeNs = timeOf(LATIN.decode(bytes.subarray(at, to)));
        if (timeNs !== undefined)
          starts.push({ at: offset + at, body: offset + Math.min(to + 1, bytes.length), line, timeNs });
      }
      if (newline < 0) break;
      if (newline < end) line++;
      at = newline + 1;
    }
    lineStart = bytes.length >= WINDOW_BYTES && bytes[WINDOW_BYTES - 1] === NEWLINE;
  }
  return starts.map(({ at, body, line: first, timeNs }, index) => ({
    from: timeIsLine ? body : at,
    line: timeIsLine ? first + 1 : first,
    to: starts[index + 1]?.at ?? source.byteLength,
    timeNs,
  }));
}
