import { describe, expect, it } from "vitest";
import { mpiio, posix } from "../../../formats/darshan/modules/index.ts";
import { osts } from "../../../generate/single/application.ts";
import { plannedJob, singleJob } from "../test-kit.ts";
import { countersJob, findingOf, idsOf, numberOf } from "./test-kit.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const FILE = "/scratch/run/data";

describe("independent-mpiio", () => {
  it("counts the independent writes of the logs made for it", () => {
    const finding = findingOf(singleJob("independent"), "independent-mpiio");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 64 * 16, of: 64 * 16 });
    expect(finding.statement).toContain("written by 64 ranks in calls of 4 MiB on average");
    const before = findingOf(singleJob("fix-before"), "independent-mpiio");
    expect(before.evidence.numbers[0]).toMatchObject({ value: 16 * 2048, of: 16 * 2048 });
    expect(before.advice).toContain("file view");
  });

  it("is quiet after the fix", () => {
    expect(idsOf(singleJob("fix-after"))).toEqual([]);
  });
});

describe("independent-mpiio-reads", () => {
  const job = (together: boolean) =>
    plannedJob(8, (app) => {
      const file = app.lustre("data", osts(0, 8));
      app.openTogether(file, together);
      for (let i = 0; i < 200; i++) {
        const offset = i * 8 * 2 * MIB;
        if (together) app.collective({ kind: "read", file, bytesPerRank: 2 * MIB, offset, aggregators: 4 });
        else
          for (let rank = 0; rank < 8; rank++)
            app.independent("read", rank, file, { offset: offset + rank * 2 * MIB, bytes: 2 * MIB });
      }
      app.closeTogether(file);
      return app.plan("test");
    });

  it("counts independent reads", () => {
    const finding = findingOf(job(false), "independent-mpiio-reads");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 1600, of: 1600 });
    expect(finding.statement).toContain(
      "100 % of MPI-IO reads (1,600 of 1,600) from 1 shared file are independent; /scratch/run/data is read by 8 ranks in calls of 2 MiB",
    );
    expect(finding.snippet?.code).toContain("MPI_File_read_at_all");
  });

  it("is quiet about collective ones", () => {
    expect(idsOf(job(true))).toEqual([]);
  });
});

describe("blocking-mpiio", () => {
  const job = (steps: number, seconds: number) =>
    plannedJob(8, (app) => {
      const file = app.lustre("data", osts(0, 2));
      app.openTogether(file, true);
      for (let step = 0; step < steps; step++) {
        app.compute(seconds);
        app.collective({
          kind: "write",
          file,
          bytesPerRank: 64 * MIB,
          offset: step * 512 * MIB,
          aggregators: 2,
        });
      }
      app.closeTogether(file);
      return app.plan("test");
    });

  it("reports phases of I/O between computing", () => {
    const finding = findingOf(job(4, 0.6), "blocking-mpiio");
    expect(finding.severity).toBe("info");
    expect(numberOf(finding, "phases of I/O")).toBe(4);
    expect(numberOf(finding, "blocking calls")).toBe(4 * 8);
    expect(finding.statement).toContain("All 32 reads and writes through MPI-IO block, in 4 phases of I/O");
  });

  it("is quiet where I/O is a small part of the run, and where there is one phase", () => {
    expect(idsOf(job(4, 10))).toEqual([]);
    expect(idsOf(job(1, 0.6))).toEqual([]);
  });
});

