/** A few small logs, each of a way to do I/O that one meets often. For the demonstration and for examples. */
import { Random } from "../base/prng.ts";
import { dxtPosix, heatmap, lustre, mpiio, posix, stdio } from "../formats/darshan/modules/index.ts";
import { recordId } from "../formats/darshan/record-id.ts";
import {
  type DarshanRecord,
  type Segment,
  type TraceObject,
  counterRecord,
} from "../formats/darshan/records.ts";
import type { WriteOptions } from "../formats/darshan/writer.ts";
import type { LogPlan } from "./recorder/calls.ts";
import { recordLog } from "./recorder/record.ts";
import { Application, osts } from "./single/index.ts";
import { beginLog, heatmapRecord, type LogFacts, lustreRecord, MIB } from "./log-builder.ts";

export interface Sample {
  readonly name: string;
  readonly about: string;
  readonly bytes: Uint8Array;
}

/** All samples; `encoders` are those of the host. */
export function sampleLogs(seed: number, encoders: WriteOptions["encoders"]): Sample[] {
  return [
    {
      name: "shared-checkpoint",
      about: "64 ranks write one checkpoint together through collective MPI-IO",
      bytes: sharedCheckpoint(new Random(seed), encoders),
    },
    {
      name: "file-per-process",
      about: "32 ranks write a file each; rank 7 is on a slow target",
      bytes: filePerProcess(new Random(seed + 1), encoders),
    },
    {
      name: "small-writes",
      about: "one process writes 4,000 pieces of 512 bytes, every call traced",
      bytes: smallWrites(new Random(seed + 2), encoders),
    },
    {
      name: "slow-checkpoint",
      about:
        "64 ranks write four checkpoints in small pieces through a shared file on two targets, every call traced",
      bytes: recordLog(slowCheckpoint(new Application(64, new Random(seed + 3))), encoders).bytes,
    },
  ];
}

/** The last of the samples in small, made in a blink, for whoever shows one. */
export const exampleLog = (seed: number, encoders: WriteOptions["encoders"]): Uint8Array =>
  recordLog(slowCheckpoint(new Application(16, new Random(seed + 3)), { pieces: 48, slow: 11 }), encoders)
    .bytes;

/** The one with something to say: small independent writes, few stripes, and a rank that holds the others up. */
function slowCheckpoint(job: Application, { pieces, slow } = { pieces: 96, slow: 41 }): LogPlan {
  const input = job.lustre("mesh.nc", osts(0, 16));
  job.openTogether(input, true);
  job.collective({ kind: "read", file: input, bytesPerRank: 16 * MIB, offset: 0, aggregators: 16 });
  job.closeTogether(input);
  const bytes = 64 * 1024;
  for (let step = 1; step <= 4; step++) {
    job.compute(6);
    const file = job.lustre(`checkpoint.${step}`, osts(20, 2), { alignmentBytes: 4096 });
    job.openTogether(file, false);
    for (let rank = 0; rank < job.ranks; rank++) {
      const rate = (rank === slow ? 1.5 : 9) * MIB;
      for (let piece = 0; piece < pieces; piece++)
        job.independent("write", rank, file, { offset: (rank * pieces + piece) * bytes, bytes, rate });
    }
    job.barrier();
    job.closeTogether(file);
  }
  return job.plan("ocean-model", { traces: true });
}

type Plan = Omit<LogFacts, "madeBy">;

function begin(plan: Plan, names: readonly string[]) {
  return beginLog(
    { ...plan, madeBy: "plimsoll demo" },
    names.map((name) => ({ id: recordId(name), name })),
  );
}

function layout(name: string, rank: number, stripes: readonly number[]): DarshanRecord {
  return lustreRecord(recordId(name), rank, stripes);
}

function heat(rank: number, seconds: number, bytesPerBin: (bin: number) => number): DarshanRecord {
  const bins = Array.from({ length: Math.ceil(seconds / 0.1) }, (_, bin) => BigInt(bytesPerBin(bin)));
  return heatmapRecord("POSIX", rank, 0.1, BigInt64Array.from(bins));
}

