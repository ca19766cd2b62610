/**
 * Single accesses of a Darshan log, from its extended traces (DXT). Calls of MPI-IO are what the program asked for; POSIX
 * calls of the same process on the same file were made inside them.
 */
import { FormatError } from "../../base/errors.ts";
import { wordNumber } from "../../base/words.ts";
import { ACCESS_NESTED, ACCESS_WRITE, type AccessSink } from "../../model/index.ts";
import { AccessColumns } from "../access-columns.ts";
import type { AccessFormat, AccessReadOptions } from "../access-format.ts";
import type { SegmentBlock, TraceRecord } from "./dxt.ts";
import { darshan } from "./format.ts";
import type { ModuleEntry } from "./header.ts";
import { decode } from "./job.ts";
import { DarshanLog } from "./log.ts";
import { columnOf } from "./modules/index.ts";

const RECORD_DXT = "record with DXT_ENABLE_IO_TRACE=1 (Darshan 3.1.3 or later)";

export const darshanAccesses: AccessFormat = {
  id: "darshan",
  label: "Darshan log with extended traces (DXT)",
  sequential: false,
  recognizes: (head, name) => darshan.recognizes(head, name),

  read(source, sink, options = {}) {
    const { codecs, keepGoing = false } = options;
    if (codecs === undefined) throw new TypeError("reading a Darshan log needs codecs");
    const log = new DarshanLog(source, { codecs, keepGoing });
    new TraceImport(log, sink, options).run();
  },
};

/** A layer that is traced: its calls per file are in counters too. */
interface Layer {
  readonly trace: string;
  readonly counters: string;
  readonly calls: readonly string[];
}

const OUTER: Layer = {
  trace: "DXT_MPIIO",
  counters: "MPI-IO",
  calls: [
    ...["MPIIO_INDEP_READS", "MPIIO_INDEP_WRITES", "MPIIO_COLL_READS", "MPIIO_COLL_WRITES"],
    ...["MPIIO_SPLIT_READS", "MPIIO_SPLIT_WRITES", "MPIIO_NB_READS", "MPIIO_NB_WRITES"],
  ],
};
const INNER: Layer = { trace: "DXT_POSIX", counters: "POSIX", calls: ["POSIX_READS", "POSIX_WRITES"] };
/** Layers with data of their own that Darshan does not trace. */
const UNTRACED: readonly Layer[] = [
  { trace: "", counters: "STDIO", calls: ["STDIO_READS", "STDIO_WRITES"] },
  {
    trace: "",
    counters: "DFS",
    calls: ["DFS_READS", "DFS_READXS", "DFS_NB_READS", "DFS_WRITES", "DFS_WRITEXS", "DFS_NB_WRITES"],
  },
];

class TraceImport {
  readonly #log: DarshanLog;
  readonly #sink: AccessSink;
  readonly #keepGoing: boolean;
  readonly #columns: AccessColumns;
  readonly #processes = new Map<string, number>();
  readonly #files = new Map<string, number>();
  /** Processes and files with calls of MPI-IO. */
  readonly #outer = new Set<string>();

  constructor(log: DarshanLog, sink: AccessSink, options: AccessReadOptions) {
    this.#log = log;
    this.#sink = sink;
    this.#keepGoing = options.keepGoing ?? false;
    this.#columns = new AccessColumns(sink, { moved: false, offset: true });
  }

