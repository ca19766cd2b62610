/** The rows of a table of accesses. Numbers are read from bytes as they pass; only odd fields become strings. */
import { FormatError } from "../../base/errors.ts";
import {
  CALL_COLLECTIVE,
  CALL_ERROR,
  CALL_NESTED,
  type CallNote,
  type CallSink,
  layerNamed,
  Operation,
  operationNamed,
} from "../../model/index.ts";
import { CallColumns } from "../call-columns.ts";
import { DecimalReader, timeFromText } from "../text/decimal.ts";
import { Interner } from "../text/interner.ts";
import { badLines, excerpt, lineEnd, NEWLINE } from "../text/windows.ts";
import { endOfField, isBlank, isLineEnd, QUOTE, skipBlanks, SPACE, unquoted, wordEnd } from "./fields.ts";
import { Names } from "./names.ts";
import {
  BYTES,
  COLLECTIVE,
  END,
  FAILED,
  FILE,
  HOST,
  LAYER,
  MOVED,
  NESTED,
  OFFSET,
  OP,
  PID,
  type Plan,
  RANK,
  roleLabel,
  SKIP,
  START,
} from "./plan.ts";

const COMMENT = 35;
/** Times of the row that is being read stand behind the other values, which stand at their role. */
const START_AT = 16;
const END_AT = 18;
/** Later than 1973, counted from 1970; no machine is up for three years. */
const REALTIME_SECONDS = 1e8;
const TEXT = new TextDecoder();
const FLAGS: Readonly<Record<number, number>> = {
  [FAILED]: CALL_ERROR,
  [NESTED]: CALL_NESTED,
  [COLLECTIVE]: CALL_COLLECTIVE,
};
/** Of a flag that is neither yes nor no. */
const NOT_SAID = 2;

/** What each word of a column means, found once. */
class Codes {
  readonly #words = new Interner();
  readonly #codes: number[] = [];
  readonly #codeOf: (word: string) => number;

  constructor(codeOf: (word: string) => number) {
    this.#codeOf = codeOf;
  }

  of(bytes: Uint8Array, from: number, to: number): number {
    const word = this.#words.intern(bytes, from, to);
    this.#codes[word] ??= this.#codeOf(TEXT.decode(bytes.subarray(from, to)));
    return this.#codes[word] as number;
  }
}

