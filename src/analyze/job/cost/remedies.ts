/** Healthy times of the causes that several rules name. A rule picks one and says which records it touches. */
import type { Job, JobFile } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import type { CostClaim } from "../rule.ts";
import { traceOf } from "../trace-lookup.ts";
import type { Healthy, Part } from "./ledger.ts";
import { modelText, remainsWithLargerCalls, timeModel } from "./time-model.ts";

type Way = "read" | "write";

export interface Touched {
  readonly record: LayerRecord;
  readonly way: Way;
}

export const NO_COST: CostClaim = { kind: "none" };

export const unknownCost = (why: string, severity: "warn" | "info" = "warn"): CostClaim => ({
  kind: "unknown",
  why,
  severity,
});

/** What recorded times alone say. */
export const recordedCost = (
  healthy: Iterable<Healthy>,
  model: string,
  more: { readonly atMost?: true; readonly turnsAtOnce?: true } = {},
): CostClaim => ({ kind: "remedy", basis: "slowest-rank", healthy, model, ...more });

export const estimatedCost = (
  healthy: Iterable<Healthy>,
  model: string,
  more: { readonly atMost?: true; readonly unseenSeconds?: number } = {},
): CostClaim => ({ kind: "remedy", basis: "estimated", healthy, model, ...more });

/** The same bytes in calls of a megabyte, at the costs of a call and of a byte that the job shows. */
export function largerCalls(job: Job, touched: readonly Touched[]): CostClaim {
  let worst: Touched | undefined;
  for (const one of touched) if (worst === undefined || timeOf(one) > timeOf(worst)) worst = one;
  const model = worst === undefined ? undefined : timeModel(job, worst.record.layer, worst.way);
  return estimatedCost(
    lazily(touched, ({ record, way }) => withLargerCalls(job, record, way)),
    `the same bytes in calls of 1 MiB; ${model === undefined ? "no times recorded" : modelText(model)}`,
  );
}

const timeOf = ({ record, way }: Touched) => (way === "read" ? record.readSeconds : record.writeSeconds) || 0;

/** Syncs stay: they have a rule of their own. `part` as in the time model: of files that become one. */
export function withLargerCalls(job: Job, record: LayerRecord, way: Way, part?: number): Healthy | undefined {
  const model = bytesAtStorage(job, record, way);
  const seconds = way === "read" ? record.readSeconds : record.writeSeconds;
  if (model === undefined || !(seconds > 0)) return undefined;
  const syncs = way === "write" ? syncSeconds(job, record) : 0;
  const remains = remainsWithLargerCalls(record, way, model, seconds - syncs, part);
  return { record, part: way, remains: (remains * (seconds - syncs) + syncs) / seconds };
}

/** Calls of MPI-IO also wait for locks and for other ranks: a byte costs at most what it costs in the layer below. */
function bytesAtStorage(job: Job, { layer }: LayerRecord, way: Way) {
  const own = timeModel(job, layer, way);
  const below = layer === "MPI-IO" ? timeModel(job, "POSIX", way) : undefined;
  return own !== undefined && below !== undefined && below.perByte < own.perByte
    ? { ...own, perByte: below.perByte }
    : own;
}

/** What is made of each, as often as it is asked for, and kept nowhere. */
const lazily = <From>(
  list: readonly From[],
  make: (one: From) => Healthy | undefined,
): Iterable<Healthy> => ({
  *[Symbol.iterator]() {
    for (const one of list) {
      const made = make(one);
      if (made !== undefined) yield made;
    }
  },
});

/** Ours: a write into the page cache, of which a sync has just written everything out. */
const CACHED_CALL_SECONDS = 10e-6;
const CACHED_BYTES_PER_SECOND = 1e9;
/** Syncs per write with which writes find an empty cache and wait for nothing; fewer of a rank's own file, with few bytes between. */
const FREQUENT_SYNCS = 0.5;
const SOME_SYNCS = 0.03;
const CACHED_BYTES = 4 * 2 ** 20;

/**
 * Time of fsync and the like in a record. Darshan counts it with writes, but not in the longest write. Traced calls tell
 * it; otherwise writes take at most the longest each, and where nearly every write is synced, what copying takes.
 */
