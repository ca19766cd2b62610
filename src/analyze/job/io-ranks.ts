/** How many ranks really read or write a file. A rank that only opens it does no I/O; a shared record does not tell them apart. */
import type { Job, JobFile } from "./job.ts";
import { MOVING_LAYERS } from "./job-files.ts";
import { isBelowDfs, type LayerRecord } from "./records.ts";
import { traceOf } from "./trace-lookup.ts";

interface IoRanks {
  /** NaN where the input does not tell. */
  readonly ranks: number;
  /** The number, or the least that follows from what is known. */
  readonly atLeast: number;
}

/** Below MPI-IO where that was recorded: of a collective call only some ranks reach the file. */
export function ioRanksOf(job: Job, file: JobFile): IoRanks {
  const parts = moversOf(file).map((record) => ofRecord(job, record));
  const used = parts.filter(({ atLeast }) => atLeast > 0);
  const [first] = used;
  if (used.length === 1 && first !== undefined && parts.every(({ ranks }) => !Number.isNaN(ranks)))
    return first;
  if (used.length === 0 && parts.every(({ ranks }) => ranks === 0)) return { ranks: 0, atLeast: 0 };
  // Ranks of two layers may be the same ones or others.
  const atLeast = parts.reduce((most, part) => Math.max(most, part.atLeast), 0);
  return { ranks: atLeast === job.ranks ? atLeast : Number.NaN, atLeast };
}

function ofRecord(job: Job, record: LayerRecord): IoRanks {
  const calls = (record.reads || 0) + (record.writes || 0);
  if (!Number.isNaN(record.ioRanks)) return { ranks: record.ioRanks, atLeast: record.ioRanks };
  if (calls === 0 && !Number.isNaN(record.reads + record.writes)) return { ranks: 0, atLeast: 0 };
  if (record.ranks === 1 && calls > 0) return { ranks: 1, atLeast: 1 };
  const traced = ofTrace(job, record);
  const known = extremesWithBytes(record);
  const atLeast = Math.max(traced.atLeast, known, calls > 0 ? 1 : 0);
  return { ranks: traced.ranks, atLeast };
}

/** Traced calls tell where all bytes of the file are traced, in one direction. */
function ofTrace(job: Job, record: LayerRecord): IoRanks {
  const trace = traceOf(job, record);
  if (trace === undefined) return { ranks: Number.NaN, atLeast: 0 };
  const { read, write } = trace;
  const atLeast = Math.max(read.ranks, write.ranks);
  const isWhole = read.bytes >= (record.bytesRead || 0) && write.bytes >= (record.bytesWritten || 0);
  const isOneWay = read.ranks === 0 || write.ranks === 0 || atLeast === job.ranks;
  return { ranks: isWhole && isOneWay ? atLeast : Number.NaN, atLeast };
}

/** The slowest and the fastest rank are known of a shared record, with the bytes that they moved. */
function extremesWithBytes({ slowestRank, slowestBytes, fastestRank, fastestBytes }: LayerRecord): number {
  const [slowest, fastest] = [slowestBytes > 0, fastestBytes > 0];
  return slowest && fastest && slowestRank !== fastestRank ? 2 : slowest || fastest ? 1 : 0;
}

/** Records of a file in the layers that reach the file system; in the called one where none was recorded. */
export function moversOf({ layers, called }: JobFile): readonly LayerRecord[] {
  if (layers.size === 1) return [called];
  const movers = MOVING_LAYERS.filter((layer) => !isBelowDfs(layer, layers)).flatMap(
    (layer) => layers.get(layer) ?? [],
  );
  return movers.length > 0 ? movers : [called];
}
