import { describe, expect, it } from "vitest";
import { osts } from "../../../generate/single/application.ts";
import { callsJob, type PlainCall } from "../rules/calls-test-kit.ts";
import { plannedJob } from "../test-kit.ts";

const MIB = 2 ** 20;

/** In each of three steps another rank is slow. */
const steps = (traces: boolean, heatmap = true) =>
  plannedJob(4, (app) => {
    const files = Array.from({ length: 4 }, (_, rank) => app.lustre(`part.${rank}`, osts(rank, 1)));
    for (let step = 0; step < 3; step++) {
      app.compute(20);
      for (let rank = 0; rank < 4; rank++) {
        const file = files[rank] as string;
        app.open("POSIX", rank, file);
        app.write("POSIX", rank, file, {
          offset: step * 64 * MIB,
          bytes: 64 * MIB,
          rate: (rank === step ? 8 : 64) * MIB,
        });
        app.close("POSIX", rank, file);
      }
      app.barrier();
    }
    return app.plan("test", { traces, heatmap });
  });

describe("critical time of traced calls", () => {
  it("adds up the slowest rank of each phase, where counters see the slowest rank of all", () => {
    const [counted, traced] = [steps(false, false).ledger, steps(true).ledger];
    expect([counted.isTraced, traced.isTraced]).toEqual([false, true]);
    expect(traced.countedSeconds).toBe(counted.seconds);
    // 8 s in one step and 1 s in the two others, against 8 s in each of three steps.
    expect(counted.seconds).toBeGreaterThan(9.5);
    expect(counted.seconds).toBeLessThan(11);
    expect(traced.seconds).toBeGreaterThan(23.5);
    expect(traced.seconds).toBeLessThan(26);
    // The heat map shows the same, but for the width of its bins.
    const seen = steps(false).ledger;
    expect(seen.isTraced).toBe(true);
    expect(Math.abs(seen.seconds / traced.seconds - 1)).toBeLessThan(0.1);
  });

  it("scales what causes cost", () => {
    const { ledger, records } = steps(true);
    const gone = { healthy: records.map((record) => ({ record, remains: 0 })) };
    expect(ledger.gain(gone)).toBeCloseTo(ledger.seconds, 6);
  });

  it("counts processes one after another each with its own time", () => {
    const [quick, slow] = [0, 1].map((rank) =>
      Array.from({ length: 10 }, (_, i): PlainCall => {
        const start = 10 * rank + i * (1 + rank);
        return {
          rank,
          file: `/${rank}`,
          operation: "write",
          start,
          end: start + 1 + rank,
          offset: i,
          bytes: 1,
        };
      }),
    ) as [PlainCall[], PlainCall[]];
    const { ledger, records } = callsJob([...quick, ...slow], true);
    expect(ledger.seconds).toBeCloseTo(30, 6);
    const record = records.find(({ path }) => path === "/0") as (typeof records)[number];
    // Although the other process takes longer.
    expect(ledger.gain({ healthy: [{ record, remains: 0.5 }] })).toBeCloseTo(5, 6);
  });

  it("leaves the throughput as counters have it", () => {
    expect(steps(true).io.slowestSeconds).toBe(steps(false).io.slowestSeconds);
  });

  it("needs the calls of nearly all of the time", () => {
    const calls: PlainCall[] = [0, 1].map((rank) => ({
      ...{ rank, file: "/a", operation: "write", start: 0, end: 1, offset: rank * MIB, bytes: MIB },
    }));
    const job = callsJob(calls);
    expect(job.ledger.isTraced).toBe(true);
    // A stream has no single calls in a log.
    const stdio = plannedJob(2, (app) => {
      const file = app.lustre("out", osts(0, 1));
      for (let rank = 0; rank < 2; rank++) {
        app.open("STDIO", rank, file);
        app.write("STDIO", rank, file, { offset: 0, bytes: MIB, rate: MIB });
        app.close("STDIO", rank, file);
      }
      return app.plan("test", { traces: true });
    });
    expect(stdio.ledger.isTraced).toBe(false);
  });
});
