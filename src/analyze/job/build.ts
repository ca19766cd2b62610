/** Puts a job together: rows of the tables, and what the streams gathered while logs were read. */
import { assert } from "../../base/assert.ts";
import { ExactSums } from "../../base/exact-sums.ts";
import {
  type CallSink,
  type HeatRow,
  type MpiRow,
  Operation,
  type RouterRow,
  type Streams,
  type Table,
  type Tables,
  type Trace,
} from "../../model/index.ts";
import { type Activity, activityOfTrace, HeatBuilder } from "./activity.ts";
import { ioTimes } from "./io-times.ts";
import { Ledger } from "./cost/ledger.ts";
import { heatPath } from "./cost/heat-path.ts";
import { tracedPath } from "./cost/traced-path.ts";
import { factsOf } from "./facts.ts";
import { type Folder, folderTree } from "./folder-tree.ts";
import type { AppliedFilter, Job, RankLoad, RunFacts } from "./job.ts";
import { jobFiles, MOVING_LAYERS } from "./job-files.ts";
import { MpiTimes } from "./mpi.ts";
import { NetworkCounts } from "./network.ts";
import { ostLoads } from "./osts.ts";
import { type LayerRecord, layerRecords } from "./records.ts";
import type { RunPlace } from "./run-places.ts";
import { type CallNaming, RunCalls, SoundCalls } from "./run-calls.ts";
import { type SpanProcess, SpanTimes } from "./spans.ts";
import { traceSpans } from "./trace-spans.ts";
import { type TraceFacts, TraceFactsBuilder } from "./trace-facts.ts";
import type { PictureOptions } from "./kept-calls.ts";
import { TracePicture } from "./trace-picture.ts";

/** A run before it is read in full: what places it among the runs of its job. */
export interface RunSpan {
  readonly runId: string;
  readonly ranks: number;
  /** Numbers of ranks lie below it; `ranks` unless given. */
  readonly rankEnd?: number;
  readonly startUnixSeconds: number;
  /** NaN when the log does not say. */
  readonly runSeconds: number;
  /** Its processes are not ranks of MPI. */
  readonly isApart?: boolean;
  /** The input says that calls are missing. */
  readonly isIncomplete?: boolean;
  /** Whether the input tells reads from writes; it does unless it says otherwise. */
  readonly hasDirections?: boolean;
  /** Who they are, by rank, where the input says it. */
  readonly processes?: readonly SpanProcess[];
}

/** One job may have several logs: ranks are numbered on from log to log, times count from the first start. */
interface Placing {
  readonly places: ReadonlyMap<string, RunPlace>;
  readonly ranks: number;
  readonly rankEnd: number;
  readonly startUnixSeconds: number;
  readonly seconds: number;
  readonly hasRanks: boolean;
  readonly isIncomplete: boolean;
  readonly hasDirections: boolean;
}

function placing(spans: readonly RunSpan[]): Placing {
  const startUnixSeconds = spans.reduce(
    (least, span) => Math.min(least, span.startUnixSeconds),
    Number.POSITIVE_INFINITY,
  );
  const places = new Map<string, RunPlace>();
  let [ranks, rankEnd] = [0, 0];
  let seconds = Number.NaN;
  for (const span of spans) {
    const shiftSeconds = span.startUnixSeconds - startUnixSeconds;
    places.set(span.runId, { rankBase: rankEnd, shiftSeconds });
    // Whatever the job record says, at least one process wrote the log.
    ranks += Math.max(1, span.ranks);
    rankEnd += Math.max(1, span.rankEnd ?? span.ranks);
    const end = shiftSeconds + span.runSeconds;
    if (!(seconds >= end) && !Number.isNaN(end)) seconds = end;
  }
  return {
    places,
    ...{ ranks, rankEnd, startUnixSeconds, seconds },
    hasRanks: spans.every(({ isApart }) => isApart !== true),
    isIncomplete: spans.some((span) => span.isIncomplete === true),
    hasDirections: spans.every(({ hasDirections }) => hasDirections !== false),
  };
}

/** Listens while logs are read into tables. Name all runs of the job before. */
export class JobStreams implements Streams {
  readonly placing: Placing;
  readonly facts = new TraceFactsBuilder();
  readonly picture: TracePicture;
  readonly heats: HeatBuilder;
  readonly spanTimes = new SpanTimes();
  readonly mpiTimes = new MpiTimes();
  readonly network = new NetworkCounts();
  readonly processes: readonly SpanProcess[];
  /** Of traced processes. */
  readonly hosts = new Set<string>();

  constructor(spans: readonly RunSpan[], picture: PictureOptions = { callsMax: 0 }) {
    this.placing = placing(spans);
    this.processes = spans.length === 1 ? (spans[0]?.processes ?? []) : [];
    const { rankEnd, seconds } = this.placing;
    this.picture = new TracePicture(rankEnd, seconds, picture);
    this.heats = new HeatBuilder(rankEnd, seconds, spans.length === 1);
  }

