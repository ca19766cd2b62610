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
    const quick = { ...record, seeks: 0, opens: 0 };
    expect(cost("strace", [quick])).toMatchObject({ seconds: null, basis: "unknown", atMost: false });
    expect(withoutTracer({ ...job("strace"), records: [quick] }, claim)).toMatchObject({ severity: "warn" });
  });

  it("are what they are with any other recorder", () => {
    expect(cost("trace")).toMatchObject({ seconds: 1, atMost: false, model: "half of the writes" });
  });
});
