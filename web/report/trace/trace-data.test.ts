import { describe, expect, it } from "vitest";
import type { Trace } from "../../../src/model/trace.ts";
import { initialState } from "./state.ts";
import { TraceData } from "./trace-data.ts";

/** Two calls of the first and the last rank. */
function traceOf(ranks: number): Trace {
  return {
    seconds: 10,
    ranks,
    files: [],
    filesTotal: 0,
    layers: [{ name: "POSIX", calls: 2 }],
    calls: {
      count: 2,
      startSeconds: Float64Array.of(0, 5),
      endSeconds: Float64Array.of(1, 6),
      bytes: Float64Array.of(7, 8),
      offset: Float64Array.of(0, 0),
      rank: Uint32Array.of(0, ranks - 1),
      file: Uint32Array.of(0, 0),
      layer: Uint8Array.of(0, 0),
      write: Uint8Array.of(1, 1),
    },
    coverage: { kind: "all" },
    hint: "",
    bins: [],
    offsets: [],
  };
}

describe("the first view", () => {
  it("is of the layer with most calls", () => {
    const layers = [
      { name: "STDIO", calls: 96 },
      { name: "POSIX", calls: 31_966 },
      { name: "MPI-IO", calls: 0 },
    ];
    expect(initialState(new TraceData({ ...traceOf(1), layers })).layer).toBe(1);
  });
});

describe("lanes of a trace", () => {
  it("are one a rank in a job of any real size", () => {
    const data = new TraceData(traceOf(100_000));
    expect(data.lanes("rank", 0)).toBe(100_000);
    expect(data.index("rank", 0).laneStart.at(-1)).toBe(2);
  });

  it("do not grow with the number of ranks that a log claims", () => {
    const data = new TraceData(traceOf(2 ** 31 - 1));
    expect(data.lanes("rank", 0)).toBe(2 ** 17);
    expect(data.laneOfCall("rank", 0, 1)).toBe(2 ** 17 - 1);
    expect(data.index("rank", 0).laneStart.at(-1)).toBe(2);
    expect(data.laneName("rank", 0, 2 ** 17 - 1)).toBe("ranks 2147467264–2147483646");
  });
});
