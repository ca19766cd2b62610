import { describe, expect, it } from "vitest";
import type { Finding } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import { judge } from "../judge.ts";
import { callsJob, type PlainCall } from "./calls-test-kit.ts";
import { KIB, MIB } from "./measures.ts";
import { numberOf } from "./test-kit.ts";

const findings = (job: Job) => judge(job).findings;
const find = (job: Job, id: string): Finding | undefined => findings(job).find((one) => one.id === id);
const costOf = (job: Job, id: string) => find(job, id)?.cost;

/** Calls of one rank one after the other, each with a pause behind it. */
class Timeline {
  readonly calls: PlainCall[] = [];
  readonly #rank: number;
  at: number;

  constructor(rank = 0, at = 0) {
    this.#rank = rank;
    this.at = at;
  }

  do(operation: PlainCall["operation"], file: string, seconds: number, more: Partial<PlainCall> = {}): this {
    const { at } = this;
    this.calls.push({ rank: this.#rank, file, operation, start: at, end: at + seconds, ...more });
    this.at += seconds;
    return this;
  }

  wait(seconds: number): this {
    this.at += seconds;
    return this;
  }
}

const times = (count: number, act: (index: number) => void) => {
  for (let i = 0; i < count; i++) act(i);
};

describe("excess-syncs of calls", () => {
  const job = (syncs: number) => {
    const line = new Timeline().do("open", "/data/log", 0.001);
    times(400, (i) => {
      line.do("write", "/data/log", 0.001, { offset: i * 64 * KIB, bytes: 64 * KIB });
      if (i < syncs) line.do("sync", "/data/log", 0.01);
    });
    return callsJob(line.do("sync", "/data/log", 0.01).do("close", "/data/log", 0.001).calls);
  };

  it("has the exact time of the syncs on the critical path", () => {
    const cost = costOf(job(400), "fsync-per-write");
    // 401 syncs of 10 ms, of which one stays.
    expect(cost?.seconds).toBeCloseTo(4, 6);
    expect(cost?.basis).toBe("critical-path");
    expect(cost?.shareOfRun).toBeCloseTo(4 / (4.01 + 0.4 + 0.002), 6);
  });

  it("is silent with one sync at the end", () => {
    expect(find(job(0), "fsync-per-write")).toBeUndefined();
  });
});

describe("metadata calls", () => {
  it("charges repeated opens with the time of opens and closes alone", () => {
    const line = new Timeline();
    times(2000, (i) => {
      line.do("open", "/data/state", 0.002);
      line.do("stat", "/data/state", i < 5 ? 0.1 : 0);
      line.do("write", "/data/state", 0.001, { offset: i * MIB, bytes: MIB });
      line.do("close", "/data/state", 0.001);
    });
    const cost = costOf(callsJob(line.calls), "open-churn") ?? costOf(callsJob(line.calls), "metadata-storm");
    expect(cost?.basis).toBe("critical-path");
    expect(cost?.seconds).toBeGreaterThan(5.99);
    expect(cost?.seconds).toBeLessThan(6.51);
  });

  it("charges a stat storm with the time of stats alone", () => {
    const line = new Timeline().do("open", "/data/flag", 1);
    times(3000, () => line.do("stat", "/data/flag", 0.001).wait(0.001));
    times(10, (i) => line.do("write", "/data/out", 1, { offset: i * MIB, bytes: MIB }));
    const cost = costOf(callsJob(line.calls), "metadata-storm");
    expect(cost?.seconds).toBeCloseTo(3 * (1 - 1 / 3000), 6);
    expect(cost?.basis).toBe("critical-path");
  });

  it("is silent with a few", () => {
    const line = new Timeline();
    times(5, (i) =>
      line
        .do("stat", "/data/a", 0.001)
        .do("open", "/data/a", 0.001)
        .do("write", "/data/a", 0.1, { offset: i * MIB, bytes: MIB })
        .do("close", "/data/a", 0.001),
    );
    const ids = findings(callsJob(line.calls)).map(({ id }) => id);
    for (const id of ["repeated-opens", "excess-stats", "metadata-storm"]) expect(ids).not.toContain(id);
  });

  it("charges redundant seeks with the time of seeks alone", () => {
    const line = new Timeline().do("open", "/data/in", 2);
    times(2000, (i) =>
      line
        .do("seek", "/data/in", 0.0005)
        .do("read", "/data/in", 0.001, { offset: i * 2 * MIB, bytes: 2 * MIB }),
    );
    const cost = costOf(callsJob(line.calls), "excess-seeks");
    expect(cost?.seconds).toBeGreaterThan(0.99);
    expect(cost?.seconds).toBeLessThanOrEqual(1);
    expect(cost).toMatchObject({ basis: "critical-path", atMost: false });
  });
});

describe("tiny-appends", () => {
  const job = (count: number, seconds: number, bytes: number) => {
    const line = new Timeline().do("open", "/logs/out", 0.001);
    times(count, (i) => line.do("write", "/logs/out", seconds, { offset: i * bytes, bytes }).wait(0.01));
    return callsJob(line.calls);
  };

  it("finds lines that each wait for storage, with their time", () => {
    const finding = find(job(81, 0.025, 100), "tiny-appends");
    expect(finding?.cost.basis).toBe("critical-path");
    // The first one is no append; one call of the others stays.
    expect(finding?.cost.seconds).toBeCloseTo(79 * 0.025, 6);
    expect(finding && numberOf(finding, "tiny appends")).toBe(80);
  });

  it("is silent where they are quick, few or large", () => {
    for (const one of [job(81, 0.0001, 100), job(15, 0.005, 100), job(81, 0.005, 64 * KIB)])
      expect(find(one, "tiny-appends")).toBeUndefined();
  });

  it("leaves many of them to small-writes", () => {
    const many = job(2000, 0.005, 100);
    expect(find(many, "small-writes")).toBeDefined();
    expect(find(many, "tiny-appends")).toBeUndefined();
  });
});

describe("read-modify-write of calls", () => {
  const piece = 128 * KIB;
  const job = (interleaved: boolean) => {
    const line = new Timeline().do("open", "/data/db", 0.001);
    const at = (i: number) => ({ offset: ((i * 7) % 400) * piece, bytes: piece });
    if (interleaved)
      times(400, (i) => line.do("read", "/data/db", 0.003, at(i)).do("write", "/data/db", 0.001, at(i)));
    else {
      times(400, (i) => line.do("read", "/data/db", 0.003, at(i)));
      times(400, (i) => line.do("write", "/data/db", 0.001, at(i)));
    }
    return callsJob(line.calls);
  };

  it("knows every read that a write of the same place follows", () => {
    const one = job(true);
    expect(one.trace?.files[0]?.rewrites.calls).toBe(400);
    expect(one.trace?.files[0]?.rewrites.readSeconds).toBeCloseTo(1.2, 9);
    const finding = find(one, "read-modify-write");
    expect(finding).toMatchObject({ confidence: "high", cost: { atMost: true } });
    // The reads, and at most all of the writes: what changed in them is not in the log.
    expect(finding?.cost.seconds).toBeCloseTo(1.6, 6);
  });

  it("is silent where all is read before all is written", () => {
    expect(job(false).trace?.files[0]?.rewrites.calls).toBeLessThanOrEqual(1);
    expect(find(job(false), "read-modify-write")).toBeUndefined();
  });
});

describe("re-reads of calls", () => {
  const job = (passes: number) => {
    const line = new Timeline().do("open", "/data/table", 0.001);
    times(passes * 16, (i) =>
      line.do("read", "/data/table", 0.1, { offset: (i % 16) * 8 * MIB, bytes: 8 * MIB }),
    );
    return callsJob(line.calls);
  };

  it("counts the distinct bytes exactly", () => {
    const finding = find(job(4), "re-reads");
    expect(finding).toMatchObject({ confidence: "high" });
    expect(finding && numberOf(finding, "different bytes")).toBe(128 * MIB);
    expect(finding?.cost.seconds).toBeCloseTo(4.8, 6);
  });

  it("is silent after one pass", () => {
    expect(find(job(1), "re-reads")).toBeUndefined();
  });
});

/** Each rank writes `seconds` from its start on, into its part of the file. */
const parts = (
  ranks: readonly number[],
  file: string,
  startOf: (place: number) => number,
  seconds: number,
): PlainCall[] =>
  ranks.flatMap((rank, place) => {
    const line = new Timeline(rank, startOf(place));
    times(10, (i) =>
      line.do("write", file, seconds / 10, { offset: (10 * place + i) * 4 * MIB, bytes: 4 * MIB }),
    );
    return line.calls;
  });
const ranksOf = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

describe("serial-io-phase of calls", () => {
  it("knows what turns cost", () => {
    const finding = find(
      callsJob(parts(ranksOf(16), "/data/out", (place) => 1.001 * place, 1)),
      "serial-io-phase",
    );
    expect(finding).toMatchObject({ severity: "high", cost: { basis: "critical-path", atMost: true } });
    expect(finding?.cost.seconds).toBeCloseTo(15, 2);
    expect(finding && numberOf(finding, "at work at the same time")).toBeCloseTo(1, 6);
  });

  it("is silent when ranks write at once", () => {
    expect(find(callsJob(parts(ranksOf(16), "/data/out", () => 0, 1)), "serial-io-phase")).toBeUndefined();
  });
});

describe("lock-step", () => {
  it("finds few ranks that take turns in a file", () => {
    const job = callsJob(parts(ranksOf(4), "/data/out", (place) => 1.01 * place, 1));
    const finding = find(job, "lock-step");
    expect(finding?.cost).toMatchObject({ basis: "critical-path", atMost: true });
    expect(finding?.cost.seconds).toBeCloseTo(3, 2);
    expect(finding && numberOf(finding, "times a rank began after another's end")).toBe(3);
  });

  it("yields to serial-io-phase", () => {
    const job = callsJob(parts(ranksOf(16), "/data/out", (place) => 1.001 * place, 1));
    expect(find(job, "lock-step")).toBeUndefined();
  });

  it("is silent when ranks work at once, at any time, or are processes of their own", () => {
    const atOnce = callsJob(parts(ranksOf(4), "/data/out", () => 0, 1));
    const anyTime = callsJob(parts(ranksOf(4), "/data/out", (place) => 5 * place, 1));
    const apart = callsJob(
      parts(ranksOf(4), "/data/out", (place) => 1.01 * place, 1),
      true,
    );
    for (const job of [atOnce, anyTime, apart]) expect(find(job, "lock-step")).toBeUndefined();
  });

  it("sees two files with turns of their own", () => {
    const job = callsJob([
      ...parts(ranksOf(4), "/data/a", (place) => 1.01 * place, 1),
      ...parts(ranksOf(4, 4), "/data/b", (place) => 1.01 * place, 1),
    ]);
    const finding = find(job, "lock-step");
    expect(finding?.evidence.filesTotal).toBe(2);
    expect(finding?.cost.seconds).toBeCloseTo(3, 1);
  });
});

describe("percentiles of calls", () => {
  it("are there per file and direction, with outliers", () => {
    const line = new Timeline(3);
    times(200, (i) =>
      line.do("read", "/data/a", i === 150 ? 2 : 0.001 * (1 + (i % 10)), { offset: i * KIB, bytes: KIB }),
    );
    const file = callsJob(line.calls, true).trace?.files[0];
    expect(file?.read.percentiles).toEqual({
      ...{ p50Seconds: 0.006, p95Seconds: 0.01, p99Seconds: 0.01, maxSeconds: 2 },
    });
    expect(file?.read.outliers).toMatchObject({ calls: 1, overSeconds: 0.1 });
    expect(file?.read.outliers?.longest).toHaveLength(1);
    expect(file?.read.outliers?.longest[0]).toMatchObject({
      seconds: 2,
      offset: 150 * KIB,
      bytes: KIB,
      rank: 0,
    });
    expect(file?.write.percentiles).toBeNull();
  });
});

describe("stdio-small", () => {
  /** Calls of 100 bytes, 50 µs each, but for two that take longer. */
  const calls = (stalls: number, seconds = 50e-6) =>
    Array.from({ length: 10_000 }, (_, at) => ({
      ...({ rank: 0, file: "/d/s", layer: "STDIO", bytes: 100, start: at * 1e-3 } as const),
      operation: at < 6000 ? ("write" as const) : ("read" as const),
      end: at * 1e-3 + (at < stalls ? 0.9 : seconds),
    }));

  it("does not count calls that stalled, and claims nothing of flushes that no recorder sees", () => {
    const job = callsJob([{ ...calls(0)[0]!, operation: "open", end: 1e-5 }, ...calls(2)]);
    const found = judge(job).findings.find(({ id }) => id === "stdio-small");
    expect(found?.statement).not.toContain("flush");
    expect(found?.evidence.files[0]?.note).not.toContain("flush");
    expect(found?.cost.seconds).toBeLessThan(0.6);
    expect(found?.snippet?.code).toContain("wb");
    expect(judge(callsJob(calls(2, 1e-6))).findings.map(({ id }) => id)).not.toContain("stdio-small");
  });
});
