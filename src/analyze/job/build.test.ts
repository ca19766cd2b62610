/** Jobs of one and of several logs, from the bytes of logs that the test wrote. */
import { describe, expect, it } from "vitest";
import { daos, dfs, type ModuleSpec, mpiio, posix, stdio } from "../../formats/darshan/modules/index.ts";
import { recordId } from "../../formats/darshan/record-id.ts";
import { counterRecord } from "../../formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../formats/darshan/writer.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { jobOf, singleJob } from "./test-kit.ts";

interface Counters {
  readonly module: ModuleSpec;
  readonly path: string;
  readonly rank: number;
  readonly values: Readonly<Record<string, number>>;
}

function logOf(
  startSeconds: number,
  seconds: number,
  ranks: number,
  records: readonly Counters[],
): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  writer.job({
    uid: 1,
    startSeconds,
    endSeconds: seconds === 0 ? 0 : startSeconds + seconds,
    nprocs: ranks,
    jobId: 9,
    commandLine: "/apps/x",
    mounts: [{ type: "lustre", path: "/scratch" }],
  });
  writer.names([...new Set(records.map(({ path }) => path))].map((name) => ({ id: recordId(name), name })));
  for (const module of [posix, mpiio, stdio, dfs, daos]) {
    const own = records.filter((one) => one.module === module);
    if (own.length > 0)
      writer.module(
        module,
        own.map(({ path, rank, values }) => counterRecord(module, { id: recordId(path), rank }, values)),
      );
  }
  writer.finish();
  return sink.bytes();
}

const posixOf = (path: string, rank: number, bytes: number, seconds: number): Counters => ({
  module: posix,
  path,
  rank,
  values: {
    POSIX_OPENS: 1,
    POSIX_READS: 1,
    POSIX_BYTES_READ: bytes,
    POSIX_F_READ_TIME: seconds,
    POSIX_F_OPEN_START_TIMESTAMP: 1,
    POSIX_F_CLOSE_END_TIMESTAMP: 2,
  },
});

describe("one log", () => {
  it("counts bytes of the layers that move them", () => {
    const job = jobOf(
      logOf(1000, 10, 2, [
        posixOf("/scratch/a", -1, 100, 1),
        {
          module: mpiio,
          path: "/scratch/a",
          rank: -1,
          values: { MPIIO_INDEP_READS: 1, MPIIO_BYTES_READ: 150 },
        },
        { module: stdio, path: "/scratch/b", rank: 0, values: { STDIO_WRITES: 1, STDIO_BYTES_WRITTEN: 7 } },
      ]),
    );
    expect(job.io).toMatchObject({ bytesReadExact: 100n, bytesWrittenExact: 7n });
    expect(job.files.map(({ path, called }) => `${path} ${called.layer}`)).toEqual([
      "/scratch/a MPI-IO",
      "/scratch/b STDIO",
    ]);
    expect(job.file(String(recordId("/scratch/a")))).toMatchObject({
      bytesRead: 100,
      mount: "/scratch",
      fsType: "lustre",
    });
  });

  it("counts MPI-IO where nothing lies below it", () => {
    const mpi = { module: mpiio, path: "/scratch/a", rank: -1, values: { MPIIO_BYTES_READ: 150 } };
    expect(jobOf(logOf(1000, 10, 2, [mpi])).io.bytesReadExact).toBe(150n);
  });

  it("counts DAOS below DFS once", () => {
    const of = (module: ModuleSpec, path: string, prefix: string, bytes: number): Counters => ({
      module,
      path,
      rank: -1,
      values: {
        [`${prefix}_BYTES_WRITTEN`]: bytes,
        [`${prefix}_F_WRITE_TIME`]: 4,
        [`${prefix}_F_SLOWEST_RANK_TIME`]: 2,
      },
    });
    const job = jobOf(
      logOf(1000, 10, 2, [
        of(dfs, "/file", "DFS", 1000),
        of(daos, "/file", "DAOS", 1000),
        of(daos, "object", "DAOS", 30),
      ]),
    );
    expect(job.io).toMatchObject({
      bytesWrittenExact: 1030n,
      writeSeconds: 8,
      meanSeconds: 4,
      slowestSeconds: 4,
    });
    expect(job.file(String(recordId("/file")))).toMatchObject({ bytesWritten: 1000, seconds: 4 });
  });

  it("does not know the run time when the log has no end", () => {
    const job = jobOf(logOf(1000, 0, 1, [posixOf("/scratch/a", 0, 1, 1)]));
    expect(job.runSeconds).toBeNaN();
    expect(job.io.meanShare).toBeNaN();
  });
});

describe("several logs", () => {
  const first = logOf(1000, 10, 2, [posixOf("/scratch/a", 0, 100, 1), posixOf("/scratch/both", 1, 10, 2)]);
  const second = logOf(1500, 20, 3, [posixOf("/scratch/b", 2, 1000, 4), posixOf("/scratch/both", 0, 20, 3)]);

  it.each([
    ["in order", [first, second], [0, 500], [0, 2]],
    ["the later one first", [second, first], [500, 0], [0, 3]],
  ] as const)("are moved to one time axis and one row of ranks, %s", (_, logs, shifts, bases) => {
    const job = jobOf(...logs);
    expect(job).toMatchObject({ ranks: 5, startUnixSeconds: 1000, runSeconds: 520 });
    expect(job.runs.map(({ shiftSeconds }) => shiftSeconds)).toEqual(shifts);
    expect(job.runs.map(({ rankBase }) => rankBase)).toEqual(bases);
    expect(job.io).toMatchObject({
      bytesReadExact: 1130n,
      readSeconds: 10,
      meanSeconds: 2,
      slowestSeconds: 4,
    });
    expect(job.files).toHaveLength(3);
    const both = job.file(String(recordId("/scratch/both")));
    expect(both).toMatchObject({ bytesRead: 30, seconds: 5 });
    expect(both?.called).toMatchObject({ ranks: 2, openStart: 1, closeEnd: 502 });
    // Rank 2 of the second log has 4 s in a file of its own.
    expect(job.io.slowestRank).toBe((logs[0] === second ? 0 : 2) + 2);
    expect(new Set(job.rankLoads.map(({ rank }) => rank)).size).toBe(4);
  });

  it("of which one has no end last as long as the others say", () => {
    expect(jobOf(first, logOf(1001, 0, 1, [])).runSeconds).toBe(10);
  });
});

describe("traces and heat maps", () => {
  it("the heat map speaks for activity, traces when there is none", () => {
    expect(singleJob("heatmap-only").activity?.source).toBe("HEATMAP");
    const traced = singleJob("dxt-only");
    expect(traced.activity?.source).toBe("DXT");
    const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
    const posixFacts = traced.trace?.layers.find(({ layer }) => layer === "POSIX");
    expect(sum(traced.activity!.bytesRead)).toBeCloseTo(posixFacts?.read.bytes as number, 0);
    expect(sum(Float64Array.from(traced.activity!.rankBytesWritten.values()))).toBe(posixFacts?.write.bytes);
    expect(singleJob("no-io")).toMatchObject({ activity: undefined, trace: undefined, osts: [], files: [] });
  });
});
