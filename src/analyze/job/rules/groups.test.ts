/** Causes that other files of the job would hide, and what single calls show where counters or libraries were not recorded. */
import { describe, expect, it } from "vitest";
import { type Application, osts, RATE } from "../../../generate/single/application.ts";
import type { Job } from "../job.ts";
import { plannedJob } from "../test-kit.ts";
import { callsJob, type PlainCall } from "./calls-test-kit.ts";
import { RANKS_RULES } from "./ranks.ts";
import { STORAGE_RULES } from "./storage.ts";
import { CALL_RULES, judged, numberOf } from "./test-kit.ts";

const MIB = 1024 ** 2;
const RULES = [...RANKS_RULES, ...STORAGE_RULES, ...CALL_RULES];
const find = (job: Job, id: string) => judged(job, RULES).find((one) => one.id === id);
const ids = (job: Job) => judged(job, RULES).map(({ id }) => id);

/** Pieces of 4 MiB to a file of each rank. */
function ownFiles(
  app: Application,
  name: string,
  of: (rank: number) => { readonly ost?: number; readonly pieces?: number; readonly rate?: number },
): void {
  for (let rank = 0; rank < app.ranks; rank++) {
    const { ost = rank % 8, pieces = 8, rate = RATE } = of(rank);
    const file = app.lustre(`${name}.${rank}`, [ost]);
    app.open("POSIX", rank, file);
    for (let i = 0; i < pieces; i++)
      app.write("POSIX", rank, file, { offset: i * 4 * MIB, bytes: 4 * MIB, rate });
    app.close("POSIX", rank, file);
  }
}

function sharedWrites(app: Application, pieces: number): void {
  const file = app.lustre("shared", osts(0, 8));
  for (let rank = 0; rank < app.ranks; rank++) {
    app.open("POSIX", rank, file);
    for (let i = 0; i < pieces; i++)
      app.write("POSIX", rank, file, { offset: (rank * pieces + i) * 4 * MIB, bytes: 4 * MIB });
    app.close("POSIX", rank, file);
  }
}

describe("a slow OST among files on all OSTs", () => {
  const job = plannedJob(16, (app) => {
    ownFiles(app, "own", (rank) => (rank % 8 === 5 ? { rate: RATE / 10 } : {}));
    sharedWrites(app, 100);
    return app.plan("test");
  });

  it("is named by the files that lie on it alone", () => {
    const finding = find(job, "slow-ost");
    expect(finding && numberOf(finding, "slow OST")).toBe(5);
    expect(finding?.evidence.files.map(({ path }) => path.split("/").at(-1))).toEqual(["own.13", "own.5"]);
    // 8 pieces of 10 ms at a tenth of the rate, less what they take elsewhere.
    expect(finding?.cost?.seconds).toBeCloseTo(8 * 0.09, 1);
  });

  it("is told from a slow node where the only rank on it is as fast as others in other files", () => {
    const alone = (other: number) =>
      plannedJob(8, (app) => {
        ownFiles(app, "own", (rank) => (rank === 5 ? { rate: RATE / 10 } : {}));
        ownFiles(app, "more", (rank) => ({ ost: 0, ...(rank === 5 ? { rate: RATE / other } : {}) }));
        sharedWrites(app, 100);
        return app.plan("test");
      });
    expect(ids(alone(1))).toContain("slow-ost");
    expect(ids(alone(10))).not.toContain("slow-ost");
    expect(ids(alone(10))).toContain("straggler");
  });
});

describe("several ranks that stand out", () => {
  it("are made as fast as the others together", () => {
    const job = plannedJob(16, (app) => {
      ownFiles(app, "own", (rank) => ({
        ost: rank,
        ...(rank === 3 || rank === 9 ? { rate: RATE / 10 } : {}),
      }));
      return app.plan("test");
    });
    const finding = find(job, "straggler");
    expect(finding?.statement).toContain("1 other rank is about as slow.");
    expect(finding?.cost?.seconds).toBeCloseTo(8 * 0.09, 1);
  });

  it("are given the mean of bytes together", () => {
    const job = plannedJob(32, (app) => {
      ownFiles(app, "own", (rank) => ({ pieces: rank < 4 ? 100 : 5 }));
      return app.plan("test");
    });
    const finding = find(job, "byte-imbalance");
    // The mean is (4 × 100 + 28 × 5) / 32 = 16.9 pieces of about 10.2 ms.
    expect(finding?.cost?.seconds).toBeGreaterThan(83 * 0.0102 * 0.95);
    expect(finding?.cost?.seconds).toBeLessThan(83 * 0.0102 * 1.15);
  });
});