function sharedCheckpoint(random: Random, encoders: WriteOptions["encoders"]): Uint8Array {
  const file = "/scratch/run/checkpoint.0001";
  const ranks = 64;
  const bytes = ranks * 16 * MIB;
  const { sink, writer } = begin({ program: "cfd", jobId: 5001, ranks, seconds: 12.5, encoders }, [
    file,
    "heatmap:POSIX",
    "<STDOUT>",
  ]);
  const base = { id: recordId(file), rank: -1 };
  const slowest = 1.8 + random.unit() * 0.1;
  const times = (prefix: string) => ({
    [`${prefix}F_OPEN_START_TIMESTAMP`]: 9.1,
    [`${prefix}F_WRITE_START_TIMESTAMP`]: 9.2,
    [`${prefix}F_CLOSE_START_TIMESTAMP`]: 11.0,
    [`${prefix}F_OPEN_END_TIMESTAMP`]: 9.18,
    [`${prefix}F_WRITE_END_TIMESTAMP`]: 10.99,
    [`${prefix}F_CLOSE_END_TIMESTAMP`]: 11.05,
    [`${prefix}F_WRITE_TIME`]: slowest * ranks * 0.9,
    [`${prefix}F_META_TIME`]: 0.05 * ranks,
    [`${prefix}F_SLOWEST_RANK_TIME`]: slowest,
    [`${prefix}F_FASTEST_RANK_TIME`]: slowest * 0.95,
    [`${prefix}SLOWEST_RANK`]: 17,
    [`${prefix}SLOWEST_RANK_BYTES`]: 16 * MIB,
    [`${prefix}FASTEST_RANK`]: 3,
    [`${prefix}FASTEST_RANK_BYTES`]: 16 * MIB,
    [`${prefix}BYTES_WRITTEN`]: bytes,
  });
  writer.module(posix, [
    counterRecord(posix, base, {
      ...times("POSIX_"),
      POSIX_OPENS: ranks,
      POSIX_WRITES: bytes / (4 * MIB),
      POSIX_SEQ_WRITES: bytes / (4 * MIB) - 4,
      POSIX_MAX_BYTE_WRITTEN: bytes - 1,
      POSIX_FILE_ALIGNMENT: MIB,
      POSIX_MEM_ALIGNMENT: 8,
      POSIX_SIZE_WRITE_1M_4M: bytes / (4 * MIB),
      POSIX_ACCESS1_ACCESS: 4 * MIB,
      POSIX_ACCESS1_COUNT: bytes / (4 * MIB),
    }),
  ]);
  writer.module(mpiio, [
    counterRecord(mpiio, base, {
      ...times("MPIIO_"),
      MPIIO_COLL_OPENS: ranks,
      MPIIO_COLL_WRITES: ranks,
      MPIIO_VIEWS: ranks,
      MPIIO_SIZE_WRITE_AGG_10M_100M: ranks,
      MPIIO_ACCESS1_ACCESS: 16 * MIB,
      MPIIO_ACCESS1_COUNT: ranks,
    }),
  ]);
  writer.module(lustre, [layout(file, -1, [4, 5, 6, 7])]);
  writer.module(stdio, [
    counterRecord(
      stdio,
      { id: recordId("<STDOUT>"), rank: 0 },
      { STDIO_OPENS: 1, STDIO_WRITES: 20, STDIO_BYTES_WRITTEN: 1400 },
    ),
  ]);
  // Four aggregators move the data of all.
  writer.module(
    heatmap,
    [0, 16, 32, 48].map((rank) =>
      heat(rank, 12.5, (bin) => (bin >= 92 && bin < 110 ? Math.floor(bytes / 4 / 18) : 0)),
    ),
  );
  writer.finish();
  return sink.bytes();
}