  /** Calls of a run whose input has counters too: times count from its start, files have record ids. */
  readonly calls = (runId: string): CallSink => {
    const { rankBase, shiftSeconds } = this.#placeOf(runId);
    return this.callsAs({
      shiftNs: () => Math.round(shiftSeconds * 1e9),
      rankOf: ({ rank = 0 }) => rankBase + Math.max(0, rank),
      fileOf: ({ id = 0n, layout }) => ({ fileId: id, ...(layout && { layout }) }),
      earliestNs: 0,
    });
  };

  callsAs(naming: CallNaming): CallSink {
    const sound = new SoundCalls();
    return new RunCalls(naming, {
      stretch: (calls) => {
        if (calls.operation > Operation.write) {
          this.facts.addMetadata(calls);
          return;
        }
        sound.take(calls);
        this.facts.add(calls, sound);
        this.picture.add(calls, sound);
      },
      rankEnds: (rank) => this.facts.endRank(rank),
      spans: (block, ranks, shiftNs) => this.spanTimes.add(block, ranks, shiftNs),
      host: (name) => this.hosts.add(name),
    });
  }

  readonly heat = (row: HeatRow): void => {
    const { rankBase, shiftSeconds } = this.#placeOf(row.runId);
    if (row.rank >= 0) this.heats.add(row, rankBase + row.rank, shiftSeconds);
  };

  readonly mpi = (row: MpiRow): void => this.mpiTimes.add(row, this.#placeOf(row.runId).rankBase + row.rank);

  readonly router = (row: RouterRow): void => this.network.add(row);

  #placeOf(runId: string): RunPlace {
    const place = this.placing.places.get(runId);
    assert(place !== undefined, `run ${runId} was not named before it was read`);
    return place;
  }

  /** The traces for the picture; undefined without any. */
  trace(job: Job, hint: string): Trace | undefined {
    const trace = this.picture.finish((fileId) => {
      const file = job.file(fileId);
      return {
        path: file?.path ?? `(record ${fileId})`,
        stripeBytes: file?.stripeBytes || 0,
        stripeCount: file?.stripeCount || 0,
      };
    }, hint);
    return trace && job.spans ? { ...trace, spans: traceSpans(job.spans) } : trace;
  }
}

export function buildJob(tables: Tables, streams: JobStreams, filter?: AppliedFilter): Job {
  const { places, ranks, rankEnd, startUnixSeconds, seconds, hasRanks, isIncomplete, hasDirections } =
    streams.placing;
  const table = (name: string): Table => {
    const found = tables.get(name);
    assert(found !== undefined, `no table ${name}`);
    return found;
  };
  const placeOf = (runId: string) => places.get(runId) ?? { rankBase: 0, shiftSeconds: 0 };
  const runs = runFacts(table("runs"), placeOf);
  const records = layerRecords(table("layers"), placeOf);
  const byLayer = groupByLayer(records);
  const { files, file } = jobFiles(records);
  const rankLoads = rankLoadsOf(table("rank_loads"), placeOf);
  let hidden: ReturnType<SpanTimes["listener"]> | undefined;
  const trace = streams.facts.finish(
    { runSeconds: seconds, hasRanks },
    spanListener(streams, (made) => (hidden = made)),
  );
  const spans = trace === undefined ? undefined : hidden?.facts();
  const modules = new Set(runs.flatMap(({ modules: own }) => own));
  const isDated = runs.some((run) => !Number.isNaN(run.startUnixSeconds));
  const start = isDated ? startUnixSeconds : Number.NaN;
  const activity = activityOf(
    streams,
    modules.has("DXT_POSIX") || modules.has("DXT_MPIIO") ? "DXT" : "calls",
  );
  const ledger = ledgerOf({ files, file, rankLoads, runSeconds: seconds }, trace, activity);
  let tree: Folder | undefined;
  const facts = {
    runs,
    ranks,
    rankEnd,
    runSeconds: seconds,
    startUnixSeconds: start,
    records,
    files,
    rankLoads,
  };
  return {
    ...facts,
    ...{ ledger, modules, isIncomplete },
    facts: factsOf(modules, trace?.layers.map(({ layer }) => layer) ?? [], {
      ...{ hasRanks, hasDirections, hasSpans: spans !== undefined },
    }),
    spans,
    mpi: streams.mpiTimes.finish(seconds),
    network: streams.network.finish(),
    nodes: streams.hosts.size > 0 ? streams.hosts.size : Number.NaN,
    partialModules: new Set(runs.flatMap(({ partialModules }) => partialModules)),
    layer: (name) => byLayer.get(name) ?? [],
    file,
    folders: () => (tree ??= folderTree({ files })),
    io: ioTimes(files, ledger, ranks, seconds, exactBytes(table("layers"))),
    activity,
    trace,
    osts: ostLoads(files, streams.facts.osts),
    filter,
    kept: new Map(),
  };
}

