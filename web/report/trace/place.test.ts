import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkpointTrace } from "../../../src/report/trace/test-kit.ts";
import { readPlace, writePlace } from "./place.ts";
import { initialState } from "./state.ts";
import { TraceData } from "./trace-data.ts";

const data = new TraceData(checkpointTrace({ ranks: 8, calls: 500 }));
const LANE = 20;

describe("a place of the timeline", () => {
  it("is empty for the first view", () => {
    expect(writePlace(initialState(data), data, LANE)).toBe("");
    expect(readPlace("", data).state).toEqual(initialState(data));
  });

  it("comes back as it was, in numbers and words of its own", () => {
    const time = fc.integer({ min: 1, max: 599e9 }).map((ns) => ns / 1e9);
    fc.assert(
      fc.property(
        fc.record({
          window: fc.tuple(time, time).filter(([a, b]) => Math.abs(a - b) > 1e-6),
          range: fc.option(fc.tuple(time, time)),
          call: fc.nat({ max: data.trace.calls.count - 1 }),
          lane: fc.nat({ max: 7 }),
          sort: fc.constantFrom("start", "duration", "bytes"),
          reads: fc.boolean(),
        }),
        ({ window, range, call, lane, sort, reads }) => {
          const state = {
            ...initialState(data),
            sort,
            reads,
            marked: lane,
            pinned: [lane],
            scroll: 2.5 * LANE,
          };
          [state.t0, state.t1] = [Math.min(...window), Math.max(...window)];
          if (range !== null) state.range = { t0: Math.min(...range), t1: Math.max(...range) };
          else if (data.trace.calls.layer[call] === state.layer)
            state.selection = { kind: "call", call, others: 1 };
          const text = writePlace(state, data, LANE);
          expect(text).toMatch(/^[a-z0-9.:/-]*$/);
          const back = readPlace(text, data);
          expect(back.topLane).toBe(2.5);
          expect(back.state.t0).toBeCloseTo(state.t0, 8);
          expect(back.state.t1).toBeCloseTo(state.t1, 8);
          expect({ ...back.state, t0: 0, t1: 0 }).toEqual({ ...state, t0: 0, t1: 0, scroll: 0 });
        },
      ),
    );
  });

  it("is within the trace, whatever a text says", () => {
    const words = fc.constantFrom(
      "",
      "sel",
      "call",
      "by",
      "layer",
      "only",
      "top",
      "lane",
      "pin",
      "file",
      "offset",
      "sort",
    );
    const values = fc.array(
      fc.oneof(fc.double().map(String), fc.string(), fc.constantFrom("-1", "1e99", "NaN")),
    );
    const part = fc.tuple(words, values).map(([word, list]) => [word, ...list].join(":"));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const { state, topLane } = readPlace(parts.join("/"), data);
        expect(state.t0).toBeGreaterThanOrEqual(data.t0);
        expect(state.t1).toBeLessThanOrEqual(data.t1 + 1e-9);
        expect(state.t1).toBeGreaterThan(state.t0);
        expect(state.layer).toBeLessThan(data.trace.layers.length);
        expect(state.file).toBeLessThan(data.trace.files.length);
        expect(topLane).toBeLessThan(8);
        for (const lane of [...state.pinned, state.marked ?? 0])
          expect(lane).toBeLessThan(data.trace.files.length + 9);
        if (state.selection?.kind === "call")
          expect(state.selection.call).toBeLessThan(data.trace.calls.count);
        expect(state.y1).toBeGreaterThan(state.y0);
      }),
    );
  });
});
