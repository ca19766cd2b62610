/** A measured point as stored and shown. */
import type { NcioPoint } from "../../model/index.ts";
import { isContiguous, patternOf, type PatternSpec, pieceCount, dataBytes, endOf } from "../pattern/index.ts";
import { expectedCounts, type StorageShape } from "../method/index.ts";
import type { BackendPlan, PointPlan, RunPlan } from "./plan.ts";
import type { PointResult } from "./rank.ts";
import { summarize } from "./summary.ts";

interface Ran {
  readonly plan: RunPlan;
  /** Kind of ranks: `child processes`, or an MPI. */
  readonly launch: string;
  /** Capabilities of the storage, for the formulas; undefined for MPI-IO, which hides its requests. */
  readonly shape: StorageShape | undefined;
}

export function pointOf(point: PointPlan, result: PointResult, { plan, launch, shape }: Ran): NcioPoint {
  const summary = summarize(result.turns, result.bytesPerRank);
  const { measuring, backend } = plan;
  const { pattern } = point;
  // Closed formulas exist for equal regions at equal distances.
  const expected =
    shape !== undefined && (pattern.pattern === "ncio" || pattern.pattern === "hpio")
      ? expectedCounts(pattern, point.method, point.direction, measuring.method, shape)
      : undefined;
  const { known } = result;
  const notes: string[] = [];
  if (result.fallback !== undefined)
    notes.push(
      `${backend.kind} has no ${point.method} requests: ${result.fallback === "list" ? "list requests" : "contiguous requests"} were used instead`,
    );
  const modes = modesOf(point, plan);
  if (!summary.steadyRequests) notes.push("the number of requests differed between repeats");
  return {
    method: point.method,
    case: caseOf(point.pattern),
    direction: point.direction,
    pattern: point.pattern.pattern,
    ...regionsOf(point.pattern),
    ranks: patternOf(point.pattern).ranks,
    backend: backend.kind,
    ...serversOf(backend),
    launch,
    requests: known.requests ? summary.requests : null,
    messages: known.messages ? summary.messages : null,
    expectedRequests: expected?.requests ?? null,
    expectedMessages: expected?.messages ?? null,
    bytes: result.bytesPerRank.reduce((sum, bytes) => sum + bytes, 0),
    movedBytes: known.movedBytes ? summary.movedBytes : null,
    bandwidthBytesPerSecond: summary.bandwidthBytesPerSecond,
    bandwidthWithoutSyncBytesPerSecond: summary.bandwidthWithoutSyncBytesPerSecond,
    seconds: summary.seconds,
    syncSeconds: summary.syncSeconds,
    spread: summary.spread,
    repeats: measuring.repeats,
    warmUps: measuring.warmUps,
    bps: summary.bps,
    iops: summary.iops,
    arptSeconds: summary.arptSeconds,
    ...(measuring.lateSeconds > 0 && {
      lateSeconds: measuring.lateSeconds,
      punctualSeconds: summary.punctualSeconds,
    }),
    ...(modes.length > 0 && { modes }),
    verified: result.verified,
    notes,
  };
}

/** Non-default settings of this point. */
function modesOf({ method }: PointPlan, { measuring, backend }: RunPlan): string[] {
  const { inside, oneSync, flowPairs, sync } = measuring.method;
  const two = method === "two-phase";
  return [
    ...(two && inside !== "sieving" ? [`${inside} I/O inside`] : []),
    ...(two && oneSync && sync ? ["one sync for all"] : []),
    ...(method === "datatype" && flowPairs !== undefined ? [`flow of ${flowPairs} pairs`] : []),
    ...(sync ? [] : ["no sync"]),
    ...(backend.kind === "servers" ? backend.modes : []),
  ];
}

const serversOf = (backend: BackendPlan) =>
  backend.kind === "servers" ? { servers: backend.addresses.length } : {};

/** Case of an access; application patterns have one too. */
function caseOf(spec: PatternSpec): NcioPoint["case"] {
  if (spec.pattern === "ncio" || spec.pattern === "hpio") return spec.case;
  const { memory, file } = patternOf(spec).access(0);
  const word = (type: typeof memory) => (isContiguous(type) ? "c" : "nc");
  return `${word(memory)}-${word(file)}` as NcioPoint["case"];
}

/** Regions of rank 0 in the file, the mean size of one, and the mean distance from start to start. */
function regionsOf(spec: PatternSpec): { count: number; size: number; spacing: number } {
  if (spec.pattern === "ncio" || spec.pattern === "hpio")
    return { count: spec.count, size: spec.size, spacing: spec.spacing };
  const { memory, file } = patternOf(spec).access(0);
  const data = dataBytes(file);
  // The side with more pieces is the one that makes it noncontiguous.
  const type = pieceCount(file) >= pieceCount(memory) ? file : memory;
  const count = pieceCount(type);
  return { count, size: data / count, spacing: count < 2 ? data : endOf(type) / count };
}
