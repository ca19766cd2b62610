/** Rules on time and on what a log cannot tell; and the catalogue of single logs against all rules of this area. */
import { describe, expect, it } from "vitest";
import { posix } from "../../../formats/darshan/modules/index.ts";
import { recordId } from "../../../formats/darshan/record-id.ts";
import { counterRecord } from "../../../formats/darshan/records.ts";
import { type Application, osts } from "../../../generate/single/application.ts";
import { SINGLE_LOGS } from "../../../generate/single/index.ts";
import { beginLog } from "../../../generate/log-builder.ts";
import type { Finding } from "../../../model/finding.ts";
import { nodeEncoders } from "../../../node/encoders.ts";
import type { Job } from "../job.ts";
import { judge } from "../judge.ts";
import { judged } from "./test-kit.ts";
import { jobOf, plannedJob, singleJob } from "../test-kit.ts";
import { FILES_RULES } from "./files.ts";
import { RANKS_RULES } from "./ranks.ts";
import { STORAGE_RULES } from "./storage.ts";
import { TIME_RULES } from "./time.ts";

const MIB = 1024 ** 2;

const findings = (job: Job) => judged(job, TIME_RULES);
const find = (job: Job, id: string) => findings(job).find((finding) => finding.id === id);
const ids = (job: Job) => findings(job).map(({ id }) => id);
const number = (finding: Finding | undefined, label: string) =>
  finding?.evidence.numbers.find((one) => one.label === label);

/** All ranks write 64 MiB to a file of their own, in about this many seconds. */
function burst(app: Application, name: string, seconds: number): void {
  for (let rank = 0; rank < app.ranks; rank++) {
    const file = app.lustre(`${name}.${rank}`, [rank]);
    app.open("POSIX", rank, file);
    for (let i = 0; i < 16; i++)
      app.write("POSIX", rank, file, { offset: i * 4 * MIB, bytes: 4 * MIB, rate: (64 * MIB) / seconds });
    app.close("POSIX", rank, file);
  }
  app.barrier();
}

describe("the catalogue", () => {
  const rules = [...TIME_RULES, ...RANKS_RULES, ...FILES_RULES, ...STORAGE_RULES];
  const own = new Set(rules.map(({ id }) => id));

  it.each(SINGLE_LOGS.map((log) => [log.id, log] as const))(
    "%s gets what it expects, and no more",
    (id, log) => {
      const found = judge(singleJob(id), new Map(), rules).findings.map((finding) => finding.id);
      expect(found).toEqual(log.expected.filter((expected) => own.has(expected)));
    },
  );

  it("has no two rules of the same id, and a meaning and a source for each threshold", () => {
    expect(own.size).toBe(rules.length);
    for (const { title, meaning, thresholds } of rules) {
      expect(title.length * meaning.length).toBeGreaterThan(0);
      for (const threshold of Object.values(thresholds)) {
        expect(threshold.meaning).not.toBe("");
        expect(threshold.source).not.toBe("");
      }
    }
  });
});

describe("io-share", () => {
  const run = (compute: number) =>
    plannedJob(4, (app) => {
      app.compute(compute);
      burst(app, "out", 60);
      return app.plan("test");
    });

  it("tells average and slowest rank when I/O is most of the run", () => {
    const finding = find(run(20), "io-share");
    expect(finding).toMatchObject({ severity: "warn", cost: { seconds: null, basis: "unknown" } });
    const mean = number(finding, "mean I/O time of a rank") as { value: number; of: number };
    expect(mean.value).toBeGreaterThan(60);
    expect(mean.value).toBeLessThan(66.1);
    expect(mean.of).toBeGreaterThan(mean.value + 20);
    // 4 ranks, 64 MiB each, and nothing is read.
    expect(finding?.statement).toMatch(
      /\(\d[^)]* %\)\. Of this time, over 99\.9 % is in writes, [^,]* in metadata\. 268 MB are moved\.$/,
    );
    expect(finding?.evidence.filesTotal).toBe(4);
  });

  it("is silent when it is a small part, and when another rule names the reason", () => {
    expect(ids(run(600))).toEqual([]);
    expect(ids(singleJob("stripe-one"))).toEqual([]);
  });
});

