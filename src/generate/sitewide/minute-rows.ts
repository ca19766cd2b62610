/** Minutes of jobs on targets as rows of the store, and the sums of each target with what nobody's job did. */
import {
  type RowSink,
  storedMinutes,
  storedReadings,
  storedTargets,
  type TableSchema,
} from "../../model/index.ts";
import { put, putHalves, putMissing, TableBuffer } from "../reuse/index.ts";
import { JobKey } from "./job-rows.ts";
import { BINS_MAX } from "./plan.ts";
import { FILE_SYSTEM, QUARTZ, READING_SECOND } from "./scenario.ts";
import type { Site } from "./site.ts";
import type { MinuteSink } from "./spread.ts";
import {
  COUNTED_COLUMNS,
  MDT_COLUMNS,
  mdtCells,
  OST_COLUMNS,
  serverName,
  type TargetCells,
  targetNames,
  type TargetSums,
} from "./target-cells.ts";

/** From this many rows on they are handed over, between two jobs. */
const BATCH_ROWS = 16_384;
/** MDTs have counters of data too, for files that lie on them; OSTs have none of names. */
const DATA_COLUMNS = OST_COLUMNS.filter((name) => !name.endsWith("_usecs"));
const DATA_TIMES = OST_COLUMNS.filter((name) => name.endsWith("_usecs"));
/** What a table has and this site does not count. */
const uncounted = ({ columns }: TableSchema, counted: readonly string[]): Record<string, null> =>
  Object.fromEntries(
    columns.flatMap(({ name, type }) =>
      type !== "i64" || counted.includes(name) || name === "minute_unix" ? [] : [[name, null]],
    ),
  );

export class MinuteRows implements MinuteSink {
  rows = 0;
  readonly #sink: RowSink;
  readonly #buffer: TableBuffer;
  readonly #key = new JobKey();
  #jobId = "";
  #isKept = true;
  readonly #names: readonly string[];
  readonly #halves: Record<string, Uint32Array>;
  readonly #jobIds: (string | null)[];
  readonly #targets: (string | null)[];
  readonly #why: (string | null)[];

