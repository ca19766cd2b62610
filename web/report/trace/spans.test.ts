import { expect, it } from "vitest";
import { emptyTrace } from "../../../src/report/trace/test-kit.ts";
import { layOut, SPAN_HEIGHT, xOf } from "./layout.ts";
import { firstAfter, hitSpan, spanName } from "./spans.ts";
import { initialState } from "./state.ts";
import { TraceData } from "./trace-data.ts";

const compute = {
  ...{ category: "ai", name: "compute" },
  startSeconds: Float64Array.of(1, 4),
  endSeconds: Float64Array.of(2, 6),
};
const load = { category: "", name: "load", startSeconds: Float64Array.of(7), endSeconds: Float64Array.of(8) };

it("finds the stretch under the pointer, in the lane of its name", () => {
  const data = new TraceData({ ...emptyTrace(), seconds: 10, spans: [compute, load] });
  const state = initialState(data);
  const layout = layOut(1000, data, state);
  const at = (seconds: number, lane: number) =>
    hitSpan(data, state, layout, xOf(layout, state, seconds), layout.spans.y + (lane + 0.5) * SPAN_HEIGHT);
  expect(at(5, 0)).toEqual({ spans: compute, stretch: { t0: 4, t1: 6 } });
  expect(at(3, 0)).toEqual({ spans: compute, stretch: undefined });
  expect(at(7.5, 1)?.stretch).toEqual({ t0: 7, t1: 8 });
  expect(hitSpan(data, state, layout, 300, layout.ruler.y)).toBeUndefined();
  expect(at(5, 2)).toBeUndefined();
  expect([compute, load].map(spanName)).toEqual(["ai: compute", "load"]);
  expect([0, 2, 2.5, 9].map((time) => firstAfter(compute, time))).toEqual([0, 0, 1, 2]);
});

it("has no band without spans", () => {
  const data = new TraceData(emptyTrace());
  const { spans, pinned } = layOut(1000, data, initialState(data));
  expect([spans.height, pinned.y]).toEqual([0, spans.y]);
});
