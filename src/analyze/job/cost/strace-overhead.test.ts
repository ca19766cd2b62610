/** What strace adds to a call, by the quickest kind of call of the trace. */
import { describe, expect, it } from "vitest";
import type { Job, RunFacts } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { costOf } from "./cost.ts";
import { Ledger } from "./ledger.ts";
import { recordedCost } from "./remedies.ts";
import { withoutTracer } from "./strace-overhead.ts";

const record = {
  ...{ fileId: "1", parentId: "0", layer: "POSIX", shared: false, ranks: 1, slowestRank: 0 },
  ...{ reads: 4, readSeconds: 4e-6, writes: 100, writeSeconds: 2, syncSeconds: 0, metaSeconds: 1 },
  ...{ opens: 50, openSeconds: 0.9, stats: 0, statSeconds: 0, seeks: 100, seekSeconds: 0.004 },
  slowestSeconds: 3,
} as unknown as LayerRecord;

function job(kind: string): Job {
  const files = [{ fileId: "1", called: record, layers: new Map([["POSIX", record]]) }] as never;
  const parts = { files, file: () => files[0], rankLoads: [], runSeconds: 10 };
  return {
    ...parts,
    records: [record],
    runs: [{ kind } as RunFacts],
    ledger: new Ledger(parts),
  } as unknown as Job;
}

describe("costs under strace", () => {
  const claim = recordedCost([{ record, part: "write", remains: 0.5 }], "half of the writes");
  const cost = (kind: string, records: readonly LayerRecord[] = [record]) =>
    costOf(job(kind), withoutTracer({ ...job(kind), records }, claim));

  it("are estimates, less what the quickest kind of call takes", () => {
    // Seeks take 40 µs each; the four reads that were quicker are too few. 100 writes owe 4 of their 2,000 ms to strace.
    expect(cost("strace")).toMatchObject({
      ...{ seconds: expect.closeTo(0.998, 9), basis: "estimated", atMost: false },
      model: "half of the writes; less 40 µs per call, the time of the fastest kind under strace",
    });
  });

  it("say so where no kind of call is frequent enough to tell", () => {
    expect(cost("strace", [])).toMatchObject({
      ...{ seconds: 1, basis: "estimated", atMost: false },
      model: "half of the writes, in a run that strace slowed down by an unknown amount",
    });
  });

  it("are not known where the calls take what any call takes", () => {
    // 40,000 writes of 50 µs: up to the limit of 100 µs all of it may be the tracer's.
    const quick = { ...record, seeks: 0, opens: 0, writes: 40_000 };
    const half = recordedCost([{ record: quick, part: "write", remains: 0.5 }], "half of the writes");
    const told = withoutTracer({ ...job("strace"), records: [quick] }, half);
    expect(costOf(job("strace"), told)).toMatchObject({ seconds: null, basis: "unknown", atMost: false });
    expect(told).toMatchObject({ severity: "warn" });
  });

  it("are known where all calls take longer than strace can add", () => {
    // 100 writes of 20 ms and nothing to compare them with.
    expect(cost("strace", [{ ...record, seeks: 0, opens: 0 }])).toMatchObject({
      seconds: expect.closeTo(0.995, 9),
      model: "half of the writes; less 100 µs per call, the most that strace adds",
    });
  });

  it("are what they are with any other recorder", () => {
    expect(cost("trace")).toMatchObject({ seconds: 1, atMost: false, model: "half of the writes" });
  });
});
