/** Makes the runs of a plan: under the recorder, in random order, each checked against what its workload asks for. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AccessCollector } from "../../analyze/metric/index.ts";
import type { Run } from "../../analyze/study/metric/index.ts";
import { FormatError } from "../../base/errors.ts";
import { Random } from "../../base/prng.ts";
import { gatherFolder } from "../gather.ts";
import { recordCommand } from "../launch.ts";
import { readTraceFile } from "../read-folder.ts";
import type { DataFiles } from "./data-files.ts";
import { type Delay, expectedOf, type PlannedCase, SIEVE_BUFFER, type Work } from "./plan.ts";
import { MPI_ENVIRONMENT, type Programs } from "./programs.ts";

export interface RunContext {
  readonly programs: Programs;
  readonly files: DataFiles;
  /** Where traces are kept until they are read. */
  readonly traces: string;
  readonly signal: AbortSignal;
}

/** Places of cases in the order in which they are run: every repeat runs all of them, shuffled again. */
export function runOrder(cases: number, repeats: number, seed: number): { index: number; repeat: number }[] {
  return Array.from({ length: repeats }, (_, i) => i + 1).flatMap((repeat) => {
    const random = Random.stream(seed, 3, repeat);
    const order = Array.from({ length: cases }, (_, index) => index);
    for (let at = order.length - 1; at > 0; at--) {
      const other = random.below(at + 1);
      [order[at], order[other]] = [order[other] as number, order[at] as number];
    }
    return order.map((index) => ({ index, repeat }));
  });
}

/** What a run found, before it has a place among others. */
export type Measurement = Omit<Run, "set" | "label" | "x" | "device" | "repeat" | "order"> & {
  /** Pages that stayed in the cache although they were to go. */
  readonly residentPages: number;
};

export async function measureCase(one: PlannedCase, context: RunContext): Promise<Measurement> {
  const { files, traces, signal } = context;
  signal.throwIfAborted();
  const residentPages = await files.prepare(one, signal);
  const work = mkdtempSync(join(traces, "run-"));
  try {
    const paths = files.pathsOf(one);
    const executionSeconds = await execute(one, paths, work, context);
    const found = metricsOf(join(work, "trace"));
    const expected = expectedOf(one.work);
    if (found.dropped === 0 && (found.accesses !== expected.accesses || found.bytes !== expected.bytes))
      throw new FormatError(
        `set ${one.set}, ${one.label}`,
        {},
        `the recorder captured ${found.accesses} calls with ${found.bytes} bytes; the workload makes ${expected.accesses} of ${expected.bytes}`,
      );
    return { executionSeconds, ...found, residentPages };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs the program of a case and gives the time that it measured itself. */
async function execute(
  one: PlannedCase,
  paths: readonly string[],
  work: string,
  context: RunContext,
): Promise<number> {
  const { programs, files, signal } = context;
  const [out, errors] = ["stdout", "stderr"].map((name) => join(work, name)) as [string, string];
  const [outFd, errorFd] = [openSync(out, "w"), openSync(errors, "w")];
  const command = wordsOf(one.work, one.source.kind === "direct", paths, programs);
  try {
    const { exitCode } = await recordCommand(command, {
      folder: join(work, "trace"),
      with: "shim",
      only: files.folders,
      stdio: ["ignore", outFd, errorFd],
      env: { ...process.env, ...MPI_ENVIRONMENT },
      ...(one.source.kind === "delay" ? { delay: delayWords(one.source.delay, paths) } : {}),
    });
    signal.throwIfAborted();
    if (exitCode !== 0) {
      const said = readFileSync(errors, "utf8").trim().split("\n")[0];
      throw new FormatError(
        `set ${one.set}, ${one.label}`,
        {},
        said || `the workload ended with exit code ${exitCode}`,
      );
    }
  } finally {
    closeSync(outFd);
    closeSync(errorFd);
  }
  const { seconds } = JSON.parse(readFileSync(out, "utf8")) as { seconds: number };
  return seconds;
}

export function wordsOf(work: Work, direct: boolean, paths: readonly string[], programs: Programs): string[] {
  if (work.kind === "read") {
    const { bytes, record, processes, own } = work;
    return [
      ...[programs.workload, "read", String(bytes), String(record), direct ? "direct" : "buffered"],
      ...[own ? "own" : "shared", String(processes), ...paths],
    ];
  }
  const { regions, size, spacing, calls, passes } = work;
  const program =
    programs.mpiSieving === undefined ? [programs.workload, "sieve"] : [programs.mpiSieving.path];
  return [...program, ...[regions, size, spacing, calls, passes, SIEVE_BUFFER].map(String), ...paths];
}

/** As the recorder takes it: one device for all files, or one for each where processes have their own. */
export function delayWords(
  { latencyMicroseconds, bytesPerSecond, servers }: Delay,
  paths: readonly string[],
): string {
  const device = (path: string, channels: number) =>
    `latency=${latencyMicroseconds}us,bandwidth=${bytesPerSecond}B/s,concurrency=${channels},path=${path}`;
  return paths.map((path) => device(path, Math.max(1, servers))).join(";");
}

function metricsOf(folder: string): Omit<Measurement, "executionSeconds" | "residentPages"> {
  const collector = new AccessCollector();
  for (const path of gatherFolder(folder).files) readTraceFile(path, collector.sink(folder));
  const found = collector.finish();
  const rate = (value: number | null) => value ?? Number.NaN;
  return {
    accesses: found.accesses,
    bytes: Number(found.bytes),
    movedBytes: found.movedBytes === null ? Number.NaN : Number(found.movedBytes),
    ioTimeSeconds: found.ioTimeSeconds,
    iops: rate(found.iops),
    bandwidth: rate(found.bandwidthBytesPerSecond),
    arpt: rate(found.arptSeconds),
    bps: rate(found.bps),
    dropped: found.dropped.total + found.dropped.notRecorded,
  };
}
