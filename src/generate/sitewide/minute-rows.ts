/** Minutes of jobs on targets as rows of the store, and the sums of each target with what nobody's job did. */
import { Random } from "../../base/prng.ts";
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
import { type Site, STREAM, targetName } from "./site.ts";
import type { MinuteSink } from "./spread.ts";

/** From this many rows on they are handed over, between two jobs. */
const BATCH_ROWS = 16_384;
const OST_COLUMNS = ["bytes_read", "bytes_written", "reads", "writes"] as const;
const MDT_COLUMNS = ["opens", "closes", "mknods", "metadata_calls"] as const;
const QUANTITIES = [...OST_COLUMNS, ...MDT_COLUMNS];
const TIMES = ["read_usecs", "write_usecs"] as const;
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
        ...uncounted(storedMinutes, [...QUANTITIES, ...TIMES]),
      },
    });
    const names = ["job_key", "minute_unix", ...QUANTITIES, ...TIMES];
    this.#halves = Object.fromEntries(names.map((name) => [name, this.#buffer.halves(name)]));
    this.#jobIds = this.#buffer.texts("job_id");
    this.#targets = this.#buffer.texts("target");
    this.#why = this.#buffer.texts("why");
  }

  begin(job: number): void {
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
    const row = this.#row(target, minute, begun);
    const halves = this.#halves;
    put(halves.opens as Uint32Array, row, opens);
    put(halves.closes as Uint32Array, row, closes);
    put(halves.mknods as Uint32Array, row, mknods);
    put(halves.metadata_calls as Uint32Array, row, metadata);
    // MDTs have counters of data too, for files that lie on them; OSTs have none of names.
    for (const name of OST_COLUMNS) put(halves[name] as Uint32Array, row, 0);
    for (const name of TIMES) putMissing(halves[name] as Uint32Array, row);
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
    this.rows += this.#buffer.rows;
    await this.#buffer.flush(this.#sink);
  }
}

function targetNames(site: Site): readonly string[] {
  return Array.from({ length: site.osts + site.mdtWeights.length }, (_, i) => targetName(site, i));
}

/** Servers have eight OSTs or two MDTs each. */
export function serverName(site: Pick<Site, "osts">, target: number): string {
  const isMdt = target >= site.osts;
  return isMdt ? `mds${Math.floor((target - site.osts) / 2)}` : `oss${Math.floor(target / 8)}`;
}

/** Minutes that are kept until no later job can reach them: a day, for jobs come in the order of their starts. */
const KEPT = 2048;

/** What each target did in each minute: the sum of jobs, and logins and services beside them. */
export class TargetSums implements MinuteSink {
  rows = 0;
  readonly #site: Site;
  readonly #targets: number;
  readonly #cells: Float64Array;
  #from: number;

  constructor(site: Site, firstMinute: number) {
    this.#site = site;
    this.#targets = site.osts + site.mdtWeights.length;
    this.#cells = new Float64Array(KEPT * this.#targets * 4);
    this.#from = firstMinute;
  }

  ost(target: number, minute: number, read: number, written: number, reads: number, writes: number): void {
    this.#add(target, minute, read, written, reads, writes);
  }

  mdt(target: number, minute: number, opens: number, closes: number, mknods: number, metadata: number): void {
    this.#add(target, minute, opens, closes, mknods, metadata);
  }

  #add(target: number, minute: number, a: number, b: number, c: number, d: number): void {
    const cells = this.#cells;
    const at = ((minute % KEPT) * this.#targets + target) * 4;
    cells[at] = (cells[at] as number) + a;
    cells[at + 1] = (cells[at + 1] as number) + b;
    cells[at + 2] = (cells[at + 2] as number) + c;
    cells[at + 3] = (cells[at + 3] as number) + d;
  }

  /** Hands out and forgets the minutes before `minute`: `take` gets four numbers for each target. */
  release(
    minute: number,
    take: (minute: number, target: number, cells: Float64Array, at: number) => void,
  ): void {
    const random = new Random(0);
    for (; this.#from < minute; this.#from++) {
      random.restart(this.#site.options.seed, STREAM.background, this.#from);
      for (let target = 0; target < this.#targets; target++) {
        const at = ((this.#from % KEPT) * this.#targets + target) * 4;
        this.#background(target, at, random);
        take(this.#from, target, this.#cells, at);
        this.#cells.fill(0, at, at + 4);
      }
    }
  }

  #background(target: number, at: number, random: Random): void {
    const cells = this.#cells;
    const add = (place: number, value: number) => {
      cells[at + place] = (cells[at + place] as number) + value;
    };
    if (target < this.#site.osts) {
      const reads = random.below(8);
      const writes = random.below(4);
      add(0, reads * 65_536);
      add(1, writes * 65_536);
      add(2, reads);
      add(3, writes);
    } else {
      const opens = random.below(30);
      const closes = Math.floor(opens * 0.98);
      add(0, opens);
      add(1, closes);
      add(3, opens + closes + 60);
    }
  }
}

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
    this.#buffer = new TableBuffer(storedTargets, 64 * this.#names.length, {
      constants: {
        file_system: FILE_SYSTEM,
        seconds: 60,
        why: null,
        ...uncounted(storedTargets, QUANTITIES),
      },
      missing: QUANTITIES,
    });
  }

  /** Rows of all minutes before `minute`, some of them at a time. */
  async release(from: number, minute: number): Promise<void> {
    for (let to = from; to < minute; ) {
      to = Math.min(minute, to + 32);
      this.#sums.release(to, (at, target, cells, cell) => this.#row(at, target, cells, cell));
      this.rows += this.#buffer.rows;
      await this.#buffer.flush(this.#sink);
    }
  }

  #row(minute: number, target: number, cells: Float64Array, cell: number): void {
    const buffer = this.#buffer;
    const row = buffer.rows++;
    buffer.texts("target")[row] = this.#names[target] as string;
    buffer.texts("server")[row] = this.#servers[target] as string;
    put(buffer.halves("minute_unix"), row, minute);
    const names = target < this.#site.osts ? OST_COLUMNS : MDT_COLUMNS;
    for (let i = 0; i < 4; i++) put(buffer.halves(names[i] as string), row, cells[cell + i] as number);
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