  constructor(site: Site, sink: RowSink) {
    this.#sink = sink;
    this.#names = targetNames(site);
    // Room for one job more, however long.
    this.#buffer = new TableBuffer(storedMinutes, BATCH_ROWS + BINS_MAX * (site.osts + 1), {
      constants: {
        ...{ file_system: FILE_SYSTEM, cluster: QUARTZ.name, node: null, seconds: 60 },
        ...uncounted(storedMinutes, COUNTED_COLUMNS),
      },
    });
    const names = ["job_key", "minute_unix", ...COUNTED_COLUMNS];
    this.#halves = Object.fromEntries(names.map((name) => [name, this.#buffer.halves(name)]));
    this.#jobIds = this.#buffer.texts("job_id");
    this.#targets = this.#buffer.texts("target");
    this.#why = this.#buffer.texts("why");
  }

  /** Rows of a job are counted, and kept if asked for. */
  begin(job: number, isKept: boolean): void {
    this.#isKept = isKept;
    this.#jobId = String(job);
    this.#key.of(this.#jobId);
  }

  ost(
    target: number,
    minute: number,
    read: number,
    written: number,
    reads: number,
    writes: number,
    begun: boolean,
    readUsecs: number,
    writeUsecs: number,
  ): void {
    this.rows++;
    if (!this.#isKept) return;
    const row = this.#row(target, minute, begun);
    const halves = this.#halves;
    put(halves.bytes_read as Uint32Array, row, read);
    put(halves.bytes_written as Uint32Array, row, written);
    put(halves.reads as Uint32Array, row, reads);
    put(halves.writes as Uint32Array, row, writes);
    put(halves.read_usecs as Uint32Array, row, readUsecs);
    put(halves.write_usecs as Uint32Array, row, writeUsecs);
    for (const name of MDT_COLUMNS) putMissing(halves[name] as Uint32Array, row);
  }

  mdt(
    target: number,
    minute: number,
    opens: number,
    closes: number,
    mknods: number,
    metadata: number,
    begun: boolean,
  ): void {
    this.rows++;
    if (!this.#isKept) return;
    const row = this.#row(target, minute, begun);
    const halves = this.#halves;
    const values = mdtCells(opens, closes, mknods, metadata);
    for (const [at, name] of MDT_COLUMNS.entries())
      put(halves[name] as Uint32Array, row, values[at] as number);
    for (const name of DATA_COLUMNS) put(halves[name] as Uint32Array, row, 0);
    for (const name of DATA_TIMES) putMissing(halves[name] as Uint32Array, row);
  }

  #row(target: number, minute: number, begun: boolean): number {
    const row = this.#buffer.rows++;
    putHalves(this.#halves.job_key as Uint32Array, row, this.#key.low, this.#key.high);
    put(this.#halves.minute_unix as Uint32Array, row, minute);
    this.#jobIds[row] = this.#jobId;
    this.#targets[row] = this.#names[target] as string;
    this.#why[row] = begun ? "begun" : null;
    return row;
  }

  /** Between two jobs. */
  async settle(last = false): Promise<void> {
    if (this.#buffer.rows < BATCH_ROWS && !last) return;
    await this.#buffer.flush(this.#sink);
  }
}

/** Rows of targets that are made at a time. */
export const RELEASE_MINUTES = 32;

export class TargetRows {
  rows = 0;
  readonly #sink: RowSink;
  readonly #site: Site;
  readonly #sums: TargetSums;
  readonly #buffer: TableBuffer;
  readonly #names: readonly string[];
  readonly #servers: readonly string[];

  constructor(site: Site, sink: RowSink, sums: TargetSums) {
    this.#site = site;
    this.#sink = sink;
    this.#sums = sums;
    this.#names = targetNames(site);
    this.#servers = this.#names.map((_, target) => serverName(site, target));
    this.#buffer = new TableBuffer(storedTargets, RELEASE_MINUTES * this.#names.length, {
      constants: {
        file_system: FILE_SYSTEM,
        seconds: 60,
        why: null,
        ...uncounted(storedTargets, COUNTED_COLUMNS),
      },
      missing: COUNTED_COLUMNS,
    });
  }

  /** Rows of all minutes before `minute`, at most `RELEASE_MINUTES` of them. `take` sees each, kept or not. */
  async release(
    minute: number,
    isKept: (minute: number) => boolean,
    take: (minute: number, target: number, cells: TargetCells, at: number) => void,
  ): Promise<void> {
    this.#sums.release(minute, (at, target, cells, cell) => {
      this.rows++;
      if (isKept(at)) this.#row(at, target, cells, cell);
      take(at, target, cells, cell);
    });
    await this.#buffer.flush(this.#sink);
  }

  #row(minute: number, target: number, cells: TargetCells, cell: number): void {
    const buffer = this.#buffer;
    const row = buffer.rows++;
    buffer.texts("target")[row] = this.#names[target] as string;
    buffer.texts("server")[row] = this.#servers[target] as string;
    put(buffer.halves("minute_unix"), row, minute);
    const names = target < this.#site.osts ? OST_COLUMNS : MDT_COLUMNS;
    for (const [i, name] of names.entries()) put(buffer.halves(name), row, cells[cell + i] as number);
  }
}

/** Rows of `readings`: all targets were read once a minute over the whole period, and none was missed. */
export async function appendReadings(
  site: Site,
  sink: RowSink,
  [from, to]: readonly [from: number, to: number],
): Promise<void> {
  const files = targetNames(site).flatMap((target, i) => {
    const server = serverName(site, i);
    const stats = i < site.osts ? "ost_stats" : "md_stats";
    return ["job_stats", stats].map((kind) => ({ target, kind, server }));
  });
  const readAt = (minute: number) => BigInt(60 * minute + READING_SECOND) * 1_000_000_000n;
  await sink.append(storedReadings, files.length, {
    file_system: { all: FILE_SYSTEM },
    target: files.map(({ target }) => target),
    kind: files.map(({ kind }) => kind),
    server: files.map(({ server }) => server),
    from_unix_ns: { all: readAt(from - 1) },
    to_unix_ns: { all: readAt(to - 1) },
    readings: { all: to - from },
    carried_in: { all: 0 },
    gaps: { all: 0 },
    dropped: { all: 0 },
    warnings: { all: null },
    synthetic: { all: 1 },
  });
}