describe("several heavy ranks of a shared file", () => {
  it("do not hide one another, though the log has the bytes of the slowest and the fastest rank only", () => {
    const job = plannedJob(32, (app) => {
      const file = app.lustre("shared", osts(0, 8));
      for (let rank = 0; rank < app.ranks; rank++) {
        app.open("POSIX", rank, file);
        for (let i = 0; i < (rank < 4 ? 100 : 5); i++)
          app.write("POSIX", rank, file, { offset: (rank * 100 + i) * 4 * MIB, bytes: 4 * MIB });
        app.close("POSIX", rank, file);
      }
      return app.plan("test", { heatmap: false });
    });
    expect(find(job, "byte-imbalance")?.cost?.seconds).toBeGreaterThan(83 * 0.0102 * 0.95);
  });
});

describe("one rank that reads everything", () => {
  const job = (app: Application) => {
    const file = app.lustre("input", osts(0, 8));
    app.open("POSIX", 0, file);
    for (let i = 0; i < 400; i++) app.read("POSIX", 0, file, { offset: i * 4 * MIB, bytes: 4 * MIB });
    app.close("POSIX", 0, file);
    app.barrier();
  };

  it("costs what sharing the bytes saves, at most", () => {
    const finding = find(
      plannedJob(8, (app) => {
        job(app);
        return app.plan("test");
      }),
      "one-rank-io",
    );
    expect(finding?.cost).toMatchObject({ atMost: true });
    expect(finding?.cost?.seconds).toBeGreaterThan(400 * 0.0102 * 0.8);
  });
});

/** The same calls in several layers. */
const through = (call: PlainCall): PlainCall[] => [{ ...call, layer: "MPI-IO" }, call];

describe("what single calls show", () => {
  it("a slow target by folders, where no mounts are known", () => {
    const calls = [0, 1, 2, 3].flatMap((rank) =>
      [0, 1, 2, 3].map((step): PlainCall => {
        const folder = (rank + step) % 4;
        const seconds = folder === 2 ? 1 : 0.05;
        return {
          ...{
            rank,
            file: `/disk${folder}/step${step}.${rank}`,
            operation: "write",
            offset: 0,
            bytes: 8 * MIB,
          },
          ...{ start: step, end: step + seconds },
        };
      }),
    );
    const finding = find(callsJob(calls), "slow-target");
    expect(finding?.statement).toContain("Files below /disk2 take 20 times as long");
    expect(finding).toMatchObject({ confidence: "medium" });
  });

  it("independent MPI-IO, where each call of a rank reaches storage as it is and pieces lie apart", () => {
    const calls = (woven: boolean) =>
      [0, 1].flatMap((rank) =>
        Array.from({ length: 200 }, (_, i) => i).flatMap((i) =>
          through({
            ...{ rank, file: "/d/out", operation: "write", bytes: 4096 },
            ...{
              start: i * 0.01,
              end: i * 0.01 + 0.009,
              offset: 4096 * (woven ? 2 * i + rank : 200 * rank + i),
            },
          }),
        ),
      );
    expect(ids(callsJob(calls(true)))).toEqual(["independent-mpiio"]);
    expect(ids(callsJob(calls(false)))).not.toContain("independent-mpiio");
  });

  const passes = (file: string, operation: "read" | "write", count: number, opens: number) =>
    callsJob([
      ...Array.from({ length: opens }, (_, i): PlainCall => {
        return { rank: 0, file, operation: "open", start: i * 1e-3, end: i * 1e-3 + 1e-4 };
      }),
      ...Array.from({ length: 64 * count }, (_, i): PlainCall => {
        const at = 1 + i * 0.01;
        return { rank: 0, file, operation, start: at, end: at + 0.009, offset: (i % 64) * MIB, bytes: MIB };
      }),
    ]);

  it("chunks of HDF5 that are read again, and no other file that is", () => {
    const finding = find(passes("/d/table.h5", "read", 5, 1), "hdf5-chunk-cache");
    expect(finding?.cost?.seconds).toBeCloseTo(4 * 64 * 0.009, 2);
    expect(ids(passes("/d/table.h5", "read", 5, 1))).toEqual(["hdf5-chunk-cache"]);
    expect(ids(passes("/d/table.bin", "read", 5, 1))).toEqual(["re-reads"]);
    // Opened for every pass, the program reads it again.
    expect(ids(passes("/d/table.h5", "read", 5, 5))).toEqual(["re-reads"]);
  });

  it("fill values of HDF5 that the data overwrites", () => {
    const finding = find(passes("/d/out.h5", "write", 2, 1), "hdf5-fill");
    expect(finding?.cost?.seconds).toBeCloseTo(64 * 0.009, 2);
    expect(ids(passes("/d/out.bin", "write", 2, 1))).not.toContain("hdf5-fill");
  });
});
