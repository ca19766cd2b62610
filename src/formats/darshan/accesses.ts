/**
 * Single accesses of a Darshan log, from its extended traces (DXT). Calls of MPI-IO are what the program asked for; POSIX
 * calls of the same process on the same file were made inside them.
 */
import { FormatError } from "../../base/errors.ts";
import { wordNumber } from "../../base/words.ts";
import { type CallSink, SYNTHETIC_NOTE } from "../../model/index.ts";
import type { CallReader, CallReadOptions } from "../input-format.ts";
import { DxtCalls } from "./dxt-calls.ts";
import type { ModuleEntry } from "./header.ts";
import { DarshanLog } from "./log.ts";
import { columnOf } from "./modules/index.ts";

const RECORD_DXT = "record with DXT_ENABLE_IO_TRACE=1 (Darshan 3.1.3 or later)";

export const readDarshanCalls: CallReader = (source, sink, options = {}) => {
  const { codecs, keepGoing = false } = options;
  if (codecs === undefined) throw new TypeError("reading a Darshan log needs codecs");
  const log = new DarshanLog(source, { codecs, keepGoing });
  new TraceImport(log, sink, options).run();
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
  readonly #sink: CallSink;
  readonly #keepGoing: boolean;
  readonly #calls: DxtCalls;

  constructor(log: DarshanLog, sink: CallSink, options: CallReadOptions) {
    this.#log = log;
    this.#sink = sink;
    this.#keepGoing = options.keepGoing ?? false;
    this.#calls = new DxtCalls(log, sink, () => undefined);
  }

  run(): void {
    const { source } = this.#log;
    const traces = [OUTER, INNER].map(({ trace }) => this.#log.module(trace));
    if (!traces.some((entry) => entry !== undefined && this.#log.readable(entry)))
      throw new FormatError(source.name, {}, `the log has no single accesses; ${RECORD_DXT}`);
    this.#calls.clock();
    if (this.#log.job.isSynthetic)
      this.#note(SYNTHETIC_NOTE, 1, "Synthetic data: generated, not recorded on a machine");
    // MPI-IO first: then it is known which POSIX calls were made inside it.
    for (const layer of [OUTER, INNER]) this.#traced(layer);
    this.#calls.flush();
    for (const layer of UNTRACED) this.#untraced(layer);
    for (const text of this.#log.warnings) this.#note("log-warning", 1, text);
    for (const { message } of this.#log.damage) this.#note("truncated", 1, message);
  }

  #traced(layer: Layer): void {
    const entry = this.#log.module(layer.trace);
    const before = this.#calls.total;
    if (entry !== undefined) this.#guarded(() => this.#calls.module(entry));
    const seen = this.#calls.total - before;
    const counted = this.#counted(layer);
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
          `${traced} of ${calls} calls of ${layer.counters} are in the trace; metrics cover only these`,
      });
  }

  #untraced(layer: Layer): void {
    const calls = this.#counted(layer);
    if (calls > 0)
      this.#note(
        "untraced",
        calls,
        `Darshan does not trace calls of ${layer.counters}; they are not included`,
      );
  }

  /** Reads and writes that the counters of a layer know of. */
  #counted({ counters, calls }: Layer): number {
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

  #note(id: string, count: number, text: string): void {
    this.#sink.note({ id, count, text });
  }
}
