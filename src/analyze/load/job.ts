/** One job: facts, load by minute, targets, neighbours, Darshan logs. */
import { CLIENT_CALL_COLUMNS, type Queryable, type SqlRow, joinedWarnings } from "../../model/index.ts";
import type { Period } from "../study/common/periods.ts";
import { LATE_MINUTES } from "../study/common/run-minutes.ts";
import { exact, number, quoted, shareOf, text } from "./amounts.ts";
import {
  classOf,
  type EfficiencyClass,
  type EfficiencyOptions,
  type Limits,
  limitsOf,
  WRITE_CLASS_DEFAULTS,
} from "./efficiency.ts";
import { byCluster, type ClusterPart } from "./job-clusters.ts";
import { totalsOf } from "./totals.ts";
import { type MountUse, mountsOf } from "./job-mounts.ts";
import { type Counters, countersOf, type MinuteRow, minutesOf } from "./job-minutes.ts";
import { added, insideOf, type Part, placed, type Span } from "./job-runs.ts";
import { type Neighbour, neighboursOf } from "./neighbours.ts";
import { type Burst, burstsOf, type IoShare, ioShareOf, type Minute, periodOf } from "./series.ts";
import { userFacts, userLabels } from "./users.ts";

export interface JobFacts {
  readonly jobId: string;
  readonly cluster: string | null;
  readonly user: string | null;
  readonly account: string | null;
  readonly partition: string | null;
  readonly name: string | null;
  readonly state: string | null;
  readonly nodes: number | null;
  readonly cpus: number | null;
  readonly nodeMemoryBytes: number | null;
  readonly submitUnix: number | null;
  readonly startUnix: number | null;
  readonly endUnix: number | null;
  readonly warnings: string | null;
}

interface TargetUse extends Counters {
  readonly fileSystem: string | null;
  readonly target: string;
  readonly minutes: number;
}

interface DarshanRun {
  readonly runId: string;
  readonly source: string | null;
  readonly application: string | null;
  /** User id from the log. */
  readonly userId: string | null;
  readonly ranks: number | null;
  readonly startUnix: number | null;
  readonly seconds: number | null;
  readonly bytesRead: bigint | null;
  readonly bytesWritten: bigint | null;
}

export interface JobRun {
  readonly facts: JobFacts;
  /** Client counters; null: not recorded. */
  readonly clients: Counters | null;
  /** Server counters in its minutes; null: no rows. */
  readonly servers: Counters | null;
  /** Server counters by minute; by hour or day if minutes were pruned. */
  readonly series: readonly Minute[];
  /** Minutes per entry of the series; above 1, bursts, period, share and neighbours are unknown. */
  readonly spanMinutes: number;
  /**
   * Minutes of the series before the start of the run or too long after its end: included in the sums, not in bursts,
   * period and share of I/O.
   */
  readonly minutesOutside: number;
  readonly bursts: readonly Burst[];
  readonly largestBurst: Burst | null;
  /** Share of the memory of all nodes. */
  readonly largestBurstOfMemory: number;
  readonly memoryBytes: number;
  readonly period: Period | null;
  /** Null if the run time is unknown or contains no minute. */
  readonly ioShare: IoShare | null;
  readonly efficiency: EfficiencyClass;
  readonly bytesPerWrite: number;
  readonly limits: Limits;
  readonly targets: readonly TargetUse[];
  /** By file system, from client counters; empty: not recorded. */
  readonly mounts: readonly MountUse[];
  readonly neighbours: readonly Neighbour[];
  readonly neighboursTotal: number;
  readonly darshan: readonly DarshanRun[];
  /** Bytes recorded by Darshan as a share of server (else client) counters. */
  readonly darshanReadShare: number;
  readonly darshanWrittenShare: number;
}

export interface JobAnswer {
  readonly jobId: string;
  readonly options: EfficiencyOptions & { readonly maxGapMinutes: number; readonly lateMinutes: number };
  readonly runs: readonly JobRun[];
  /** Clusters with this job id. */
  readonly clusters: readonly string[];
  /** Server counters in minutes with an ambiguous cluster: two had such a job then, or none; null: nothing. */
  readonly unclear: (Counters & { readonly minutes: number }) | null;
}

interface JobOptions extends EfficiencyOptions {
  readonly maxGapMinutes: number;
  /** Minutes up to this many after the end of a run count in its last one. */
  readonly lateMinutes: number;
  /** Number of neighbours; 0: not computed. */
  readonly neighbours: number;
  /** Source of precomputed limits; otherwise they are computed per run. */
  readonly limits?: typeof limitsOf;
  /** Only the job of this cluster. */
  readonly cluster?: string | undefined;
}

