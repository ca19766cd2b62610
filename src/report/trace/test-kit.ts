/** Traces for tests and pictures: bursts of checkpoints with one slow rank, as calls or as bins. */
import { Random } from "../../base/prng.ts";
import type { Trace, TraceBins, TraceCalls, TraceFile, TraceOffsets } from "../../model/trace.ts";

export function emptyTrace(): Trace {
  return {
    seconds: 0,
    ranks: 0,
    files: [],
    filesTotal: 0,
    layers: [],
    calls: callsFrom([]),
    coverage: { kind: "none" },
    hint: "",
    bins: [],
    offsets: [],
  };
}

export interface Call {
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  readonly offset: number;
  readonly rank: number;
  readonly file: number;
  readonly layer: number;
  readonly write: number;
}

/** Columns of calls, sorted by start. */
export function callsFrom(calls: readonly Call[]): TraceCalls {
  const sorted = calls.toSorted((a, b) => a.start - b.start);
  return {
    count: sorted.length,
    startSeconds: Float64Array.from(sorted, (call) => call.start),
    endSeconds: Float64Array.from(sorted, (call) => call.end),
    bytes: Float64Array.from(sorted, (call) => call.bytes),
    offset: Float64Array.from(sorted, (call) => call.offset),
    rank: Uint32Array.from(sorted, (call) => call.rank),
    file: Uint32Array.from(sorted, (call) => call.file),
    layer: Uint8Array.from(sorted, (call) => call.layer),
    write: Uint8Array.from(sorted, (call) => call.write),
  };
}

/**
 * 600 s: every rank reads its part of an input, then writes a checkpoint into a shared file every 100 s through
 * MPI-IO and POSIX, and lines into a log of its own in between. The last rank but two takes three times as long.
 */
export function checkpointTrace({ ranks, calls }: { ranks: number; calls: number }): Trace {
  const random = new Random(7);
  const seconds = 600;
  const bursts = 5;
  const perPhase = Math.max(1, Math.floor(calls / ranks / (bursts + 2) / 1.03));
  const block = 4 << 20;
  const all: Call[] = [];
  const add = (call: Omit<Call, "layer">) => all.push({ ...call, layer: 0 });
  for (let rank = 0; rank < ranks; rank++) {
    const slow = rank === ranks - 3 ? 3 : 1;
    let at = 2 + random.unit();
    const readPace = 20 / perPhase;
    for (let i = 0; i < perPhase; i++) {
      const end = at + readPace * (0.4 + 0.6 * random.unit());
      add({
        start: at,
        end,
        bytes: 1 << 20,
        offset: (rank * perPhase + i) * 2 ** 20,
        rank,
        file: 0,
        write: 0,
      });
      at = end + readPace * 0.1 * random.unit();
    }
    for (let burst = 0; burst < bursts; burst++) {
      at = 80 + burst * 100 + random.unit() * 0.5;
      const pace = ((12 + 4 * random.unit()) * slow) / perPhase;
      const first = at;
      for (let i = 0; i < perPhase; i++) {
        const end = at + pace * (0.3 + 0.7 * random.unit());
        const bytes = random.unit() < 0.05 ? 1000 + Math.floor(random.unit() * 3000) : block;
        add({ start: at, end, bytes, offset: (i * ranks + rank) * block, rank, file: 1 + burst, write: 1 });
        if (random.unit() < 0.04)
          add({ start: at, end, bytes: 512, offset: 0, rank, file: 1 + burst, write: 0 });
        at = end + pace * 0.05 * random.unit();
      }
      all.push({
        start: first,
        end: at,
        bytes: block * perPhase,
        offset: Number.NaN,
        rank,
        file: 1 + burst,
        layer: 1,
        write: 1,
      });
    }
    let line = 0;
    for (let i = 0; i < perPhase; i++) {
      const start = 30 + (560 * (i + random.unit())) / perPhase;
      const bytes = 40 + Math.floor(random.unit() * 80);
      add({
        start,
        end: start + 2e-5 + random.unit() * 2e-4,
        bytes,
        offset: line,
        rank,
        file: 6 + rank,
        write: 1,
      });
      line += bytes;
    }
  }
  const paths = [
    "/scratch/project_4711/input/mesh-global-2048x2048x512.h5",
    ...Array.from({ length: bursts }, (_, i) => `/scratch/project_4711/run-07/checkpoints/restart.${i}.h5`),
    ...Array.from({ length: ranks }, (_, i) => `/scratch/project_4711/run-07/logs/rank-${i}.log`),
  ];
  return traceOf(all, { seconds, ranks, paths });
}

