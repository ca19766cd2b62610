/** Records of a log as rows of `accesses` in a store: counters of each module added to the columns that they belong to. */
import { withRoom } from "../../base/room.ts";
import { GrowingIntegers, GrowingReals } from "../../base/growing.ts";
import { variance } from "../../base/statistics.ts";
import { LOW, wordNumber } from "../../base/words.ts";
import { type ColumnSource, MISSING_I64 } from "../../model/index.ts";
import type { RecordBlock } from "./blocks.ts";
import { isTime, knownOsts, knownSeconds, timeOf, varianceOf } from "./known-values.ts";
import { COMPONENT_WORDS } from "./modules/index.ts";
import { type Identity, type Text, unsigned } from "./stored-columns.ts";
import { INTEGERS, integerAt, REALS, realAt, type Route } from "./stored-routes.ts";

/** Bits of a row beside those of its modules: bytes of which layer it has. */
const POSIX_BYTES = 16;
const STDIO_BYTES = 32;

export class FileRunColumns {
  count = 0;
  /** Of the log that is being read: negative counters and times, left out. */
  negative = 0;
  readonly #runIds = new GrowingIntegers(0n);
  readonly #fileIds = new GrowingIntegers(0n);
  readonly #applicationIds = new GrowingIntegers(0n);
  readonly #integers = INTEGERS.map(() => new GrowingIntegers(MISSING_I64));
  readonly #reals = REALS.map(() => new GrowingReals(Number.NaN));
  #shared = new Uint8Array(16);
  #partial = new Uint8Array(16);
  readonly mounts: Text[] = [];
  readonly types: Text[] = [];
  readonly #osts: Text[] = [];
  readonly #layers: Text[] = [];
  /** Of the log that is being read: which modules a row has, and where a file's row is. */
  readonly #bits: number[] = [];
  readonly #rowOf = new Map<bigint, number>();
  #first = 0;
  /** Records of single ranks: row, rank, seconds, bytes; and, per row, how many ranks of MPI-IO. */
  readonly #rankRows: number[] = [];
  readonly #mpiRanks: number[] = [];
  readonly #layouts: { id: bigint; count: bigint; bytes: bigint; osts: string }[] = [];

  beginLog(): void {
    this.#first = this.count;
    this.negative = 0;
    this.#rowOf.clear();
    this.#rankRows.length = 0;
    this.#layouts.length = 0;
  }

