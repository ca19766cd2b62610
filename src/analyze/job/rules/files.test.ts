/** Rules on files and metadata, on planned calls whose counts are known. */
import { describe, expect, it } from "vitest";
import { type Application, osts } from "../../../generate/single/application.ts";
import type { Finding } from "../../../model/finding.ts";
import type { Job } from "../job.ts";
import { judge } from "../judge.ts";
import { judged } from "./test-kit.ts";
import { plannedJob, singleJob } from "../test-kit.ts";
import { FILES_RULES } from "./files.ts";

const MIB = 1024 ** 2;

const findings = (job: Job) => judged(job, FILES_RULES);
const find = (job: Job, id: string) => findings(job).find((finding) => finding.id === id);
const ids = (job: Job) => findings(job).map(({ id }) => id);
const number = (finding: Finding | undefined, label: string) =>
  finding?.evidence.numbers.find((one) => one.label === label);

function writeWhole(app: Application, rank: number, file: string, bytes: number): void {
  app.open("POSIX", rank, file);
  app.write("POSIX", rank, file, { offset: 0, bytes });
  app.close("POSIX", rank, file);
}

function readWhole(app: Application, rank: number, file: string, bytes: number): void {
  app.open("POSIX", rank, file);
  app.read("POSIX", rank, file, { offset: 0, bytes });
  app.close("POSIX", rank, file);
}

describe("many-files", () => {
  it("counts small files that ranks write one after another", () => {
    const set = (perRank: number) =>
      plannedJob(4, (app) => {
        for (let rank = 0; rank < 4; rank++)
          for (let i = 0; i < perRank; i++)
            writeWhole(app, rank, app.lustre(`part.${rank}.${i}`, [i % 16]), 40_000);
        return app.plan("test", { heatmap: false });
      });
    expect(find(set(60), "many-files")?.evidence.filesTotal).toBe(240);
    expect(ids(set(31))).not.toContain("many-files");
  });

  it("counts the files of ten thousand ranks", () => {
    const job = singleJob("file-per-process");
    const finding = find(job, "many-files");
    // What the files cost is what their opens take: little in this log.
    expect(finding?.severity).toBe("info");
    expect(finding?.evidence.filesTotal).toBe(10_000);
    expect(finding?.evidence.files).toHaveLength(10);
    expect(number(finding, "files of a single rank")).toMatchObject({ value: 10_000, of: 10_000 });
    expect(finding?.statement).toContain("10,000 of 10,000 ranks have private files, 8.39 MB each");
    expect(ids(job)).toEqual(["many-files"]);
  });

  it("is silent for the files of a job that writes a few", () => {
    expect(ids(singleJob("heatmap-only"))).toEqual([]);
  });
});

describe("file-per-process", () => {
  const perProcess = (ranks: number) =>
    plannedJob(ranks, (app) => {
      app.compute(1);
      for (let rank = 0; rank < ranks; rank++)
        writeWhole(app, rank, app.lustre(`own.${rank}`, [rank % 16]), 4 * MIB);
      return app.plan("test", { heatmap: false });
    });

  it("tells of a file for each of 512 ranks", () => {
    const job = perProcess(512);
    const finding = find(job, "file-per-process");
    expect(finding?.severity).toBe("info");
    expect(number(finding, "ranks with private files")).toMatchObject({ value: 512, of: 512 });
    expect(finding?.statement).toContain("512 files of 4.19 MB");
    expect(ids(job)).toEqual(["file-per-process"]);
  });

  it("is silent below, and for a shared file", () => {
    expect(ids(perProcess(511))).toEqual([]);
    expect(ids(singleJob("many-ranks"))).toEqual([]);
  });
});

describe("small-file-set", () => {
  const set = (perRank: number, bytes: number) =>
    plannedJob(4, (app) => {
      for (let rank = 0; rank < 4; rank++)
        for (let i = 0; i < perRank; i++)
          readWhole(app, rank, app.lustre(`image.${rank}.${i}`, [i % 16]), bytes);
      return app.plan("test", { heatmap: false });
    });

  it("counts a thousand files of 40,000 bytes", () => {
    const job = set(250, 40_000);
    const finding = find(job, "small-file-set");
    expect(number(finding, "files with data")?.value).toBe(1000);
    expect(number(finding, "their mean size")?.value).toBe(40_000);
    expect(finding?.statement).toContain("The data lies in 1,000 files of 40 kB on average.");
    expect(ids(job)).toEqual(["small-file-set"]);
  });

  it("is silent for fewer, or for larger files", () => {
    for (const job of [set(249, 40_000), set(250, 2 * MIB)]) expect(ids(job)).not.toContain("small-file-set");
  });
});