export function syncSeconds(job: Job, record: LayerRecord): number {
  const { syncs, writes, writeSeconds, longestWriteSeconds, bytesWritten } = record;
  if (record.syncSeconds >= 0) return record.syncSeconds;
  if (!(syncs > 0 && writeSeconds > 0)) return 0;
  const traced = traceOf(job, record)?.write;
  if (traced !== undefined && traced.calls === writes) return Math.max(0, writeSeconds - traced.seconds);
  const longest = longestWriteSeconds || 0;
  // Of streams Darshan does not keep the longest write: then writes may take all of it.
  const least = longest > 0 ? writeSeconds - (writes || 0) * longest : 0;
  const copying = CACHED_CALL_SECONDS * (writes || 0) + (bytesWritten || 0) / CACHED_BYTES_PER_SECOND;
  const isFrequent =
    syncs >= FREQUENT_SYNCS * (writes || 0) ||
    (record.ranks === 1 &&
      syncs >= SOME_SYNCS * (writes || 0) &&
      (bytesWritten || 0) <= CACHED_BYTES * syncs);
  const likely = isFrequent ? writeSeconds - longest - copying : 0;
  return Math.max(0, least, likely);
}

/** Ours: a sync with this many bytes before it waits for them, not for the round trip. */
const SYNCED_BYTES = 2 ** 20;

/** What the bytes of a record take on their way to storage, with or without syncs, where the job's records tell it. */
function storageSeconds(job: Job, record: LayerRecord): number {
  if ((record.bytesWritten || 0) >= SYNCED_BYTES * record.syncs) return record.writeSeconds;
  const model = timeModel(job, record.layer, "write");
  return model !== undefined && model.source !== "nominal" ? model.perByte * (record.bytesWritten || 0) : 0;
}

/** One sync for each file and rank instead of many. */
export const oneSync = (job: Job, records: readonly LayerRecord[]): CostClaim => {
  const timed = records.every((record) => record.syncSeconds >= 0);
  return (timed ? recordedCost : estimatedCost)(
    records.map((record) => {
      const needless = syncSeconds(job, record) * (1 - Math.min(1, record.ranks / record.syncs));
      const saved = Math.max(0, needless - storageSeconds(job, record));
      return { record, part: "write", remains: 1 - saved / record.writeSeconds };
    }),
    `one sync per file and rank at the mean cost of a sync${timed ? "" : "; recorders count syncs as writes"}`,
  );
};

/** Metadata time of files in proportion to the operations that are needed. */
export const fewerOperations = (
  list: readonly { readonly record: LayerRecord; readonly needed: number; readonly made: number }[],
  model: string,
): CostClaim =>
  estimatedCost(
    list.map(({ record, needed, made }) => ({
      record,
      part: "meta" as Part,
      remains: made > 0 ? Math.min(1, needed / made) : 1,
    })),
    model,
  );

/** Only a part of the bytes is needed: their time at the record's own rate. */
export const fewerBytes = (
  list: readonly (Touched & { readonly needed: number })[],
  model: string,
): CostClaim =>
  estimatedCost(
    list.map(({ record, way, needed }) => {
      const bytes = way === "read" ? record.bytesRead : record.bytesWritten;
      return { record, part: way, remains: bytes > 0 ? Math.min(1, Math.max(0, needed / bytes)) : 1 };
    }),
    model,
  );

/** All time of these files in calls that reach storage, of which nobody knows how much a change saves. */
export const atMostAll = (files: readonly JobFile[], remains: number, model: string): CostClaim =>
  estimatedCost(
    files.flatMap((file) => storageRecords(file).map((record) => ({ record, remains }))),
    model,
    { atMost: true },
  );

/** Below MPI-IO, where that was recorded: waiting for other ranks is no time of storage. */
function storageRecords({ layers, called }: JobFile): LayerRecord[] {
  const below = [...layers.values()].filter(({ layer }) => !/^(MPI-IO|H5|PNETCDF)/.test(layer));
  return below.length > 0 ? below : [called];
}