function filePerProcess(random: Random, encoders: WriteOptions["encoders"]): Uint8Array {
  const ranks = 32;
  const files = Array.from(
    { length: ranks },
    (_, rank) => `/scratch/run/state.${String(rank).padStart(4, "0")}`,
  );
  const { sink, writer } = begin({ program: "md", jobId: 5002, ranks, seconds: 20.25, encoders }, files);
  const bytes = 256 * MIB;
  writer.module(
    posix,
    files.map((file, rank) => {
      const seconds = (rank === 7 ? 6 : 0.8) * (1 + random.unit() / 10);
      return counterRecord(
        posix,
        { id: recordId(file), rank },
        {
          POSIX_OPENS: 1,
          POSIX_WRITES: 256,
          POSIX_CONSEC_WRITES: 255,
          POSIX_SEQ_WRITES: 255,
          POSIX_BYTES_WRITTEN: bytes,
          POSIX_MAX_BYTE_WRITTEN: bytes - 1,
          POSIX_FILE_ALIGNMENT: MIB,
          POSIX_MEM_ALIGNMENT: 8,
          POSIX_SIZE_WRITE_100K_1M: 256,
          POSIX_ACCESS1_ACCESS: MIB,
          POSIX_ACCESS1_COUNT: 256,
          POSIX_F_OPEN_START_TIMESTAMP: 12,
          POSIX_F_OPEN_END_TIMESTAMP: 12.01,
          POSIX_F_WRITE_START_TIMESTAMP: 12.02,
          POSIX_F_WRITE_END_TIMESTAMP: 12.02 + seconds,
          POSIX_F_CLOSE_START_TIMESTAMP: 12.03 + seconds,
          POSIX_F_CLOSE_END_TIMESTAMP: 12.04 + seconds,
          POSIX_F_WRITE_TIME: seconds,
          POSIX_F_META_TIME: 0.02,
          POSIX_F_MAX_WRITE_TIME: seconds / 64,
          POSIX_MAX_WRITE_TIME_SIZE: MIB,
        },
      );
    }),
  );
  writer.module(
    lustre,
    files.map((file, rank) => layout(file, rank, [rank === 7 ? 3 : 10 + (rank % 20)])),
  );
  writer.finish();
  return sink.bytes();
}

function smallWrites(random: Random, encoders: WriteOptions["encoders"]): Uint8Array {
  const file = "/scratch/run/particles.log";
  const { sink, writer } = begin({ program: "tracer", jobId: 5003, ranks: 1, seconds: 8, encoders }, [file]);
  const writes: Segment[] = [];
  let clock = 0.25;
  for (let i = 0; i < 4000; i++) {
    const seconds = random.exponential(4e-4);
    writes.push({ offset: BigInt(i * 512), length: 512n, start: clock, end: clock + seconds, thread: 1n });
    clock += seconds + 1e-3;
  }
  const busy = writes.reduce((sum, { start, end }) => sum + end - start, 0);
  writer.module(posix, [
    counterRecord(
      posix,
      { id: recordId(file), rank: 0 },
      {
        POSIX_OPENS: 1,
        POSIX_WRITES: 4000,
        POSIX_CONSEC_WRITES: 3999,
        POSIX_SEQ_WRITES: 3999,
        POSIX_BYTES_WRITTEN: 4000 * 512,
        POSIX_MAX_BYTE_WRITTEN: 4000 * 512 - 1,
        POSIX_FILE_NOT_ALIGNED: 3999,
        POSIX_FILE_ALIGNMENT: MIB,
        POSIX_MEM_ALIGNMENT: 8,
        POSIX_SIZE_WRITE_100_1K: 4000,
        POSIX_ACCESS1_ACCESS: 512,
        POSIX_ACCESS1_COUNT: 4000,
        POSIX_F_OPEN_START_TIMESTAMP: 0.2,
        POSIX_F_OPEN_END_TIMESTAMP: 0.21,
        POSIX_F_WRITE_START_TIMESTAMP: 0.25,
        POSIX_F_WRITE_END_TIMESTAMP: clock,
        POSIX_F_CLOSE_START_TIMESTAMP: clock + 0.001,
        POSIX_F_CLOSE_END_TIMESTAMP: clock + 0.002,
        POSIX_F_WRITE_TIME: busy,
        POSIX_F_META_TIME: 0.012,
        POSIX_F_MAX_WRITE_TIME: Math.max(...writes.map(({ start, end }) => end - start)),
        POSIX_MAX_WRITE_TIME_SIZE: 512,
      },
    ),
  ]);
  writer.module(lustre, [layout(file, 0, [12])]);
  const trace: TraceObject = { id: recordId(file), rank: 0n, host: "node0001", writes, reads: [] };
  writer.module(dxtPosix, [trace]);
  writer.finish();
  return sink.bytes();
}
