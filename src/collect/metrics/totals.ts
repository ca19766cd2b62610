/** Totals of targets and jobs since the start of this process, updated by the collector and shown on the page. */
import {
  type Deltas,
  type TableReading,
  decodeJobId,
  fileSystemOf,
  tableDelta,
} from "../../formats/lustre/index.ts";
import type { DeltaListener } from "../server/collector.ts";
import type { ServerStates } from "../server/states.ts";
import { type Labels, labelValue } from "./exposition.ts";
import { addDifference, addTime, noValues, OPERATIONS, TIMES, type Values } from "./operations.ts";
import type { PageReaders } from "./readers.ts";
import { ShownValues } from "./shown-values.ts";
import { TopJobs } from "./top-jobs.ts";

interface DiskSizes {
  before: TableReading | undefined;
  now: TableReading | undefined;
  readonly counts: Map<string, ShownValues>;
}

/** Bytes of an id without a job; a job may have any other text. */
const UNTRACKED = "";

export class MetricTotals implements DeltaListener {
  readonly readers: PageReaders;
  readonly #most: number;
  readonly #jobs = new Map<string, TopJobs>();
  readonly #targets = new Map<string, ShownValues>();
  readonly #disks = new Map<string, DiskSizes>();
  readonly #times = new Map<string, ShownValues>();
  #pending: { target: string; values: Values; times: Values }[] = [];
  /** Values of a job, reused for each one: new arrays would reach the old generation before garbage collection. */
  readonly #row = noValues();
  #read: ServerStates | undefined;
  /** States of the last sample that was stored. */
  latest: ServerStates | undefined;

  /** `most` jobs of each target are shown by name. */
  constructor(most: number, readers: PageReaders) {
    this.#most = most;
    this.readers = readers;
  }

  add({ reading, changed }: Deltas): void {
    const { target, table } = reading;
    if (reading.kind !== "job_stats") {
      const values = noValues();
      const times: Values = TIMES.map(() => 0n);
      for (let at = 0; at < changed.count; at++) {
        addDifference(values, changed, at, table);
        addTime(times, changed, at, table);
      }
      this.#pending.push({ target, values, times });
      return;
    }
    const jobs = this.#jobs.get(target) ?? new TopJobs(this.#most, this.readers);
    this.#jobs.set(target, jobs);
    for (let at = 0; at < changed.count; ) {
      const row = changed.row[at] as number;
      this.#row.fill(0n);
      for (; at < changed.count && changed.row[at] === row; at++)
        addDifference(this.#row, changed, at, table);
      jobs.add(labelValue(decodeJobId(reading.rawId(row))), this.#row);
    }
  }

  table(reading: TableReading): void {
    // The next complete reading covers this time too.
    if (reading.kind !== "brw_stats" || reading.brokenLines > 0) return;
    const disk = this.#disks.get(reading.target) ?? { before: undefined, now: undefined, counts: new Map() };
    this.#disks.set(reading.target, disk);
    disk.now = reading;
  }

  states(states: ServerStates): void {
    this.#read = states;
  }

  commit(): void {
    for (const series of [this.#targets, this.#times]) for (const shown of series.values()) shown.settle();
    for (const { target, values, times } of this.#pending) {
      this.#shown(this.#targets, target, OPERATIONS.length).add(values);
      // Releases without times have no such series.
      if (times.some((time) => time > 0n) || this.#times.has(target))
        this.#shown(this.#times, target, TIMES.length).add(times);
    }
    this.#pending = [];
    for (const jobs of this.#jobs.values()) jobs.commit();
    for (const disk of this.#disks.values()) this.#diskSizes(disk);
    this.latest = this.#read ?? this.latest;
    this.readers.samples++;
  }

  abort(): void {
    this.#pending = [];
    for (const jobs of this.#jobs.values()) jobs.abort();
    for (const disk of this.#disks.values()) disk.now = undefined;
  }

  #shown(series: Map<string, ShownValues>, key: string, length: number): ShownValues {
    const known = series.get(key) ?? new ShownValues(this.readers, length);
    series.set(key, known);
    return known;
  }

  #diskSizes(disk: DiskSizes): void {
    const { before, now, counts } = disk;
    for (const shown of counts.values()) shown.settle();
    if (now === undefined) return;
    for (const { name, sides, rows } of before === undefined ? [] : tableDelta(before, now).sections) {
      if (name !== "disk I/O size") continue;
      for (const { bucket, counts: grown } of rows)
        for (const [i, count] of grown.entries()) {
          const key = `${sides[i] ?? ""}\n${bucket}`;
          if (count > 0n) this.#shown(counts, key, 1).add([count]);
        }
    }
    disk.before = now;
    disk.now = undefined;
  }

  /** Labels and values of all targets: over all clients, and over all jobs. */
  targets(): [Labels, Values][] {
    return sorted(this.#targets).map(([target, { values }]) => [targetLabels(target), values]);
  }

  /** Times of targets in microseconds, for targets that count them. */
  times(): [Labels, Values][] {
    return sorted(this.#times).map(([target, { values }]) => [targetLabels(target), values]);
  }

  jobTotals(): [Labels, Values][] {
    return sorted(this.#jobs).map(([target, { total }]) => [targetLabels(target), total]);
  }

  /**
   * `kind` tells the others and I/O without a job from jobs, whatever those are called. (`job` is a label of Prometheus itself.)
   */
  jobs(): [Labels, Values][] {
    const found: [Labels, Values][] = [];
    for (const [target, { shown, others }] of sorted(this.#jobs)) {
      for (const [job, values] of shown) {
        const kind = job === UNTRACKED ? "untracked" : "job";
        found.push([{ ...targetLabels(target), jobid: job === UNTRACKED ? "untracked" : job, kind }, values]);
      }
      found.push([{ ...targetLabels(target), jobid: "others", kind: "others" }, others]);
    }
    return found;
  }

  diskSizes(): [Labels, bigint][] {
    const found: [Labels, bigint][] = [];
    for (const [target, { counts }] of sorted(this.#disks))
      for (const [key, { values }] of sorted(counts)) {
        const [side = "", size = ""] = key.split("\n");
        found.push([{ ...targetLabels(target), side, size }, values[0] as bigint]);
      }
    return found;
  }
}

export const targetLabels = (target: string): Labels => {
  const fileSystem = fileSystemOf(target);
  const name = fileSystem === "" ? target : target.slice(fileSystem.length + 1);
  return { file_system: fileSystem, target: name };
};

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
