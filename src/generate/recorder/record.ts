/** Makes a log from a plan, as Darshan would have recorded these calls. */
import {
  dxtMpiio,
  dxtPosix,
  h5d,
  h5f,
  heatmap,
  lustre,
  mpiio,
  posix,
  stdio,
} from "../../formats/darshan/modules/index.ts";
import { recordId } from "../../formats/darshan/record-id.ts";
import type { CounterRecord, Segment, TraceObject } from "../../formats/darshan/records.ts";
import type { WriteOptions } from "../../formats/darshan/writer.ts";
import { beginLog, lustreRecord } from "../log-builder.ts";
import { type Call, type Layer, type LogPlan, singleCalls } from "./calls.ts";
import { heatmaps } from "./heat.ts";
import { type RecordExtra, rankRecord, sharedRecord } from "./reduce.ts";
import { Tally } from "./tally.ts";

/** The true answers that every log has. Bytes and files are those of POSIX and STDIO, as recorded. */
export interface LogTruth {
  readonly ranks: number;
  /** Standard streams are not files. */
  readonly files: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly runSeconds: number;
}

export interface RecordedLog {
  readonly bytes: Uint8Array;
  readonly facts: LogTruth;
}

/** Block size of file systems that are not Lustre. */
const BLOCK_BYTES = 4096;
const RANKS_PER_NODE = 16;

export function recordLog(plan: LogPlan, encoders: WriteOptions["encoders"]): RecordedLog {
  const { layers, kept, partial } = observe(plan);
  const ids = new Map<string, bigint>();
  for (const files of Object.values(layers)) {
    for (const file of files.keys()) if (!ids.has(file)) ids.set(file, recordId(file));
  }
  const heat = plan.heatmap ? heatmaps(kept, plan.seconds) : [];
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  for (const name of ["heatmap:POSIX", "heatmap:MPIIO", "heatmap:STDIO"]) {
    const id = recordId(name);
    if (heat.some((record) => record.id === id)) names.set(id, name);
  }
  const { sink, writer } = beginLog(
    { ...plan, madeBy: "plimsoll generate single", encoders },
    Array.from(names, ([id, name]) => ({ id, name })),
  );
  writer.module(posix, toRecords(layers.POSIX, ids, plan), partial.has("POSIX"));
  writer.module(mpiio, toRecords(layers["MPI-IO"], ids, plan), partial.has("MPI-IO"));
  writer.module(h5f, toRecords(layers.H5F, ids, plan), partial.has("H5F"));
  writer.module(h5d, toRecords(layers.H5D, ids, plan), partial.has("H5D"));
  writer.module(lustre, plan.layoutRecords === false ? [] : layoutRecords(layers, ids, plan));
  writer.module(stdio, toRecords(layers.STDIO, ids, plan), partial.has("STDIO"));
  if (plan.traces) {
    writer.module(dxtPosix, traces(kept, "POSIX", ids));
    writer.module(dxtMpiio, traces(kept, "MPI-IO", ids));
  }
  writer.module(heatmap, heat);
  writer.finish();
  return { bytes: sink.bytes(), facts: truth(plan, layers) };
}

type Tallies = Map<string, Map<number, Tally>>;
type Layers = Readonly<Record<Layer, Tallies>>;

/** Counts all calls; those on files that a process has no room for are lost, as with the real recorder. */
function observe({ calls, layouts, recordsPerRankMax }: LogPlan) {
  const layers: Layers = perLayer();
  const used: Readonly<Record<Layer, Map<number, number>>> = perLayer();
  const kept: Call[] = [];
  const partial = new Set<Layer>();
  for (const call of calls) {
    const { layer, file, rank } = call;
    let tally = layers[layer].get(file)?.get(rank);
    if (tally === undefined) {
      const records = used[layer].get(rank) ?? 0;
      if (records >= recordsPerRankMax) {
        partial.add(layer);
        continue;
      }
      used[layer].set(rank, records + 1);
      tally = new Tally(layer, rank, layouts.get(file)?.alignmentBytes ?? BLOCK_BYTES);
      const ranks = layers[layer].get(file);
      if (ranks === undefined) layers[layer].set(file, new Map([[rank, tally]]));
      else ranks.set(rank, tally);
    }
    tally.add(call);
    kept.push(call);
  }
  return { layers, kept, partial };
}

