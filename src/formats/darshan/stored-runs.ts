/** Logs as rows of `runs`, and names as rows of `files`, in a store. */
import { GrowingIntegers } from "../../base/growing.ts";
import type { ColumnSource } from "../../model/index.ts";
import type { ModuleEntry } from "./header.ts";
import { decode } from "./job.ts";
import type { DarshanLog } from "./log.ts";
import { type Identity, type Text, unsigned } from "./stored-columns.ts";

interface RunValues {
  readonly runId: Identity;
  readonly applicationId: Identity;
  readonly source: string;
  readonly application: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly clock: string;
  readonly files: number;
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  /** Counters and times that were left out. */
  readonly negative: number;
  /** Its folder says so. */
  readonly synthetic: boolean;
  /** Of the site, unless the log says it. */
  readonly zone: string | undefined;
  readonly log: DarshanLog;
}

export class RunColumns {
  count = 0;
  readonly #ids = new GrowingIntegers(0n);
  readonly #applicationIds = new GrowingIntegers(0n);
  readonly #numbers: Record<
    | "user_id"
    | "ranks"
    | "start_unix_ns"
    | "end_unix_ns"
    | "files"
    | "bytes_read"
    | "bytes_written"
    | "negative_counters",
    bigint[]
  > = {
    user_id: [],
    ranks: [],
    start_unix_ns: [],
    end_unix_ns: [],
    files: [],
    bytes_read: [],
    bytes_written: [],
    negative_counters: [],
  };
  readonly #seconds: number[] = [];
  readonly #synthetic: number[] = [];
  readonly #texts: Record<
    | "source"
    | "job_id"
    | "application"
    | "command_line"
    | "clock"
    | "log_version"
    | "library_version"
    | "modules"
    | "partial_modules"
    | "warnings"
    | "zone",
    Text[]
  > = {
    source: [],
    job_id: [],
    application: [],
    command_line: [],
    clock: [],
    log_version: [],
    library_version: [],
    modules: [],
    partial_modules: [],
    warnings: [],
    zone: [],
  };

  push(values: RunValues): void {
    const { job, header } = values.log;
    const at = this.count++;
    this.#ids.reach(this.count);
    this.#applicationIds.reach(this.count);
    this.#ids.set(at, values.runId.low, values.runId.high);
    this.#applicationIds.set(at, values.applicationId.low, values.applicationId.high);
    const numbers = this.#numbers;
    numbers.user_id.push(job.uid);
    numbers.ranks.push(job.nprocs);
    numbers.start_unix_ns.push(values.start);
    numbers.end_unix_ns.push(values.end);
    numbers.files.push(BigInt(values.files));
    numbers.bytes_read.push(values.bytesRead);
    numbers.bytes_written.push(values.bytesWritten);
    numbers.negative_counters.push(BigInt(values.negative));
    this.#synthetic.push(job.isSynthetic || values.synthetic ? 1 : 0);
    this.#seconds.push(job.endSeconds === 0n ? Number.NaN : job.runTimeSeconds);
    const names = (entries: readonly ModuleEntry[]) => entries.map(({ name }) => name).join(" ");
    const texts = this.#texts;
    texts.source.push(values.source);
    texts.job_id.push(String(job.jobId));
    texts.application.push(values.application);
    texts.command_line.push(job.commandLine);
    texts.clock.push(values.clock);
    texts.log_version.push(header.version);
    texts.library_version.push(job.metadata.find(([key]) => key === "lib_ver")?.[1] ?? null);
    texts.modules.push(names(values.log.modules.filter(({ region }) => region.length > 0)));
    texts.partial_modules.push(names(values.log.modules.filter(({ partial }) => partial)));
    texts.zone.push(job.zone ?? values.zone ?? null);
    texts.warnings.push(
      [...values.log.warnings, ...values.log.damage.map(({ message }) => message)].join("\n"),
    );
  }

  cutTo(count: number): void {
    for (const list of [
      ...Object.values(this.#numbers),
      ...Object.values(this.#texts),
      this.#seconds,
      this.#synthetic,
    ])
      list.length = count;
    this.count = count;
  }

  columns(): Record<string, ColumnSource> {
    return {
      run_id: unsigned(this.#ids),
      application_id: unsigned(this.#applicationIds),
      ...Object.fromEntries(
        Object.entries(this.#numbers).map(([name, list]) => [name, BigInt64Array.from(list)]),
      ),
      synthetic: Uint8Array.from(this.#synthetic),
      run_seconds: Float64Array.from(this.#seconds),
      ...this.#texts,
    };
  }
}

/** Names of files, each once until `clear`. */
export class NameColumns {
  count = 0;
  readonly #ids = new GrowingIntegers(0n);
  readonly #paths: Text[] = [];
  readonly #mounts: Text[] = [];
  readonly #types: Text[] = [];
  readonly #known = new Set<bigint>();

  push(low: number, high: number, bytes: Uint8Array, mount: Text, type: Text): void {
    const id = (BigInt(high) << 32n) | BigInt(low);
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const at = this.count++;
    this.#ids.reach(this.count);
    this.#ids.set(at, low, high);
    this.#paths.push(decode(bytes));
    this.#mounts.push(mount);
    this.#types.push(type);
  }

  cutTo(count: number): void {
    for (let at = count; at < this.count; at++)
      this.#known.delete(BigInt.asUintN(64, this.#ids.values[at] as bigint));
    for (const list of [this.#paths, this.#mounts, this.#types]) list.length = count;
    this.count = count;
  }

  clear(): void {
    this.cutTo(0);
    this.#known.clear();
  }

  columns(): Record<string, ColumnSource> {
    return { file_id: unsigned(this.#ids), path: this.#paths, mount: this.#mounts, fs_type: this.#types };
  }
}
