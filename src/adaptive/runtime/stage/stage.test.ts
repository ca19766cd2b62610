import fc from "fast-check";
import { expect, it } from "vitest";
import { layOutGroup } from "../../../formats/bp/index.ts";
import { parseArray, planArrays } from "../plan/dataset-plan.ts";
import { cutBlocks, leftOver } from "./blocks.ts";
import { SourceReader } from "./sources.ts";
import { groupOf, groupOffset, makeStage, overheadBytes, type Range, type Stage, snapped } from "./stage.ts";

/** Sources that hold rows of a three-dimensional array and of a vector. */
function stageOf(rows: readonly number[]): Stage {
  const arrays = [parseArray("deep/path/field:float32:*,5,3"), parseArray("v:int16:7")];
  const sources = rows.map((many, i) => ({ path: `s${i}`, bytes: 60 * many + 14 }));
  return makeStage(planArrays(arrays, sources), {
    step: 3,
    ids: [1, 2],
    data: () => ({ kind: "synthetic" }),
  });
}

const rowsOf = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 12 });

const isWhole = (stage: Stage, ranges: readonly Range[]) => {
  let at = 0;
  for (const { from, to } of ranges) {
    expect([from, to > from]).toEqual([at, true]);
    expect(snapped(stage, from, to)).toEqual({ from, to });
    at = to;
  }
  expect(at).toBe(stage.bytes);
};

it("blocks cover every byte once, however few or many are wanted", () => {
  fc.assert(
    fc.property(
      rowsOf,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 6 }),
      (rows, wanted, most) => {
        const stage = stageOf(rows);
        isWhole(stage, cutBlocks(stage, wanted));
        const few = cutBlocks(stage, 1, undefined, most);
        isWhole(stage, few);
        expect(few.length).toBeLessThanOrEqual(2 * most);
      },
    ),
  );
});

it("what is left over and what was taken make up the whole", () => {
  fc.assert(
    fc.property(rowsOf, fc.array(fc.nat(2000), { maxLength: 8 }), (rows, cuts) => {
      const stage = stageOf(rows);
      const edges = [...new Set(cuts.map((cut) => snapped(stage, cut % stage.bytes, stage.bytes).from))].sort(
        (a, b) => a - b,
      );
      const taken = edges.flatMap((from, i) =>
        i % 2 === 0 && edges[i + 1] !== undefined ? [{ from, to: edges[i + 1] as number }] : [],
      );
      isWhole(
        stage,
        [...taken, ...leftOver(stage, taken)].sort((a, b) => a.from - b.from),
      );
    }),
  );
});

it("any piece of a block fits into its lease", () => {
  fc.assert(
    fc.property(rowsOf, fc.nat(), fc.nat(), fc.nat(100_000), (rows, a, b, offset) => {
      const stage = stageOf(rows);
      const blocks = cutBlocks(stage, 1, undefined, 3);
      const overhead = overheadBytes(stage, blocks);
      for (const { from, to } of blocks) {
        const [low, high] = [from + (a % (to - from)), from + (b % (to - from))].sort((x, y) => x - y) as [
          number,
          number,
        ];
        const range = snapped(stage, low, high);
        if (range.from === range.to) continue;
        const layout = layOutGroup(groupOf(stage, range).plan);
        const at = groupOffset(offset, layout.payloadOffsets[0] as number);
        expect(at).toBeGreaterThanOrEqual(offset);
        expect(at + layout.length).toBeLessThanOrEqual(offset + (high - low) + overhead);
        expect((at + (layout.payloadOffsets[0] as number)) % 4096).toBe(0);
      }
    }),
  );
});

it("synthetic data is the same in any parts", async () => {
  const reader = new SourceReader(stageOf([30, 0, 20]));
  const whole = new Uint8Array(3000);
  await reader.read(whole, 0);
  expect(new Float64Array(whole.buffer)[300]).toBe(300);
  for (const [from, to] of [
    [1, 9],
    [8, 16],
    [1790, 1835],
    [2999, 3000],
  ] as const) {
    const part = new Uint8Array(to - from);
    await reader.read(part, from);
    expect(part).toEqual(whole.slice(from, to));
  }
});

it("what is left is of pieces that lie in the line, none of them twice", () => {
  const stage = stageOf([4]);
  expect(() =>
    leftOver(stage, [
      { from: 0, to: 60 },
      { from: 30, to: 90 },
    ]),
  ).toThrow("lies in the line, once");
  expect(() => leftOver(stage, [{ from: 0, to: stage.bytes + 1 }])).toThrow("lies in the line, once");
  expect(() => groupOf(stage, { from: 1, to: 60 })).toThrow();
});

it("a plan whose boxes are not all bytes of their source is none", () => {
  const plan = planArrays([parseArray("v:int16:7")], [{ path: "s", bytes: 14 }]);
  const longer = { ...plan, sources: plan.sources.map((one) => ({ ...one, bytes: 16 })) };
  const options = { step: 1, ids: [1], data: () => ({ kind: "synthetic" }) as const };
  expect(() => makeStage(longer, options)).toThrow("all its bytes");
});
