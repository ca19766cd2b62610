/** Whose calls they are: what the program asks for, what libraries do below, what single ranks do in shared records. */
import { describe, expect, it } from "vitest";
import { h5d, h5f, mpiio, posix, stdio } from "../../../formats/darshan/modules/index.ts";
import type { Finding } from "../../../model/index.ts";
import { answersOf } from "../headline.ts";
import type { Job } from "../job.ts";
import { judge } from "../judge.ts";
import { pictured, timeFigure } from "../pictures/index.ts";
import { MIB } from "./measures.ts";
import { type CountersOfFile, countersJob } from "./test-kit.ts";

const idsOf = (job: Job) => judge(job).findings.map(({ id }) => id);
const findingOf = (job: Job, id: string) => judge(job).findings.find((one) => one.id === id);

const FILE = "/scratch/run/table.h5";

describe("datasets of logs whose records do not name their file", () => {
  const filled = (dataset: string): CountersOfFile[] => [
    { module: h5f, path: FILE, values: { OPENS: 64, USE_MPIIO: 1 } },
    {
      module: h5d,
      path: dataset,
      values: {
        OPENS: 64,
        WRITES: 64,
        BYTES_WRITTEN: 512 * MIB,
        USE_MPIIO_COLLECTIVE: 1,
        F_META_TIME: 64 * 20,
      },
    },
    {
      module: mpiio,
      path: FILE,
      values: {
        COLL_OPENS: 64,
        COLL_WRITES: 128,
        BYTES_WRITTEN: 1024 * MIB,
        F_WRITE_TIME: 64 * 50,
        F_SLOWEST_RANK_TIME: 50,
      },
    },
    {
      module: posix,
      path: FILE,
      values: {
        OPENS: 64,
        WRITES: 128,
        BYTES_WRITTEN: 1024 * MIB,
        F_WRITE_TIME: 64 * 30,
        F_SLOWEST_RANK_TIME: 30,
      },
    },
  ];

  it.each([`${FILE}:/a/b`, `${FILE}://data/1/E:x`])("finds the file by the name: %s", (dataset) => {
    const job = countersJob(64, filled(dataset));
    const finding = findingOf(job, "hdf5-fill");
    expect(finding?.statement).toContain("HDF5 writes 1.07 GB to 1 file for 537 MB of datasets");
    // What creating the datasets took.
    expect(finding?.cost.seconds).toBeCloseTo(20, 0);
  });

  it("says nothing of a dataset whose file the log does not know", () => {
    expect(idsOf(countersJob(64, filled("/elsewhere/other.h5:/a")))).not.toContain("hdf5-fill");
  });
});

describe("reads below MPI-IO that the program did not ask for", () => {
  const sieved = (asked: number): CountersOfFile[] => [
    {
      module: mpiio,
      path: "/scratch/run/out.dat",
      values: {
        ...{ COLL_OPENS: 16, COLL_WRITES: 1600, BYTES_WRITTEN: 400 * MIB, COLL_READS: asked > 0 ? 1600 : 0 },
        ...{
          BYTES_READ: asked,
          F_WRITE_TIME: 16 * 20,
          F_READ_TIME: asked > 0 ? 16 * 20 : 0,
          F_SLOWEST_RANK_TIME: 40,
        },
      },
    },
    {
      module: posix,
      path: "/scratch/run/out.dat",
      values: {
        ...{ OPENS: 16, WRITES: 400, READS: 400, BYTES_WRITTEN: 400 * MIB, BYTES_READ: 1600 * MIB },
        ...{
          MAX_BYTE_WRITTEN: 400 * MIB - 1,
          MAX_BYTE_READ: 400 * MIB - 1,
          F_WRITE_TIME: 160,
          F_READ_TIME: 160,
        },
        ...{
          F_WRITE_START_TIMESTAMP: 1,
          F_READ_START_TIMESTAMP: 50,
          F_WRITE_END_TIMESTAMP: 49,
          F_READ_END_TIMESTAMP: 99,
        },
      },
    },
  ];

  it("are neither read again nor read back: sieving explains them", () => {
    const ids = idsOf(countersJob(16, sieved(0)));
    expect(ids).toContain("write-amplification");
    expect(ids).not.toContain("re-reads");
    expect(ids).not.toContain("read-after-write");
  });

  it("are marked in the figure of layers as what nobody asked for", () => {
    const job = countersJob(16, sieved(0));
    const finding = findingOf(job, "write-amplification") as Finding;
    const chart = pictured(job, finding).figure?.chart as { readonly markLabel?: string };
    expect(chart.markLabel).toBe("POSIX, read: 1.68 GB, of which the program requests none");
  });

  it("are the program's where it asks for as much", () => {
    expect(idsOf(countersJob(16, sieved(1600 * MIB)))).toContain("read-after-write");
  });
});