describe("checkpoint-rhythm", () => {
  const run = (intervals: readonly number[]) =>
    plannedJob(4, (app) => {
      intervals.forEach((interval, step) => {
        app.compute(interval);
        burst(app, `checkpoint.${step}`, 15);
      });
      app.compute(60);
      return app.plan("test");
    });

  it("finds period, length and bytes of four bursts", () => {
    const finding = find(run([60, 60, 60, 60]), "checkpoint-rhythm");
    expect(finding?.severity).toBe("info");
    expect(number(finding, "bursts")?.value).toBe(4);
    expect(number(finding, "mean bytes of a burst")?.value).toBe(4 * 64 * MIB);
    expect(finding?.statement).toMatch(
      /^The job writes 268 MB every [78]\d\.?\d* s, 4 times, for about 1[56]\.?\d* s each/,
    );
    // 60 to 66 s of computing, 15 to 16.5 s of writing; bins are 1.6 or 3.2 s wide.
    const period = number(finding, "mean interval")?.value as number;
    expect(period).toBeGreaterThan(72);
    expect(period).toBeLessThan(86);
    const seconds = number(finding, "time in bursts")?.value as number;
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThan(67);
  });

  it("is silent without a rhythm, and when the bursts cost little", () => {
    expect(find(run([10, 200, 40, 100]), "checkpoint-rhythm")).toBeUndefined();
    expect(find(run([300, 300, 300]), "checkpoint-rhythm")).toBeUndefined();
  });
});

describe("serial-io-phase", () => {
  const run = (inTurn: boolean) =>
    plannedJob(16, (app) => {
      const file = app.lustre("log", osts(0, 4));
      app.compute(2);
      for (let rank = 0; rank < 16; rank++) {
        app.open("POSIX", rank, file);
        for (let i = 0; i < 50; i++)
          app.write("POSIX", rank, file, {
            offset: (rank * 50 + i) * 4 * MIB,
            bytes: 4 * MIB,
            rate: 200 * MIB,
          });
        app.close("POSIX", rank, file);
        if (inTurn) app.barrier();
      }
      return app.plan("test");
    });

  it("sees that sixteen ranks write in turn", () => {
    const finding = find(run(true), "serial-io-phase");
    expect(finding?.severity).toBe("high");
    expect(number(finding, "ranks with I/O")?.value).toBe(16);
    expect(number(finding, "at work at the same time")?.value).toBeLessThan(1.3);
    expect(finding?.statement).toMatch(/^16 ranks do I\/O, but only 1\.\d+ at a time on average\./);
  });

  it("is silent when they write at once", () => {
    expect(ids(run(false))).toEqual([]);
  });
});

describe("partial-data", () => {
  it("names the module and what it has", () => {
    const finding = find(singleJob("partial"), "partial-data");
    // Four ranks with room for 16 files each.
    expect(finding?.statement).toContain(
      "POSIX is incomplete, since the recorder ran out of memory. It has 64 files in POSIX.",
    );
    expect(number(finding, "files in POSIX")?.value).toBe(64);
    expect(finding?.snippet?.code).toContain("MAX_RECORDS 20000 POSIX");
  });

  it("is silent for a whole log", () => {
    expect(ids(singleJob("control"))).toEqual([]);
  });
});

describe("no-io", () => {
  const idle = (seconds: number) =>
    plannedJob(4, (app) => {
      app.compute(seconds);
      return app.plan("test");
    });

  it("wonders about a long run without any file", () => {
    const finding = find(idle(700), "no-io");
    expect(finding).toMatchObject({ severity: "info", confidence: "low" });
    expect(number(finding, "ranks")?.value).toBe(4);
    expect(finding?.statement).toMatch(/^4 ranks ran for 7\d\d s, and the log has no record of any file\.$/);
  });

  it("is silent for short runs, and for runs with I/O", () => {
    expect(ids(idle(60))).toEqual([]);
    expect(ids(singleJob("no-io"))).toEqual([]);
  });
});

describe("mmap-io", () => {
  function mapped(path: string): Job {
    const names = [path, "/scratch/run/read.dat"];
    const { sink, writer } = beginLog(
      { program: "test", jobId: 1, ranks: 1, seconds: 10, madeBy: "test", encoders: nodeEncoders },
      names.map((name) => ({ id: recordId(name), name })),
    );
    writer.module(posix, [
      counterRecord(posix, { id: recordId(path), rank: 0 }, { POSIX_OPENS: 1, POSIX_MMAPS: 3 }),
      counterRecord(
        posix,
        { id: recordId("/scratch/run/read.dat"), rank: 0 },
        { POSIX_OPENS: 1, POSIX_READS: 1, POSIX_BYTES_READ: 10, POSIX_MAX_BYTE_READ: 9 },
      ),
    ]);
    writer.finish();
    return jobOf(sink.bytes());
  }

  it("counts mappings of data files", () => {
    const finding = find(mapped("/scratch/run/table.bin"), "mmap-io");
    expect(number(finding, "mapped files")).toMatchObject({ value: 1, of: 2 });
    expect(number(finding, "mappings")?.value).toBe(3);
    expect(number(finding, "mapped files without a read or write")?.value).toBe(1);
    expect(finding?.statement).toContain(
      "1 of 2 files is mapped into memory, 3 times in all; 1 of them shows no read or write.",
    );
  });

  it("is silent for program code", () => {
    expect(ids(mapped("/scratch/env/lib/libhdf5.so.200"))).toEqual([]);
  });
});