describe("no-hints", () => {
  const job = (stripeBytes: number, hints: number, below = 1) =>
    countersJob(
      32,
      [
        {
          module: mpiio,
          path: FILE,
          values: {
            COLL_OPENS: 32,
            COLL_WRITES: 32,
            VIEWS: 32,
            HINTS: hints,
            BYTES_WRITTEN: 512 * MIB,
            SIZE_WRITE_AGG_10M_100M: 32,
          },
        },
        {
          module: posix,
          path: FILE,
          values: {
            OPENS: 32,
            WRITES: 128,
            CONSEC_WRITES: 100,
            SEQ_WRITES: 120,
            BYTES_WRITTEN: 512 * MIB * below,
            MAX_BYTE_WRITTEN: 512 * MIB - 1,
            SIZE_WRITE_1M_4M: 128,
          },
        },
      ],
      [{ path: FILE, osts: osts(0, 8), stripeBytes }],
    );

  it("reports requests of 4 MiB on stripes of 16 MiB", () => {
    const finding = findingOf(job(16 * MIB, 0), "no-hints");
    expect(numberOf(finding, "mean request")).toBe(4 * MIB);
    expect(finding.statement).toContain(
      "1 file is accessed collectively on Lustre and without hints; requests to /scratch/run/data average 4 MiB, its stripe is 16 MiB.",
    );
    expect(finding.snippet?.code).toContain("striping_unit 16777216");
    expect(finding.snippet?.code).toContain("striping_factor 8");
  });

  it("is quiet with hints, with requests of whole stripes, and where POSIX saw only a part", () => {
    expect(idsOf(job(16 * MIB, 32))).toEqual([]);
    expect(idsOf(job(4 * MIB, 0))).toEqual([]);
    expect(idsOf(job(16 * MIB, 0, 1 / 128))).toEqual([]);
  });
});

describe("aggregators", () => {
  const job = (aggregators: number, stripes: number) =>
    plannedJob(32, (app) => {
      const file = app.lustre("data", osts(0, stripes));
      app.openTogether(file, true);
      app.collective({ kind: "write", file, bytesPerRank: 16 * MIB, offset: 0, aggregators });
      app.closeTogether(file);
      app.compute(4);
      return app.plan("test");
    });

  it("finds that two ranks serve sixteen stripes", () => {
    const finding = findingOf(job(2, 16), "aggregators");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 2, of: 32 });
    expect(finding.statement).toContain(
      "2 of 32 ranks move the data of /scratch/run/data (537 MB), which has 16 stripes: too few",
    );
    expect(finding.snippet?.code).toContain("cb_nodes 16");
  });

  it("finds that 32 ranks compete for two stripes", () => {
    expect(findingOf(job(32, 2), "aggregators").statement).toContain("compete");
  });

  it("is quiet about one for each stripe", () => {
    expect(idsOf(job(16, 16))).toEqual([]);
  });
});

describe("one aggregator", () => {
  const ranks = 1000;
  const job = () =>
    countersJob(ranks, [
      {
        module: mpiio,
        path: FILE,
        values: {
          ...{
            COLL_OPENS: ranks,
            COLL_WRITES: ranks,
            BYTES_WRITTEN: 1024 * MIB,
            SIZE_WRITE_AGG_1M_4M: ranks,
          },
          ...{ F_WRITE_TIME: 99 * ranks, F_META_TIME: ranks, F_FASTEST_RANK_TIME: 100 },
          ...{ F_SLOWEST_RANK_TIME: 100, SLOWEST_RANK_BYTES: MIB },
        },
      },
      {
        module: posix,
        path: FILE,
        values: {
          ...{ OPENS: ranks, WRITES: 1024, BYTES_WRITTEN: 1024 * MIB, SIZE_WRITE_1M_4M: 1024 },
          ...{ F_WRITE_TIME: 12, F_META_TIME: ranks, F_SLOWEST_RANK_TIME: 13 },
          ...{ SLOWEST_RANK: 0, SLOWEST_RANK_BYTES: 1024 * MIB },
        },
      },
    ]);

  it("costs what the rank spends on the bytes, whatever opens of the others take", () => {
    const { cost } = findingOf(job(), "single-aggregator");
    expect(cost?.seconds).toBeCloseTo(13 * (1 - 1 / 16), 6);
  });

  it("is what waiting in collective calls asks to change first", () => {
    const finding = findingOf(job(), "collective-wait");
    expect(finding.advice).toMatch(/^Request 16 aggregators/);
    expect(finding.snippet?.code).toContain("cb_nodes 16");
  });
});