/** A trace of all these calls. */
export function traceOf(
  all: readonly Call[],
  { seconds, ranks, paths }: { seconds: number; ranks: number; paths: readonly string[] },
): Trace {
  const files = paths.map((path, i) => ({
    fileId: String(1000 + i),
    path,
    bytesRead: 0,
    bytesWritten: 0,
    endOffset: 0,
    stripeBytes: 1 << 20,
    stripeCount: 8,
  }));
  const layerCalls = [0, 0];
  for (const call of all) {
    (layerCalls[call.layer] as number)++;
    const file = files[call.file];
    if (file === undefined || call.layer !== 0) continue;
    if (call.write === 1) file.bytesWritten += call.bytes;
    else file.bytesRead += call.bytes;
    if (call.offset + call.bytes > file.endOffset) file.endOffset = call.offset + call.bytes;
  }
  return {
    seconds,
    ranks,
    files: files satisfies TraceFile[],
    filesTotal: files.length,
    layers: [
      { name: "POSIX", calls: layerCalls[0] as number },
      { name: "MPI-IO", calls: layerCalls[1] as number },
    ],
    calls: callsFrom(all),
    coverage: { kind: "all" },
    hint: "",
    bins: [],
    offsets: [],
  };
}

/** The same trace with bins of these numbers of columns, and no calls. */
export function binned(trace: Trace, levels: readonly number[], lanesMax = 256): Trace {
  const ranksPerLane = Math.ceil(trace.ranks / lanesMax);
  const rankLanes = Math.ceil(trace.ranks / ranksPerLane);
  const bins = trace.layers.flatMap((_, layer) =>
    levels.flatMap((columns) => [
      binLevel(trace, layer, columns, "rank", ranksPerLane, rankLanes),
      binLevel(trace, layer, columns, "file", 1, trace.files.length + 1),
    ]),
  );
  const offsets = trace.files.slice(0, 6).map((_, file) => binOffsets(trace, file, 128, 1024));
  return {
    ...trace,
    calls: callsFrom([]),
    coverage: { kind: "none" },
    hint: "Single calls of a window: plimsoll report LOG --window 80:100",
    bins,
    offsets,
  };
}

function binLevel(
  { calls, seconds }: Trace,
  layer: number,
  columns: number,
  lanesBy: "rank" | "file",
  ranksPerLane: number,
  lanes: number,
): TraceBins {
  const sums = [0, 1, 2, 3].map(() => new Float64Array(lanes * columns));
  const width = seconds / columns;
  for (let i = 0; i < calls.count; i++) {
    if (calls.layer[i] !== layer) continue;
    const lane = lanesBy === "rank" ? Math.floor(calls.rank[i]! / ranksPerLane) : calls.file[i]!;
    const start = calls.startSeconds[i]!;
    const end = calls.endSeconds[i]!;
    const first = Math.min(columns - 1, Math.floor(start / width));
    const last = Math.min(columns - 1, Math.floor(end / width));
    sums[0]![lane * columns + first]!++;
    for (let column = first; column <= last; column++) {
      const inside = Math.min(end, (column + 1) * width) - Math.max(start, column * width);
      const share = end > start ? inside / (end - start) : 1;
      const at = lane * columns + column;
      sums[calls.write[i] === 1 ? 2 : 1]![at]! += calls.bytes[i]! * share;
      sums[3]![at]! += inside;
    }
  }
  const cell = Uint32Array.from(sums[0]!.keys()).filter((at) => sums.some((sum) => sum[at]! > 0));
  const pick = (sum: Float64Array) => Float64Array.from(cell, (at) => sum[at]!);
  return {
    lanesBy,
    layer,
    ranksPerLane,
    lanes,
    columns,
    cell,
    calls: pick(sums[0]!),
    bytesRead: pick(sums[1]!),
    bytesWritten: pick(sums[2]!),
    busySeconds: pick(sums[3]!),
  };
}

function binOffsets(
  { calls, files, seconds }: Trace,
  file: number,
  rows: number,
  columns: number,
): TraceOffsets {
  const read = new Float64Array(rows * columns);
  const written = new Float64Array(rows * columns);
  const height = Math.max(1, files[file]!.endOffset) / rows;
  for (let i = 0; i < calls.count; i++) {
    if (calls.layer[i] !== 0 || calls.file[i] !== file || Number.isNaN(calls.offset[i]!)) continue;
    const row = Math.min(rows - 1, Math.floor(calls.offset[i]! / height));
    const column = Math.min(columns - 1, Math.floor((calls.startSeconds[i]! / seconds) * columns));
    (calls.write[i] === 1 ? written : read)[row * columns + column]! += calls.bytes[i]!;
  }
  const cell = Uint32Array.from(read.keys()).filter((at) => read[at]! + written[at]! > 0);
  return {
    file,
    layer: 0,
    rows,
    rowBytes: height,
    columns,
    cell,
    bytesRead: Float64Array.from(cell, (at) => read[at]!),
    bytesWritten: Float64Array.from(cell, (at) => written[at]!),
  };
}
