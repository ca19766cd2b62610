/** Rules on who does the I/O, on planned calls whose sums are known. */
import { describe, expect, it } from "vitest";
import { type Application, osts, RATE } from "../../../generate/single/application.ts";
import type { Finding } from "../../../model/finding.ts";
import type { Job } from "../job.ts";
import { judged } from "./test-kit.ts";
import { plannedJob, singleJob } from "../test-kit.ts";
import { RANKS_RULES } from "./ranks.ts";
import { rankSpread } from "./rank-spread.ts";

const MIB = 1024 ** 2;

const findings = (job: Job) => judged(job, RANKS_RULES);
const find = (job: Job, id: string) => findings(job).find((finding) => finding.id === id);
const ids = (job: Job) => findings(job).map(({ id }) => id);
const number = (finding: Finding | undefined, label: string) =>
  finding?.evidence.numbers.find((one) => one.label === label);

/** Each rank writes a file of its own, `pieces(rank)` times 4 MiB. */
function ownFiles(
  app: Application,
  pieces: (rank: number) => number,
  rate: (rank: number) => number = () => RATE,
) {
  app.compute(1);
  for (let rank = 0; rank < app.ranks; rank++) {
    if (pieces(rank) === 0) continue;
    const file = app.lustre(`own.${rank}`, [rank % 8]);
    app.open("POSIX", rank, file);
    for (let i = 0; i < pieces(rank); i++)
      app.write("POSIX", rank, file, { offset: i * 4 * MIB, bytes: 4 * MIB, rate: rate(rank) });
    app.close("POSIX", rank, file);
  }
}

describe("one-rank-io", () => {
  it("names the rank that writes all of a job with many ranks", () => {
    const finding = find(singleJob("rank0-io"), "one-rank-io");
    expect(finding).toMatchObject({ severity: "high", confidence: "high" });
    expect(finding?.evidence.ranks).toEqual([0]);
    // 512 pieces of 4 MiB.
    expect(number(finding, "bytes of that rank")).toMatchObject({ value: 2 ** 31, of: 2 ** 31 });
    expect(finding?.statement).toContain("Rank 0 moves all of the data (2.15 GB) in a job with 64 ranks.");
    // At 400 MiB/s and 0.2 ms of latency each, and up to a tenth more.
    const seconds = number(finding, "its I/O time")?.value as number;
    expect(seconds).toBeGreaterThan(512 * 0.0102);
    expect(seconds).toBeLessThan(512 * 0.0102 * 1.1 + 0.01);
  });

  it("sees it in a file that all ranks have open, from the counters of the shared record", () => {
    const job = plannedJob(16, (app) => {
      const file = app.lustre("out.dat", osts(0, 8));
      app.openTogether(file, false);
      for (let i = 0; i < 100; i++)
        app.independent("write", 3, file, { offset: i * 4 * MIB, bytes: 4 * MIB });
      app.barrier();
      app.closeTogether(file);
      return app.plan("test", { heatmap: false });
    });
    expect(rankSpread(job)?.byRank?.ownBytes).toEqual(new Map([[3, 400 * MIB]]));
    const finding = find(job, "one-rank-io");
    expect(finding?.evidence.ranks).toEqual([3]);
    expect(number(finding, "bytes of that rank")).toMatchObject({ value: 400 * MIB, of: 400 * MIB });
  });

  it("does not take aggregators of collective MPI-IO for it", () => {
    const job = plannedJob(16, (app) => {
      const file = app.lustre("out.dat", osts(0, 8));
      app.openTogether(file, true);
      app.collective({ kind: "write", file, bytesPerRank: 32 * MIB, offset: 0, aggregators: 1 });
      app.closeTogether(file);
      return app.plan("test");
    });
    // Below MPI-IO rank 0 moves all.
    expect(job.activity?.rankBytesWritten.get(0)).toBe(512 * MIB);
    expect(ids(job)).toEqual([]);
  });

  it("is silent when two ranks share the work", () => {
    const job = plannedJob(16, (app) => {
      ownFiles(app, (rank) => (rank < 2 ? 100 : 0));
      return app.plan("test");
    });
    expect(find(job, "one-rank-io")).toBeUndefined();
  });
});

