/** Extended traces (DXT) as the stream of calls. */
import { wordNumber } from "../../base/words.ts";
import {
  CALL_NESTED,
  type CallSink,
  MPIIO_LAYER,
  Operation,
  POSIX_LAYER,
  type StripeLayout,
} from "../../model/index.ts";
import { CallColumns } from "../call-columns.ts";
import type { SegmentBlock, TraceRecord } from "./dxt.ts";
import type { ModuleEntry } from "./header.ts";
import { decode } from "./job.ts";
import type { DarshanLog } from "./log.ts";

export class DxtCalls {
  readonly #log: DarshanLog;
  readonly #sink: CallSink;
  readonly #layoutOf: (id: bigint) => StripeLayout | undefined;
  readonly #columns: CallColumns;
  readonly #processes = new Map<string, number>();
  readonly #files = new Map<string, number>();
  /** Processes and files with calls of MPI-IO that were read already: their POSIX calls were made inside. */
  readonly #outer = new Set<string>();
  #last: number | undefined;

  constructor(log: DarshanLog, sink: CallSink, layoutOf: (id: bigint) => StripeLayout | undefined) {
    this.#log = log;
    this.#sink = sink;
    this.#layoutOf = layoutOf;
    this.#columns = new CallColumns(sink, { moved: false, offset: true });
  }

  /** Calls so far. */
  get total(): number {
    return this.#columns.total;
  }

  /** Times count from the start of the job, which old formats know to the second only. */
  clock(): void {
    const { job, header } = this.#log;
    if (job.startSeconds <= 0n) this.#sink.clock({ kind: "own", epochNs: 0n });
    else
      this.#sink.clock({
        kind: "realtime",
        epochNs: job.startSeconds * 1_000_000_000n + job.startNanoseconds,
        ...(header.minor >= 41 ? {} : { uncertaintyNs: 1e9 }),
      });
  }

  /** All calls of DXT_MPIIO or DXT_POSIX; records of a rank follow one another. */
  module(entry: ModuleEntry): void {
    for (const block of this.#log.segments(entry))
      if (block.count > 0) this.#block(block, entry.name === "DXT_MPIIO");
    this.#end(undefined);
  }

  flush(): void {
    this.#columns.flush();
  }

  #end(next: number | undefined): void {
    if (this.#last !== undefined && this.#last !== next && this.#sink.processEnds !== undefined) {
      this.#columns.flush();
      this.#sink.processEnds(this.#last);
    }
    this.#last = next;
  }

  #block({ record, first, count, at, stride, views }: SegmentBlock, isOuter: boolean): void {
    const columns = this.#columns;
    const { u32, f64 } = views;
    const key = `${record.rank}/${record.idHigh}/${record.idLow}`;
    if (isOuter) this.#outer.add(key);
    const flags = !isOuter && this.#outer.has(key) ? CALL_NESTED : 0;
    const layer = isOuter ? MPIIO_LAYER : POSIX_LAYER;
    const process = this.#processOf(record);
    this.#end(process);
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
      columns.operation[row] = first + segment < record.writes ? Operation.write : Operation.read;
      columns.layer[row] = layer;
      columns.flags[row] = flags;
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
      const { commandLine, nprocs, endSeconds, runTimeSeconds } = this.#log.job;
      const program = commandLine.trim().split(/\s+/)[0] ?? "";
      process = this.#sink.process({
        ...{ pid: rank, rank, ranks: Number(nprocs), host },
        ...(program === "" ? {} : { program }),
        ...(endSeconds === 0n ? {} : { life: { startNs: 0, endNs: Math.round(runTimeSeconds * 1e9) } }),
      });
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
      const id = (BigInt(idHigh) << 32n) | BigInt(idLow);
      const path = name === undefined ? `record ${id}` : decode(name);
      const layout = this.#layoutOf(id);
      file = this.#sink.file({
        ...{
          path,
          id,
          ...(mount === undefined ? {} : { fileSystem: mount.type }),
          ...(layout && { layout }),
        },
      });
      this.#files.set(key, file);
    }
    return file;
  }
}
