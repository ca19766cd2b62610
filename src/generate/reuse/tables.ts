/** The truth as rows of a store: what reading the logs would give, without making them. */
import { Random } from "../../base/prng.ts";
import { type RowSink, storedFiles, storedRuns } from "../../model/index.ts";
import { AccessRows } from "./access-rows.ts";
import { ZONE } from "./calendar.ts";
import { LIBRARY_VERSION, LogNames, mountOf, userId } from "./identity.ts";
import type { Population } from "./population.ts";
import { byName, put, putHalves, putNanoseconds, TableBuffer } from "./table-buffer.ts";
import { type FileTruth, type Group, MPIIO, type RunTruth, STDIO } from "./truth.ts";

/** Of any table; texts that wait longer than this are copied by every small garbage collection. */
const BATCH_ROWS = 4096;
/** A call for fewer costs more than its rows. */
const MIN_ROWS = 512;
/** Run ids have a stream of their own; kinds of runs are below it. */
const RUN_ID_STREAM = 100;

/** Rows into one sink, or into one for each bucket (store/bucket.ts): of runs by their ids, of files and accesses by those of files. */
export class TableEmitter {
  readonly #population: Population;
  readonly #sinks: readonly RowSink[];
  readonly #runs: readonly RunRows[];
  readonly #accesses: readonly AccessRows[];
  readonly #files: readonly FileRows[];
  readonly #random = new Random(0);
  /** Rows of all tables so far. */
  rows = 0;