export class TableReader {
  readonly #source: string;
  readonly #plan: Plan;
  readonly #roles: Uint8Array;
  readonly #separator: number;
  readonly #sink: CallSink;
  readonly #columns: CallColumns;
  readonly #names: Names;
  readonly #ops = new Codes(operationNamed);
  readonly #layers = new Codes(layerNamed);
  readonly #flagBits = new Codes((text) =>
    /^(1|true|yes)$/i.test(text) ? 1 : /^(0|false|no)$/i.test(text) ? 0 : NOT_SAID,
  );
  readonly #decimal = new DecimalReader();
  readonly #values = new Float64Array(20).fill(Number.NaN);
  readonly #unnamed: number;
  #line: number;
  #epochSeconds = Number.NaN;
  #bad = 0;
  #badFirst: { readonly line: number; readonly reason: string } | undefined;
  #reason = "";
  #rounded = 0;
  #file = 0;
  #host = -1;
  #operation: number = Operation.read;
  #layer = 0;
  #flags = 0;
  #tellsCollectives = false;

  /** `linesBefore` is the number of lines that somebody else has read. */
  constructor(source: string, plan: Plan, sink: CallSink, linesBefore: number) {
    this.#source = source;
    this.#plan = plan;
    this.#roles = plan.roles;
    this.#separator = plan.separator;
    this.#sink = sink;
    this.#line = linesBefore;
    const has = (role: number) => plan.roles.includes(role);
    this.#columns = new CallColumns(sink, { moved: has(MOVED), offset: has(OFFSET) });
    this.#names = new Names(sink, has(PID));
    if (!has(OP)) sink.tellsNoDirections?.();
    this.#unnamed = has(FILE) ? 0 : sink.file({ path: "" });
  }

  /** All lines of a window. */
  window(bytes: Uint8Array, from: number, end: number, last: boolean): void {
    let at = from;
    while (at < end) {
      this.#line++;
      const next = bytes[at] === NEWLINE ? at + 1 : bytes[at] === COMMENT ? -1 : this.#row(bytes, at, end);
      if (next > 0) {
        at = next;
        continue;
      }
      const stop = lineEnd(bytes, at, end);
      if (bytes[at] !== COMMENT && !isBlank(bytes, at, stop))
        this.#badLine(bytes, at, stop, last && stop === end);
      at = stop + 1;
    }
  }

  /** Hands out the last block and the notes; when no line is usable and some should be, that is an error. */
  finish(): void {
    if (this.#columns.total === 0 && this.#badFirst !== undefined)
      throw new FormatError(this.#source, { line: this.#badFirst.line }, this.#badFirst.reason);
    if (Number.isNaN(this.#epochSeconds)) this.#sink.clock({ kind: "own", epochNs: 0n });
    this.#columns.flush();
    const { ignored } = this.#plan;
    if (this.#badFirst !== undefined) {
      const { line, reason } = this.#badFirst;
      this.#note("bad-line", this.#bad, badLines(`${line}: ${reason}`));
    }
    if (this.#rounded > 0) {
      const text = "times more than 104 days from their origin are rounded by up to 8 ns";
      this.#note("rounded-times", this.#rounded, text);
    }
    if (ignored.length > 0) {
      const text = `unknown columns were ignored: ${ignored.join(", ")}`;
      this.#note("ignored-columns", ignored.length, text);
    }
  }

  #note(id: string, count: number, text: CallNote["text"]): void {
    this.#sink.note({ id, count, text });
  }

  #badLine(bytes: Uint8Array, from: number, to: number, cut: boolean): void {
    if (cut && this.#columns.total > 0) {
      const text = `line ${this.#line}, the last, is incomplete and was skipped: ${excerpt(bytes, from, to)}`;
      this.#note("truncated", 1, text);
      return;
    }
    this.#bad++;
    this.#badFirst ??= { line: this.#line, reason: this.#reason };
  }

  /** Reads a line into the next row. The index after its newline, or -1 when the line is no access. */
  #row(bytes: Uint8Array, from: number, end: number): number {
    const fields = this.#roles.length;
    const separator = this.#separator;
    this.#operation = Operation.read;
    this.#layer = 0;
    this.#flags = 0;
    this.#tellsCollectives = false;
    this.#host = -1;
    this.#file = this.#unnamed;
    let at = from;
    for (let index = 0; index < fields; index++) {
      at = skipBlanks(bytes, at, end, separator);
      if (separator === SPACE && isLineEnd(bytes, at, end)) return this.#fail(`${index} of ${fields} fields`);
      at = this.#field(bytes, at, end, this.#roles[index] as number);
      if (at < 0) return -1;
      if (!isLineEnd(bytes, at, end)) at++;
      else if (index + 1 < fields) return this.#fail(`${index + 1} of ${fields} fields`);
    }
    // A separator may end the line.
    at = skipBlanks(bytes, at, end, separator);
    if (!isLineEnd(bytes, at, end)) return this.#fail(`more than ${fields} fields`);
    this.#keep();
    return bytes[at] === NEWLINE || at >= end ? at + 1 : at + 2;
  }

  /** Reads a field; the index of the separator or line end behind it, or -1. */
  #field(bytes: Uint8Array, from: number, end: number, role: number): number {
    const decimal = this.#decimal;
    let next = -1;
    if (role === START || role === END) {
      next = decimal.time(bytes, from, end, role === START ? this.#plan.startDigits : this.#plan.endDigits);
      this.#setTime(role);
    } else if (role < FILE && role !== SKIP) {
      next = decimal.plain(bytes, from, end);
      this.#values[role] = decimal.value[0] as number;
    }
    if (next > 0) {
      const after = endOfField(bytes, next, end, this.#separator);
      if (after >= 0) return after;
    }
    if (from < end && bytes[from] === QUOTE) return this.#quoted(bytes, from, end, role);
    const stop = wordEnd(bytes, from, end, this.#separator);
    return this.#odd(bytes, from, stop, role) ? endOfField(bytes, stop, end, this.#separator) : -1;
  }

  #quoted(bytes: Uint8Array, from: number, end: number, role: number): number {
    const { inner, after } = unquoted(bytes, from, end);
    if (after < 0) return this.#fail("a quote is not closed on its line");
    if (!this.#odd(inner, 0, inner.length, role)) return -1;
    const stop = endOfField(bytes, after, end, this.#separator);
    return stop < 0 ? this.#fail("text behind a quote") : stop;
  }

  /** A name, an empty field, or a number that is not written plainly. */
  #odd(bytes: Uint8Array, from: number, to: number, role: number): boolean {
    if (role === FILE) this.#file = this.#names.file(bytes, from, to);
    else if (role === HOST) this.#host = this.#names.host(bytes, from, to);
    else if (role === OP) this.#operation = this.#ops.of(bytes, from, to);
    else if (role === LAYER) this.#layer = this.#layers.of(bytes, from, to);
    else if (role in FLAGS) this.#flag(role, this.#flagBits.of(bytes, from, to));
    else if (role !== SKIP && !this.#oddNumber(TEXT.decode(bytes.subarray(from, to)).trim(), role)) {
      this.#fail(`expected a number in column ${roleLabel(role)}, found "${excerpt(bytes, from, to)}"`);
      return false;
    }
    return true;
  }

  #oddNumber(text: string, role: number): boolean {
    if (role === START || role === END) {
      const digits = role === START ? this.#plan.startDigits : this.#plan.endDigits;
      if (!timeFromText(text, digits, this.#decimal)) return false;
      this.#setTime(role);
      return true;
    }
    const unknown = /^(|-|na|n\/a|[+-]?nan|null|none)$/i.test(text);
    this.#values[role] = unknown ? Number.NaN : Number(text);
    if (unknown) return role !== PID;
    return /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text) && Number.isFinite(this.#values[role]);
  }

  #setTime(role: number): void {
    const to = role === START ? START_AT : END_AT;
    this.#values[to] = this.#decimal.value[1] as number;
    this.#values[to + 1] = this.#decimal.value[2] as number;
  }

  #flag(role: number, value: number): void {
    if (value === 1) this.#flags |= FLAGS[role] as number;
    if (role === COLLECTIVE) this.#tellsCollectives = value !== NOT_SAID;
  }

  #fail(reason: string): -1 {
    this.#reason = reason;
    return -1;
  }

  /** The first usable line says what times count from. */
  #setEpoch(seconds: number): void {
    const realtime = seconds > REALTIME_SECONDS && seconds < Number.MAX_SAFE_INTEGER;
    this.#epochSeconds = realtime ? seconds : 0;
    const epochNs = realtime ? BigInt(seconds) * 1_000_000_000n : 0n;
    this.#sink.clock({ kind: realtime ? "realtime" : "own", epochNs });
  }

  #keep(): void {
    const columns = this.#columns;
    const values = this.#values;
    const row = columns.count;
    if (Number.isNaN(this.#epochSeconds)) this.#setEpoch(values[START_AT] as number);
    const epoch = this.#epochSeconds;
    const start = ((values[START_AT] as number) - epoch) * 1e9 + (values[START_AT + 1] as number);
    const end = ((values[END_AT] as number) - epoch) * 1e9 + (values[END_AT + 1] as number);
    if (Math.abs(start) > Number.MAX_SAFE_INTEGER || Math.abs(end) > Number.MAX_SAFE_INTEGER) this.#rounded++;
    columns.startNs[row] = start;
    columns.endNs[row] = end;
    columns.bytes[row] = (values[BYTES] as number) * this.#plan.bytesEach;
    if (columns.movedBytes !== undefined) columns.movedBytes[row] = values[MOVED] as number;
    if (columns.offset !== undefined) columns.offset[row] = values[OFFSET] as number;
    columns.process[row] = this.#names.processOf(
      values[PID] as number,
      this.#host,
      values[RANK] as number,
      this.#tellsCollectives,
    );
    columns.file[row] = this.#file;
    columns.operation[row] = this.#operation;
    columns.layer[row] = this.#layer;
    columns.flags[row] = this.#flags;
    columns.next();
  }
}
