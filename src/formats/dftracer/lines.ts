/** The lines of a trace, and the events in each: mostly one, with or without the comma and the brackets of a list. */
import { lineEnd } from "../text/windows.ts";
import type { TraceEvent } from "./event.ts";

const [SPACE, COMMA, OPEN, LIST, LIST_END] = [32, 44, 123, 91, 93];
const UTF8 = new TextDecoder();

/** What a line was: events or nothing (0), or something that is no event (1). */
const GOOD = 0;
const BAD = 1;

/** The event is in `event` now. */
type LineEvents = () => void;

/** Runs `use` for every event of the lines between `from` and `end`; `bad` hears of lines that hold anything else. */
export function eachEvent(
  event: TraceEvent,
  bytes: Uint8Array,
  from: number,
  end: number,
  use: LineEvents,
  line?: { next(): void; bad(from: number, to: number, isLast: boolean): void },
): void {
  for (let at = from; at < end; ) {
    const stop = lineEnd(bytes, at, end);
    line?.next();
    if (eventsOf(event, bytes, at, stop, use) === BAD) line?.bad(at, stop, stop === end);
    at = stop + 1;
  }
}

function eventsOf(event: TraceEvent, bytes: Uint8Array, from: number, to: number, use: LineEvents): number {
  for (let at = from; at < to; ) {
    const byte = bytes[at] as number;
    if (byte <= SPACE || byte === COMMA || byte === LIST || byte === LIST_END) {
      at++;
      continue;
    }
    if (byte !== OPEN) return BAD;
    const next = event.read(bytes, at, to);
    if (next < 0) return parsed(event, bytes, at, to, use);
    use();
    at = next;
  }
  return GOOD;
}

/** What is no plain event may still be JSON: one event, or the rest of a list. */
function parsed(event: TraceEvent, bytes: Uint8Array, from: number, to: number, use: LineEvents): number {
  const text = UTF8.decode(bytes.subarray(from, to)).replace(/[\s,\]]+$/, "");
  let all: unknown;
  try {
    all = JSON.parse(`[${text}]`);
  } catch {
    return BAD;
  }
  let result = GOOD;
  for (const one of all as unknown[]) {
    if (event.take(one)) use();
    else result = BAD;
  }
  return result;
}
