/**
 * Logs as rows of a store: `runs`, `accesses`, `files`. For many small logs in a row: straight from words of records into
 * columns, without an object per record.
 */
import {
  MISSING_I64,
  type RowSink,
  negativeWarning,
  storedAccesses,
  storedFiles,
  storedRuns,
} from "../../model/index.ts";
import type { DarshanLog } from "./log.ts";
import { FileRunColumns } from "./stored-accesses.ts";
import { hasRows, routeOf } from "./stored-routes.ts";
import type { Identity } from "./stored-columns.ts";
import { NameColumns, RunColumns } from "./stored-runs.ts";

export type { Identity } from "./stored-columns.ts";

interface StoredRowsOptions {
  /** Number of a name: the first eight bytes of its SHA-256. */
  identify(name: string): Identity;
  /** What is later than this is in the future. */
  readonly nowUnixSeconds: number;
}

interface Besides {
  readonly synthetic?: boolean;
  /** Time zone of the site. */
  readonly zone?: string | undefined;
}

/** Below the first Darshan release a clock was wrong. */
const EARLIEST_UNIX_SECONDS = 1_104_537_600;

export class StoredRows {
  readonly #options: StoredRowsOptions;
  readonly #runs = new RunColumns();
  readonly #accesses = new FileRunColumns();
  readonly #names = new NameColumns();
  readonly #programs = new Map<string, Identity>();

  constructor(options: StoredRowsOptions) {
    this.#options = options;
  }

  get runs(): number {
    return this.#runs.count;
  }

  get accesses(): number {
    return this.#accesses.count;
  }

  /** Adds a log whole, or throws and adds nothing. `besides`: what is known besides the log. */
  add(log: DarshanLog, source: string, runId: Identity, besides: Besides = {}): void {
    const marks = [this.#runs.count, this.#accesses.count, this.#names.count] as const;
    try {
      this.#add(log, source, runId, besides);
    } catch (error) {
      this.#runs.cutTo(marks[0]);
      this.#accesses.cutTo(marks[1]);
      this.#names.cutTo(marks[2]);
      throw error;
    }
  }

  #add(log: DarshanLog, source: string, runId: Identity, { synthetic = false, zone }: Besides): void {
    const { job } = log;
    const rows = this.#accesses;
    const first = rows.count;
    rows.beginLog();
    let partial = false;
    for (const entry of log.modules) {
      const { spec } = entry;
      if (spec === undefined) continue;
      if (spec.kind === "lustre") for (const block of log.records(entry)) rows.addLayouts(block);
      else if (hasRows(spec)) {
        const route = routeOf(spec);
        const before = rows.negative;
        for (const block of log.records(entry)) rows.addBlock(block, route);
        if (rows.negative > before) log.warn(negativeWarning(spec.name, rows.negative - before));
        partial ||= entry.partial;
      }
    }
    rows.endLog(Number(job.nprocs), partial);
    const program = /\S+/.exec(job.commandLine)?.[0] ?? "";
    const application = program.slice(program.lastIndexOf("/") + 1);
    let applicationId = this.#programs.get(application);
    if (applicationId === undefined) {
      applicationId = this.#options.identify(application);
      if (this.#programs.size < 100_000) this.#programs.set(application, applicationId);
    }
    const start = job.startSeconds * 1_000_000_000n + job.startNanoseconds;
    const end = job.endSeconds === 0n ? MISSING_I64 : job.endSeconds * 1_000_000_000n + job.endNanoseconds;
    for (let row = first; row < rows.count; row++) {
      rows.setRun(row, runId, applicationId, job.uid, start, end);
      this.#name(log, row);
    }
    this.#runs.push({
      runId,
      applicationId,
      source,
      application,
      start,
      end,
      clock: this.#clock(log),
      files: rows.count - first,
      bytesRead: rows.sum("bytes_read", first),
      bytesWritten: rows.sum("bytes_written", first),
      negative: rows.negative,
      synthetic,
      zone,
      log,
    });
  }

  #clock(log: DarshanLog): string {
    const { startSeconds, endSeconds, runTimeSeconds } = log.job;
    const [start, end] = [Number(startSeconds), Number(endSeconds)];
    const latest = this.#options.nowUnixSeconds + 86_400;
    if (start < EARLIEST_UNIX_SECONDS) return "too early";
    if (start > latest || end > latest) return "in the future";
    if (end === 0) return "no end";
    return end < start || runTimeSeconds < 0 ? "end before start" : "ok";
  }

  #name(log: DarshanLog, row: number): void {
    const rows = this.#accesses;
    const [low, high] = rows.fileId(row);
    const bytes = log.names.bytesOf(low, high);
    if (bytes === undefined) return;
    const mount = log.job.mountOf(bytes);
    rows.mounts[row] = mount?.path ?? null;
    rows.types[row] = mount?.type ?? null;
    this.#names.push(low, high, bytes, mount?.path ?? null, mount?.type ?? null);
  }

  /** Hands all rows to a sink and is empty again. */
  async flush(sink: RowSink): Promise<void> {
    if (this.#runs.count > 0) await sink.append(storedRuns, this.#runs.count, this.#runs.columns());
    if (this.#accesses.count > 0)
      await sink.append(storedAccesses, this.#accesses.count, this.#accesses.columns());
    if (this.#names.count > 0) await sink.append(storedFiles, this.#names.count, this.#names.columns());
    this.#runs.cutTo(0);
    this.#accesses.cutTo(0);
    this.#names.clear();
  }
}