describe("metadata-storm", () => {
  it("counts opens and stats of files that are opened again and again", () => {
    const job = singleJob("metadata-storm");
    const finding = find(job, "metadata-storm");
    expect(finding).toMatchObject({ severity: "high", confidence: "high" });
    expect(number(finding, "opens")?.value).toBe(16 * 400);
    expect(number(finding, "stats")?.value).toBe(16 * 400);
    // 400 times 2 + 6 + 3 ms and a seek, and up to a tenth more.
    const seconds = number(finding, "mean metadata time of a rank")?.value as number;
    expect(seconds).toBeGreaterThan(4.4);
    expect(seconds).toBeLessThan(4.4 * 1.1 + 0.01);
    // Opens and closes count both: 3 × 400.
    expect(finding?.statement).toContain(
      "16 files get 19,200 opens, closes and stats, 1,200 per file and rank",
    );
    expect(ids(job)).toEqual(["metadata-storm"]);
  });

  it("is silent when metadata is all there is, but little", () => {
    expect(ids(singleJob("metadata-only"))).toEqual([]);
  });
});

describe("metadata-time", () => {
  const slowOpens = (seconds: number) =>
    plannedJob(4, (app) => {
      app.compute(2);
      for (let rank = 0; rank < 4; rank++)
        for (let i = 0; i < 10; i++) {
          const file = app.lustre(`part.${rank}.${i}`, [i]);
          app.open("POSIX", rank, file, seconds);
          for (let k = 0; k < 10; k++)
            app.write("POSIX", rank, file, { offset: k * 4 * MIB, bytes: 4 * MIB });
          app.close("POSIX", rank, file);
        }
      return app.plan("test");
    });

  it("tells few slow opens from a storm", () => {
    const job = slowOpens(0.5);
    const finding = find(job, "metadata-time");
    expect(finding?.severity).toBe("high");
    expect(number(finding, "opens")?.value).toBe(40);
    expect(finding?.statement).toContain("80 opens, stats and closes take");
    expect(ids(job)).toEqual(["metadata-time"]);
  });

  it("does not blame the storage for opens that wait for another process", () => {
    const finding = find(slowOpens(20), "metadata-time");
    expect(finding).toMatchObject({ severity: "warn", confidence: "low" });
    expect(finding?.statement).toContain("An open that takes this long waits for something");
  });

  it("is silent when opens are quick", () => {
    expect(ids(slowOpens(0.002))).toEqual([]);
  });
});

describe("excess-stats and repeated-opens", () => {
  const again = (kind: "stat" | "open", times: number) =>
    plannedJob(4, (app) => {
      for (let rank = 0; rank < 4; rank++) {
        const file = app.lustre(`log.${rank}`, [rank]);
        app.open("POSIX", rank, file);
        for (let i = 0; i < times; i++) {
          if (kind === "stat") app.touch("stat", rank, file, 1e-4);
          else {
            app.close("POSIX", rank, file, 1e-4);
            app.open("POSIX", rank, file, 1e-4);
          }
          app.write("POSIX", rank, file, { offset: i * 4 * MIB, bytes: 4 * MIB });
        }
        app.close("POSIX", rank, file);
      }
      return app.plan("test");
    });

  it("counts stats for each file and rank", () => {
    const job = again("stat", 300);
    const finding = find(job, "excess-stats");
    expect(finding?.statement).toContain(
      "100 % of stats (1,200 of 1,200) go to 4 files: 300 per file and rank",
    );
    expect(ids(job)).toEqual(["excess-stats"]);
  });

  it("counts opens of each file by each rank", () => {
    const job = again("open", 299);
    const finding = find(job, "open-churn");
    expect(finding?.statement).toContain("4 files are opened 1,200 times, 300 times by each rank");
    expect(finding?.evidence.filesTotal).toBe(4);
    expect(ids(job)).toEqual(["open-churn"]);
    const raised = judge(job, new Map([["open-churn.ratio", 1000]])).findings;
    expect(raised.map(({ id }) => id)).toContain("repeated-opens");
  });

  it("is silent for a few of each", () => {
    expect(ids(again("stat", 9))).toEqual([]);
    expect(ids(again("open", 8))).toEqual([]);
  });
});

