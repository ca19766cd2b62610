/** Rows of `accesses`. */
import { storedAccesses } from "../../model/index.ts";
import { AccessCounters, sizeClass, type Transfers } from "./counters.ts";
import { mountOf, STRIPE_BYTES, userId } from "./identity.ts";
import { byName, put, putHalves, putMissing, putNanoseconds, TableBuffer } from "./table-buffer.ts";
import { type AccessTruth, LAYERS, MPIIO, STDIO } from "./truth.ts";

const INTEGERS = [
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
  "stats",
  "sequential_reads",
  "sequential_writes",
  "consecutive_reads",
  "consecutive_writes",
  "mpiio_bytes_read",
  "mpiio_bytes_written",
  "mpiio_collective",
  "mpiio_independent",
  "stripe_count",
  "stripe_bytes",
] as const;

const REALS = [
  "read_seconds",
  "write_seconds",
  "meta_seconds",
  "slowest_seconds",
  "fastest_seconds",
  "variance_seconds",
  "variance_bytes",
] as const;

const TEXTS = ["mount", "fs_type", "layer", "osts"] as const;

const sizes = (way: "read" | "write") =>
  storedAccesses.columns.map(({ name }) => name).filter((name) => name.startsWith(`size_${way}_`));
/** Only some accesses have these. */
const MISSING = [
  "mpiio_bytes_read",
  "mpiio_bytes_written",
  "mpiio_collective",
  "mpiio_independent",
  "stripe_count",
  "stripe_bytes",
];
/** Nearly always 0 where POSIX counts them; STDIO does not. */
const MOSTLY_ZERO = [...sizes("read"), ...sizes("write"), "not_aligned"];

export class AccessRows {
  readonly buffer: TableBuffer;
  readonly #applicationIds: Uint32Array;
  readonly #counters = new AccessCounters();
  readonly #sizes: { readonly read: readonly Uint32Array[]; readonly write: readonly Uint32Array[] };
  readonly #integers: Record<(typeof INTEGERS)[number], Uint32Array>;
  readonly #posixOnly: readonly Uint32Array[];
  readonly #reals: Record<(typeof REALS)[number], Float64Array>;
  readonly #texts: Record<(typeof TEXTS)[number], (string | null)[]>;
  readonly #shared: Uint8Array;

  /** `applicationIds`: halves of the id of each application. */
  constructor(capacity: number, applicationIds: Uint32Array) {
    this.#applicationIds = applicationIds;
    const constants = { seeks: 0, syncs: 0, partial: 0 };
    this.buffer = new TableBuffer(storedAccesses, capacity, {
      constants,
      missing: MISSING,
      zero: MOSTLY_ZERO,
    });
    const halves = (name: string) => this.buffer.halves(name);
    this.#sizes = { read: sizes("read").map(halves), write: sizes("write").map(halves) };
    this.#integers = byName(INTEGERS, halves);
    const posixOnly = [
      "stats",
      "sequential_reads",
      "sequential_writes",
      "consecutive_reads",
      "consecutive_writes",
    ];
    this.#posixOnly = [...posixOnly, ...MOSTLY_ZERO].map(halves);
    this.#reals = byName(REALS, (name) => this.buffer.reals(name));
    this.#texts = byName(TEXTS, (name) => this.buffer.texts(name));
    this.#shared = this.buffer.flags("shared");
  }

  /** `low` and `high`: halves of the run's id. */
  add(access: AccessTruth, low: number, high: number): void {
    const { run, file } = access;
    const integers = this.#integers;
    const texts = this.#texts;
    const ids = this.#applicationIds;
    const row = this.buffer.rows++;
    const counters = this.#counters.of(access);
    putHalves(integers.run_id, row, low, high);
    putHalves(integers.file_id, row, file.idLow, file.idHigh);
    putHalves(
      integers.application_id,
      row,
      ids[2 * run.application] as number,
      ids[2 * run.application + 1] as number,
    );
    put(integers.user_id, row, userId(run.user));
    putNanoseconds(integers.start_unix_ns, row, run.start * 1000);
    putNanoseconds(integers.end_unix_ns, row, run.start * 1000 + run.durationMs);
    const mount = mountOf(file);
    texts.mount[row] = mount.path;
    texts.fs_type[row] = mount.type;
    texts.layer[row] = LAYERS[access.layer];
    texts.osts[row] = file.ostText;
    put(integers.ranks, row, counters.ioRanks);
    this.#shared[row] = counters.shared ? 1 : 0;
    put(integers.bytes_read, row, access.bytesRead);
    put(integers.bytes_written, row, access.bytesWritten);
    put(integers.opens, row, counters.opens);
    put(integers.reads, row, counters.reads.calls);
    put(integers.writes, row, counters.writes.calls);
    if (access.layer === STDIO) for (const column of this.#posixOnly) putMissing(column, row);
    else this.#posix(row, counters);
    if (access.layer === MPIIO) {
      put(integers.mpiio_bytes_read, row, access.bytesRead);
      put(integers.mpiio_bytes_written, row, access.bytesWritten);
      put(integers.mpiio_collective, row, counters.collective);
      put(integers.mpiio_independent, row, counters.independent);
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
      put(integers.stripe_count, row, file.osts.length);
      put(integers.stripe_bytes, row, STRIPE_BYTES);
    }
  }

  #posix(row: number, { opens, reads, writes }: AccessCounters): void {
    const integers = this.#integers;
    put(integers.stats, row, opens);
    put(integers.sequential_reads, row, reads.sequential);
    put(integers.sequential_writes, row, writes.sequential);
    put(integers.consecutive_reads, row, reads.sequential);
    put(integers.consecutive_writes, row, writes.sequential);
    putSizes(this.#sizes.read, row, reads);
    putSizes(this.#sizes.write, row, writes);
  }
}

/** Calls of the transfer size, and one of the rest, which may be of the same class. */
function putSizes(
  columns: readonly Uint32Array[],
  row: number,
  { full, transferBytes, restBytes }: Transfers,
): void {
  const large = full > 0 ? sizeClass(transferBytes) : -1;
  const small = restBytes > 0 ? sizeClass(restBytes) : -1;
  if (large >= 0) put(columns[large] as Uint32Array, row, full + (large === small ? 1 : 0));
  if (small >= 0 && small !== large) put(columns[small] as Uint32Array, row, 1);
}
