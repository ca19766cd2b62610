import { describe, expect, it } from "vitest";
import { everyRank } from "../../../generate/single/accesses.ts";
import { osts } from "../../../generate/single/application.ts";
import { plannedJob, singleJob } from "../test-kit.ts";
import { findingOf, idsOf, numberOf, worked } from "./test-kit.ts";

const MIB = 1024 ** 2;

describe("re-reads", () => {
  const reads = (passes: number, shared: boolean, traces: boolean) =>
    worked(
      8,
      (app, rank, file) => {
        for (let pass = 0; pass < passes; pass++)
          for (let i = 0; i < 16; i++)
            app.read("POSIX", rank, file, {
              offset: ((shared ? 0 : rank * 16) + i) * 2 * MIB,
              bytes: 2 * MIB,
            });
      },
      { traces },
    );

  it("finds that the input of the log made for it is read eight times", () => {
    const finding = findingOf(singleJob("re-reads"), "re-reads");
    expect(numberOf(finding, "bytes read")).toBe(16 * 8 * 32 * 2 * MIB);
    expect(numberOf(finding, "distinct bytes, at most")).toBe(16 * 32 * 2 * MIB);
    expect(finding.confidence).toBe("medium");
    // 16 · 8 · 32 · 2 MiB = 8.59 GB of 16 · 32 · 2 MiB = 1.07 GB.
    expect(finding.statement).toContain(
      "8.59 GB are read from 1 file, but at most 1.07 GB of them are distinct: each is read at least 8 times on average.",
    );
  });

  it("is exact and sure with traces", () => {
    const finding = findingOf(reads(3, false, true), "re-reads");
    expect(numberOf(finding, "bytes read")).toBe(8 * 3 * 32 * MIB);
    expect(numberOf(finding, "different bytes")).toBe(8 * 32 * MIB);
    expect(finding.statement).toContain(
      "but only 268 MB of them are distinct within a rank: each is read 3 times on average.",
    );
    expect(finding.confidence).toBe("high");
  });

  it("sees that every rank reads the same input, and advises to hand it on", () => {
    for (const traced of [false, true]) {
      const finding = findingOf(reads(1, true, traced), "re-reads");
      expect(numberOf(finding, "times each byte was read")).toBe(8);
      expect(finding.advice).toMatch(/let one rank read and broadcast/i);
    }
  });
});

describe("overwrites", () => {
  const writes = (passes: number) =>
    worked(1, (app, rank, file) => {
      for (let pass = 0; pass < passes; pass++)
        for (let i = 0; i < 32; i++) app.write("POSIX", rank, file, { offset: i * 2 * MIB, bytes: 2 * MIB });
    });

  it("finds that a file is written four times over", () => {
    const finding = findingOf(writes(4), "overwrites");
    expect(numberOf(finding, "times each byte was written")).toBe(4);
    expect(finding.statement).toContain(
      "268 MB are written to 1 file, but at most 67.1 MB of them are distinct: each is written at least 4 times on average.",
    );
  });

  it("is quiet about a file that is written once", () => {
    expect(idsOf(writes(1))).toEqual([]);
  });
});

describe("read-modify-write", () => {
  it("finds what MPI-IO reads for writes with holes", () => {
    const finding = findingOf(singleJob("read-modify-write"), "write-amplification");
    // 4 steps over 2 × 32 × 8 MiB, half of which was asked for.
    expect(numberOf(finding, "bytes that the program writes")).toBe(1024 * MIB);
    expect(numberOf(finding, "bytes written below")).toBe(2048 * MIB);
    expect(numberOf(finding, "bytes read below")).toBe(2048 * MIB);
    expect(numberOf(finding, "moved over requested")).toBe(4);
    expect(finding.snippet?.code).toContain("romio_ds_write disable");
  });

  it("finds a program that reads and writes the same places in turns", () => {
    const job = worked(1, (app, rank, file) => {
      for (let i = 0; i < 200; i++) {
        app.read("POSIX", rank, file, { offset: i * 2 * MIB, bytes: 2 * MIB });
        app.write("POSIX", rank, file, { offset: i * 2 * MIB, bytes: 2 * MIB });
      }
    });
    expect(idsOf(job)).toEqual(["read-modify-write"]);
    const finding = findingOf(job, "read-modify-write");
    expect(finding.evidence.numbers[0]?.value).toBe(400 * MIB);
    // 400 accesses in turns change direction 399 times.
    expect(finding.statement).toContain(
      "In 1 file, reads of 419 MB alternate with writes of 419 MB: 399 changes",
    );
  });

  it("is quiet about collective writes without holes", () => {
    expect(idsOf(singleJob("control"))).toEqual([]);
  });
});

describe("read-after-write", () => {
  const job = (order: readonly ("read" | "write")[], traces = false) =>
    worked(
      2,
      (app, rank, file) => {
        for (const kind of order)
          for (let i = 0; i < 32; i++)
            app[kind]("POSIX", rank, file, { offset: (rank * 32 + i) * 2 * MIB, bytes: 2 * MIB });
        app.barrier();
      },
      { traces },
    );
  const written = (traces: boolean) =>
    plannedJob(2, (app) => {
      const file = app.lustre("data", osts(0, 8));
      for (const kind of ["write", "read"] as const)
        everyRank(app, file, (rank) => {
          for (let i = 0; i < 32; i++)
            app[kind]("POSIX", rank, file, { offset: (rank * 32 + i) * 2 * MIB, bytes: 2 * MIB });
        });
      return app.plan("test", { traces });
    });

  it.each([true, false])("finds that a file is read back (traced: %s)", (traces) => {
    const finding = findingOf(written(traces), "read-after-write");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 128 * MIB, of: 128 * MIB });
    expect(finding.statement).toContain("The job reads back all of what it wrote to 1 file (134 MB)");
    expect(finding.confidence).toBe(traces ? "high" : "medium");
    // Only traces name nodes; what all nodes must see is not on the disk of one.
    expect(finding.advice.includes("local disk")).toBe(traces);
    expect(finding.snippet?.code).toContain(traces ? "TMPDIR" : "MPI_Sendrecv");
  });

  it("is quiet about a file that is read and then written", () => {
    expect(idsOf(job(["read", "write"]))).toEqual([]);
  });
});

describe("overlapping-writes", () => {
  it("finds the bytes that several ranks wrote", () => {
    const job = worked(
      4,
      (app, rank, file) => {
        for (let i = 0; i < 16; i++) app.write("POSIX", rank, file, { offset: i * 2 * MIB, bytes: 2 * MIB });
      },
      { traces: true },
    );
    const finding = findingOf(job, "overlapping-writes");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 3 * 32 * MIB, of: 32 * MIB });
    expect(finding.statement).toContain(
      "Ranks write 134 MB to 33.6 MB of 1 file: 101 MB overlap with writes of other ranks.",
    );
    // What is at stake is the content, not the time: never high.
    expect(finding).toMatchObject({ severity: "warn", cost: { seconds: null, basis: "unknown" } });
    expect(idsOf(job)).toEqual(["overlapping-writes"]);
  });

  it("is quiet where each rank has its own part", () => {
    expect(idsOf(singleJob("dxt-only"))).toEqual([]);
  });
});
