/** The events of a trace: calls of I/O layers, spans of the application, and what the tracer says of itself. */
import { FormatError } from "../../base/errors.ts";
import { formatMany } from "../../base/units.ts";
import {
  CALL_ERROR,
  type CallSink,
  type NoteSentence,
  Operation,
  POSIX_LAYER,
  STDIO_LAYER,
} from "../../model/index.ts";
import { CallColumns } from "../call-columns.ts";
import { Interner } from "../text/interner.ts";
import { badLines, excerpt } from "../text/windows.ts";
import { Num, TraceEvent, Txt } from "./event.ts";
import { Files } from "./files.ts";
import { eachEvent } from "./lines.ts";
import { isMetadata, type NameKind, namedBy, nameKey } from "./names.ts";
import { callNamed, isOwn, layerOf, type TracedCall } from "./operations.ts";
import { Processes, type TracedProcess } from "./processes.ts";
import { SpanColumns } from "./span-columns.ts";

/** Microseconds since 1970 of a day in 1973: smaller times do not count from there. */
const REALTIME_US = 1e14;
const COMPLETE = 88;

/** What a category is: a layer of calls, the tracer itself, or the application. */
interface Category {
  readonly text: string;
  readonly layer: number | undefined;
  readonly isOwn: boolean;
  /** By number of the name. */
  readonly calls: TracedCall[];
  readonly spans: number[];
}

export class TraceReader {
  readonly #source: string;
  readonly #sink: CallSink;
  readonly #names: () => ReadonlyMap<string, string>;
  readonly #event = new TraceEvent();
  readonly #columns: CallColumns;
  readonly #spans: SpanColumns;
  readonly #files: Files;
  readonly #processes: Processes;
  readonly #categoryNames = new Interner();
  readonly #categories: Category[] = [];
  readonly #callNames = new Interner();
  /** Names of this file, by `nameKey`: hosts and texts. */
  readonly #texts = new Map<string, string>();
  /** What times count from, in microseconds; NaN before the first event. */
  #epochUs = Number.NaN;
  #line = 0;
  #events = 0;
  #bad = 0;
  #badFirst = "";
  #cutLine = "";
  #untimed = 0;
  #otherPhases = 0;

  constructor(source: string, sink: CallSink, names: () => ReadonlyMap<string, string>) {
    this.#source = source;
    this.#sink = sink;
    this.#names = names;
    this.#columns = new CallColumns(sink, { moved: true, offset: true });
    this.#spans = new SpanColumns(sink);
    this.#files = new Files(sink, (key) => names().get(key));
    this.#processes = new Processes(sink, source, (hash) => this.#textOf("HH", hash) ?? `host ${hash}`);
  }

