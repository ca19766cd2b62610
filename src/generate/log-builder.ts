/** The common start of every synthetic log, and records shared by several generators. */
import { recordId } from "../formats/darshan/record-id.ts";
import type { HeatmapRecord, LustreRecord } from "../formats/darshan/records.ts";
import { LogWriter, type WriteOptions, memorySink } from "../formats/darshan/writer.ts";

export const MIB = 1048576;
/** When all synthetic jobs began, in seconds since the Epoch (October 2025). */
const START = 1_760_000_000;
const NANOSECONDS = 1_000_000_000;

export interface LogFacts {
  readonly program: string;
  readonly jobId: number;
  readonly ranks: number;
  readonly seconds: number;
  /** The generator; stored in the log's metadata to mark it as synthetic. */
  readonly madeBy: string;
  readonly encoders: WriteOptions["encoders"];
  readonly mounts?: readonly { readonly type: string; readonly path: string }[];
}

const MOUNTS = [
  { type: "lustre", path: "/scratch" },
  { type: "xfs", path: "/" },
];

/** A log in memory with job and names written; the modules are next. */
export function beginLog(
  { program, jobId, ranks, seconds, madeBy, encoders, mounts = MOUNTS }: LogFacts,
  names: Iterable<{ readonly id: bigint; readonly name: string }>,
) {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders });
  const nanoseconds = Math.round(seconds * NANOSECONDS);
  writer.job({
    uid: 1000,
    startSeconds: START,
    endSeconds: START + Math.floor(nanoseconds / NANOSECONDS),
    endNanoseconds: nanoseconds % NANOSECONDS,
    nprocs: ranks,
    jobId,
    metadata: [
      ["lib_ver", "3.5.0"],
      ["made_by", `${madeBy} (synthetic)`],
    ],
    commandLine: `/apps/${program} --steps 100`,
    mounts,
  });
  writer.names(names);
  return { sink, writer };
}

/** A plain layout of one component over the whole file, striped over `osts`. */
export function lustreRecord(
  id: bigint,
  rank: number,
  osts: readonly number[],
  stripeBytes = MIB,
): LustreRecord {
  return {
    kind: "lustre",
    id,
    rank: BigInt(rank),
    components: [
      {
        counters: BigInt64Array.of(BigInt(stripeBytes), BigInt(osts.length), 0n, 16n, 0n, -1n, 0n),
        pool: new Uint8Array(0),
      },
    ],
    osts: BigInt64Array.from(osts, (ost) => BigInt(ost)),
  };
}

/** The heat map of one rank and layer; `layer` is POSIX, MPIIO or STDIO. */
export function heatmapRecord(
  layer: string,
  rank: number,
  binSeconds: number,
  writeBins: BigInt64Array,
  readBins = new BigInt64Array(writeBins.length),
): HeatmapRecord {
  return {
    kind: "heatmap",
    id: recordId(`heatmap:${layer}`),
    rank: BigInt(rank),
    binSeconds,
    writeBins,
    readBins,
  };
}