it("a million reads of one byte are read again, not scattered, and cost what MPI-IO takes for them", () => {
  const values = {
    READS: 1e6,
    BYTES_READ: 1e6,
    MAX_BYTE_READ: 0,
    SIZE_READ_0_100: 1e6,
    F_READ_TIME: 20,
    OPENS: 1,
  };
  const job = countersJob(1, [
    {
      module: mpiio,
      path: "/scratch/seed",
      rank: 0,
      values: {
        INDEP_OPENS: 1,
        INDEP_READS: 1e6,
        BYTES_READ: 1e6,
        SIZE_READ_AGG_0_100: 1e6,
        F_READ_TIME: 50,
      },
    },
    { module: posix, path: "/scratch/seed", rank: 0, values },
  ]);
  const [first, ...others] = judge(job).findings;
  expect(first).toMatchObject({ id: "re-reads", severity: "high" });
  expect(first?.cost.seconds).toBeCloseTo(50, 1);
  expect(others.map(({ id }) => id)).not.toContain("mpiio-file-view");
  expect(others.map(({ id }) => id)).not.toContain("small-reads");
});

describe("files that each rank writes alone while all ask for them", () => {
  const RANKS = 64;
  const statted = Array.from(
    { length: RANKS },
    (_, rank): CountersOfFile => ({
      module: posix,
      path: `/scratch/run/part-${rank}`,
      values: {
        ...{
          OPENS: 1,
          WRITES: 20,
          BYTES_WRITTEN: 20 * MIB,
          STATS: RANKS,
          F_META_TIME: 40,
          F_WRITE_TIME: 0.02,
        },
        ...{ SLOWEST_RANK: rank, SLOWEST_RANK_BYTES: 20 * MIB, F_SLOWEST_RANK_TIME: 5 },
        ...{ FASTEST_RANK: (rank + 1) % RANKS, FASTEST_RANK_BYTES: 0, F_FASTEST_RANK_TIME: 0.1 },
      },
    }),
  );

  it("are no I/O by one rank, and stats are what to save", () => {
    const [first, ...others] = judge(countersJob(RANKS, statted)).findings;
    expect(first?.id).toBe("metadata-time");
    expect(first?.advice).toContain("Call stat once");
    // 0.56 s of every other rank in each file, and what one rank spends alone in its own: not 5 s for each file.
    expect(first?.cost.seconds).toBeCloseTo(40, 0);
    expect(others.map(({ id }) => id)).not.toContain("one-rank-io");
  });
});

it("a stat of a file that is read as a stream does not hide its bytes", () => {
  const job = countersJob(4, [
    { module: posix, path: "/scratch/in.dat", rank: 0, values: { STATS: 1, F_META_TIME: 0.01 } },
    {
      module: stdio,
      path: "/scratch/in.dat",
      rank: 0,
      values: { OPENS: 1, READS: 32, BYTES_READ: 600 * MIB, F_READ_TIME: 40 },
    },
  ]);
  expect(job.files[0]?.called.layer).toBe("STDIO");
  expect(findingOf(job, "one-rank-io")?.statement).toContain("all of the data (629 MB)");
});

it("opens of the rank that does all are not shared by others", () => {
  const values = { OPENS: 3000, WRITES: 3000, BYTES_WRITTEN: 300 * MIB, F_META_TIME: 36, F_WRITE_TIME: 4 };
  const job = countersJob(16, [{ module: posix, path: "/scratch/log", rank: 0, values }]);
  expect(findingOf(job, "one-rank-io")?.cost.seconds).toBeLessThan(4.01);
});

