/**
 * Trace events as Chrome's tracing and Perfetto read them (the "Trace Event Format"): a JSON object with `traceEvents`.
 *
 *   M  process_name, thread_name … of a pid or tid
 *   X  a slice: ts, dur in microseconds
 *   C  a counter: values in args
 *
 * Perfetto drops a slice that overlaps another of its thread without lying inside it, so a thread here is a lane of one layer on
 * which no two calls overlap. It takes pid 0 for the idle process, so ids start at 1, and threads of two processes never share
 * a tid. Times are cut to whole nanoseconds there after a multiplication, which `putTime` has to stand.
 */
import { putInteger } from "../../base/text-writer.ts";
import { CALL_ERROR, CALL_LAYERS } from "../../model/index.ts";
import type { WholeBlock } from "./call-rows.ts";
import { Chunks } from "./chunks.ts";
import type { OrderedCalls, Span } from "./collection.ts";
import { bytesInFlight, type InFlight } from "./in-flight.ts";
import { Lanes } from "./lanes.ts";
import { type ExportGroup, fileName, groupColumn, layerName, OPERATION_NAMES, processName } from "./names.ts";

interface PerfettoOptions {
  readonly by: ExportGroup;
  /** Name and version of the program. */
  readonly madeBy: string;
}

/** Calls in order of time, whatever they are grouped by. */
export function* perfettoTrace(calls: OrderedCalls, options: PerfettoOptions): Generator<Uint8Array> {
  const chunks = new Chunks();
  const events = new Events(calls, options, chunks);
  events.head();
  for (const block of calls.blocks()) {
    events.block(block);
    yield* chunks.full();
  }
  events.end();
  yield* chunks.rest();
}

class Events {
  readonly #calls: OrderedCalls;
  readonly #options: PerfettoOptions;
  readonly #writer: Chunks["writer"];
  /** Per group and kind of lane. */
  readonly #tracks = new Map<number, Track>();
  readonly #heads = new Map<number, Uint8Array>();
  /** What stands in args: the file, or the process where files are the groups. */
  readonly #subjects: Uint8Array[] = [];
  readonly #inFlight: readonly InFlight[];
  readonly #spans: readonly Span[];
  readonly #categories: readonly string[];
  #nextPoint = 0;
  #nextSpan = 0;
  /** When the next counter or span comes; asked for each call. */
  #nextNs: number;
  #tids = 0;

  constructor(calls: OrderedCalls, options: PerfettoOptions, { writer }: Chunks) {
    this.#calls = calls;
    this.#options = options;
    this.#writer = writer;
    this.#inFlight = bytesInFlight(calls);
    // Spans are of processes; among files they have no place.
    this.#spans = options.by === "rank" ? calls.spans : [];
    this.#categories = [...new Set(this.#spans.map(({ category }) => category))];
    this.#nextNs = this.#peek();
  }

  head(): void {
    const { madeBy } = this.#options;
    const { startUnixNs, synthetic } = this.#calls;
    const other = {
      "made by": madeBy,
      ...(synthetic ? { origin: "synthetic" } : {}),
      ...(startUnixNs === undefined ? {} : { "start of the run, ns since 1970": String(startUnixNs) }),
    };
    this.#writer.text(`{"displayTimeUnit":"ns","otherData":${JSON.stringify(other)},"traceEvents":[\n`);
    this.#metadata("process_name", this.#allPid, undefined, { name: "all processes" });
    this.#metadata("process_sort_index", this.#allPid, undefined, { sort_index: -1 });
  }

  block(block: WholeBlock): void {
    const groups = block[groupColumn(this.#options.by)];
    for (let i = 0; i < block.count; i++) {
      const start = block.startNs[i] as number;
      if (this.#nextNs <= start) this.#until(start);
      this.#call(block, i, groups[i] as number);
    }
  }

  end(): void {
    this.#until(Number.POSITIVE_INFINITY);
    // The last event has no comma behind it.
    this.#writer.text(`{"ph":"M","name":"trace_end","pid":${this.#allPid},"args":{}}\n]}\n`);
  }

  /** The pid of all groups together, behind those of the groups. */
  get #allPid(): number {
    const { processes, files } = this.#calls;
    return (this.#options.by === "rank" ? processes : files).length + 1;
  }

  /** Counters and spans that come before a time. */
  #until(ns: number): void {
    for (; this.#nextNs <= ns; this.#nextNs = this.#peek()) {
      const [point, span] = [this.#inFlight[this.#nextPoint], this.#spans[this.#nextSpan]];
      if (point !== undefined && point.atNs <= (span?.startNs ?? Infinity)) {
        this.#nextPoint++;
        this.#point(point);
      } else if (span !== undefined) {
        this.#nextSpan++;
        this.#span(span);
      } else return;
    }
  }

  #peek(): number {
    const [point, span] = [this.#inFlight[this.#nextPoint], this.#spans[this.#nextSpan]];
    return Math.min(point?.atNs ?? Infinity, span?.startNs ?? Infinity);
  }

  #point({ atNs, read, write }: InFlight): void {
    this.#writer.text(`{"ph":"C","name":"bytes in flight","pid":${this.#allPid},"ts":`);
    putTime(this.#writer, atNs);
    this.#writer.text(`,"args":{"read":${read},"write":${write}}},\n`);
  }

  #span({ process, name, category, startNs, endNs }: Span): void {
    const kind = CALL_LAYERS.length + this.#categories.indexOf(category);
    const tid = this.#tid(process, kind, startNs, endNs);
    this.#writer.text(`{"ph":"X","name":${JSON.stringify(name)},"cat":${JSON.stringify(category)},"pid":`);
    this.#slice(process + 1, tid, startNs, endNs);
    this.#writer.text("},\n");
  }

  #call(block: WholeBlock, i: number, group: number): void {
    const writer = this.#writer;
    const [start, end] = [block.startNs[i] as number, block.endNs[i] as number];
    const layer = block.layer[i] as number;
    const tid = this.#tid(group, layer, start, end);
    writer.raw(this.#headOf(block.operation[i] as number, layer));
    this.#slice(group + 1, tid, start, end);
    writer.raw(this.#subject((this.#options.by === "rank" ? block.file : block.process)[i] as number));
    this.#amount(BYTES, block.bytes[i] as number);
    this.#amount(MOVED, block.movedBytes[i] as number);
    this.#amount(OFFSET, block.offset[i] as number);
    if (((block.flags[i] as number) & CALL_ERROR) !== 0) writer.raw(FAILED);
    writer.raw(END);
  }

  #slice(pid: number, tid: number, startNs: number, endNs: number): void {
    const writer = this.#writer;
    writer.integer(pid);
    writer.raw(TID);
    writer.integer(tid);
    writer.raw(TS);
    putTime(writer, startNs);
    writer.raw(DUR);
    putTime(writer, endNs - startNs);
  }

  #amount(key: Uint8Array, value: number): void {
    if (Number.isNaN(value)) return;
    this.#writer.raw(key);
    this.#writer.integer(value);
  }

  #headOf(operation: number, layer: number): Uint8Array {
    const key = operation * 256 + layer;
    let head = this.#heads.get(key);
    if (head === undefined) {
      head = TEXT.encode(
        `{"ph":"X","name":"${OPERATION_NAMES[operation] ?? "other"}","cat":"${layerName(layer)}","pid":`,
      );
      this.#heads.set(key, head);
    }
    return head;
  }

