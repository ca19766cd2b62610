/** The lines of a latency log of fio as accesses. */
import { FormatError } from "../../base/errors.ts";
import { Operation, type CallNote, type CallSink } from "../../model/index.ts";
import { CallColumns } from "../call-columns.ts";
import type { CallReadOptions, TimeUnit } from "../input-format.ts";
import { DecimalReader } from "../text/decimal.ts";
import { badLines, excerpt, lineEnd } from "../text/windows.ts";

const COMMA = 44;
const SPACE = 32;
const RETURN = 13;
const LETTER_X = 120;
const FIELDS_MAX = 7;
const WRITE = 1;
const TRIM = 2;
const NS: Readonly<Record<TimeUnit, number>> = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 };
const REALTIME_NS = 1e17;
/** How many lines of five columns decide whether the fifth is an offset or a priority. */
const LOOK_AHEAD_LINES = 1000;

export class LogReader {
  readonly #source: string;
  readonly #sink: CallSink;
  readonly #job: number;
  readonly #timeNs: number;
  readonly #latencyNs: number;
  readonly #decimal = new DecimalReader();
  readonly #fields = new Float64Array(FIELDS_MAX);
  #columns: CallColumns | undefined;
  /** Fields per line, and which of them is the offset; 0 when none is. */
  #count = 0;
  #offsetAt = 0;
  #line = 0;
  /** In the unit of the log. */
  #epochTicks = 0;
  /** From fio's count of issue times to ours. */
  #issueBase = Number.NaN;
  #process = 0;
  #file = 0;
  #bad = 0;
  #badFirst: { readonly line: number; readonly reason: string } | undefined;
  #trims = 0;
  #coarse = 0;

  constructor(source: string, sink: CallSink, job: number, options: CallReadOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#job = job;
    this.#timeNs = NS[options.time ?? "ms"];
    this.#latencyNs = NS[options.latency ?? "ns"];
  }