describe("unused-files", () => {
  const probes = (unused: number) =>
    plannedJob(2, (app) => {
      for (let i = 0; i < unused; i++) {
        const file = app.lustre(`probe.${i}`, [0]);
        app.open("POSIX", i % 2, file);
        app.close("POSIX", i % 2, file);
      }
      for (let i = 0; i < 50; i++) writeWhole(app, i % 2, app.lustre(`data.${i}`, [0]), 64 * MIB);
      return app.plan("test");
    });

  it("counts files that are opened for nothing", () => {
    const job = probes(100);
    const finding = find(job, "unused-files");
    expect(number(finding, "files without a read or write")).toMatchObject({ value: 100, of: 150 });
    expect(number(finding, "their opens")?.value).toBe(100);
    expect(finding?.statement).toContain(
      "66.7 % of files (100 of 150) are opened but neither read nor written: 100 opens",
    );
    expect(ids(job)).toEqual(["unused-files"]);
  });

  it("is silent for fewer", () => {
    expect(ids(probes(99))).toEqual([]);
  });
});

describe("unclosed-files", () => {
  const files = (closed: boolean) =>
    plannedJob(2, (app) => {
      for (let rank = 0; rank < 2; rank++) {
        writeWhole(app, rank, app.lustre(`done.${rank}`, [0]), 4 * MIB);
        const file = app.lustre(`left.${rank}`, [0]);
        app.open("POSIX", rank, file);
        app.write("POSIX", rank, file, { offset: 0, bytes: 8 * MIB });
        if (closed) app.close("POSIX", rank, file);
      }
      return app.plan("test");
    });

  it("names written files without a close", () => {
    const finding = find(files(false), "unclosed-files");
    expect(finding?.severity).toBe("info");
    expect(number(finding, "files without a close")).toMatchObject({ value: 2, of: 4 });
    expect(finding?.statement).toBe(
      "No close is recorded for 2 of 4 files; 2 of them were written (16.8 MB).",
    );
    expect(finding?.evidence.files.map(({ path }) => path)).toEqual([
      "/scratch/run/left.0",
      "/scratch/run/left.1",
    ]);
  });

  it("is silent when all are closed", () => {
    expect(ids(files(true))).toEqual([]);
  });
});

describe("shared-input", () => {
  /** Eight ranks read a file of 256 MiB: all of it, or their eighth `passes` times. */
  const input = (how: "whole" | "part", passes: number, traces: boolean) =>
    plannedJob(8, (app) => {
      const file = app.lustre("mesh.bin", osts(0, 8));
      for (let rank = 0; rank < 8; rank++) {
        app.open("POSIX", rank, file);
        for (let pass = 0; pass < passes; pass++)
          for (let i = 0; i < (how === "whole" ? 64 : 8); i++)
            app.read("POSIX", rank, file, {
              offset: (how === "whole" ? i : rank * 8 + i) * 4 * MIB,
              bytes: 4 * MIB,
            });
        app.close("POSIX", rank, file);
      }
      return app.plan("test", { traces });
    });

  it("counts what eight ranks read of a file that each reads whole", () => {
    const job = input("whole", 1, false);
    const finding = find(job, "shared-input");
    expect(number(finding, "bytes read")?.value).toBe(8 * 256 * MIB);
    expect(number(finding, "size of these files")?.value).toBe(256 * MIB);
    expect(finding).toMatchObject({ confidence: "medium" });
    expect(finding?.statement).toContain(
      "8 ranks read 1 input file completely: 2.15 GB are read for 268 MB of data, 8 times as much.",
    );
    expect(ids(job)).toEqual(["shared-input"]);
  });

  it("is sure with traces", () => {
    expect(find(input("whole", 1, true), "shared-input")).toMatchObject({ confidence: "high" });
  });

  it("is silent when each rank reads its part, once or, as traces show, eight times", () => {
    expect(ids(input("part", 1, false))).toEqual([]);
    expect(ids(input("part", 8, true))).toEqual([]);
    expect(ids(singleJob("re-reads"))).toEqual([]);
  });
});
