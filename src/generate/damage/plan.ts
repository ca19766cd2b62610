/** An intact log to break, and the description of each file of the pack. */
import { lustre, posix, stdio } from "../../formats/darshan/modules/index.ts";
import { recordId } from "../../formats/darshan/record-id.ts";
import { counterRecord } from "../../formats/darshan/records.ts";
import { type JobFacts, LogWriter, type WriteOptions, memorySink } from "../../formats/darshan/writer.ts";
import { lustreRecord } from "../log-builder.ts";

/**
 * read: all of it; read in part: the rest is intact and a warning says what is missing; refused: an error with the file
 * and where; duplicate: counted once, with the log that it repeats.
 */
type Outcome = "read" | "read in part" | "refused" | "duplicate";

interface Expectation {
  readonly name: string;
  readonly about: string;
  readonly outcome: Outcome;
  /** Words of the reason when it is refused, or of the warning when it is read in part. */
  readonly reason?: string;
  /** Of a duplicate. */
  readonly of?: string;
  /** The run's `clock`, if not "ok". */
  readonly clock?: string;
  /** Files of the run and bytes moved; null where nothing is known. */
  readonly files?: number;
  readonly bytesRead?: bigint;
  readonly bytesWritten?: bigint;
  /** The log's numbers are lower bounds. */
  readonly partial?: boolean;
}

export interface DamagedLog extends Expectation {
  readonly bytes: Uint8Array;
}

export interface Recipe extends Expectation {
  make(encoders: WriteOptions["encoders"]): Uint8Array;
}

type Values = Readonly<Record<string, number | bigint>>;

export interface SoundPlan {
  readonly job?: Partial<JobFacts>;
  readonly path?: string | Uint8Array;
  /** Over the counters of the one POSIX record. */
  readonly posix?: Values;
  readonly withoutLustre?: boolean;
  /** An unknown module, after the others. */
  readonly unknownSlot?: number;
  readonly partial?: boolean;
}

export const SOUND_READ = 3_000_000;
export const SOUND_WRITTEN = 5_000_000;
export const SOUND_NOTES = 1400;
/** What a log of `soundLog({})` holds. */
export const SOUND = {
  files: 2,
  bytesRead: BigInt(SOUND_READ),
  bytesWritten: BigInt(SOUND_WRITTEN + SOUND_NOTES),
};

/** A log of four ranks: one shared file on Lustre, and notes of rank 0. */
export function soundLog(plan: SoundPlan, encoders: WriteOptions["encoders"]): Uint8Array {
  const path = plan.path ?? "/scratch/project/state.h5";
  const notes = "/scratch/project/notes.txt";
  const id = recordId(path);
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders });
  writer.job({
    uid: 30_001,
    startSeconds: 1_510_000_000,
    endSeconds: 1_510_000_120,
    endNanoseconds: 250_000_000,
    nprocs: 4,
    jobId: 777_001,
    metadata: [
      ["lib_ver", "3.4.4"],
      ["made_by", "plimsoll generate reuse --damage (synthetic)"],
    ],
    commandLine: "/apps/solver --input deck.in",
    mounts: [
      { type: "lustre", path: "/scratch" },
      { type: "xfs", path: "/" },
    ],
    ...plan.job,
  });
  writer.names([
    { id, name: path },
    { id: recordId(notes), name: notes },
  ]);
  writer.module(
    posix,
    [
      counterRecord(
        posix,
        { id, rank: -1 },
        {
          POSIX_OPENS: 4,
          POSIX_READS: 4,
          POSIX_WRITES: 8,
          POSIX_BYTES_READ: SOUND_READ,
          POSIX_BYTES_WRITTEN: SOUND_WRITTEN,
          POSIX_F_OPEN_START_TIMESTAMP: 1,
          POSIX_F_CLOSE_END_TIMESTAMP: 9,
          POSIX_F_READ_TIME: 2,
          POSIX_F_WRITE_TIME: 4,
          POSIX_F_META_TIME: 0.5,
          POSIX_F_SLOWEST_RANK_TIME: 2.5,
          POSIX_F_FASTEST_RANK_TIME: 1,
          POSIX_F_VARIANCE_RANK_TIME: 0.25,
          ...plan.posix,
        },
      ),
    ],
    plan.partial ?? false,
  );
  if (plan.withoutLustre !== true) writer.module(lustre, [lustreRecord(id, -1, [3])]);
  writer.module(stdio, [
    counterRecord(
      stdio,
      { id: recordId(notes), rank: 0 },
      { STDIO_OPENS: 1, STDIO_WRITES: 20, STDIO_BYTES_WRITTEN: SOUND_NOTES, STDIO_F_WRITE_TIME: 0.01 },
    ),
  ]);
  if (plan.unknownSlot !== undefined)
    writer.opaque(plan.unknownSlot, 7, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  writer.finish();
  return sink.bytes();
}