  window(bytes: Uint8Array, from: number, end: number, last: boolean): void {
    for (let at = from; at < end; ) {
      const stop = lineEnd(bytes, at, end);
      this.#line++;
      const to = stop > at && bytes[stop - 1] === RETURN ? stop - 1 : stop;
      if (to > at) {
        if (this.#columns === undefined) this.#begin(bytes, at, end);
        if (this.#split(bytes, at, to) === this.#count && this.#fits()) this.#keep();
        else this.#badLine(excerpt(bytes, at, to), last && stop === end);
      }
      at = stop + 1;
    }
  }

  finish(): void {
    const columns = this.#columns;
    if (columns === undefined) throw new FormatError(this.#source, { line: 1 }, "the log of fio is empty");
    if (columns.total === 0 && this.#badFirst !== undefined)
      throw new FormatError(this.#source, { line: this.#badFirst.line }, this.#badFirst.reason);
    columns.flush();
    if (this.#badFirst !== undefined) {
      const { line, reason } = this.#badFirst;
      this.#note("bad-line", this.#bad, badLines(`${line}: ${reason}`));
    }
    if (this.#trims > 0)
      this.#note("trims", this.#trims, "trims were skipped: they are neither reads nor writes");
    if (this.#coarse > 0)
      this.#note(
        "coarse-times",
        this.#coarse,
        "fio logs the end of an access in whole milliseconds; shorter accesses seem to overlap, so T is " +
          "too short (a _clat log with --log_offset=1 --log_issue_time=1 of fio 3.38 or later is exact)",
      );
  }

  #note(id: string, count: number, text: CallNote["text"]): void {
    this.#sink.note({ id, count, text });
  }

  /** Learns the columns from the first line and says what times count from. */
  #begin(bytes: Uint8Array, at: number, end: number): void {
    const to = lineEnd(bytes, at, end);
    this.#count = this.#split(bytes, at, to);
    const fields = this.#fields;
    if (this.#count < 4 || this.#count > FIELDS_MAX)
      throw new FormatError(
        this.#source,
        { line: this.#line },
        `expected 4 to 7 numbers (time, latency, direction, block size, ...), found "${excerpt(bytes, at, to)}"`,
      );
    // With averages and maxima the direction moves one column on.
    if ((fields[2] as number) <= TRIM ? fields[3] === 0 : fields[4] === 0)
      throw new FormatError(
        this.#source,
        { line: this.#line },
        "the log has averages (log_avg_msec), not single accesses; run fio without log_avg_msec",
      );
    this.#offsetAt = this.#count >= 6 ? 4 : this.#count === 5 && this.#fifthIsOffset(bytes, at, end) ? 4 : 0;
    this.#split(bytes, at, to);
    const time = (fields[0] as number) * this.#timeNs;
    const realtime = time > REALTIME_NS;
    const seconds = realtime ? Math.floor((fields[0] as number) / (1e9 / this.#timeNs)) : 0;
    this.#epochTicks = seconds * (1e9 / this.#timeNs);
    this.#sink.clock({
      kind: realtime ? "realtime" : "own",
      epochNs: BigInt(seconds) * 1_000_000_000n,
      ...(this.#count === FIELDS_MAX && fields[6] !== 0 ? {} : { uncertaintyNs: this.#timeNs }),
    });
    this.#process = this.#sink.process({ pid: this.#job, program: "fio" });
    this.#file = this.#sink.file({ path: "" });
    this.#columns = new CallColumns(this.#sink, { moved: false, offset: this.#offsetAt > 0 });
  }

  /** Priorities are 0 or 1, or hexadecimal, which `#split` reads as NaN. */
  #fifthIsOffset(bytes: Uint8Array, from: number, end: number): boolean {
    for (let at = from, lines = 0; at < end && lines < LOOK_AHEAD_LINES; lines++) {
      const to = lineEnd(bytes, at, end);
      if (this.#split(bytes, at, to) === 5 && (this.#fields[4] as number) > 1) return true;
      at = to + 1;
    }
    return false;
  }

  /** Numbers of the line into `#fields`; how many there are, or -1. */
  #split(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    for (let count = 0; count < FIELDS_MAX; count++) {
      while (at < to && bytes[at] === SPACE) at++;
      const next = this.#decimal.plain(bytes, at, to);
      if (next < 0) return -1;
      this.#fields[count] = this.#decimal.value[0] as number;
      at = next;
      if (bytes[at] === LETTER_X && at < to) {
        this.#fields[count] = Number.NaN;
        while (at < to && bytes[at] !== COMMA) at++;
      }
      while (at < to && (bytes[at] === SPACE || bytes[at] === RETURN)) at++;
      if (at >= to) return count + 1;
      if (bytes[at] !== COMMA) return -1;
      at++;
    }
    return -1;
  }

  #fits(): boolean {
    const [, latency = -1, direction = -1, bytes = 0] = this.#fields;
    return latency >= 0 && Number.isInteger(direction) && direction >= 0 && direction <= TRIM && bytes > 0;
  }

  #badLine(found: string, cut: boolean): void {
    if (cut && (this.#columns?.total ?? 0) > 0) {
      this.#note("truncated", 1, `line ${this.#line}, the last, is incomplete and was skipped: ${found}`);
      return;
    }
    this.#bad++;
    const reason = `expected ${this.#count} numbers with direction 0, 1 or 2 third and a block size fourth, found "${found}"`;
    this.#badFirst ??= { line: this.#line, reason };
  }

  #keep(): void {
    const fields = this.#fields;
    const direction = fields[2] as number;
    if (direction === TRIM) {
      this.#trims++;
      return;
    }
    const columns = this.#columns as CallColumns;
    const row = columns.count;
    const latency = (fields[1] as number) * this.#latencyNs;
    const logged = ((fields[0] as number) - this.#epochTicks) * this.#timeNs;
    const issued = this.#count === FIELDS_MAX ? (fields[6] as number) : 0;
    let end = logged;
    if (issued > 0) {
      if (Number.isNaN(this.#issueBase))
        this.#issueBase = this.#epochTicks === 0 ? 0 : logged - latency - issued;
      end = this.#issueBase + issued + latency;
    } else if (latency < this.#timeNs) this.#coarse++;
    columns.startNs[row] = end - latency;
    columns.endNs[row] = end;
    columns.bytes[row] = fields[3] as number;
    if (columns.offset !== undefined) columns.offset[row] = fields[this.#offsetAt] as number;
    columns.process[row] = this.#process;
    columns.file[row] = this.#file;
    columns.operation[row] = direction === WRITE ? Operation.write : Operation.read;
    columns.next();
  }
}