/** Default options. */
export const JOB_DEFAULTS = {
  population: WRITE_CLASS_DEFAULTS.population,
  perCall: WRITE_CLASS_DEFAULTS.perCall,
  threshold: WRITE_CLASS_DEFAULTS.threshold,
  maxGapMinutes: 0,
  lateMinutes: LATE_MINUTES,
  neighbours: 10,
} as const satisfies JobOptions;

/** All runs with this id; none: not in the store. */
export async function jobAnswer(db: Queryable, jobId: string, options: JobOptions): Promise<JobAnswer> {
  const is = `job_id = ${quoted(jobId)}`;
  const known = await db.rows(`select * from ${totalsOf(db, is)} order by start_unix_ns nulls last`);
  const minutes = await minutesOf(db, is);
  const darshan = await darshanOf(db, is);
  const { clusters, parts, unclear } = byCluster(known, minutes, options.lateMinutes);
  const placed = runsOf(parts, darshan).filter(
    ({ cluster }) => options.cluster === undefined || clusters.length === 0 || cluster === options.cluster,
  );
  const users = await userLabels(
    db,
    placed.map(({ row, cluster }) => ({ ...userFacts(row ?? {}), cluster, jobId })),
  );
  const runs: JobRun[] = [];
  for (const [at, one] of placed.entries()) {
    const facts = { ...factsOf(jobId, one.row, users[at] ?? null), cluster: one.cluster };
    runs.push(await runOf(db, facts, one, options));
  }
  const { population, perCall, threshold, maxGapMinutes, lateMinutes } = options;
  return {
    jobId,
    options: { population, perCall, threshold, maxGapMinutes, lateMinutes },
    runs,
    clusters,
    unclear: unclear.length === 0 ? null : { ...sumOf(unclear), minutes: seriesOf(unclear).length },
  };
}

/** Facts of a run, before its numbers. */
interface PlacedRun {
  readonly row: SqlRow | undefined;
  readonly cluster: string | null;
  readonly span: Span | null;
  readonly part: Part<MinuteRow, DarshanRun>;
}

/** The runs of all clusters in order of start. Logs name no cluster, so each belongs to the nearest run of its user. */
function runsOf(parts: readonly ClusterPart<MinuteRow>[], darshan: readonly DarshanRun[]): PlacedRun[] {
  const runs = parts.flatMap(({ cluster, rows, minutes }) => {
    const isSeen = rows.length > 0 || minutes.length > 0 || (parts.length === 1 && darshan.length > 0);
    const all: readonly (SqlRow | undefined)[] = rows.length > 0 ? rows : isSeen ? [undefined] : [];
    return placed(all, minutes, []).map(({ span, part }, at) => ({ row: all[at], cluster, span, part }));
  });
  runs.sort((a, b) => startOf(a) - startOf(b));
  const logs = placed(
    runs.map(({ row }) => row),
    [],
    darshan,
  );
  return runs.map((run, at) => ({
    ...run,
    part: { minutes: run.part.minutes as readonly MinuteRow[], darshan: logs[at]?.part.darshan ?? [] },
  }));
}

const startOf = ({ row }: { readonly row: SqlRow | undefined }): number =>
  secondsOf(row?.start_unix_ns) ?? Number.MAX_VALUE;

async function darshanOf(db: Queryable, is: string): Promise<DarshanRun[]> {
  const rows =
    await db.rows(`select run_id, source, application, user_id, ranks, start_unix_ns, run_seconds, bytes_read, bytes_written
    from runs where ${is} order by start_unix_ns nulls last, run_id`);
  return rows.map((row) => ({
    runId: String(row.run_id),
    source: text(row.source),
    application: text(row.application),
    userId: numberText(row.user_id),
    ranks: row.ranks === null ? null : number(row.ranks),
    startUnix: secondsOf(row.start_unix_ns),
    seconds: row.run_seconds === null ? null : number(row.run_seconds),
    bytesRead: row.bytes_read === null ? null : exact(row.bytes_read),
    bytesWritten: row.bytes_written === null ? null : exact(row.bytes_written),
  }));
}

