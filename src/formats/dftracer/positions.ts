/** Where descriptors stand in their files, as far as the trace leaves no doubt. */
import { Num, type TraceEvent } from "./event.ts";
import type { Effect } from "./operations.ts";

const APPEND = 0o2000;
/** F_DUPFD and F_DUPFD_CLOEXEC: a second descriptor with the same place. */
const DUPLICATES: ReadonlySet<number> = new Set([0, 1030]);
const SEEK_SET = 0;

interface Descriptor {
  /** NaN while it is not known. */
  offset: number;
  /** Whether every write goes to the end of the file, or may. */
  appends: boolean;
  /** The only thread that used it; another one may have come in between. */
  thread: number;
}

/** Descriptors of one process. One that was open before the trace began is not known. */
export class Positions {
  readonly #open = new Map<number, Descriptor>();

  /**
   * The offset of a call that succeeded and moved `bytes`; NaN when it is not sure. Only calls of the POSIX layer move a
   * descriptor.
   */
  offsetOf(event: TraceEvent, effect: Effect, isWrite: boolean, bytes: number): number {
    const { numbers } = event;
    if (effect === "placed") return numbers[Num.offset] as number;
    if (effect === "moves") return this.#move(numbers, isWrite, bytes);
    if (effect === "opens") this.#opened(numbers);
    else if (effect === "closes") this.#open.delete(numbers[Num.fd] as number);
    else if (effect === "seeks") this.#sought(numbers);
    else if (effect === "shares" || (effect === "controls" && DUPLICATES.has(numbers[Num.cmd] as number)))
      this.#open.clear();
    return Number.NaN;
  }

  #opened(numbers: Float64Array): void {
    const flags = numbers[Num.flags] as number;
    this.#open.set(numbers[Num.ret] as number, {
      offset: 0,
      appends: Number.isNaN(flags) || (flags & APPEND) !== 0,
      thread: Number.NaN,
    });
  }

  #move(numbers: Float64Array, isWrite: boolean, bytes: number): number {
    const one = this.#open.get(numbers[Num.fd] as number);
    if (one === undefined) return Number.NaN;
    const thread = numbers[Num.tid] as number;
    if (Number.isNaN(one.thread)) one.thread = thread;
    if ((isWrite && one.appends) || one.thread !== thread) {
      one.offset = Number.NaN;
      return Number.NaN;
    }
    const { offset } = one;
    one.offset += bytes;
    return offset;
  }

  #sought(numbers: Float64Array): void {
    const one = this.#open.get(numbers[Num.fd] as number);
    if (one === undefined) return;
    const result = numbers[Num.ret] as number;
    if (result >= 0) one.offset = result;
    else one.offset = numbers[Num.whence] === SEEK_SET ? (numbers[Num.offset] as number) : Number.NaN;
  }
}
