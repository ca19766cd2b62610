/** Rules on where files lie, on planned calls and on a log with a mount of its own. */
import { describe, expect, it } from "vitest";
import { posix } from "../../../formats/darshan/modules/index.ts";
import { recordId } from "../../../formats/darshan/record-id.ts";
import { counterRecord } from "../../../formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../../formats/darshan/writer.ts";
import { type Application, osts, RATE } from "../../../generate/single/application.ts";
import type { Finding } from "../../../model/finding.ts";
import { nodeEncoders } from "../../../node/encoders.ts";
import type { Job, JobFile } from "../job.ts";
import { judged } from "./test-kit.ts";
import { jobOf, plannedJob, singleJob } from "../test-kit.ts";
import { STORAGE_RULES } from "./storage.ts";

const MIB = 1024 ** 2;
const GIB = 1024 * MIB;

const findings = (job: Job) => judged(job, STORAGE_RULES);
const find = (job: Job, id: string) => findings(job).find((finding) => finding.id === id);
const ids = (job: Job) => findings(job).map(({ id }) => id);
const number = (finding: Finding | undefined, label: string) =>
  finding?.evidence.numbers.find((one) => one.label === label);

/** All ranks write equal parts of one file of 1 GiB for each. */
const sharedFile = (ranks: number, on: readonly number[]) =>
  plannedJob(ranks, (app) => {
    app.compute(2);
    const file = app.lustre("volume.raw", on);
    for (let rank = 0; rank < ranks; rank++) {
      app.open("POSIX", rank, file);
      app.write("POSIX", rank, file, { offset: rank * GIB, bytes: GIB });
      app.close("POSIX", rank, file);
    }
    return app.plan("test");
  });

function writeWhole(app: Application, rank: number, file: string, bytes: number, rate = RATE): void {
  app.open("POSIX", rank, file);
  for (let done = 0; done < bytes; done += 64 * MIB)
    app.write("POSIX", rank, file, { offset: done, bytes: Math.min(bytes - done, 64 * MIB), rate });
  app.close("POSIX", rank, file);
}

describe("stripe-one", () => {
  it("reckons the stripes for a terabyte that 64 ranks share on one OST", () => {
    const job = singleJob("stripe-one");
    const finding = find(job, "stripe-one");
    expect(finding).toMatchObject({ severity: "high", confidence: "high" });
    expect(number(finding, "size of the largest")?.value).toBe(1024 * GIB);
    expect(finding?.statement).toContain("64 ranks share /scratch/run/volume.raw: 1.1 TB on OST 42 alone.");
    // 72 by size, but there are 64 ranks: 2^40 / 64 = 17.2 GB.
    expect(finding?.advice).toContain(
      "1.1 TB / 64 stripes = 17.2 GB per OST, 64 ranks / 64 stripes = 1 rank",
    );
    expect(finding?.snippet?.code).toContain("lfs setstripe -c 64 -S 4M /scratch/run\n");
    expect(ids(job)).toEqual(["stripe-one"]);
  });

  it("is silent for a small file, and for files of single ranks", () => {
    expect(ids(sharedFile(1, [3]))).toEqual([]);
    expect(ids(singleJob("stdio-bulk"))).toEqual([]);
  });
});

describe("stripe-count", () => {
  it("compares the stripes with what size and ranks ask for", () => {
    const job = sharedFile(32, [0, 1]);
    const finding = find(job, "stripe-count");
    expect(number(finding, "OSTs it lies on")?.value).toBe(2);
    // 34.4 GB: 24 stripes.
    expect(finding?.statement).toContain(
      "(34.4 GB, used by 32 ranks) lies on 2 OSTs, with 17.2 GB and 16 ranks for each",
    );
    expect(finding?.snippet?.code).toContain("lfs setstripe -c 24 -S 4M");
    expect(ids(job)).toEqual(["stripe-count"]);
  });

  it("is silent with a third of the recommended stripes, and where stripe-one speaks", () => {
    expect(ids(sharedFile(32, osts(0, 8)))).toEqual([]);
    expect(ids(sharedFile(32, [5]))).toEqual(["stripe-one"]);
  });
});

describe("stripe-wide-small", () => {
  const small = (files: number, on: readonly number[]) =>
    plannedJob(2, (app) => {
      for (let i = 0; i < files; i++) writeWhole(app, i % 2, app.lustre(`small.${i}`, on), 10_000);
      return app.plan("test");
    });

  it("counts empty objects", () => {
    const job = small(100, osts(0, 8));
    const finding = find(job, "stripe-wide-small");
    expect(finding?.evidence.filesTotal).toBe(100);
    expect(number(finding, "empty objects")).toMatchObject({ value: 700, of: 800 });
    expect(finding?.statement).toBe(
      "100 files are no larger than one stripe (1 MB together), yet consist of 800 objects on OSTs, of which 700 are empty.",
    );
    expect(ids(job)).toEqual(["stripe-wide-small"]);
  });

  it("is silent for fewer files, or fewer stripes", () => {
    expect(ids(small(99, osts(0, 8)))).toEqual([]);
    expect(ids(small(100, osts(0, 3)))).toEqual([]);
  });
});