it("a symptom beside a cause whose cost is known never says that the cost is unknown", () => {
  const job = countersJob(64, [
    {
      module: posix,
      path: "/scratch/checkpoint",
      values: {
        ...{
          OPENS: 64,
          WRITES: 64_000,
          READS: 64_000,
          BYTES_WRITTEN: 64_000 * MIB,
          BYTES_READ: 64_000 * MIB,
        },
        ...{ MAX_BYTE_WRITTEN: 64_000 * MIB - 1, MAX_BYTE_READ: 64_000 * MIB - 1 },
        ...{ SIZE_WRITE_1M_4M: 64_000, SIZE_READ_1M_4M: 64_000, CONSEC_WRITES: 63_000, CONSEC_READS: 63_000 },
        ...{ SEQ_WRITES: 63_900, SEQ_READS: 63_900, F_WRITE_TIME: 64 * 40, F_READ_TIME: 64 * 9 },
        ...{
          F_SLOWEST_RANK_TIME: 51,
          F_FASTEST_RANK_TIME: 49,
          F_WRITE_START_TIMESTAMP: 1,
          F_WRITE_END_TIMESTAMP: 50,
        },
        ...{ F_READ_START_TIMESTAMP: 51, F_READ_END_TIMESTAMP: 62, SLOWEST_RANK_BYTES: 2000 * MIB },
      },
    },
  ]);
  const { headline, lead } = answersOf(job, judge(job));
  expect(idsOf(job).slice(0, 2)).toEqual(["io-share", "read-after-write"]);
  expect(headline).toBe("I/O takes 51 % of the run; its cause is not recorded.");
  expect(lead[0]).toBe("Data read back explains about 9.4 seconds of it.");
});

describe("independent MPI-IO of many ranks", () => {
  const shared = (path: string, way: "READ" | "WRITE", calls: number, bytes: number) =>
    findingOf(
      countersJob(64, [
        {
          module: mpiio,
          path,
          values: {
            ...{ COLL_OPENS: 64, [`INDEP_${way}S`]: calls, [`F_${way}_TIME`]: 64 * 40 },
            ...{ [way === "READ" ? "BYTES_READ" : "BYTES_WRITTEN"]: calls * bytes, F_SLOWEST_RANK_TIME: 42 },
          },
        },
      ]),
      way === "READ" ? "independent-mpiio-reads" : "independent-mpiio",
    );

  it("of large pieces costs at most what larger calls would save: exchange takes time too", () => {
    expect(shared("/scratch/a.dat", "WRITE", 64_000, 200_000)?.cost.atMost).toBe(true);
    expect(shared("/scratch/a.dat", "WRITE", 64_000, 2000)?.cost.atMost).toBe(false);
  });

  it("reads headers where the name is that of HDF5, and is asked for collective metadata", () => {
    expect(shared("/scratch/a.h5", "READ", 64_000, 300)?.advice).toContain("H5Pset_all_coll_metadata_ops");
    expect(shared("/scratch/a.h5", "WRITE", 64_000, 300)?.advice).toContain("H5FD_MPIO_COLLECTIVE");
    expect(shared("/scratch/a.nc", "READ", 64_000, 300)?.advice).toContain("MPI_File_read_at_all");
  });
});

it("collective calls that meet often for little are told to move more", () => {
  const advice = (calls: number) =>
    findingOf(
      countersJob(64, [
        {
          module: mpiio,
          path: "/scratch/steps",
          values: {
            ...{
              COLL_OPENS: 64,
              COLL_WRITES: 64 * calls,
              BYTES_WRITTEN: 64 * calls * 200_000,
              F_WRITE_TIME: 64 * 40,
            },
            ...{ F_SLOWEST_RANK_TIME: 40, F_FASTEST_RANK_TIME: 39 },
          },
        },
        {
          module: posix,
          path: "/scratch/steps",
          values: {
            ...{
              OPENS: 8,
              WRITES: 800,
              BYTES_WRITTEN: 64 * calls * 200_000,
              F_WRITE_TIME: 16,
              F_SLOWEST_RANK_TIME: 2,
            },
            ...{ SLOWEST_RANK_BYTES: 8 * calls * 200_000 },
          },
        },
      ]),
      "collective-wait",
    )?.advice;
  expect(advice(512)).toContain("here ranks synchronise about 512 times, for 195 KiB each");
  expect(advice(5)).not.toContain("ranks synchronise");
});