describe("mpiio-small", () => {
  const job = (calls: number) =>
    countersJob(1, [
      {
        module: mpiio,
        path: FILE,
        rank: 0,
        values: {
          COLL_OPENS: 1,
          INDEP_READS: calls,
          VIEWS: 1,
          BYTES_READ: calls * 4 * KIB,
          SIZE_READ_AGG_1K_10K: calls,
          ACCESS1_ACCESS: 4 * KIB,
          ACCESS1_COUNT: calls,
        },
      },
      // Data sieving: half of what is read was asked for.
      {
        module: posix,
        path: FILE,
        rank: 0,
        values: {
          OPENS: 1,
          READS: 4,
          CONSEC_READS: 3,
          SEQ_READS: 3,
          BYTES_READ: 16 * MIB,
          MAX_BYTE_READ: 16 * MIB - 1,
          SIZE_READ_1M_4M: 4,
        },
      },
    ]);

  it("reports small requests that the library sieves", () => {
    const finding = findingOf(job(2048), "mpiio-small");
    expect(finding.statement).toContain("100 % of MPI-IO requests (2,048 of 2,048)");
    expect(finding.statement).toContain("16.8 MB are moved for the 8.39 MB that the application requests");
  });

  it("is quiet below a thousand, and where other rules say it", () => {
    expect(idsOf(job(999))).toEqual([]);
    expect(idsOf(singleJob("fix-before"))).not.toContain("mpiio-small");
  });
});

describe("mpiio-file-view", () => {
  const job = (view: boolean, gapBytes: number) =>
    plannedJob(1, (app) => {
      const file = app.lustre("data", osts(0, 4), { alignmentBytes: 4 * KIB });
      app.openTogether(file, view);
      for (let i = 0; i < 2000; i++)
        app.independent("write", 0, file, { offset: i * (4 * KIB + gapBytes), bytes: 4 * KIB });
      app.closeTogether(file);
      return app.plan("test");
    });

  it("reports scattered small requests of one process, and leaves none to small-writes", () => {
    const finding = findingOf(job(false, 60 * KIB), "mpiio-file-view");
    expect(numberOf(finding, "requests without a view")).toBe(2000);
    expect(numberOf(finding, "requests not adjacent to the previous one")).toBe(1);
    expect(finding.statement).toContain(
      "1 rank makes 2,000 writes of 4 KiB on average to /scratch/run/data without a file view; 100 % of them (2,000 of 2,000)",
    );
    expect(idsOf(job(false, 60 * KIB))).toEqual(["mpiio-file-view"]);
  });

  it("is quiet with a view, and where the requests follow one another", () => {
    expect(idsOf(job(true, 60 * KIB))).toEqual(["small-writes"]);
    expect(idsOf(job(false, 0))).toEqual(["small-writes"]);
  });

  it("reports collective calls for single pieces by their traces", () => {
    const traced = plannedJob(4, (app) => {
      const file = app.lustre("data", osts(0, 4));
      app.openTogether(file, false);
      for (let i = 0; i < 300; i++)
        app.collective({ kind: "write", file, bytesPerRank: 16 * KIB, offset: i * 64 * KIB, aggregators: 4 });
      app.closeTogether(file);
      return app.plan("test", { traces: true });
    });
    expect(findingOf(traced, "mpiio-file-view").statement).toContain(
      "4 ranks make 1,200 collective writes of 16 KiB",
    );
  });
});

describe("mpiio-open-per-rank", () => {
  const job = (together: boolean) =>
    plannedJob(16, (app) => {
      const file = app.lustre("data", osts(0, 8));
      if (together) app.openTogether(file, false);
      for (let rank = 0; rank < 16; rank++) {
        if (!together) {
          app.open("POSIX", rank, file);
          app.open("MPI-IO", rank, file);
        }
        for (let i = 0; i < 8; i++)
          app.independent("write", rank, file, { offset: (rank * 8 + i) * 4 * MIB, bytes: 4 * MIB });
      }
      return app.plan("test");
    });

  it("counts opens of single ranks", () => {
    const finding = findingOf(job(false), "mpiio-open-per-rank");
    expect(finding.statement).toContain(
      "Each rank opens 1 file through MPI-IO by itself: 16 opens, none of them together; /scratch/run/data is opened by 16 ranks.",
    );
  });

  it("is quiet when ranks open together", () => {
    expect(idsOf(job(true))).toEqual([]);
  });
});