  addBlock(block: RecordBlock, route: Route): void {
    if (block.header) return;
    const { u32, f64, i64 } = block.views;
    const { sums } = route;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      const row = this.#row(block, at);
      for (let s = 0; s < sums.length; s += 2) {
        const word = at + (sums[s + 1] as number);
        // Negative is "not available".
        if (((u32[2 * word + 1 - LOW] as number) | 0) >= 0)
          (this.#integers[sums[s] as number] as GrowingIntegers).add(row, u32, word);
        else if (i64[word] !== -1n) this.negative++;
      }
      const rank = wordNumber(u32, at + 1);
      const local = row - this.#first;
      this.#bits[local] = (this.#bits[local] as number) | route.bit;
      if (route.bit === 8) {
        if (rank < 0) this.#mpiRanks[local] = -1;
        else if ((this.#mpiRanks[local] as number) >= 0)
          this.#mpiRanks[local] = (this.#mpiRanks[local] as number) + 1;
        continue;
      }
      const [read, write, meta] = [
        f64[at + route.readTime] as number,
        f64[at + route.writeTime] as number,
        f64[at + route.metaTime] as number,
      ];
      const bytes =
        Math.max(0, wordNumber(u32, at + route.bytesRead)) +
        Math.max(0, wordNumber(u32, at + route.bytesWritten));
      if (bytes > 0)
        this.#bits[local] = (this.#bits[local] as number) | (route.bit === 2 ? STDIO_BYTES : POSIX_BYTES);
      this.#addReal("read_seconds", row, read);
      this.#addReal("write_seconds", row, write);
      this.#addReal("meta_seconds", row, meta);
      if (rank >= 0) {
        this.#rankRows.push(row, rank, knownSeconds(read, write, meta), bytes);
        continue;
      }
      // A file may be shared in two layers; the one with more time speaks for it.
      const slowest = timeOf(f64[at + route.slowestTime]);
      const before = this.#shared[row] === 1 ? this.#real("slowest_seconds", row) : Number.NaN;
      if (this.#shared[row] === 1 && (Number.isNaN(slowest) || slowest <= before)) continue;
      this.#shared[row] = 1;
      this.#setReal("slowest_seconds", row, slowest);
      const fastest = timeOf(f64[at + route.fastestTime]);
      this.#setReal("fastest_seconds", row, fastest);
      // Of times that are known to be wrong nothing can be told.
      const spreadKnown = route.varianceTime >= 0 && !Number.isNaN(slowest + fastest);
      this.#setReal(
        "variance_seconds",
        row,
        spreadKnown ? varianceOf(f64[at + route.varianceTime]) : Number.NaN,
      );
      this.#setReal(
        "variance_bytes",
        row,
        route.varianceBytes < 0 ? Number.NaN : varianceOf(f64[at + route.varianceBytes]),
      );
    }
  }

  addLayouts(block: RecordBlock): void {
    const { i64, u64 } = block.views;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      const components = Number(i64[at + 2]);
      const ostsAt = at + 4 + COMPONENT_WORDS * components;
      const osts = knownOsts(i64.subarray(ostsAt, ostsAt + Number(i64[at + 3])));
      this.#layouts.push({
        id: u64[at] as bigint,
        bytes: components > 0 ? (i64[at + 4] as bigint) : MISSING_I64,
        count: components > 0 ? (i64[at + 5] as bigint) : MISSING_I64,
        osts,
      });
    }
  }

  /** All records have been seen: what depends on several of them. */
  endLog(nprocs: number, partial: boolean): void {
    for (const { id, count, bytes, osts } of this.#layouts) {
      const row = this.#rowOf.get(id);
      if (row === undefined) continue;
      this.#integer("stripe_count").values[row] = count;
      this.#integer("stripe_bytes").values[row] = bytes;
      this.#osts[row] = osts === "" ? null : osts;
    }
    this.#spreads();
    const ranks = this.#integer("ranks").values;
    for (let row = this.#first; row < this.count; row++) {
      const local = row - this.#first;
      const bits = this.#bits[local] as number;
      this.#layers[row] = layerOf(bits);
      this.#partial[row] = partial ? 1 : 0;
      // A file known from MPI-IO alone has no times below it.
      if (bits === 8) {
        const shared = this.#mpiRanks[local] === -1;
        this.#shared[row] = shared ? 1 : 0;
        ranks[row] = BigInt(shared ? nprocs : (this.#mpiRanks[local] as number));
      } else if (this.#shared[row] === 1) ranks[row] = BigInt(nprocs);
    }
  }

  /** Extremes and spread over the ranks of files that were not reduced. */
  #spreads(): void {
    const list = this.#rankRows;
    if (list.length === 0) return;
    const byRow = new Map<number, Map<number, { seconds: number; bytes: number }>>();
    for (let i = 0; i < list.length; i += 4) {
      const row = list[i] as number;
      if (this.#shared[row] === 1) continue;
      let ranks = byRow.get(row);
      if (ranks === undefined) byRow.set(row, (ranks = new Map()));
      const rank = ranks.get(list[i + 1] as number);
      if (rank === undefined)
        ranks.set(list[i + 1] as number, { seconds: list[i + 2] as number, bytes: list[i + 3] as number });
      else {
        rank.seconds = knownSeconds(rank.seconds, list[i + 2] as number);
        rank.bytes += list[i + 3] as number;
      }
    }
    for (const [row, ranks] of byRow) {
      const values = [...ranks.values()];
      this.#integer("ranks").values[row] = BigInt(values.length);
      const times = values.map(({ seconds }) => seconds).filter((seconds) => !Number.isNaN(seconds));
      if (times.length > 0) {
        this.#setReal(
          "slowest_seconds",
          row,
          times.reduce((most, seconds) => Math.max(most, seconds)),
        );
        this.#setReal(
          "fastest_seconds",
          row,
          times.reduce((least, seconds) => Math.min(least, seconds)),
        );
        this.#setReal("variance_seconds", row, variance(times));
      }
      this.#setReal("variance_bytes", row, variance(values.map(({ bytes }) => bytes)));
    }
  }

  #row(block: RecordBlock, at: number): number {
    const { u64, u32 } = block.views;
    const id = u64[at] as bigint;
    const known = this.#rowOf.get(id);
    if (known !== undefined) return known;
    const row = this.count++;
    this.#rowOf.set(id, row);
    this.#reach();
    this.#fileIds.set(row, u32[2 * at + LOW] as number, u32[2 * at + 1 - LOW] as number);
    this.mounts[row] = null;
    this.types[row] = null;
    this.#osts[row] = null;
    this.#layers[row] = null;
    this.#shared[row] = 0;
    this.#bits[row - this.#first] = 0;
    this.#mpiRanks[row - this.#first] = 0;
    return row;
  }

  #reach(): void {
    // All columns begin with the same room and grow alike.
    if (this.count <= this.#shared.length) return;
    this.#shared = withRoom(this.#shared, 2 * this.#shared.length);
    this.#partial = withRoom(this.#partial, 2 * this.#partial.length);
    for (const column of [
      this.#runIds,
      this.#fileIds,
      this.#applicationIds,
      ...this.#integers,
      ...this.#reals,
    ])
      column.reach(this.#shared.length);
  }

  setRun(
    row: number,
    runId: Identity,
    applicationId: Identity,
    user: bigint,
    start: bigint,
    end: bigint,
  ): void {
    this.#runIds.set(row, runId.low, runId.high);
    this.#applicationIds.set(row, applicationId.low, applicationId.high);
    this.#integer("user_id").values[row] = user;
    this.#integer("start_unix_ns").values[row] = start;
    this.#integer("end_unix_ns").values[row] = end;
  }

  fileId(row: number): [low: number, high: number] {
    const { halves } = this.#fileIds;
    return [halves[2 * row + LOW] as number, halves[2 * row + 1 - LOW] as number];
  }

  /** Sum of a column from row `first` on; what is missing adds nothing. */
  sum(column: string, first: number): bigint {
    const { values } = this.#integer(column);
    let sum = 0n;
    for (let row = first; row < this.count; row++)
      if ((values[row] as bigint) > 0n) sum += values[row] as bigint;
    return sum;
  }

  #integer(name: string): GrowingIntegers {
    return this.#integers[integerAt.get(name) as number] as GrowingIntegers;
  }

  #real(name: string, row: number): number {
    return this.#reals[realAt.get(name) as number]?.values[row] as number;
  }

  #setReal(name: string, row: number, value: number): void {
    (this.#reals[realAt.get(name) as number] as GrowingReals).values[row] = value;
  }

  #addReal(name: string, row: number, value: number): void {
    // A clock that ran backwards says nothing.
    if (!isTime(value)) {
      this.negative++;
      return;
    }
    (this.#reals[realAt.get(name) as number] as GrowingReals).add(row, value);
  }

  cutTo(count: number): void {
    for (const column of this.#integers) column.clear(count, this.count);
    for (const column of this.#reals) column.clear(count, this.count);
    this.count = count;
    for (const list of [this.mounts, this.types, this.#osts, this.#layers]) list.length = count;
  }

  columns(): Record<string, ColumnSource> {
    return {
      run_id: unsigned(this.#runIds),
      file_id: unsigned(this.#fileIds),
      application_id: unsigned(this.#applicationIds),
      mount: this.mounts,
      fs_type: this.types,
      layer: this.#layers,
      osts: this.#osts,
      shared: this.#shared,
      partial: this.#partial,
      ...Object.fromEntries(
        INTEGERS.map((name, index) => [name, this.#integers[index]?.values as ColumnSource]),
      ),
      ...Object.fromEntries(REALS.map((name, index) => [name, this.#reals[index]?.values as ColumnSource])),
    };
  }
}

/** MPI-IO when it has such a record, STDIO when only STDIO moved bytes, else what is below. */
function layerOf(bits: number): string {
  if ((bits & 8) !== 0) return "MPI-IO";
  if ((bits & 2) !== 0 && ((bits & 1) === 0 || ((bits & STDIO_BYTES) !== 0 && (bits & POSIX_BYTES) === 0)))
    return "STDIO";
  return (bits & 1) !== 0 ? "POSIX" : "DFS";
}
