/**
 * The baseline of the adaptive I/O paper (III.A): all ranks write their data into one file by MPI-IO, each to its own part,
 * then flush and close. The file is measured and removed; its times are compared with those of the adaptive writer.
 */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import type { Listener } from "../../../base/listener.ts";
import { launchedBy } from "../../../launch/environment.ts";
import type { MpiCommunicator, openMpiFile } from "../../../launch/mpi/index.ts";
import { runUnderMpi } from "../../../launch/mpiexec.ts";
import { Operation, type WriteCalls } from "../../../model/index.ts";
import type { StepRecord } from "../session/run-record.ts";
import { planWorkload } from "../session/workloads.ts";

interface Baseline {
  /** One of `WORKLOADS`. */
  readonly workload: string;
  readonly processes: number;
  readonly scale: number;
  /** Where the file is. */
  readonly folder: string;
  /** Of all ranks together. */
  readonly memoryBytes: number;
}

/** Names the file to the ranks: whoever started them removes it, however they end. */
const FILE_VARIABLE = "PLIMSOLL_BASELINE_FILE";

/** Where no launcher started this process: this command line again, as ranks of `mpiexec`; gives their exit code. */
export async function baselineUnderMpi(
  { processes, folder }: Baseline,
  mpiexec: string | undefined,
  listener: Listener,
): Promise<number> {
  const path = join(resolve(folder), `plimsoll-mpi-io-${randomBytes(4).toString("hex")}`);
  const file = { path, variable: FILE_VARIABLE, value: path };
  return runUnderMpi({ ranks: processes, mpiexec, option: "--method mpi-io", file }, listener);
}

/** On every rank that a launcher started. The record on rank 0, undefined on the others. */
export async function writeBaseline(baseline: Baseline): Promise<StepRecord | undefined> {
  const { workload, processes, scale, folder, memoryBytes } = baseline;
  const launched = launchedBy(process.env);
  if (launched !== undefined && launched.size !== processes)
    throw new UsageError(
      `--processes ${processes}: ${launched.by} started ${launched.size} ranks; they must be equal`,
    );
  const { connectMpi, openMpiFile } = await import("../../../launch/mpi/index.ts");
  const communicator = await connectMpi();
  const path = process.env[FILE_VARIABLE] ?? join(resolve(folder), `plimsoll-mpi-io-${workload}`);
  const [bytes = 0] = planWorkload(workload, processes, scale).sources.map((source) => source.bytes);
  const record = await writeShared(communicator, {
    ...{ path, bytes, open: openMpiFile },
    title: `${workload}: ${processes} processes into one file by MPI-IO (${communicator.name})`,
    memoryBytes: Math.max(1, Math.floor(memoryBytes / processes)),
  });
  await communicator.close();
  return record;
}

interface SharedWrite {
  readonly path: string;
  readonly title: string;
  /** Bytes of each rank. */
  readonly bytes: number;
  /** Max memory of one rank. */
  readonly memoryBytes: number;
  readonly open: typeof openMpiFile;
}

interface RankTimes {
  readonly openSeconds: number;
  /** From the barrier after the opens: of each piece, and of the flush and close behind them. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly closedAt: number;
  readonly cpuSeconds: number;
}

/** Collective. */
async function writeShared(
  communicator: MpiCommunicator,
  { path, title, bytes, memoryBytes, open }: SharedWrite,
): Promise<StepRecord | undefined> {
  const { rank, size } = communicator;
  const piece = Math.min(bytes, memoryBytes);
  const buffer = contentOf(rank, piece);
  const cpu = process.cpuUsage();
  const before = performance.now();
  const file = await open(communicator, path, { mode: "create" });
  const openSeconds = (performance.now() - before) / 1000;
  await communicator.barrier();
  const began = performance.now();
  const now = (): number => (performance.now() - began) / 1000;
  const starts: number[] = [];
  const ends: number[] = [];
  for (let from = 0; from < bytes; from += piece) {
    const length = Math.min(piece, bytes - from);
    file.setView(rank * bytes + from, { kind: "bytes", length });
    const prepared = file.prepare(buffer, { kind: "bytes", length });
    starts.push(now());
    file.transfer("write", prepared, false);
    ends.push(now());
    prepared.free();
  }
  file.sync();
  // The paper counts write, flush and close; a writer is done when its data is flushed.
  ends[ends.length - 1] = now();
  await file.close();
  const { user, system } = process.cpuUsage(cpu);
  const mine: RankTimes = { openSeconds, starts, ends, closedAt: now(), cpuSeconds: (user + system) / 1e6 };
  const all = await communicator.gather(Buffer.from(JSON.stringify(mine)), 0);
  if (rank === 0) rmSync(path, { force: true });
  await communicator.barrier();
  if (all === undefined) return undefined;
  const ranks = all.map((one) => JSON.parse(Buffer.from(one).toString()) as RankTimes);
  return recordOf(ranks, { title, bytes, piece, path, memoryBytes: size * piece });
}

interface About {
  readonly title: string;
  readonly bytes: number;
  readonly piece: number;
  readonly path: string;
  readonly memoryBytes: number;
}

function recordOf(ranks: readonly RankTimes[], about: About): StepRecord {
  const { title, bytes, piece, path, memoryBytes } = about;
  const rows = ranks.flatMap(({ starts, ends }, rank) =>
    starts.map((start, i) => ({
      rank,
      start,
      end: ends[i] as number,
      offset: rank * bytes + i * piece,
      bytes: Math.min(piece, bytes - i * piece),
    })),
  );
  const count = rows.length;
  const column = (of: (row: (typeof rows)[number]) => number) => Float64Array.from(rows, of);
  const nanoseconds = (seconds: number) => Math.round(1e9 * seconds);
  const process = Uint32Array.from(rows, ({ rank }) => rank);
  const calls: WriteCalls = {
    count,
    process,
    owner: process,
    file: new Uint32Array(count),
    bytes: column((row) => row.bytes),
    offset: column((row) => row.offset),
    startNs: column(({ start }) => nanoseconds(start)),
    endNs: column(({ end }) => nanoseconds(end)),
    operation: new Uint8Array(count).fill(Operation.write),
    layer: new Uint8Array(count),
    flags: new Uint8Array(count),
  };
  const most = (of: (one: RankTimes) => number) => Math.max(...ranks.map(of));
  return {
    run: {
      ...{ label: "mpi-io", title, policy: "mpi-io", simulated: false },
      writers: ranks.length,
      targets: 1,
      targetNames: [path],
      bytes: bytes * ranks.length,
      seconds: most(({ ends }) => ends.at(-1) as number),
      commitSeconds: most(({ closedAt }) => closedAt),
      openSeconds: ranks.map(({ openSeconds }) => openSeconds),
      calls,
      messages: [],
      outcome: "complete",
    },
    host: process,
    fileId: new Float64Array(count),
    keptBytes: 0,
    cpuSeconds: ranks.reduce((sum, one) => sum + one.cpuSeconds, 0),
    memoryBytes,
    startSeconds: 0,
  };
}

/** Incompressible bytes. */
function contentOf(rank: number, bytes: number): Uint8Array {
  const content = new Uint8Array(bytes);
  let state = (rank + 1) * 2_654_435_761;
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    content[i] = state >>> 24;
  }
  return content;
}
