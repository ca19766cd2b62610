/** What strace may have added to a call, bounded by the quickest kind of call of the trace. */
import { describe, expect, it } from "vitest";
import type { Job, RunFacts } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { costOf } from "./cost.ts";
import { Ledger } from "./ledger.ts";
import { recordedCost } from "./remedies.ts";

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

  it("are upper bounds that name what a call may owe to strace", () => {
    expect(costOf(job("strace"), claim)).toMatchObject({
      ...{ seconds: 1, atMost: true },
      // Seeks take 40 µs each; the four reads that were quicker are too few.
      model:
        "half of the writes; strace makes calls longer, each by at most 40 µs, which the quickest kind takes here",
    });
  });

  it("are what they are with any other recorder", () => {
    expect(costOf(job("trace"), claim)).toMatchObject({
      ...{ seconds: 1, atMost: false, model: "half of the writes" },
    });
  });
});