describe("syncs of a database", () => {
  const synced = (path: string, syncs: number): CountersOfFile => ({
    module: posix,
    path,
    rank: 0,
    values: {
      OPENS: 1,
      WRITES: 3 * syncs,
      FSYNCS: syncs,
      BYTES_WRITTEN: 3 * syncs * 4096,
      F_WRITE_TIME: syncs / 100,
    },
  });

  it.each(["-journal", "-wal"])("are those of SQLite's commits where %s lies beside it", (suffix) => {
    const job = countersJob(1, [
      synced("/home/user/state.db", 1000),
      synced(`/home/user/state.db${suffix}`, 2000),
    ]);
    const finding = findingOf(job, "excess-syncs");
    expect(finding?.inShort).toBe("Put many changes into one transaction");
    expect(finding?.snippet).toBeUndefined();
  });

  it("are the program's own elsewhere", () => {
    const job = countersJob(1, [synced("/home/user/state.db", 1000), synced("/home/user/out-journal", 2000)]);
    expect(findingOf(job, "excess-syncs")?.inShort).toBe("Sync once, after the last write");
  });
});

it("a file opened for every line is no storm of stats, though each open asks for it once", () => {
  const values = {
    OPENS: 20_000,
    STATS: 20_000,
    WRITES: 20_000,
    BYTES_WRITTEN: 200_000,
    F_META_TIME: 20,
    F_WRITE_TIME: 5,
  };
  const job = countersJob(1, [{ module: posix, path: "/home/user/log.txt", rank: 0, values }]);
  expect(judge(job).findings[0]?.id).toBe("open-churn");
  const polled = { ...values, OPENS: 10, WRITES: 10 };
  expect(
    idsOf(countersJob(1, [{ module: posix, path: "/home/user/log.txt", rank: 0, values: polled }])),
  ).toContain("metadata-storm");
});

describe("a program without MPI", () => {
  const strided = (way: "READ" | "WRITE", more: Readonly<Record<string, number>>) =>
    countersJob(1, [
      {
        module: posix,
        path: "/home/user/table.bin",
        rank: 0,
        values: {
          ...{ OPENS: 1, [`${way}S`]: 20_000, [`SEQ_${way}S`]: 19_999, [`SIZE_${way}_100_1K`]: 20_000 },
          ...{ [way === "READ" ? "BYTES_READ" : "BYTES_WRITTEN"]: 512 * 20_000, [`F_${way}_TIME`]: 20 },
          ...{ ACCESS1_ACCESS: 512, ACCESS1_COUNT: 20_000, STRIDE1_STRIDE: 3584, STRIDE1_COUNT: 19_999 },
          ...{ [way === "READ" ? "MAX_BYTE_READ" : "MAX_BYTE_WRITTEN"]: 4096 * 20_000 - 1 },
          ...more,
        },
      },
    ]);

  it.each(["READ", "WRITE"] as const)("gets no advice on MPI for strided pieces: %s", (way) => {
    const finding = findingOf(strided(way, {}), "noncontiguous");
    expect(finding?.statement).toContain(`the program ${way.toLowerCase()}s 512 B and skips 3.5 KiB`);
    expect(`${finding?.advice} ${finding?.effect} ${finding?.snippet?.code}`).not.toMatch(/MPI|view/);
  });

  it("that reads each piece before it writes it back is told so, however little it moves", () => {
    const turns = {
      ...{ READS: 20_000, BYTES_READ: 512 * 20_000, F_READ_TIME: 20, RW_SWITCHES: 39_999 },
      ...{ MAX_BYTE_READ: 4096 * 20_000 - 1, SIZE_READ_100_1K: 20_000 },
    };
    const ids = idsOf(strided("WRITE", turns));
    expect(ids[0]).toBe("read-modify-write");
    expect(ids).not.toContain("noncontiguous");
  });
});