  window(bytes: Uint8Array, from: number, end: number, last: boolean): void {
    eachEvent(this.#event, bytes, from, end, this.#take, {
      next: () => void this.#line++,
      bad: (lineFrom, lineTo, isLast) => {
        if (isLast && last) this.#cutLine = excerpt(bytes, lineFrom, lineTo);
        else {
          this.#bad++;
          if (this.#badFirst === "") this.#badFirst = `${this.#line}: ${excerpt(bytes, lineFrom, lineTo)}`;
        }
      },
    });
    if (this.#events === 0 && this.#bad > 0) this.#refuse();
  }

  finish(): void {
    if (this.#events === 0) this.#refuse();
    if (Number.isNaN(this.#epochUs)) this.#setClock(0);
    this.#columns.flush();
    this.#spans.flush();
    this.#processes.finish();
    this.#tellNotes();
  }

  #refuse(): never {
    const found = this.#badFirst || (this.#cutLine && `1: ${this.#cutLine}`);
    if (found === "") throw new FormatError(this.#source, {}, "the trace has no events");
    const [line, text] = [Number.parseInt(found, 10), found.slice(found.indexOf(":") + 2)];
    throw new FormatError(this.#source, { line }, `expected an event of DFTracer, found "${text}"`);
  }

  readonly #take = (): void => {
    const event = this.#event;
    this.#events++;
    const phase = event.bytes[event.from[Txt.ph] as number];
    if (phase !== COMPLETE || !event.has(Txt.ph)) {
      if (isMetadata(event)) this.#metadata();
      else this.#otherPhases++;
      return;
    }
    const { numbers } = event;
    const ts = numbers[Num.ts] as number;
    const duration = numbers[Num.dur] as number;
    if (!(ts >= 0 && duration >= 0)) {
      this.#untimed++;
      return;
    }
    if (Number.isNaN(this.#epochUs)) this.#setClock(ts);
    const startNs = Math.round((ts - this.#epochUs) * 1000);
    const endNs = startNs + Math.round(duration * 1000);
    const category = this.#categoryOf();
    const owner = this.#processes.of(event);
    if (category.layer !== undefined) this.#call(category, category.layer, owner, startNs, endNs);
    else if (category.isOwn) this.#own(owner, startNs);
    else this.#span(category, owner, startNs, endNs);
  };

  #setClock(ts: number): void {
    const isRealtime = ts >= REALTIME_US;
    this.#epochUs = isRealtime ? Math.floor(ts) : 0;
    this.#sink.clock(
      isRealtime
        ? { kind: "realtime", epochNs: BigInt(this.#epochUs) * 1000n }
        : { kind: "own", epochNs: 0n },
    );
  }

  #categoryOf(): Category {
    const event = this.#event;
    const index = this.#categoryNames.intern(
      event.bytes,
      event.from[Txt.cat] as number,
      event.to[Txt.cat] as number,
    );
    const known = this.#categories[index];
    if (known !== undefined) return known;
    const text = event.text(Txt.cat);
    const category = { text, layer: layerOf(text), isOwn: isOwn(text), calls: [], spans: [] };
    this.#categories[index] = category;
    return category;
  }

  #nameIndex(): number {
    const event = this.#event;
    return this.#callNames.intern(event.bytes, event.from[Txt.name] as number, event.to[Txt.name] as number);
  }

  #call(category: Category, layer: number, owner: TracedProcess, startNs: number, endNs: number): void {
    const event = this.#event;
    const name = this.#nameIndex();
    const call = (category.calls[name] ??= callNamed(event.text(Txt.name), layer));
    const columns = this.#columns;
    const row = columns.count;
    const { numbers } = event;
    const result = numbers[Num.ret] as number;
    const isFailed = result < 0;
    const { operation, effect } = call;
    const isTransfer = operation <= Operation.write;
    let requested = 0;
    let moved = Number.NaN;
    if (isTransfer) {
      const size = numbers[Num.size] as number;
      const unit = layer === STDIO_LAYER && size >= 0 ? size : 1;
      moved = isFailed ? 0 : result * unit;
      requested = (numbers[Num.count] as number) * unit;
      if (Number.isNaN(requested)) requested = moved;
    }
    columns.startNs[row] = startNs;
    columns.endNs[row] = endNs;
    columns.bytes[row] = requested;
    (columns.movedBytes as Float64Array)[row] = moved;
    (columns.offset as Float64Array)[row] =
      effect === "none" || isFailed || (effect !== "placed" && layer !== POSIX_LAYER)
        ? Number.NaN
        : owner.positions.offsetOf(event, effect, operation === Operation.write, moved);
    columns.process[row] = this.#processes.numberOf(owner);
    columns.file[row] = this.#files.of(event);
    columns.operation[row] = operation;
    columns.layer[row] = layer;
    columns.flags[row] = isFailed ? CALL_ERROR : 0;
    columns.next();
  }

  #span(category: Category, owner: TracedProcess, startNs: number, endNs: number): void {
    const name = this.#nameIndex();
    const spans = this.#spans;
    const row = spans.count;
    spans.startNs[row] = startNs;
    spans.endNs[row] = endNs;
    spans.process[row] = this.#processes.numberOf(owner);
    spans.thread[row] = this.#event.numbers[Num.tid] as number;
    spans.name[row] = category.spans[name] ??= spans.nameOf(category.text, this.#event.text(Txt.name));
    spans.next();
  }

  /** `start` and `end` of a process. */
  #own(owner: TracedProcess, atNs: number): void {
    const event = this.#event;
    const name = event.text(Txt.name);
    if (name === "end") owner.endNs = atNs;
    if (name !== "start") return;
    owner.startNs = atNs;
    const parent = event.numbers[Num.ppid] as number;
    if (parent > 0) owner.parent = parent;
    const command = event.has(Txt.cmd) ? this.#textOf("SH", event.text(Txt.cmd)) : undefined;
    if (command === undefined || command === "") return;
    owner.command = command;
    owner.program = command.slice(0, `${command} `.indexOf(" ")).replace(/^.*\//, "");
  }

  #textOf(kind: NameKind, hash: string): string | undefined {
    const key = nameKey(kind, hash);
    return this.#texts.get(key) ?? this.#names().get(key);
  }

  #metadata(): void {
    const event = this.#event;
    const kind = namedBy(event);
    if (kind === "FH") this.#files.name(event);
    else if (kind !== undefined)
      this.#texts.set(nameKey(kind, event.text(Txt.argValue)), event.text(Txt.argName));
    else if (event.text(Txt.name) === "PR" && event.text(Txt.argName) === "rank") {
      const rank = Number(event.text(Txt.argValue) || Number.NaN);
      if (Number.isInteger(rank) && rank >= 0) this.#processes.withPid(event).rank = rank;
    }
  }

  #tellNotes(): void {
    const { unnamed, ambiguous } = this.#files;
    const cutLine = this.#cutLine;
    const [first, line] = [this.#badFirst, this.#line];
    this.#tell("bad-line", this.#bad, badLines(first));
    this.#tell("truncated", cutLine === "" ? 0 : 1, (count) =>
      count === 1
        ? `line ${line}, the last, is incomplete and was skipped: ${cutLine}`
        : `the last lines of ${count} files are incomplete and were skipped`,
    );
    this.#tell(
      "untimed",
      this.#untimed,
      (count) => `${formatMany(count, "event has", "events have")} no time or duration and were skipped`,
    );
    this.#tell(
      "unnamed-files",
      unnamed,
      (count) => `no event of the trace names ${formatMany(count, "file hash", "file hashes")}`,
    );
    this.#tell(
      "shared-hash",
      ambiguous,
      (count) =>
        `${formatMany(count, "file name has", "file names have")} the same hash as another: their calls cannot be separated`,
    );
    this.#tell(
      "other-events",
      this.#otherPhases,
      (count) => `${formatMany(count, "event")} skipped: neither a call nor a span`,
    );
    this.#tell(
      "no-process-id",
      this.#processes.hasNoIds ? 1 : 0,
      (count) => `${formatMany(count, "file has", "files have")} no process ids: each file is one process`,
    );
  }

  #tell(id: string, count: number, text: NoteSentence): void {
    if (count > 0) this.#sink.note({ id, count, text });
  }
}