const numberText = (value: SqlRow[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value);
const secondsOf = (ns: SqlRow[string] | undefined): number | null =>
  ns === null || ns === undefined ? null : Number(ns) / 1e9;

async function runOf(
  db: Queryable,
  facts: JobFacts,
  { row, cluster, span, part: { minutes, darshan } }: PlacedRun,
  options: JobOptions,
): Promise<JobRun> {
  const series = seriesOf(minutes);
  const spanMinutes = minutes.reduce((most, one) => Math.max(most, one.spanMinutes), 1);
  const placed = insideOf(series, span, options.lateMinutes);
  const { inside, outside } = spanMinutes > 1 ? { inside: [], outside: 0 } : placed;
  const clients = row === undefined || row.bytes_written === null ? null : clientCounters(row);
  const servers = minutes.length === 0 ? null : sumOf(minutes);
  const bursts = burstsOf(inside, options.maxGapMinutes);
  const largest = bursts.reduce<Burst | null>(
    (most, one) => (most === null || one.bytes > most.bytes ? one : most),
    null,
  );
  const memoryBytes = (facts.nodeMemoryBytes ?? Number.NaN) * (facts.nodes ?? Number.NaN);
  const limits = await (options.limits ?? limitsOf)(db, facts.cluster, options);
  const counted = clients ?? servers;
  const written = counted === null ? Number.NaN : Number(counted.bytesWritten);
  const calls = counted === null ? Number.NaN : Number(counted.writeCalls);
  const others =
    servers === null || spanMinutes > 1 || options.neighbours === 0
      ? { rows: [], total: 0 }
      : await neighboursOf(db, { jobId: facts.jobId, cluster }, series, options.neighbours);
  const recorded = servers ?? clients;
  const total = (side: "bytesRead" | "bytesWritten") =>
    darshan.length === 0 || recorded === null
      ? Number.NaN
      : shareOf(
          darshan.reduce((sum, one) => sum + (one[side] ?? 0n), 0n),
          recorded[side],
        );
  return {
    facts,
    clients,
    servers,
    series,
    spanMinutes,
    minutesOutside: outside,
    bursts,
    largestBurst: largest,
    // A job without writes has no burst: 0 % (B14).
    largestBurstOfMemory: inside.length === 0 ? Number.NaN : Number(largest?.bytes ?? 0n) / memoryBytes,
    memoryBytes,
    period: periodIn(inside, span),
    ioShare:
      span === null || span.last === null || inside.length === 0
        ? null
        : ioShareOf(inside, span.last - span.first + 1),
    efficiency: classOf(written, calls, limits),
    bytesPerWrite: written / calls,
    limits,
    targets: usesOf(minutes),
    mounts: await mountsOf(db, facts),
    neighbours: others.rows,
    neighboursTotal: others.total,
    darshan,
    darshanReadShare: total("bytesRead"),
    darshanWrittenShare: total("bytesWritten"),
  };
}

/** Over the run; over the recorded minutes if its times are unknown. */
function periodIn(inside: readonly Minute[], span: Span | null): Period | null {
  const [first, last] = [span?.first ?? inside[0]?.minuteUnix, span?.last ?? inside.at(-1)?.minuteUnix];
  return first === undefined || last === undefined ? null : periodOf(inside, first, last + 1);
}

function factsOf(jobId: string, row: SqlRow | undefined, user: string | null): JobFacts {
  const count = (name: string) => (row === undefined || row[name] === null ? null : number(row[name]));
  const word = (name: string) => (row === undefined ? null : text(row[name]));
  const warnings = word("warnings");
  return {
    jobId,
    cluster: word("cluster"),
    user,
    account: word("account"),
    partition: word("partition"),
    name: word("name"),
    state: word("state"),
    nodes: count("nodes"),
    cpus: count("cpus"),
    nodeMemoryBytes: count("node_memory_bytes"),
    submitUnix: secondsOf(row?.submit_unix_ns),
    startUnix: secondsOf(row?.start_unix_ns),
    endUnix: secondsOf(row?.end_unix_ns),
    warnings: warnings === null ? null : joinedWarnings(warnings, word("node_warnings") ?? "").join("\n"),
  };
}

const clientCounters = (row: SqlRow): Counters => ({
  ...countersOf(row),
  metadataCalls: CLIENT_CALL_COLUMNS.reduce((sum, name) => sum + exact(row[name]), 0n),
});

const ZERO: Counters = { bytesRead: 0n, bytesWritten: 0n, readCalls: 0n, writeCalls: 0n, metadataCalls: 0n };
const sumOf = (rows: readonly MinuteRow[]): Counters => rows.reduce<Counters>(added, ZERO);

function seriesOf(minutes: readonly MinuteRow[]): Minute[] {
  const series = new Map<number, Minute>();
  for (const row of minutes)
    series.set(
      row.minuteUnix,
      added(series.get(row.minuteUnix) ?? { minuteUnix: row.minuteUnix, ...ZERO }, row),
    );
  return [...series.values()].sort((a, b) => a.minuteUnix - b.minuteUnix);
}

function usesOf(minutes: readonly MinuteRow[]): TargetUse[] {
  const uses = new Map<string, TargetUse>();
  for (const row of minutes) {
    const { fileSystem, target } = row;
    const key = `${fileSystem}/${target}`;
    const use = uses.get(key) ?? { fileSystem, target, minutes: 0, ...ZERO };
    uses.set(key, { ...added(use, row), minutes: use.minutes + 1 });
  }
  const weight = (one: Counters) => one.bytesRead + one.bytesWritten;
  return [...uses.values()].sort((a, b) => {
    const [x, y] = [weight(a), weight(b)];
    return x !== y
      ? x < y
        ? 1
        : -1
      : Number(b.metadataCalls - a.metadataCalls) || (a.target < b.target ? -1 : 1);
  });
}