it("files with one small write each are not scattered", () => {
  const job = countersJob(
    1,
    Array.from({ length: 1500 }, (_, i) => ({
      ...{ module: posix, path: `/home/user/objects/${i}`, rank: 0 },
      values: { OPENS: 1, WRITES: 1, BYTES_WRITTEN: 300, SIZE_WRITE_100_1K: 1, F_WRITE_TIME: 0.01 },
    })),
  );
  expect(idsOf(job)).not.toContain("sub-block-writes");
});

describe("metadata time", () => {
  const files = (opens: number, more: Readonly<Record<string, number>>) =>
    countersJob(
      4,
      Array.from({ length: opens }, (_, i) => ({
        ...{ module: posix, path: `/scratch/run/part-${i}`, rank: i % 4 },
        values: { OPENS: 1, WRITES: 4, BYTES_WRITTEN: 4 * MIB, F_WRITE_TIME: 0.01, ...more },
      })),
    );

  it("of a few slow opens is nothing to save by opening less", () => {
    expect(idsOf(files(8, { F_META_TIME: 1.5 }))).not.toContain("metadata-time");
    expect(idsOf(files(60, { F_META_TIME: 0.6 }))).toContain("metadata-time");
  });

  it("of seeks is none of opens", () => {
    const seeks = { F_META_TIME: 0.6, SEEKS: 60_000, READS: 60_000, CONSEC_READS: 59_999, F_READ_TIME: 0.1 };
    const ids = idsOf(files(60, seeks));
    expect(ids).toContain("excess-seeks");
    expect(ids).not.toContain("metadata-time");
  });
});

it("a sync for every sixteen small writes of a rank's own file takes the time, not the writes", () => {
  const job = countersJob(
    4,
    [0, 1, 2, 3].map((rank) => ({
      ...{ module: posix, path: `/scratch/journal.${rank}`, rank },
      values: {
        ...{ OPENS: 1, WRITES: 1600, FSYNCS: 100, BYTES_WRITTEN: 1600 * 8192, SIZE_WRITE_1K_10K: 1600 },
        ...{ CONSEC_WRITES: 1599, SEQ_WRITES: 1599, F_WRITE_TIME: 20, F_MAX_WRITE_TIME: 0.1 },
      },
    })),
  );
  const [first] = judge(job).findings;
  expect(first?.id).toBe("excess-syncs");
  expect(first?.cost.seconds).toBeGreaterThan(18);
});

it("processes without MPI are none of ranks, and their I/O time is not a mean", () => {
  const journal = ["-journal", ""].map((suffix) => ({
    ...{ module: posix, path: `/home/user/state.db${suffix}`, rank: 0 },
    values: { OPENS: 1, WRITES: 3000, FSYNCS: 1000, BYTES_WRITTEN: 3000 * 4096, F_WRITE_TIME: 20 },
  }));
  const alone = countersJob(1, journal);
  expect(answersOf(alone, judge(alone)).blame.text).toBe("The program spends 40 % of the run in I/O.");
  expect(timeFigure(alone)).toMatchObject({ title: "I/O time of the program, by kind of call" });
});

it("a scratch file that is rewritten and read back in passes is both", () => {
  const passes = 6;
  const values = {
    ...{
      OPENS: 1,
      WRITES: 40 * passes,
      READS: 40 * passes,
      BYTES_WRITTEN: 40 * passes * MIB,
      BYTES_READ: 40 * passes * MIB,
    },
    ...{
      MAX_BYTE_WRITTEN: 40 * MIB - 1,
      MAX_BYTE_READ: 40 * MIB - 1,
      CONSEC_WRITES: 39 * passes,
      CONSEC_READS: 39 * passes,
    },
    ...{
      SEQ_WRITES: 39 * passes,
      SEQ_READS: 39 * passes,
      RW_SWITCHES: 2 * passes - 1,
      F_WRITE_TIME: 30,
      F_READ_TIME: 5,
    },
    ...{
      F_WRITE_START_TIMESTAMP: 1,
      F_WRITE_END_TIMESTAMP: 60,
      F_READ_START_TIMESTAMP: 6,
      F_READ_END_TIMESTAMP: 65,
    },
  };
  const job = countersJob(
    4,
    [0, 1, 2, 3].map((rank) => ({ module: posix, path: `/scratch/spill.${rank}`, rank, values })),
  );
  expect(idsOf(job)).toEqual(expect.arrayContaining(["overwrites", "read-after-write"]));
});
