/** The truth as rows of a store: what reading the logs would give, without making them. */
import { Random } from "../../base/prng.ts";
import { LOW } from "../../base/words.ts";
import {
  type Column,
  type ColumnSource,
  MISSING_I64,
  type RowSink,
  storedAccesses,
  storedFiles,
  storedRuns,
  type TableSchema,
} from "../../model/index.ts";
import { AccessCounters, sizeClass, type Transfers } from "./counters.ts";
import { jobId, LIBRARY_VERSION, logPath, mountOf, STRIPE_BYTES, userId } from "./identity.ts";
import type { Population } from "./population.ts";
import {
  type AccessTruth,
  type FileTruth,
  type Group,
  LAYERS,
  MPIIO,
  type RunTruth,
  STDIO,
} from "./truth.ts";

/** Of any table; texts that wait longer than this are copied by every small garbage collection. */
export const BATCH_ROWS = 16_384;
const TWO_32 = 4294967296;
/** Run ids have a stream of their own; kinds of runs are below it. */
const RUN_ID_STREAM = 100;

/** Columns of one table until they are handed over. */
class TableBuffer {
  rows = 0;
  readonly #schema: TableSchema;
  readonly #columns: Record<string, ColumnSource>;
  readonly #halves = new Map<string, Uint32Array>();
  readonly #missing: BigInt64Array[] = [];

  /** `constants`: columns with one value for all rows. */
  constructor(schema: TableSchema, capacity: number, constants: Readonly<Record<string, string | null>>) {
    this.#schema = schema;
    this.#columns = {};
    for (const { name, type } of schema.columns) {
      if (name in constants) this.#columns[name] = { all: constants[name] as string | null };
      else this.#columns[name] = this.#allocate(name, type, capacity);
    }
    this.#clear();
  }

  #allocate(name: string, type: Column["type"], capacity: number): ColumnSource {
    switch (type) {
      case "text":
        return new Array<string | null>(capacity).fill(null);
      case "f64":
        return new Float64Array(capacity);
      case "flag":
        return new Uint8Array(capacity);
      case "i32":
        return new Int32Array(capacity);
      default: {
        const words = type === "u64" ? new BigUint64Array(capacity) : new BigInt64Array(capacity);
        this.#halves.set(name, new Uint32Array(words.buffer));
        if (words instanceof BigInt64Array) this.#missing.push(words);
        return words;
      }
    }
  }

  /** The two halves of each value of a 64-bit column. */
  halves(name: string): Uint32Array {
    return this.#halves.get(name) as Uint32Array;
  }

  reals(name: string): Float64Array {
    return this.#columns[name] as Float64Array;
  }

  flags(name: string): Uint8Array {
    return this.#columns[name] as Uint8Array;
  }

  texts(name: string): (string | null)[] {
    return this.#columns[name] as (string | null)[];
  }

  async flush(sink: RowSink): Promise<void> {
    if (this.rows === 0) return;
    await sink.append(this.#schema, this.rows, this.#columns);
    this.#clear();
  }

  #clear(): void {
    this.rows = 0;
    for (const column of this.#missing) column.fill(MISSING_I64);
  }
}

/** A whole number from 0 to 2^53. */
function put(halves: Uint32Array, row: number, value: number): void {
  const high = Math.floor(value / TWO_32);
  halves[2 * row + LOW] = value - high * TWO_32;
  halves[2 * row + 1 - LOW] = high;
}

function putHalves(halves: Uint32Array, row: number, low: number, high: number): void {
  halves[2 * row + LOW] = low;
  halves[2 * row + 1 - LOW] = high;
}

function putApplication(halves: Uint32Array, row: number, ids: Uint32Array, application: number): void {
  putHalves(halves, row, ids[2 * application] as number, ids[2 * application + 1] as number);
}

/** Milliseconds since the Epoch as nanoseconds: beyond 2^53, so in two steps. */
function putNanoseconds(halves: Uint32Array, row: number, milliseconds: number): void {
  const upper = Math.floor(milliseconds / 65536) * 1e6;
  const lower = (milliseconds % 65536) * 1e6;
  const upperHigh = Math.floor(upper / 65536);
  const low = (upper - upperHigh * 65536) * 65536 + lower;
  const carry = Math.floor(low / TWO_32);
  halves[2 * row + LOW] = low - carry * TWO_32;
  halves[2 * row + 1 - LOW] = upperHigh + carry;
}

export class TableEmitter {
  readonly #population: Population;
  readonly #sink: RowSink;
  readonly #capacity: number;
  readonly #runs: RunRows;
  readonly #accesses: AccessRows;
  readonly #files: FileRows;
  readonly #random = new Random(0);
  /** Rows of all tables so far. */
  rows = 0;

