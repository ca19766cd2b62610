/** The lines of a trace, and the events in each: mostly one, with or without the comma and the brackets of a list. */
import { lineEnd, NEWLINE } from "../text/windows.ts";
import type { TraceEvent } from "./event.ts";

const SPACE = 32;
const COMMA = 44;
const OPEN = 123;
const LIST = 91;
const LIST_END = 93;
const UTF8 = new TextDecoder();

/** The event is in `event` now. */
type LineEvents = () => void;

/**
 * Runs `use` for every event of the lines between `from` and `end`; `line` hears of lines that hold anything else. Where a line
 * ends is only looked for when it is odd.
 */
export function eachEvent(
  event: TraceEvent,
  bytes: Uint8Array,
  from: number,
  end: number,
  use: LineEvents,
  line?: LineListener,
): void {
  let at = from;
  let isNew = true;
  while (at < end) {
    if (isNew) line?.next();
    isNew = false;
    const byte = bytes[at] as number;
    if (byte === NEWLINE) isNew = true;
    if (byte <= SPACE || byte === COMMA || byte === LIST || byte === LIST_END) {
      at++;
      continue;
    }
    const next = byte === OPEN ? event.read(bytes, at, end) : -1;
    if (next >= 0) {
      use();
      at = next;
      continue;
    }
    const stop = lineEnd(bytes, at, end);
    if (byte !== OPEN || !isParsed(event, bytes, at, stop, use)) line?.bad(at, stop, stop === end);
    at = stop;
  }
}

interface LineListener {
  next(): void;
  bad(from: number, to: number, isLast: boolean): void;
}

/** What is no plain event may still be JSON: one event, or the rest of a list. */
function isParsed(event: TraceEvent, bytes: Uint8Array, from: number, to: number, use: LineEvents): boolean {
  const text = UTF8.decode(bytes.subarray(from, to)).replace(/[\s,\]]+$/, "");
  let all: unknown;
  try {
    all = JSON.parse(`[${text}]`);
  } catch {
    return false;
  }
  let isGood = true;
  for (const one of all as unknown[]) {
    if (event.take(one)) use();
    else isGood = false;
  }
  return isGood;
}
