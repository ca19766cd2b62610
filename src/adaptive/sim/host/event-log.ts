/** Events of a run as a hash and, on request, as lines of text. */
import { assert } from "../../../base/assert.ts";
import type { Message, WriteStart } from "../../protocol/index.ts";
import { EventHash, FIRST_HOST_KIND } from "../events.ts";

const EVENT_NAMES = [
  "deliver",
  "timer",
  "opened",
  "synced",
  "commit",
  "fault",
  "notice",
  "start",
  "written",
  "inquired",
];

export class EventLog {
  readonly #hash = new EventHash();
  readonly #line: ((line: string) => void) | undefined;

  constructor(line: ((line: string) => void) | undefined) {
    this.#line = line;
  }

  event(now: number, kind: number, a: number, b: number): void {
    this.#hash.add(now, kind, a, b);
    const name = EVENT_NAMES[kind - FIRST_HOST_KIND];
    assert(name !== undefined, "a host's event has a name");
    this.#line?.(`${now.toFixed(6)} ${name} ${a} ${b}`);
  }

  message(now: number, kind: number, to: number, message: Message): void {
    this.#hash.add(now, kind, messageCode(message), to);
    this.#line?.(`${now.toFixed(6)} ${to} gets ${JSON.stringify(message)}`);
  }

  write(now: number, kind: number, rank: number, order: WriteStart, status: number): void {
    this.#hash.add(now, kind, order.offset, order.block);
    const how = status === 0 ? "has written" : "could not write";
    this.#line?.(`${now.toFixed(6)} ${rank} ${how} ${JSON.stringify(order)}`);
  }

  digest(): string {
    return this.#hash.digest();
  }
}

/** Hash code of a message kind. */
function messageCode({ kind }: Message): number {
  let code = 0;
  for (let i = 0; i < kind.length; i++) code = (Math.imul(code, 31) + kind.charCodeAt(i)) | 0;
  return code;
}