  constructor(population: Population, sink: RowSink, batchRows = BATCH_ROWS) {
    this.#population = population;
    this.#sink = sink;
    this.#capacity = batchRows;
    const ids = Uint32Array.from(population.applications.flatMap(({ id }) => halvesOf(id)));
    this.#runs = new RunRows(batchRows, population, ids);
    this.#accesses = new AccessRows(batchRows, ids);
    this.#files = new FileRows(batchRows);
  }

  async add({ runs, files }: Group): Promise<void> {
    const { seed } = this.#population.options;
    for (const run of runs) {
      if (this.#runs.buffer.rows === this.#capacity) await this.#runs.buffer.flush(this.#sink);
      // Without a log there is no hash of it: a number of the run instead.
      this.#random.restart(seed, RUN_ID_STREAM + run.kind, run.number);
      const low = this.#random.bits();
      const high = this.#random.bits();
      this.#runs.add(run, low, high);
      for (const access of run.accesses) {
        if (this.#accesses.buffer.rows === this.#capacity) await this.#accesses.buffer.flush(this.#sink);
        this.#accesses.add(access, low, high);
      }
      this.rows += 1 + run.accesses.length;
    }
    for (const file of files) {
      if (this.#files.buffer.rows === this.#capacity) await this.#files.buffer.flush(this.#sink);
      this.#files.add(file);
    }
    this.rows += files.length;
  }

  async end(): Promise<void> {
    await this.#runs.buffer.flush(this.#sink);
    await this.#accesses.buffer.flush(this.#sink);
    await this.#files.buffer.flush(this.#sink);
  }
}

function halvesOf(id: bigint): [low: number, high: number] {
  return [Number(id & 0xffffffffn), Number(id >> 32n)];
}

class RunRows {
  readonly buffer: TableBuffer;
  readonly #population: Population;
  readonly #applicationIds: Uint32Array;
  readonly #integers: Record<(typeof RUN_INTEGERS)[number], Uint32Array>;
  readonly #texts: Record<(typeof RUN_TEXTS)[number], (string | null)[]>;
  readonly #seconds: Float64Array;

  constructor(capacity: number, population: Population, applicationIds: Uint32Array) {
    this.#population = population;
    this.#applicationIds = applicationIds;
    this.buffer = new TableBuffer(storedRuns, capacity, {
      clock: "ok",
      log_version: "3.41",
      library_version: LIBRARY_VERSION,
      partial_modules: "",
      warnings: "",
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
    putHalves(integers.run_id, row, low, high);
    putApplication(integers.application_id, row, this.#applicationIds, run.application);
    texts.source[row] = logPath(run, this.#population);
    texts.job_id[row] = String(jobId(run));
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

/** A column for each name. */
function byName<Name extends string, Column>(
  names: readonly Name[],
  column: (name: Name) => Column,
): Record<Name, Column> {
  return Object.fromEntries(names.map((name) => [name, column(name)])) as Record<Name, Column>;
}

/** Names of modules by their bits, in the order of a header. */
const MODULES = Array.from({ length: 16 }, (_, bits) =>
  ["POSIX", "MPI-IO", "LUSTRE", "STDIO"].filter((_, bit) => ((bits >> bit) & 1) === 1).join(" "),
);

const SIZES = (way: "read" | "write") =>
  storedAccesses.columns.map(({ name }) => name).filter((name) => name.startsWith(`size_${way}_`));

class AccessRows {
  readonly buffer: TableBuffer;
  readonly #applicationIds: Uint32Array;
  readonly #counters = new AccessCounters();
  readonly #sizes: { readonly read: readonly Uint32Array[]; readonly write: readonly Uint32Array[] };
  readonly #columns: Record<(typeof ACCESS_INTEGERS)[number], Uint32Array>;
  readonly #reals: Record<(typeof ACCESS_REALS)[number], Float64Array>;
  readonly #texts: Record<(typeof ACCESS_TEXTS)[number], (string | null)[]>;
  readonly #shared: Uint8Array;

  constructor(capacity: number, applicationIds: Uint32Array) {
    this.#applicationIds = applicationIds;
    this.buffer = new TableBuffer(storedAccesses, capacity, {});
    const halves = (name: string) => this.buffer.halves(name);
    this.#sizes = { read: SIZES("read").map(halves), write: SIZES("write").map(halves) };
    this.#columns = byName(ACCESS_INTEGERS, halves);
    this.#reals = byName(ACCESS_REALS, (name) => this.buffer.reals(name));
    this.#texts = byName(ACCESS_TEXTS, (name) => this.buffer.texts(name));
    this.#shared = this.buffer.flags("shared");
  }

  add(access: AccessTruth, low: number, high: number): void {
    const { run, file } = access;
    const columns = this.#columns;
    const texts = this.#texts;
    const row = this.buffer.rows++;
    const counters = this.#counters.of(access);
    putHalves(columns.run_id, row, low, high);
    putHalves(columns.file_id, row, file.idLow, file.idHigh);
    putApplication(columns.application_id, row, this.#applicationIds, run.application);
    put(columns.user_id, row, userId(run.user));
    putNanoseconds(columns.start_unix_ns, row, run.start * 1000);
    putNanoseconds(columns.end_unix_ns, row, run.start * 1000 + run.durationMs);
    const mount = mountOf(file);
    texts.mount[row] = mount.path;
    texts.fs_type[row] = mount.type;
    texts.layer[row] = LAYERS[access.layer];
    texts.osts[row] = file.ostText;
    put(columns.ranks, row, counters.ioRanks);
    this.#shared[row] = counters.shared ? 1 : 0;
    put(columns.bytes_read, row, access.bytesRead);
    put(columns.bytes_written, row, access.bytesWritten);
    put(columns.opens, row, counters.opens);
    put(columns.reads, row, counters.reads.calls);
    put(columns.writes, row, counters.writes.calls);
    put(columns.seeks, row, 0);
    put(columns.syncs, row, 0);
    if (access.layer !== STDIO) this.#posix(row, counters);
    if (access.layer === MPIIO) {
      put(columns.mpiio_bytes_read, row, access.bytesRead);
      put(columns.mpiio_bytes_written, row, access.bytesWritten);
      put(columns.mpiio_collective, row, counters.collective);
      put(columns.mpiio_independent, row, counters.independent);
    }
    const reals = this.#reals;
    reals.read_seconds[row] = counters.readSeconds;
    reals.write_seconds[row] = counters.writeSeconds;
    reals.meta_seconds[row] = counters.metaSeconds;
    reals.slowest_seconds[row] = counters.slowestSeconds;
    reals.fastest_seconds[row] = counters.fastestSeconds;
    reals.variance_seconds[row] = counters.varianceSeconds;
    reals.variance_bytes[row] = counters.varianceBytes;
    if (file.osts.length > 0) {
      put(columns.stripe_count, row, file.osts.length);
      put(columns.stripe_bytes, row, STRIPE_BYTES);
    }
  }

  #posix(row: number, { opens, reads, writes }: AccessCounters): void {
    const columns = this.#columns;
    put(columns.stats, row, opens);
    put(columns.sequential_reads, row, reads.sequential);
    put(columns.sequential_writes, row, writes.sequential);
    put(columns.consecutive_reads, row, reads.sequential);
    put(columns.consecutive_writes, row, writes.sequential);
    put(columns.not_aligned, row, 0);
    putSizes(this.#sizes.read, row, reads);
    putSizes(this.#sizes.write, row, writes);
  }
}

function putSizes(
  columns: readonly Uint32Array[],
  row: number,
  { full, transferBytes, restBytes }: Transfers,
) {
  const large = full > 0 ? sizeClass(transferBytes) : -1;
  const small = restBytes > 0 ? sizeClass(restBytes) : -1;
  for (let at = 0; at < columns.length; at++) {
    put(columns[at] as Uint32Array, row, (at === large ? full : 0) + (at === small ? 1 : 0));
  }
}

const ACCESS_INTEGERS = [
  "run_id",
  "file_id",
  "application_id",
  "user_id",
  "start_unix_ns",
  "end_unix_ns",
  "ranks",
  "bytes_read",
  "bytes_written",
  "opens",
  "reads",
  "writes",
  "seeks",
  "stats",
  "syncs",
  "sequential_reads",
  "sequential_writes",
  "consecutive_reads",
  "consecutive_writes",
  "not_aligned",
  "mpiio_bytes_read",
  "mpiio_bytes_written",
  "mpiio_collective",
  "mpiio_independent",
  "stripe_count",
  "stripe_bytes",
] as const;

const ACCESS_REALS = [
  "read_seconds",
  "write_seconds",
  "meta_seconds",
  "slowest_seconds",
  "fastest_seconds",
  "variance_seconds",
  "variance_bytes",
] as const;

const ACCESS_TEXTS = ["mount", "fs_type", "layer", "osts"] as const;

class FileRows {
  readonly buffer: TableBuffer;

  constructor(capacity: number) {
    this.buffer = new TableBuffer(storedFiles, capacity, {});
  }

  add(file: FileTruth): void {
    const { buffer } = this;
    const row = buffer.rows++;
    putHalves(buffer.halves("file_id"), row, file.idLow, file.idHigh);
    const mount = mountOf(file);
    buffer.texts("path")[row] = file.path;
    buffer.texts("mount")[row] = mount.path;
    buffer.texts("fs_type")[row] = mount.type;
  }
}