/** With phases of single calls, or of the heat map where there are none. */
function ledgerOf(
  counted: ConstructorParameters<typeof Ledger>[0],
  trace: TraceFacts | undefined,
  activity: Activity | undefined,
): Ledger {
  const ledger = new Ledger(counted, tracedPath(counted.files, trace));
  const path = trace === undefined ? heatPath(counted.files, ledger.ownSeconds, activity) : undefined;
  if (path === undefined) return ledger;
  const own = [...ledger.ownSeconds.values()].reduce((most, one) => Math.max(most, one), 0);
  return new Ledger(counted, { source: "heat map", ...path, covered: own / (own + ledger.sharedSeconds) });
}

/** Undefined without spans of the application. */
function spanListener(
  { spanTimes, processes, placing }: JobStreams,
  keep: (made: ReturnType<SpanTimes["listener"]>) => void,
): ((rankOf: (tally: number) => number) => ReturnType<SpanTimes["listener"]>) | undefined {
  if (spanTimes.isEmpty) return undefined;
  return (rankOf) => {
    const made = spanTimes.listener(rankOf, processes, placing.seconds);
    keep(made);
    return made;
  };
}

function groupByLayer(records: readonly LayerRecord[]): Map<string, LayerRecord[]> {
  const groups = new Map<string, LayerRecord[]>();
  for (const record of records) {
    const group = groups.get(record.layer);
    if (group === undefined) groups.set(record.layer, [record]);
    else group.push(record);
  }
  return groups;
}

function activityOf(streams: JobStreams, traces: Activity["source"]): Activity | undefined {
  const heat = streams.heats.finish();
  if (heat !== undefined) return heat;
  const cells = streams.picture.heat();
  return cells && activityOfTrace(cells, traces);
}

function runFacts(table: Table, placeOf: (runId: string) => RunPlace): RunFacts[] {
  return Array.from({ length: table.rows }, (_, row) => {
    const text = (name: string) => (table.value(name, row) as string | null) ?? "";
    const words = (name: string) => text(name).split(" ").filter(Boolean);
    const number = (name: string) => {
      const value = table.value(name, row);
      return value === null ? Number.NaN : Number(value);
    };
    return {
      runId: text("run_id"),
      kind: text("kind"),
      source: text("source"),
      jobId: text("job_id"),
      userId: text("user_id"),
      application: text("application"),
      commandLine: text("command_line"),
      ranks: number("ranks"),
      startUnixSeconds: number("start_unix_ns") / 1e9,
      runSeconds: number("run_seconds"),
      logVersion: text("log_version"),
      libraryVersion: table.value("library_version", row) as string | null,
      isSynthetic: Number(table.value("synthetic", row)) === 1,
      modules: words("modules"),
      partialModules: words("partial_modules"),
      warnings: text("warnings").split("\n").filter(Boolean),
      ...placeOf(text("run_id")),
    };
  });
}

function rankLoadsOf(table: Table, placeOf: (runId: string) => RunPlace): RankLoad[] {
  return Array.from({ length: table.rows }, (_, row) => {
    const number = (name: string) => table.numbers(name).at(row);
    return {
      layer: String(table.value("layer", row)),
      rank: number("rank") + placeOf(String(table.value("run_id", row))).rankBase,
      files: number("files"),
      opens: number("opens"),
      reads: number("reads"),
      writes: number("writes"),
      bytesRead: number("bytes_read"),
      bytesWritten: number("bytes_written"),
      readSeconds: number("read_seconds"),
      writeSeconds: number("write_seconds"),
      metaSeconds: number("meta_seconds"),
    };
  });
}

/** Bytes of the layers that move data, without rounding. MPI-IO only where the log has nothing below it, DAOS not below DFS. */
function exactBytes(table: Table): { read: bigint; written: bigint } {
  const layer = table.texts("layer");
  const [read, written] = [table.numbers("bytes_read"), table.numbers("bytes_written")];
  const ids = table.column("file_id") as BigUint64Array;
  const inDfs = new Set<bigint>();
  let hasMoving = false;
  for (let row = 0; row < table.rows; row++) {
    const name = layer.at(row) ?? "";
    hasMoving ||= MOVING_LAYERS.includes(name);
    if (name === "DFS") inDfs.add(ids[row] as bigint);
  }
  const sums = new ExactSums(2);
  for (let row = 0; row < table.rows; row++) {
    const name = layer.at(row) ?? "";
    if (hasMoving ? !MOVING_LAYERS.includes(name) : name !== "MPI-IO") continue;
    if (name === "DAOS" && inDfs.has(ids[row] as bigint)) continue;
    for (const [index, column] of [read, written].entries()) {
      const bytes = column.at(row);
      if (Number.isSafeInteger(bytes)) sums.add(index, bytes);
      else sums.addExact(index, column.exactAt(row) ?? 0n);
    }
  }
  return { read: sums.at(0), written: sums.at(1) };
}