  run(): void {
    const { source } = this.#log;
    const traces = [OUTER, INNER].map(({ trace }) => this.#log.module(trace));
    if (!traces.some((entry) => entry !== undefined && this.#log.readable(entry)))
      throw new FormatError(source.name, {}, `the log has no single accesses; ${RECORD_DXT}`);
    this.#clock();
    // MPI-IO first: then it is known which POSIX calls were made inside it.
    for (const layer of [OUTER, INNER]) this.#traced(layer);
    this.#columns.flush();
    for (const layer of UNTRACED) this.#untraced(layer);
    for (const text of this.#log.warnings) this.#note("log-warning", 1, text);
    for (const { message } of this.#log.damage) this.#note("truncated", 1, message);
  }

  /** Times count from the start of the job, which old formats know to the second only. */
  #clock(): void {
    const { job, header } = this.#log;
    if (job.startSeconds <= 0n) this.#sink.clock({ kind: "own", epochNs: 0n });
    else
      this.#sink.clock({
        kind: "realtime",
        epochNs: job.startSeconds * 1_000_000_000n + job.startNanoseconds,
        ...(header.minor >= 41 ? {} : { uncertaintyNs: 1e9 }),
      });
  }

  #traced(layer: Layer): void {
    const entry = this.#log.module(layer.trace);
    const before = this.#columns.total;
    if (entry !== undefined)
      this.#guarded(() => {
        for (const block of this.#log.segments(entry))
          if (block.count > 0) this.#block(block, layer === OUTER);
      });
    const seen = this.#columns.total - before;
    const counted = this.#calls(layer);
    if (entry?.partial === true)
      this.#note(
        "dropped",
        Math.max(1, counted - seen),
        `Darshan ran out of memory for ${layer.trace}, so the trace is incomplete (raise MODMEM)`,
      );
    else if (counted > seen)
      this.#sink.note({
        id: "untraced",
        about: layer.counters,
        count: counted - seen,
        amounts: [counted, seen],
        text: (_, [calls = 0, traced = 0]) =>
          `of ${calls} calls of ${layer.counters} ${traced} are in the trace; metrics are of these`,
      });
  }

  #untraced(layer: Layer): void {
    const calls = this.#calls(layer);
    if (calls > 0)
      this.#note("untraced", calls, `Darshan does not trace calls of ${layer.counters}; they are left out`);
  }

  /** Reads and writes that the counters of a layer know of. */
  #calls({ counters, calls }: Layer): number {
    const entry = this.#log.module(counters);
    let sum = 0;
    if (entry !== undefined) this.#guarded(() => (sum = this.#sumOf(entry, calls)));
    return sum;
  }

  #sumOf(entry: ModuleEntry, names: readonly string[]): number {
    const { spec } = entry;
    if (spec === undefined) return 0;
    const words = names.map((name) => columnOf(spec, name));
    let sum = 0;
    for (const block of this.#log.records(entry)) {
      for (let record = 0; record < block.count; record++) {
        // -1 is "not known".
        for (const word of words) sum += Math.max(0, wordNumber(block.views.u32, block.at(record) + word));
      }
    }
    return sum;
  }

  /** Damage ends the reading, or is noted and only ends its module. */
  #guarded(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!this.#keepGoing || !(error instanceof FormatError)) throw error;
      this.#note("truncated", 1, `${error.message}; the part before it is used`);
    }
  }

  #block({ record, first, count, at, stride, views }: SegmentBlock, outer: boolean): void {
    const columns = this.#columns;
    const { u32, f64 } = views;
    const key = `${record.rank}/${record.idHigh}/${record.idLow}`;
    if (outer) this.#outer.add(key);
    const layer = !outer && this.#outer.has(key) ? ACCESS_NESTED : 0;
    const process = this.#processOf(record);
    const file = this.#file(record);
    for (let segment = 0; segment < count; segment++) {
      const word = at + segment * stride;
      const row = columns.count;
      const offset = wordNumber(u32, word);
      columns.startNs[row] = Math.round((f64[word + 2] as number) * 1e9);
      columns.endNs[row] = Math.round((f64[word + 3] as number) * 1e9);
      columns.bytes[row] = wordNumber(u32, word + 1);
      // -1 where the version does not know it.
      (columns.offset as Float64Array)[row] = offset < 0 ? Number.NaN : offset;
      columns.process[row] = process;
      columns.file[row] = file;
      columns.flags[row] = layer | (first + segment < record.writes ? ACCESS_WRITE : 0);
      columns.next();
    }
  }

  /** Darshan knows ranks, not process ids. */
  #processOf(record: TraceRecord): number {
    const rank = Number(record.rank);
    const host = decode(record.hostBytes);
    const key = `${rank}/${host}`;
    let process = this.#processes.get(key);
    if (process === undefined) {
      const program = this.#log.job.commandLine.trim().split(/\s+/)[0] ?? "";
      process = this.#sink.process({ pid: rank, rank, host, ...(program === "" ? {} : { program }) });
      this.#processes.set(key, process);
    }
    return process;
  }

  #file({ idLow, idHigh }: TraceRecord): number {
    const key = `${idHigh}/${idLow}`;
    let file = this.#files.get(key);
    if (file === undefined) {
      const name = this.#log.names.bytesOf(idLow, idHigh);
      const mount = name === undefined ? undefined : this.#log.job.mountOf(name);
      // Logs may come without names; the id still tells files apart.
      const id = ((BigInt(idHigh) << 32n) | BigInt(idLow)).toString();
      const path = name === undefined ? `record ${id}` : decode(name);
      file = this.#sink.file({ path, ...(mount === undefined ? {} : { fileSystem: mount.type }) });
      this.#files.set(key, file);
    }
    return file;
  }

  #note(id: string, count: number, text: string): void {
    this.#sink.note({ id, count, text });
  }
}
