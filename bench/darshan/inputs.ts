/** The logs that the benchmark reads, made with our own writer from a fixed seed. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/base/prng.ts";
import { dxtPosix, lustre, type ModuleSpec, posix, stdio } from "../../src/formats/darshan/modules/index.ts";
import { recordId } from "../../src/formats/darshan/record-id.ts";
import {
  counterRecord,
  type DarshanRecord,
  type Segment,
  type TraceObject,
} from "../../src/formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../src/formats/darshan/writer.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { Application, osts } from "../../src/generate/single/application.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";

export interface BenchInput {
  readonly id: string;
  readonly label: string;
  readonly paths: readonly string[];
}

interface LogPlan {
  readonly ranks: number;
  readonly names: Iterable<{ id: bigint; name: string }>;
  readonly modules: readonly (readonly [ModuleSpec, Iterable<DarshanRecord | TraceObject>])[];
  readonly streamBytes?: number;
}

function build(plan: LogPlan): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, {
    encoders: nodeEncoders,
    ...(plan.streamBytes === undefined ? {} : { streamBytes: plan.streamBytes }),
  });
  writer.job({
    uid: 1001,
    startSeconds: 1_700_000_000,
    startNanoseconds: 5,
    endSeconds: 1_700_000_600,
    nprocs: plan.ranks,
    jobId: 4242,
    metadata: [["lib_ver", "3.5.0"]],
    commandLine: "/apps/bin/solver --input deck.in",
    mounts: [
      { type: "lustre", path: "/scratch" },
      { type: "xfs", path: "/" },
    ],
  });
  writer.names(plan.names);
  for (const [spec, records] of plan.modules) writer.module(spec, records);
  writer.finish();
  return sink.bytes();
}

/** A POSIX record with the look of real ones: a third of the counters in use, times with full mantissas. */
function posixRecord(random: Random, id: bigint, rank: number): DarshanRecord {
  const writes = 1 + random.below(64);
  const size = 4096 * (1 + random.below(255));
  const open = random.unit() * 300;
  const seconds = random.exponential(0.01);
  return counterRecord(
    posix,
    { id, rank },
    {
      POSIX_OPENS: 1,
      POSIX_WRITES: writes,
      POSIX_STATS: random.below(3),
      POSIX_MODE: 436,
      POSIX_BYTES_WRITTEN: writes * size,
      POSIX_MAX_BYTE_WRITTEN: writes * size - 1,
      POSIX_CONSEC_WRITES: writes - 1,
      POSIX_SEQ_WRITES: writes - 1,
      POSIX_MEM_ALIGNMENT: 8,
      POSIX_FILE_ALIGNMENT: 1048576,
      POSIX_FILE_NOT_ALIGNED: writes - 1,
      POSIX_MAX_WRITE_TIME_SIZE: size,
      POSIX_SIZE_WRITE_100K_1M: writes,
      POSIX_ACCESS1_ACCESS: size,
      POSIX_ACCESS1_COUNT: writes,
      POSIX_F_OPEN_START_TIMESTAMP: open,
      POSIX_F_WRITE_START_TIMESTAMP: open + 0.001,
      POSIX_F_CLOSE_START_TIMESTAMP: open + seconds,
      POSIX_F_OPEN_END_TIMESTAMP: open + 0.0005,
      POSIX_F_WRITE_END_TIMESTAMP: open + seconds * 0.9,
      POSIX_F_CLOSE_END_TIMESTAMP: open + seconds * 1.01,
      POSIX_F_WRITE_TIME: seconds * 0.8,
      POSIX_F_META_TIME: seconds * 0.1,
      POSIX_F_MAX_WRITE_TIME: seconds / writes,
    },
  );
}

function stdioRecord(random: Random, id: bigint): DarshanRecord {
  return counterRecord(
    stdio,
    { id, rank: 0 },
    {
      STDIO_OPENS: 1,
      STDIO_WRITES: 3,
      STDIO_BYTES_WRITTEN: 100 + random.below(900),
      STDIO_F_WRITE_TIME: random.unit() / 1000,
    },
  );
}

const named = (name: string) => ({ id: recordId(name), name });

function smallLog(seed: number): Uint8Array {
  const random = new Random(seed);
  const file = named(`/scratch/project/run${seed}/out.dat`);
  const stdout = named("<STDOUT>");
  return build({
    ranks: 1,
    names: [file, stdout],
    modules: [
      [posix, [posixRecord(random, file.id, 0)]],
      [stdio, [stdioRecord(random, stdout.id)]],
    ],
  });
}