  #subject(index: number): Uint8Array {
    let subject = this.#subjects[index];
    if (subject === undefined) {
      const { files, processes } = this.#calls;
      const text =
        this.#options.by === "rank"
          ? `,"args":{"file":${JSON.stringify(fileName(files[index] as never))}`
          : `,"args":{"process":${JSON.stringify(processName(processes[index] as never))}`;
      this.#subjects[index] = subject = TEXT.encode(text);
    }
    return subject;
  }

  #tid(group: number, kind: number, startNs: number, endNs: number): number {
    const key = group * 1024 + kind;
    let track = this.#tracks.get(key);
    if (track === undefined) {
      if (!this.#hasGroup(group)) this.#nameGroup(group);
      this.#tracks.set(key, (track = new Track()));
    }
    const lane = track.lanes.take(startNs, endNs);
    let tid = track.tids[lane];
    if (tid === undefined) {
      track.tids[lane] = tid = ++this.#tids;
      this.#nameLane(group + 1, tid, kind, lane);
    }
    return tid;
  }

  readonly #named = new Set<number>();

  #hasGroup(group: number): boolean {
    return this.#named.has(group);
  }

  #nameGroup(group: number): void {
    this.#named.add(group);
    const { processes, files } = this.#calls;
    const isRank = this.#options.by === "rank";
    const name = isRank ? processName(processes[group] as never) : fileName(files[group] as never);
    this.#metadata("process_name", group + 1, undefined, { name });
    const order = isRank ? (processes[group]?.rank ?? group) : group;
    this.#metadata("process_sort_index", group + 1, undefined, { sort_index: order });
  }

  #nameLane(pid: number, tid: number, kind: number, lane: number): void {
    const what = kind < CALL_LAYERS.length ? layerName(kind) : this.#categories[kind - CALL_LAYERS.length];
    this.#metadata("thread_name", pid, tid, { name: lane === 0 ? what : `${what} ${lane + 1}` });
    // Spans above calls, and a layer above those that it calls.
    this.#metadata("thread_sort_index", pid, tid, { sort_index: (1023 - kind) * 1e6 + lane });
  }

  #metadata(name: string, pid: number, tid: number | undefined, args: object): void {
    const event = { ph: "M", name, pid, ...(tid === undefined ? {} : { tid }), args };
    this.#writer.raw(quotedEvent(event));
  }
}

class Track {
  readonly lanes = new Lanes();
  readonly tids: number[] = [];
}

const TEXT = new TextEncoder();
const quotedEvent = (event: object) => TEXT.encode(`${JSON.stringify(event)},\n`);
const TID = TEXT.encode(',"tid":');
const TS = TEXT.encode(',"ts":');
const DUR = TEXT.encode(',"dur":');
const BYTES = TEXT.encode(',"bytes":');
const MOVED = TEXT.encode(',"moved":');
const OFFSET = TEXT.encode(',"offset":');
const FAILED = TEXT.encode(',"failed":true');
const END = TEXT.encode("}},\n");

const ZERO = 48;
const POINT = 46;

/**
 * Microseconds with three decimals. A reader that multiplies the double by 1000 and cuts would lose a nanosecond of some
 * values, and calls that follow one another would overlap; those get a tenth of a nanosecond more.
 */
function putTime(writer: Chunks["writer"], ns: number): void {
  writer.reserve(32);
  const micros = Math.floor(ns / 1000);
  const rest = ns - 1000 * micros;
  const { bytes } = writer;
  // Before the start of the run there is nothing; the collection counts from the first call.
  let at = putInteger(bytes, writer.at, micros);
  if (rest > 0) {
    bytes[at++] = POINT;
    bytes[at++] = ZERO + Math.floor(rest / 100);
    bytes[at++] = ZERO + (Math.floor(rest / 10) % 10);
    bytes[at++] = ZERO + (rest % 10);
    if (Math.trunc((ns / 1000) * 1000) !== ns) bytes[at++] = ZERO + 1;
  }
  writer.at = at;
}
