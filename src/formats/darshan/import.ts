/** One Darshan log as rows of runs and layers, and its traced calls as a stream; what many logs are in a store is in stored-rows.ts. */
import { LimitError } from "../../base/errors.ts";
import { type TablesBuilder, layers, negativeWarning, runs } from "../../model/index.ts";
import { mpiRows, routerRows } from "./autoperf-rows.ts";
import { DxtCalls } from "./dxt-calls.ts";
import { decode } from "./job.ts";
import { LayerImport } from "./layers.ts";
import { type FileChoice, FileGate } from "./file-gate.ts";
import { Layouts } from "./layouts.ts";
import type { ModuleEntry } from "./header.ts";
import type { DarshanLog } from "./log.ts";
import type { ModuleSpec } from "./modules/index.ts";
import { decodeRecord } from "./records.ts";

/**
 * Adds the log to the tables under `runId`. Damage in a module goes to `onDamage`, which throws it or continues with the
 * records before it. With a `choice`, only files that it keeps count; heat maps know no files and are left out. Gives how many
 * records are held of it now.
 */
export function importLog(
  log: DarshanLog,
  into: TablesBuilder,
  runId: string,
  onDamage: (entry: ModuleEntry, error: unknown) => void = throwIt,
  choice?: FileChoice,
): number {
  let held = 0;
  const hold = (count: number) => {
    held += count;
    requireRoom(log, held);
  };
  const layouts = new Layouts();
  const gate = choice && new FileGate(log, choice);
  // Blocks of calls are large, and most logs have none.
  const isTraced = log.modules.some(({ spec }) => spec?.kind === "dxt");
  const all = isTraced ? into.streams.calls?.(runId) : undefined;
  const sink = all && gate ? gate.sink(all) : all;
  const calls = sink && new DxtCalls(log, sink, (id) => layouts.striping(id));
  calls?.clock();
  const layerImports: LayerImport[] = [];
  for (const entry of log.modules) {
    const { spec } = entry;
    if (spec === undefined) continue;
    const layer = LayerImport.of(spec, into, layerImports.at(-1)?.endRow ?? into.table(layers).rows);
    if (layer !== undefined) layerImports.push(layer);
    try {
      if (spec.kind === "dxt") calls?.module(entry);
      else if (spec.kind === "heatmap") {
        if (gate === undefined) importHeat(log, entry, into, runId);
      } else if (spec.kind === "headed") importAutoPerf(log, entry, into, runId);
      else collect(log, entry, spec, layouts, layer, gate, hold);
    } catch (error) {
      onDamage(entry, error);
    }
  }
  calls?.flush();
  for (const { module, negative } of layerImports)
    if (negative > 0) log.warn(negativeWarning(module, negative));
  for (const layer of layerImports)
    layer.finish(
      into,
      runId,
      log.job.nprocs,
      (id) => nameColumns(log, id),
      (id) => layouts.columns(id),
    );
  const without =
    gate && new Set(["HEATMAP", ...layerImports.flatMap(({ module, files }) => (files === 0 ? module : []))]);
  into.table(runs).append(runRow(log, runId, without));
  return held;
}

function requireRoom({ limits, source }: DarshanLog, held: number): void {
  if (held > limits.heldRecordsMax)
    throw new LimitError(source.name, {}, "more file records than fit into memory");
}

function throwIt(_: ModuleEntry, error: unknown): never {
  throw error;
}

/** What places a run among the other runs of its job; known without reading its modules. */
export function runSpan({ job }: DarshanLog, runId: string) {
  return {
    runId,
    ranks: Number(job.nprocs),
    startUnixSeconds: Number(job.startSeconds) + Number(job.startNanoseconds) / 1e9,
    runSeconds: job.endSeconds === 0n ? Number.NaN : job.runTimeSeconds,
  };
}

function nameColumns(log: DarshanLog, id: bigint) {
  const name = log.names.bytesOf(Number(id & 0xffffffffn), Number(id >> 32n));
  const mount = name === undefined ? undefined : log.job.mountOf(name);
  return {
    path: name === undefined ? null : decode(name),
    mount: mount?.path ?? null,
    fs_type: mount?.type ?? null,
  };
}

/** `without`: modules of which nothing is left. */
function runRow(log: DarshanLog, runId: string, without: ReadonlySet<string> = new Set()) {
  const { job, header } = log;
  const names = (entries: readonly ModuleEntry[]) => entries.map(({ name }) => name).join(" ");
  const program = job.commandLine.trim().split(/\s+/)[0] ?? "";
  return {
    run_id: runId,
    source: log.source.name,
    kind: "darshan",
    job_id: String(job.jobId),
    user_id: String(job.uid),
    application: program.slice(program.lastIndexOf("/") + 1),
    command_line: job.commandLine,
    ranks: job.nprocs,
    start_unix_ns: job.startSeconds * 1_000_000_000n + job.startNanoseconds,
    // A process that died before its log was finished has no end.
    end_unix_ns: job.endSeconds === 0n ? null : job.endSeconds * 1_000_000_000n + job.endNanoseconds,
    run_seconds: job.endSeconds === 0n ? null : job.runTimeSeconds,
    log_version: header.version,
    synthetic: job.isSynthetic ? 1 : 0,
    library_version: job.metadata.find(([key]) => key === "lib_ver")?.[1] ?? null,
    modules: names(log.modules.filter(({ region, name }) => region.length > 0 && !without.has(name))),
    partial_modules: names(log.modules.filter(({ partial }) => partial)),
    warnings: [...log.warnings, ...log.damage.map(({ message }) => message)].join("\n"),
  };
}

/** Counters of a layer, or layouts; records of other modules are of no use here. */
function collect(
  log: DarshanLog,
  entry: ModuleEntry,
  spec: ModuleSpec,
  layouts: Layouts,
  layer: LayerImport | undefined,
  gate: FileGate | undefined,
  hold: (count: number) => void,
): void {
  const wanted = spec.kind === "lustre";
  if (!wanted && layer === undefined) return;
  for (const block of log.records(entry)) {
    hold(block.count);
    layer?.add(gate === undefined ? block : gate.block(block, spec));
    if (wanted) layouts.add(block);
  }
}

/** MPI calls and network counters are of no file, so a choice of files does not touch them. */
function importAutoPerf(
  log: DarshanLog,
  entry: ModuleEntry,
  { streams }: TablesBuilder,
  runId: string,
): void {
  if (entry.name === "APMPI" && streams.mpi) mpiRows(log.records(entry), runId, streams.mpi);
  if (entry.name === "APXC" && streams.router) routerRows(log.records(entry), streams.router);
}

function importHeat(log: DarshanLog, entry: ModuleEntry, into: TablesBuilder, runId: string): void {
  const listener = into.streams.heat;
  if (listener === undefined || entry.spec === undefined) return;
  for (const block of log.records(entry)) {
    for (let k = 0; k < block.count; k++) {
      const record = decodeRecord(entry.spec, block, k);
      if (record.kind !== "heatmap") continue;
      const name = nameColumns(log, record.id).path ?? "";
      listener({
        runId,
        // "heatmap:POSIX"; MPI-IO is spelt without its hyphen there.
        layer: name.slice(name.indexOf(":") + 1).replace("MPIIO", "MPI-IO"),
        rank: Number(record.rank),
        binSeconds: record.binSeconds,
        bytesRead: Float64Array.from(record.readBins, (bytes) => Math.max(0, Number(bytes))),
        bytesWritten: Float64Array.from(record.writeBins, (bytes) => Math.max(0, Number(bytes))),
      });
    }
  }
}