describe("few-osts and ost-imbalance", () => {
  const on = (ranks: number, ost: (rank: number) => number) =>
    plannedJob(ranks, (app) => {
      app.compute(1);
      for (let rank = 0; rank < ranks; rank++)
        writeWhole(app, rank, app.lustre(`part.${rank}`, [ost(rank)]), GIB);
      writeWhole(app, 0, app.lustre("log", [31]), 1000);
      return app.plan("test");
    });

  it("sees that many files share two of at least 32 OSTs", () => {
    const job = on(16, (rank) => rank % 2);
    const finding = find(job, "few-osts");
    expect(number(finding, "OSTs with 90 % of the bytes")).toMatchObject({ value: 2, of: 32 });
    // 16 files of 1 GiB and a log.
    expect(finding?.statement).toContain(
      "2 of at least 32 OSTs (0, 1) hold 90 % of the 17.2 GB moved to and from 17 files.",
    );
    expect(ids(job)).toEqual(["few-osts"]);
  });

  it("names the OST that gets eight files where the others get one", () => {
    const job = on(20, (rank) => Math.max(0, rank - 7));
    const finding = find(job, "ost-imbalance");
    expect(number(finding, "heaviest OST")?.value).toBe(0);
    expect(number(finding, "its bytes")).toMatchObject({ value: 8 * GIB, of: 20 * GIB + 1000 });
    // 8 GiB over the mean of 14 OSTs with 20 GiB and a log.
    expect(number(finding, "heaviest over mean")?.value).toBeCloseTo((8 * 14) / 20, 5);
    expect(finding?.statement).toBe(
      "OST 0 gets 40 % of the bytes (8.59 GB of 21.5 GB), 5.6 times the mean of the 14 OSTs in use, from 8 files.",
    );
    expect(ids(job)).toEqual(["ost-imbalance"]);
  });

  it("is silent when each file has an OST to itself", () => {
    expect(ids(on(20, (rank) => rank))).toEqual([]);
  });
});

describe("slow-ost", () => {
  it("names the OST that takes six times as long for the same bytes", () => {
    const job = singleJob("unbalanced-osts");
    const finding = find(job, "slow-ost");
    expect(finding).toMatchObject({ severity: "high", confidence: "high" });
    expect(number(finding, "slow OST")?.value).toBe(5);
    expect(number(finding, "its bytes")).toMatchObject({ value: GIB, of: 8 * GIB });
    // 6 × 10 ms + 0.2 ms over 10 ms + 0.2 ms.
    expect(number(finding, "time per byte / median")?.value).toBeCloseTo(60.2 / 10.2, 0);
    expect(finding?.statement).toMatch(
      /^OST 5 takes 5\.\d+ times as long .* median of 8 OSTs .* for 12\.5 % of the bytes\.$/,
    );
    expect(finding?.evidence.filesTotal).toBe(16);
    expect(ids(job)).toEqual(["slow-ost"]);
  });

  it("leaves it to straggler when one rank alone uses the slow OST", () => {
    const job = plannedJob(8, (app) => {
      app.compute(1);
      for (let rank = 0; rank < 8; rank++)
        writeWhole(app, rank, app.lustre(`own.${rank}`, [rank]), 256 * MIB, rank === 5 ? RATE / 10 : RATE);
      return app.plan("test");
    });
    expect(ids(job)).toEqual([]);
  });

  it("does not take small calls for a slow target", () => {
    const job = plannedJob(16, (app) => {
      app.compute(1);
      for (let rank = 0; rank < 16; rank++) {
        const file = app.lustre(`own.${rank}`, [rank % 8]);
        const bytes = rank % 8 === 5 ? 64 * 1024 : 16 * MIB;
        app.open("POSIX", rank, file);
        for (let done = 0; done < 64 * MIB; done += bytes)
          app.write("POSIX", rank, file, { offset: done, bytes, rate: bytes < MIB ? RATE / 6 : RATE });
        app.close("POSIX", rank, file);
      }
      return app.plan("test");
    });
    expect(ids(job)).toEqual([]);
  });
});