describe("byte-imbalance", () => {
  it("names the rank that moves ten times what the others do", () => {
    const job = plannedJob(8, (app) => {
      ownFiles(app, (rank) => (rank === 2 ? 160 : 16));
      return app.plan("test");
    });
    const finding = find(job, "byte-imbalance");
    expect(finding?.evidence.ranks).toEqual([2]);
    expect(number(finding, "bytes of the heaviest rank")).toMatchObject({
      value: 640 * MIB,
      of: (640 + 7 * 64) * MIB,
    });
    expect(number(finding, "heaviest over mean")?.value).toBeCloseTo(10, 9);
    expect(finding?.statement).toContain(
      "Rank 2 moves 58.8 % of the data (671 MB of 1.14 GB), 10 times as much as each of the 7 other ranks with I/O (67.1 MB",
    );
    expect(ids(job)).toEqual(["byte-imbalance"]);
  });

  it("sees it in a shared file beside larger ones that all ranks move alike", () => {
    const job = plannedJob(8, (app) => {
      const file = app.lustre("out.dat", osts(0, 8));
      app.openTogether(file, false);
      for (let rank = 0; rank < 8; rank++)
        for (let i = 0; i < (rank === 5 ? 100 : 10); i++)
          app.independent("write", rank, file, { offset: (rank * 100 + i) * 4 * MIB, bytes: 4 * MIB });
      app.barrier();
      app.closeTogether(file);
      ownFiles(app, () => 60);
      return app.plan("test", { heatmap: false });
    });
    const finding = find(job, "byte-imbalance");
    expect(finding?.evidence.ranks).toEqual([5]);
    expect(number(finding, "heaviest over mean")?.value).toBeCloseTo(10, 9);
    expect(finding?.statement).toContain("of what is written to ");
  });

  it("is what ranks have that take a small part, however heavy the heaviest is", () => {
    const job = plannedJob(4, (app) => {
      ownFiles(app, (rank) => (rank === 3 ? 200 : 4));
      return app.plan("test");
    });
    expect(ids(job)).toEqual(["byte-imbalance"]);
  });

  it("sees it in a shared file without heat map, from the variance over ranks", () => {
    const job = plannedJob(8, (app) => {
      const file = app.lustre("out.dat", osts(0, 8));
      app.openTogether(file, false);
      for (let rank = 0; rank < 8; rank++)
        for (let i = 0; i < (rank === 5 ? 160 : 16); i++)
          app.independent("write", rank, file, { offset: (rank * 160 + i) * 4 * MIB, bytes: 4 * MIB });
      app.barrier();
      app.closeTogether(file);
      return app.plan("test", { heatmap: false });
    });
    const finding = find(job, "byte-imbalance");
    expect(finding).toMatchObject({ confidence: "medium" });
    expect(finding?.evidence.ranks).toEqual([5]);
    expect(number(finding, "heaviest over mean")?.value).toBeCloseTo(10, 6);
  });

  it("is silent when the heaviest has twice as much", () => {
    const job = plannedJob(8, (app) => {
      ownFiles(app, (rank) => (rank === 2 ? 128 : 64));
      return app.plan("test");
    });
    expect(ids(job)).toEqual([]);
  });
});

describe("straggler", () => {
  it("names the rank that takes eight times as long for the same bytes", () => {
    const finding = find(singleJob("straggler"), "straggler");
    expect(finding).toMatchObject({ severity: "high", confidence: "high" });
    expect(finding?.evidence.ranks).toEqual([37]);
    expect(number(finding, "bytes of the slowest rank")?.value).toBe(256 * MIB);
    expect(number(finding, "mean bytes")?.value).toBe(256 * MIB);
    expect(finding?.statement).toMatch(/^Rank 37 spends .* of 64 ranks .*, for 268 MB \(mean 268 MB\)\./);
    // 8 over (63 + 8) / 64, up to what calls cost besides their bytes.
    const ratio = number(finding, "slowest over mean")?.value as number;
    expect(ratio).toBeGreaterThan(6.6);
    expect(ratio).toBeLessThan(7.3);
  });

  it("says when rank and target cannot be told apart", () => {
    const job = plannedJob(8, (app) => {
      ownFiles(
        app,
        () => 64,
        (rank) => (rank === 5 ? RATE / 10 : RATE),
      );
      return app.plan("test");
    });
    const finding = find(job, "straggler");
    expect(finding?.evidence.ranks).toEqual([5]);
    expect(finding?.advice).toContain("Only rank 5 has files on OST 5");
    expect(finding?.confidence).toBe("medium");
  });

  it("leaves it to slow-ost when several ranks are slow on one target", () => {
    const job = plannedJob(16, (app) => {
      ownFiles(
        app,
        () => 64,
        (rank) => (rank % 8 === 5 ? RATE / 10 : RATE),
      );
      return app.plan("test");
    });
    expect(find(job, "straggler")).toBeUndefined();
  });

  it("is silent when a rank takes twice as long", () => {
    const job = plannedJob(8, (app) => {
      ownFiles(
        app,
        () => 64,
        (rank) => (rank === 5 ? RATE / 2 : RATE),
      );
      return app.plan("test");
    });
    expect(ids(job)).toEqual([]);
  });
});

describe("idle-ranks", () => {
  const movers = (some: readonly number[]) =>
    plannedJob(32, (app) => {
      ownFiles(app, (rank) => (some.includes(rank) ? 64 : 0));
      return app.plan("test");
    });

  it("counts the ranks that move nothing", () => {
    const finding = find(movers([0, 1, 2, 5]), "idle-ranks");
    expect(finding?.severity).toBe("info");
    expect(finding?.evidence.ranks).toEqual([0, 1, 2, 5]);
    expect(number(finding, "ranks without data")).toMatchObject({ value: 28, of: 32 });
    // 4 · 64 · 4 MiB.
    expect(finding?.statement).toContain(
      "87.5 % of ranks (28 of 32) move no or almost no data; the other 4 move 1.07 GB.",
    );
  });

  it("takes evenly spaced ranks for aggregators", () => {
    expect(ids(movers([0, 8, 16, 24]))).toEqual([]);
  });

  it("is silent when most ranks take part", () => {
    expect(ids(movers(Array.from({ length: 20 }, (_, rank) => rank)))).toEqual([]);
  });
});