function mediumLog(seed: number): Uint8Array {
  const random = new Random(seed);
  const files = Array.from({ length: 56 }, (_, rank) => named(`/scratch/project/run${seed}/rank${rank}.dat`));
  const stdout = named("<STDOUT>");
  return build({
    ranks: 56,
    names: [...files, stdout],
    streamBytes: 1,
    modules: [
      [posix, files.map(({ id }, rank) => posixRecord(random, id, rank))],
      [
        lustre,
        files.map(({ id }, rank) => ({
          kind: "lustre" as const,
          id,
          rank: BigInt(rank),
          components: [
            { counters: BigInt64Array.of(1048576n, 1n, 0n, 16n, 0n, -1n, 0n), pool: new Uint8Array(0) },
          ],
          osts: BigInt64Array.of(BigInt(random.below(248))),
        })),
      ],
      [stdio, [stdioRecord(random, stdout.id)]],
    ],
  });
}

function manyStreams(): Uint8Array {
  const random = new Random(7);
  const files = Array.from({ length: 2048 }, (_, rank) => named(`/scratch/project/big/rank${rank}.dat`));
  return build({
    ranks: 2048,
    names: files,
    streamBytes: 1,
    modules: [[posix, files.map(({ id }, rank) => posixRecord(random, id, rank))]],
  });
}

export function manyFiles(count: number): Uint8Array {
  const random = new Random(8);
  const name = (index: number) =>
    `/scratch/project/images/part${String(Math.floor(index / 1000)).padStart(3, "0")}/img${index}.raw`;
  function* names() {
    for (let i = 0; i < count; i++) yield named(name(i));
  }
  function* records() {
    for (let i = 0; i < count; i++) yield posixRecord(random, recordId(name(i)), i % 64);
  }
  return build({ ranks: 64, names: names(), modules: [[posix, records()]] });
}

function manySegments(count: number): Uint8Array {
  const random = new Random(9);
  const file = named("/scratch/project/checkpoint.dat");
  let clock = 0.5;
  let offset = 0;
  const writes: Segment[] = [];
  for (let i = 0; i < count; i++) {
    const length = 4096 * (1 + random.below(16));
    // The clock of a trace ticks in about a microsecond.
    const tick = (seconds: number) => Math.ceil(seconds * 1048576) / 1048576;
    const seconds = tick(random.exponential(2e-4));
    writes.push({
      offset: BigInt(offset),
      length: BigInt(length),
      start: clock,
      end: clock + seconds,
      thread: 139872541304640n,
    });
    clock += seconds + tick(random.exponential(1e-4));
    offset += length;
  }
  return build({
    ranks: 1,
    names: [file],
    modules: [
      [posix, [posixRecord(random, file.id, 0)]],
      [dxtPosix, [{ id: file.id, rank: 0n, host: "node0001", writes, reads: [] }]],
    ],
  });
}

/** Makes the inputs that are missing in `folder`, and lists them all. */
export function benchInputs(folder: string): BenchInput[] {
  mkdirSync(folder, { recursive: true });
  const store = (name: string, make: () => Uint8Array) => {
    const path = join(folder, `${name}.darshan`);
    if (!existsSync(path)) writeFileSync(path, make());
    return path;
  };
  const several = (name: string, count: number, make: (seed: number) => Uint8Array) =>
    Array.from({ length: count }, (_, seed) => store(`${name}-${seed}`, () => make(seed)));
  return [
    { id: "small", label: "small logs, 1 file", paths: several("small", 200, smallLog) },
    { id: "medium", label: "medium logs, 56 ranks, 113 streams", paths: several("medium", 100, mediumLog) },
    { id: "streams", label: "2,048 small zlib streams", paths: [store("streams", manyStreams)] },
    { id: "files", label: "100,000 files", paths: [store("files", () => manyFiles(100_000))] },
    {
      id: "segments",
      label: "1 file, 1 M DXT segments",
      paths: [store("segments", () => manySegments(1_000_000))],
    },
  ];
}

/** A million calls: 256 ranks write eight checkpoints, every call traced. */
export function manyCalls(): Uint8Array {
  const job = new Application(256, new Random(11));
  for (let step = 0; step < 8; step++) {
    job.compute(5);
    const file = job.lustre(`checkpoint.${step}`, osts(8 * step, 8), { alignmentBytes: 4096 });
    for (let rank = 0; rank < 256; rank++) {
      job.open("POSIX", rank, file);
      for (let i = 0; i < 489; i++)
        job.write("POSIX", rank, file, {
          offset: (rank * 489 + i) * 65536,
          bytes: 65536,
          rate: 30 * 2 ** 20,
        });
      job.close("POSIX", rank, file);
    }
    job.barrier();
  }
  return recordLog(job.plan("many-calls", { traces: true }), nodeEncoders).bytes;
}
