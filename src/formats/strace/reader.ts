/** The lines of a trace: whose they are, when, and calls that were printed in two parts. */
import { FormatError } from "../../base/errors.ts";
import type { CallSink } from "../../model/index.ts";
import { excerpt, lineEnd } from "../text/windows.ts";
import { type Call, findCall } from "./calls.ts";
import { nameEnd, OTHER, Prefix, RELATIVE, TIME_OF_DAY, TIMED, UNTIMED } from "./line.ts";
import { straceNotes } from "./notes.ts";
import { type Task, Tasks } from "./tasks.ts";
import { Transfers } from "./transfers.ts";

const LESS = 60;
const GREATER = 62;
const PLUS = 43;
const MINUS = 45;
const SPACE = 32;
const UNFINISHED = new TextEncoder().encode(" <unfinished ...>");
const RESUMED = new TextEncoder().encode(" resumed>");
const OWN_MESSAGE = new TextEncoder().encode("strace: ");
const ATTACHED = new TextEncoder().encode(" attached");
/** Process and time, or a part of them. */
const BEGINNING = /^(\[pid |\d)/;
/** One character per byte, so that places in the text are places in the bytes. */
const LATIN = new TextDecoder("latin1");

/** Why lines without a usable time are refused, when no line has one. */
const REFUSALS: Readonly<Record<number, string>> = {
  [TIME_OF_DAY]: "times of day (strace -t or -tt) lack the date; record with strace -f -ttt -T -y",
  [RELATIVE]: "relative times (strace -r) give no order between processes; record with strace -f -ttt -T -y",
  [UNTIMED]: "calls without times; record with strace -f -ttt -T -y",
};

export class TraceReader {
  readonly #source: string;
  readonly #sink: CallSink;
  readonly #prefix = new Prefix();
  readonly #tasks: Tasks;
  readonly #transfers: Transfers;
  #line = 0;
  #epochSeconds = Number.NaN;
  /** Lines that strace did not write, or whose call cannot be read; and the first of them. */
  #foreign = 0;
  #foreignFirst: { readonly line: number; readonly text: string } | undefined;
  #refused: { readonly line: number; readonly kind: number } | undefined;
  #cutLine = "";
  #isLast = false;
  /** The beginning of a line into which strace wrote a message. */
  #broken: Uint8Array | undefined;
  /** For joining the parts of a call. */
  #joined = new Uint8Array(4096);

  /** `pid` is the process of lines that name none; 0 when it is not known. */
  constructor(source: string, sink: CallSink, pid: number) {
    this.#source = source;
    this.#sink = sink;
    this.#tasks = new Tasks(pid);
    this.#transfers = new Transfers(sink, this.#tasks);
  }

  window(bytes: Uint8Array, from: number, end: number, last: boolean): void {
    for (let at = from; at < end; ) {
      const stop = lineEnd(bytes, at, end);
      this.#line++;
      const to = stop > at && bytes[stop - 1] === 13 ? stop - 1 : stop;
      if (to > at) {
        const { counts } = this.#transfers;
        const { cut } = counts;
        // The last line, without its end.
        this.#isLast = last && stop === end && BEGINNING.test(excerpt(bytes, at, to));
        this.#read(bytes, at, to);
        if (counts.cut > cut) {
          counts.cut = cut;
          this.#notMine(bytes, at, to);
        }
      }
      at = stop + 1;
    }
    this.#refuseEarly();
  }

  finish(): void {
    const { counts, columns, descriptors } = this.#transfers;
    this.#refuseEarly();
    if (Number.isNaN(this.#epochSeconds)) {
      const { line = 1, text = "" } = this.#foreignFirst ?? {};
      throw new FormatError(this.#source, { line }, `expected a line of strace -ttt -T, found "${text}"`);
    }
    for (const task of this.#tasks.all()) this.#transfers.end(task);
    this.#transfers.countWaiting();
    const { accesses } = this.#transfers;
    if (accesses === 0 && counts.untimed > 0)
      throw new FormatError(this.#source, {}, "no call has a duration; record with strace -f -ttt -T -y");
    columns.flush();
    const facts = {
      accesses,
      unnamed: descriptors.unnamed,
      hasNames: descriptors.hasNames,
      cutLine: this.#cutLine,
      lines: this.#line,
    };
    const foreign =
      this.#foreignFirst === undefined ? undefined : { ...this.#foreignFirst, count: this.#foreign };
    for (const note of straceNotes(counts, { ...facts, foreign })) this.#sink.note(note);
  }

  /** A trace without usable times is refused at once, not at its end. */
  #refuseEarly(): void {
    if (!Number.isNaN(this.#epochSeconds) || this.#refused === undefined) return;
    const { line, kind } = this.#refused;
    throw new FormatError(this.#source, { line }, REFUSALS[kind] as string);
  }

  #read(bytes: Uint8Array, from: number, to: number): void {
    if (matches(bytes, to - ATTACHED.length, ATTACHED) && this.#attached(bytes, from, to)) return;
    const prefix = this.#prefix;
    const kind = prefix.read(bytes, from, to);
    if (kind !== TIMED) {
      if (kind === OTHER && this.#broken !== undefined) this.#mended(bytes, from, to);
      else if (kind === OTHER) this.#otherLine(bytes, from, to);
      else {
        this.#refused ??= { line: this.#line, kind };
        if (!Number.isNaN(this.#epochSeconds)) this.#notMine(bytes, from, to);
      }
      return;
    }
    if (Number.isNaN(this.#epochSeconds)) this.#setEpoch(prefix.seconds);
    const start = (prefix.seconds - this.#epochSeconds) * 1e9 + prefix.nanos;
    const task = this.#tasks.of(prefix.pid);
    const { at } = prefix;
    const first = bytes[at];
    if (first === LESS) this.#resumed(task, bytes, at, to);
    else if (first === PLUS) this.#ended(task);
    else if (first !== MINUS) {
      const open = nameEnd(bytes, at, to);
      if (open < 0) this.#notMine(bytes, from, to);
      else this.#call(task, start, bytes, at, open, to);
    }
  }

  /** A call whose name is `bytes[at, open)`. */
  #call(task: Task, start: number, bytes: Uint8Array, at: number, open: number, to: number): void {
    const call = findCall(bytes, at, open);
    if (call === undefined) return;
    if (endsWith(bytes, to, UNFINISHED))
      this.#unfinished(task, call, start, bytes, open + 1, to - UNFINISHED.length);
    else this.#transfers.call(task, call, start, bytes, open + 1, to);
  }

  #setEpoch(seconds: number): void {
    this.#epochSeconds = seconds;
    this.#sink.clock({ kind: "realtime", epochNs: BigInt(seconds) * 1_000_000_000n });
  }

  #unfinished(task: Task, call: Call, start: number, bytes: Uint8Array, from: number, to: number): void {
    if (task.unfinished?.call.isAccess === true) this.#transfers.counts.unfinished++;
    task.unfinished = { call, start, text: bytes.slice(from, to) };
  }

  /** `<... read resumed>"…", 4096) = 4096 <0.000012>` */
  #resumed(task: Task, bytes: Uint8Array, from: number, to: number): void {
    let at = from + 5;
    while (at < to && bytes[at] !== SPACE) at++;
    const call = findCall(bytes, from + 5, at);
    if (call === undefined) return;
    const before = task.unfinished;
    task.unfinished = undefined;
    if (before === undefined || before.call !== call || !matches(bytes, at, RESUMED)) {
      // It began before the trace did.
      if (call.isAccess) this.#transfers.counts.unfinished++;
      return;
    }
    const restAt = at + RESUMED.length;
    const length = before.text.length + to - restAt;
    if (length > this.#joined.length) this.#joined = new Uint8Array(2 * length);
    this.#joined.set(before.text);
    this.#joined.set(bytes.subarray(restAt, to), before.text.length);
    this.#transfers.call(task, call, before.start, this.#joined, 0, length);
  }

  /** `+++ exited with 0 +++`, `+++ killed by SIGKILL +++`; signals (`--- SIGALRM {…} ---`) change nothing. */
  #ended(task: Task): void {
    this.#transfers.end(task);
    this.#tasks.exited(task);
  }

  /**
   * `strace: Process 1235 attached`, which on a terminal may stand in the middle of another line:
   * `clone(child_stack=NULL, flags=SIGCHLDstrace: Process 1235 attached`, then `, child_tidptr=…) = 1235`.
   */
  #attached(bytes: Uint8Array, from: number, to: number): boolean {
    const text = LATIN.decode(bytes.subarray(from, to));
    const match = /strace: Process (\d+) attached$/.exec(text);
    if (match === null) return false;
    this.#tasks.add(Number(match[1]));
    if (match.index > 0) this.#broken = bytes.slice(from, from + match.index);
    return true;
  }

  /** The rest of a broken line. */
  #mended(bytes: Uint8Array, from: number, to: number): void {
    const { length } = this.#broken as Uint8Array;
    const whole = new Uint8Array(length + to - from);
    whole.set(this.#broken as Uint8Array);
    whole.set(bytes.subarray(from, to), length);
    this.#broken = undefined;
    this.#read(whole, 0, whole.length);
  }

  /** Messages of strace itself, and what a program wrote to the same terminal. */
  #otherLine(bytes: Uint8Array, from: number, to: number): void {
    if (!matches(bytes, from, OWN_MESSAGE)) this.#notMine(bytes, from, to);
  }

  #notMine(bytes: Uint8Array, from: number, to: number): void {
    if (this.#isLast && !Number.isNaN(this.#epochSeconds)) {
      this.#cutLine = excerpt(bytes, from, to);
      return;
    }
    this.#foreign++;
    this.#foreignFirst ??= { line: this.#line, text: excerpt(bytes, from, to) };
  }
}

function matches(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

function endsWith(bytes: Uint8Array, end: number, text: Uint8Array): boolean {
  return bytes[end - 1] === GREATER && matches(bytes, end - text.length, text);
}