const perLayer = <Key, Value>(): Record<Layer, Map<Key, Value>> => ({
  POSIX: new Map(),
  "MPI-IO": new Map(),
  STDIO: new Map(),
  H5F: new Map(),
  H5D: new Map(),
});

/** Shared records first, then those of each rank. */
function toRecords(files: Tallies, ids: ReadonlyMap<string, bigint>, plan: LogPlan): CounterRecord[] {
  const records: CounterRecord[] = [];
  for (const [file, ranks] of files) {
    const id = ids.get(file) as bigint;
    const extra = extraOf(file, ids, plan);
    if (isShared(ranks.size, plan)) records.push(sharedRecord([...ranks.values()], id, extra));
    else for (const tally of ranks.values()) records.push(rankRecord(tally, id, extra));
  }
  return records.sort((a, b) => Number(a.rank - b.rank));
}

function extraOf(name: string, ids: ReadonlyMap<string, bigint>, { datasets }: LogPlan): RecordExtra {
  const dataset = datasets?.get(name);
  if (dataset === undefined) return {};
  const fileId = ids.get(dataset.file);
  return { values: dataset.counters, ...(fileId === undefined ? {} : { fileId }) };
}

function isShared(ranks: number, plan: LogPlan): boolean {
  return plan.mpi && ranks === plan.ranks;
}

function layoutRecords({ POSIX, STDIO }: Layers, ids: ReadonlyMap<string, bigint>, plan: LogPlan) {
  return [...plan.layouts]
    .flatMap(([file, { osts, stripeBytes }]) => {
      const ranks = new Set([...(POSIX.get(file)?.keys() ?? []), ...(STDIO.get(file)?.keys() ?? [])]);
      const owners = isShared(ranks.size, plan) ? [-1] : [...ranks];
      return owners.map((rank) => lustreRecord(ids.get(file) as bigint, rank, osts, stripeBytes));
    })
    .sort((a, b) => Number(a.rank - b.rank));
}

function traces(calls: readonly Call[], layer: Layer, ids: ReadonlyMap<string, bigint>): TraceObject[] {
  const objects = new Map<string, TraceObject & { writes: Segment[]; reads: Segment[] }>();
  for (const call of calls) {
    const { kind, file, rank } = call;
    if (call.layer !== layer || (kind !== "read" && kind !== "write")) continue;
    const key = `${rank} ${file}`;
    let object = objects.get(key);
    if (object === undefined) {
      const node = 1 + Math.floor(rank / RANKS_PER_NODE);
      const host = `node${String(node).padStart(4, "0")}`;
      object = { id: ids.get(file) as bigint, rank: BigInt(rank), host, writes: [], reads: [] };
      objects.set(key, object);
    }
    const segments = kind === "write" ? object.writes : object.reads;
    for (const { offset, bytes, start, end } of singleCalls(call))
      segments.push({ offset: BigInt(offset), length: BigInt(bytes), start, end, thread: 1n });
  }
  return [...objects.values()].sort((a, b) => Number(a.rank - b.rank));
}

function truth(plan: LogPlan, { POSIX, STDIO }: Layers): LogTruth {
  const tallies = [POSIX, STDIO].flatMap((files) =>
    [...files.values()].flatMap((ranks) => [...ranks.values()]),
  );
  const sum = (name: string) => tallies.reduce((total, tally) => total + tally.sum(name), 0);
  const files = new Set([...POSIX.keys(), ...STDIO.keys()].filter((file) => !file.startsWith("<")));
  return {
    ranks: plan.ranks,
    files: files.size,
    bytesRead: sum("BYTES_READ"),
    bytesWritten: sum("BYTES_WRITTEN"),
    runSeconds: Math.round(plan.seconds * 1e9) / 1e9,
  };
}