describe("not-parallel-fs", () => {
  /** Four ranks write 512 MiB each in 4 of 10 s; rank 0 writes as much to Lustre when `elsewhere`. */
  function job(type: string, elsewhere: number): Job {
    const sink = memorySink();
    const writer = new LogWriter(sink, { encoders: nodeEncoders });
    const mounts = [
      { type, path: "/home" },
      { type: "lustre", path: "/scratch" },
    ];
    writer.job({
      uid: 1,
      startSeconds: 1_760_000_000,
      endSeconds: 1_760_000_010,
      endNanoseconds: 0,
      nprocs: 4,
      jobId: 1,
      metadata: [["lib_ver", "3.5.0"]],
      commandLine: "app",
      mounts,
    });
    const names = [0, 1, 2, 3].map((rank) => `/home/me/out.${rank}`).concat("/scratch/me/out");
    writer.names(names.map((name) => ({ id: recordId(name), name })));
    const record = (name: string, rank: number, bytes: number) =>
      counterRecord(
        posix,
        { id: recordId(name), rank },
        {
          POSIX_OPENS: 1,
          POSIX_WRITES: 128,
          POSIX_BYTES_WRITTEN: bytes,
          POSIX_MAX_BYTE_WRITTEN: bytes - 1,
          POSIX_F_WRITE_TIME: 4,
          POSIX_F_OPEN_START_TIMESTAMP: 1,
          POSIX_F_CLOSE_END_TIMESTAMP: 6,
        },
      );
    const records = [0, 1, 2, 3].map((rank) => record(`/home/me/out.${rank}`, rank, 512 * MIB));
    if (elsewhere > 0) records.push(record("/scratch/me/out", 0, elsewhere));
    writer.module(posix, records);
    writer.finish();
    return jobOf(sink.bytes());
  }

  it("says how much goes to NFS", () => {
    const finding = find(job("nfs", 0), "not-parallel-fs");
    expect(finding).toMatchObject({ severity: "warn", cost: { basis: "unknown" } });
    expect(number(finding, "bytes there")).toMatchObject({ value: 2 * GIB, of: 2 * GIB });
    expect(finding?.statement).toContain("4 ranks move all of their data (2.15 GB) on nfs (/home)");
    expect(finding?.statement).toContain("I/O takes a rank 40 % of the run time");
    // Its own results are no inputs to copy.
    expect(finding?.snippet?.code).not.toContain("cp ");
  });

  it("only mentions storage of the node", () => {
    const finding = find(job("ext4", 0), "not-parallel-fs");
    expect(finding?.severity).toBe("info");
    expect(finding?.snippet?.code).toMatch(/^cp \S*\/home\/me\/out\.\d\S* "\$\{SCRATCH:\?\}"\/$/m);
  });

  it("believes stripes and nodes that share a file, not the mount table", () => {
    const plain = job("nfs", 0);
    // Files and records are views with private parts: what is not replaced is asked of them.
    const over = <Of extends object>(of: Of, values: object): Of =>
      new Proxy(of, {
        get: (target, name) => Reflect.get(Object.hasOwn(values, name) ? values : target, name),
      });
    const told = (values: (file: JobFile) => object) => plain.files.map((file) => over(file, values(file)));
    expect(
      find({ ...plain, kept: new Map(), files: told(() => ({ stripeCount: 4 })) }, "not-parallel-fs"),
    ).toBeUndefined();
    const files = told(({ called }) => ({ called: over(called, { ranks: 4 }) }));
    expect(find({ ...plain, kept: new Map(), files, nodes: 2 }, "not-parallel-fs")).toBeUndefined();
    expect(find({ ...plain, kept: new Map(), files, nodes: 1 }, "not-parallel-fs")).toBeDefined();
  });

  it("is silent on a parallel file system, and when the bulk is elsewhere", () => {
    expect(ids(job("gpfs", 0))).toEqual([]);
    expect(ids(job("nfs", 3 * GIB))).toEqual([]);
  });
});

describe("slow-call", () => {
  const stall = (seconds: number) =>
    plannedJob(2, (app) => {
      app.compute(1);
      for (let rank = 0; rank < 2; rank++) {
        const file = app.lustre(`out.${rank}`, [rank]);
        app.open("POSIX", rank, file);
        for (let i = 0; i < 101; i++) {
          const rate = rank === 1 && i === 50 ? (4 * MIB) / seconds : RATE;
          app.write("POSIX", rank, file, { offset: i * 4 * MIB, bytes: 4 * MIB, rate });
        }
        app.close("POSIX", rank, file);
      }
      return app.plan("test");
    });

  it("tells how long one write took and what is usual", () => {
    const job = stall(10);
    const finding = find(job, "slow-call");
    expect(finding?.severity).toBe("info");
    expect(finding?.evidence.files.map(({ path }) => path)).toEqual(["/scratch/run/out.1"]);
    expect(finding?.statement).toMatch(
      /^One write of 4 MiB took .* the usual time of such a call in \/scratch\/run\/out\.1 /,
    );
    const longest = number(finding, "longest write")?.value as number;
    expect(longest).toBeGreaterThan(10);
    expect(longest).toBeLessThan(11.01);
    // The other hundred: 10.2 ms and up to a tenth more.
    const usual = number(finding, "usual for its size")?.value as number;
    expect(usual).toBeGreaterThan(0.0102);
    expect(usual).toBeLessThan(0.0113);
    expect(ids(job)).toEqual(["slow-call"]);
  });

  it("is silent for a wait of two seconds", () => {
    expect(ids(stall(2))).toEqual([]);
  });
});