  constructor(population: Population, sinks: RowSink | readonly RowSink[], batchRows = BATCH_ROWS) {
    this.#population = population;
    this.#sinks = [sinks].flat();
    const ids = Uint32Array.from(population.applications.flatMap(({ id }) => halvesOf(id)));
    const rows = Math.max(Math.min(MIN_ROWS, batchRows), Math.floor(batchRows / this.#sinks.length));
    this.#runs = this.#sinks.map(() => new RunRows(rows, population, ids));
    this.#accesses = this.#sinks.map(() => new AccessRows(rows, ids));
    this.#files = this.#sinks.map(() => new FileRows(rows));
  }

  async add({ runs, files }: Group): Promise<void> {
    const { seed } = this.#population.options;
    for (const run of runs) {
      // Without a log there is no hash of it: a number of the run instead.
      this.#random.restart(seed, RUN_ID_STREAM + run.kind, run.number);
      const low = this.#random.bits();
      const high = this.#random.bits();
      const at = this.#bucketOf(low, high);
      const rows = this.#runs[at] as RunRows;
      if (rows.buffer.isFull) await this.#flush(rows, at);
      rows.add(run, low, high);
      for (const access of run.accesses) {
        const at = this.#bucketOf(access.file.idLow, access.file.idHigh);
        const rows = this.#accesses[at] as AccessRows;
        if (rows.buffer.isFull) await this.#flush(rows, at);
        rows.add(access, low, high);
      }
      this.rows += 1 + run.accesses.length;
    }
    for (const file of files) {
      const at = this.#bucketOf(file.idLow, file.idHigh);
      const rows = this.#files[at] as FileRows;
      if (rows.buffer.isFull) await this.#flush(rows, at);
      rows.add(file);
    }
    this.rows += files.length;
  }

  async end(): Promise<void> {
    for (const tables of [this.#runs, this.#accesses, this.#files])
      for (const [at, rows] of tables.entries()) await this.#flush(rows, at);
  }

  #flush({ buffer }: { readonly buffer: TableBuffer }, at: number): Promise<void> {
    return buffer.flush(this.#sinks[at] as RowSink);
  }

  /** The remainder of an id. */
  #bucketOf(low: number, high: number): number {
    const { length } = this.#sinks;
    return length === 1 ? 0 : ((high % length) * (2 ** 32 % length) + (low % length)) % length;
  }
}

function halvesOf(id: bigint): [low: number, high: number] {
  return [Number(id & 0xffffffffn), Number(id >> 32n)];
}

const RUN_INTEGERS = [
  "run_id",
  "application_id",
  "user_id",
  "ranks",
  "start_unix_ns",
  "end_unix_ns",
  "files",
  "bytes_read",
  "bytes_written",
] as const;
const RUN_TEXTS = ["source", "job_id", "application", "command_line", "modules"] as const;

/** Names of modules by their bits, in the order of a header. */
const MODULES = Array.from({ length: 16 }, (_, bits) =>
  ["POSIX", "MPI-IO", "LUSTRE", "STDIO"].filter((_, bit) => ((bits >> bit) & 1) === 1).join(" "),
);

class RunRows {
  readonly buffer: TableBuffer;
  readonly #population: Population;
  readonly #names: LogNames;
  readonly #applicationIds: Uint32Array;
  readonly #integers: Record<(typeof RUN_INTEGERS)[number], Uint32Array>;
  readonly #texts: Record<(typeof RUN_TEXTS)[number], (string | null)[]>;
  readonly #seconds: Float64Array;

  constructor(capacity: number, population: Population, applicationIds: Uint32Array) {
    this.#population = population;
    this.#names = new LogNames(population);
    this.#applicationIds = applicationIds;
    this.buffer = new TableBuffer(storedRuns, capacity, {
      constants: {
        clock: "ok",
        log_version: "3.41",
        library_version: LIBRARY_VERSION,
        partial_modules: "",
        warnings: "",
        negative_counters: 0n,
        synthetic: 1,
        zone: ZONE,
      },
    });
    this.#integers = byName(RUN_INTEGERS, (name) => this.buffer.halves(name));
    this.#texts = byName(RUN_TEXTS, (name) => this.buffer.texts(name));
    this.#seconds = this.buffer.reals("run_seconds");
  }

  add(run: RunTruth, low: number, high: number): void {
    const row = this.buffer.rows++;
    const application = this.#population.applications[run.application];
    const integers = this.#integers;
    const texts = this.#texts;
    const ids = this.#applicationIds;
    putHalves(integers.run_id, row, low, high);
    putHalves(
      integers.application_id,
      row,
      ids[2 * run.application] as number,
      ids[2 * run.application + 1] as number,
    );
    texts.source[row] = this.#names.path(run);
    texts.job_id[row] = this.#names.jobId;
    texts.application[row] = application?.name as string;
    texts.command_line[row] = application?.commandLine as string;
    put(integers.user_id, row, userId(run.user));
    put(integers.ranks, row, run.ranks);
    putNanoseconds(integers.start_unix_ns, row, run.start * 1000);
    putNanoseconds(integers.end_unix_ns, row, run.start * 1000 + run.durationMs);
    this.#seconds[row] = (run.durationMs * 1e6) / 1e9;
    let read = 0;
    let written = 0;
    let modules = 0;
    for (const access of run.accesses) {
      read += access.bytesRead;
      written += access.bytesWritten;
      modules |= access.layer === STDIO ? 8 : access.layer === MPIIO ? 3 : 1;
      if (access.file.osts.length > 0) modules |= 4;
    }
    put(integers.files, row, run.accesses.length);
    put(integers.bytes_read, row, read);
    put(integers.bytes_written, row, written);
    texts.modules[row] = MODULES[modules] as string;
  }
}

class FileRows {
  readonly buffer: TableBuffer;
  readonly #ids: Uint32Array;
  readonly #paths: (string | null)[];
  readonly #mounts: (string | null)[];
  readonly #types: (string | null)[];

  constructor(capacity: number) {
    this.buffer = new TableBuffer(storedFiles, capacity, {});
    this.#ids = this.buffer.halves("file_id");
    this.#paths = this.buffer.texts("path");
    this.#mounts = this.buffer.texts("mount");
    this.#types = this.buffer.texts("fs_type");
  }

  add(file: FileTruth): void {
    const row = this.buffer.rows++;
    putHalves(this.#ids, row, file.idLow, file.idHigh);
    const mount = mountOf(file);
    this.#paths[row] = file.path;
    this.#mounts[row] = mount.path;
    this.#types[row] = mount.type;
  }
}
