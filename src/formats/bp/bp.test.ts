import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import { bytesSource } from "../../base/source.ts";
import {
  type BpAttribute,
  type BpBlock,
  type BpIndex,
  BP_TYPES,
  type BpType,
  bpTypeOfName,
  copiesOf,
  encodeIndex,
  fullName,
  type GroupPlan,
  indexOfGroup,
  layOutGroup,
  MinMax,
  readBp,
  selectionOf,
  shapeOf,
  stepsOf,
} from "./index.ts";

const typeOf = (name: string): BpType => bpTypeOfName(name) as BpType;
const double = typeOf("float64");

function plan(name: string, dimensions: GroupPlan["variables"][number]["dimensions"]): GroupPlan {
  const none = { min: new Uint8Array(8), max: new Uint8Array(8), finite: true };
  const variables = [{ id: 1, name, path: "", type: double, dimensions, statistics: none }];
  return { group: "grouped", rank: 0, step: 1, variables };
}

describe("sizes that were worked out by hand", () => {
  it("of a group: its head is 34 bytes, its first record begins at 46", () => {
    const layout = layOutGroup(plan("elevenchars", [{ local: 3, global: 9, offset: 0 }]));
    expect(layout.recordOffsets).toEqual([46]);
    // A one-dimensional double array with an eleven letter name has a header of 115 bytes.
    expect(layout.payloadOffsets).toEqual([46 + 115]);
    // Data, then an empty list of attributes.
    expect(layout.length).toBe(46 + 115 + 24 + 12);
  });

  it("of a scalar: its record is 36 bytes, its value at 28", () => {
    const variables = [
      {
        id: 1,
        name: "nx",
        path: "",
        type: typeOf("int64"),
        dimensions: [],
        value: new Uint8Array(8).fill(7),
      },
    ];
    const layout = layOutGroup({ group: "grouped", rank: 0, step: 1, variables });
    expect(layout.payloadOffsets).toEqual([46 + 28]);
    expect(layout.length).toBe(46 + 36 + 12);
  });

  it("of the tail: 56 bytes, and the last four say little endian, steps, subfiles, version 3", () => {
    const empty: BpIndex = { groups: [], variables: [], attributes: [] };
    const plain = encodeIndex(empty, { start: 0, global: false });
    expect(plain.length).toBe(16 + 12 + 12 + 56);
    expect([...plain.slice(-4)]).toEqual([0, 0, 2, 3]);
    expect([...encodeIndex(empty, { start: 0, global: true }).slice(-4)]).toEqual([0, 0, 3, 3]);
  });
});

describe("min and max", () => {
  it.each([
    ["float64", new Float64Array([3, Number.NaN, -2.5, Infinity, -Infinity]), -2.5, 3],
    ["float32", new Float32Array([1.5, -1.5]), -1.5, 1.5],
    ["int64", new BigInt64Array([-(2n ** 63n), 5n]), -(2n ** 63n), 5n],
    ["uint64", new BigUint64Array([2n ** 64n - 1n, 1n]), 1n, 2n ** 64n - 1n],
    ["int8", new Int8Array([-128, 127]), -128, 127],
    ["uint16", new Uint16Array([65535]), 65535, 65535],
  ] as const)("of %s", (name, data, min, max) => {
    const found = new MinMax(typeOf(name));
    const bytes = new Uint8Array(data.buffer);
    const size = typeOf(name).size;
    // In two pieces that are not aligned in memory.
    const moved = new Uint8Array(bytes.length + 1);
    moved.set(bytes, 1);
    found.add(moved.subarray(1, 1 + size));
    found.add(moved.subarray(1 + size));
    const { min: low, max: high, finite } = found.statistics();
    const read = (raw: Uint8Array | undefined) =>
      new (data.constructor as Float64ArrayConstructor)((raw as Uint8Array).slice().buffer)[0];
    expect([read(low), read(high), finite]).toEqual([min, max, true]);
  });

  it.each(["uint8", "int8"])("of many bytes of %s", (name) => {
    const bytes = Uint8Array.from({ length: 200_003 }, (_, i) => 40 + (i % 30));
    const found = (data: Uint8Array) => {
      const range = new MinMax(typeOf(name));
      range.add(data);
      return [range.statistics().min?.[0], range.statistics().max?.[0]];
    };
    expect(found(bytes)).toEqual([40, 69]);
    for (const [at, value] of [
      [1, 7],
      [200_002, 200],
      [100_000, 255],
    ] as const) {
      const other = bytes.slice();
      other[at] = value;
      const low = name === "int8" && value > 127;
      expect(found(other.subarray(1))).toEqual(
        low ? [value, 69] : [Math.min(40, value), Math.max(69, value)],
      );
    }
  });

  it("of nothing finite says so", () => {
    const found = new MinMax(double);
    found.add(new Uint8Array(new Float64Array([Number.NaN, Infinity]).buffer));
    expect(found.statistics().finite).toBe(false);
  });
});

/** Any index that a file can hold. */
const anyIndex: fc.Arbitrary<BpIndex> = fc.record({
  groups: fc.array(
    fc.record({
      name: fc.string({ maxLength: 5 }),
      rank: fc.nat(),
      step: fc.integer({ min: 1, max: 1000 }),
      offset: fc.nat(2 ** 40),
      fortran: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  variables: fc.array(
    fc
      .tuple(fc.string({ maxLength: 8 }), fc.constantFrom(double, typeOf("uint8"), typeOf("int16")))
      .chain(([name, type]) =>
        fc.array(blockOf(type), { maxLength: 4 }).map((blocks) => ({
          id: 1,
          group: "g",
          name,
          path: "",
          type,
          blocks,
        })),
      ),
    { maxLength: 3 },
  ),
  attributes: fc.array(
    fc.oneof(
      fc.string({ maxLength: 9, unit: "grapheme" }).map(
        (text): BpAttribute => ({
          id: 2,
          group: "g",
          name: "text",
          path: "p",
          type: typeOf("string"),
          count: 1,
          value: new TextEncoder().encode(text),
        }),
      ),
      fc.uint8Array({ minLength: 2, maxLength: 9 }).map(
        (value): BpAttribute => ({
          id: 2,
          group: "g",
          name: "n",
          path: "",
          type: typeOf("uint8"),
          count: value.length,
          value,
        }),
      ),
      fc.array(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 3 }).map(
        (strings): BpAttribute => ({
          id: 2,
          group: "g",
          name: "s",
          path: "",
          type: typeOf("strings"),
          count: strings.length,
          value: new Uint8Array(0),
          strings,
        }),
      ),
    ),
    { maxLength: 3 },
  ),
});

function blockOf(type: BpType): fc.Arbitrary<BpBlock> {
  const raw = fc.uint8Array({ minLength: type.size, maxLength: type.size });
  return fc.record({
    step: fc.integer({ min: 1, max: 9 }),
    subfile: fc.nat(5),
    recordOffset: fc.nat(2 ** 45),
    payloadOffset: fc.nat(2 ** 45),
    dimensions: fc.array(
      fc.record({ local: fc.nat(9), offset: fc.nat(9) }).map(({ local, offset }) => ({
        local,
        offset,
        global: local + offset + 1,
      })),
      { minLength: 1, maxLength: 4 },
    ),
    statistics: fc.record({ min: raw, max: raw, finite: fc.boolean() }),
  });
}

describe("an index", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(anyIndex, (index) => {
        const read = readBp(bytesSource(encodeIndex(index, { start: 0, global: true })));
        expect(read).toMatchObject({ global: true, version: 3, littleEndian: true, indexOffset: 0 });
        expect({ groups: read.groups, variables: read.variables, attributes: read.attributes }).toEqual(
          index,
        );
      }),
      { numRuns: 300 },
    );
  });

  it("that was cut off or changed anywhere is refused, or reads as something: never another failure", () => {
    fc.assert(
      fc.property(anyIndex, fc.nat(), fc.integer({ min: 1, max: 255 }), (index, seed, change) => {
        const bytes = encodeIndex(index, { start: 0, global: true }).slice();
        const cut = bytes.subarray(0, seed % bytes.length);
        expect(() => readBp(bytesSource(cut))).toThrow(FormatError);
        const at = seed % bytes.length;
        bytes[at] = (bytes[at] as number) ^ change;
        try {
          readBp(bytesSource(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
        // A changed byte of the indexes themselves never goes unseen.
        if (at < bytes.length - 56) expect(() => readBp(bytesSource(bytes))).toThrow(FormatError);
      }),
      { numRuns: 500 },
    );
  });

  it("says what it is not", () => {
    expect(() => readBp(bytesSource(new Uint8Array(0), "x.bp"))).toThrow(
      "x.bp: byte 0: not a BP file: 0 bytes",
    );
    expect(() => readBp(bytesSource(new Uint8Array(100).fill(65), "x.bp"))).toThrow(
      "x.bp: byte 96: not a BP file of version 2 or 3: it ends with the word 0x41414141",
    );
  });
});

describe("a selection", () => {
  it("takes the same elements as reading one by one does", () => {
    const anyCase = fc
      .array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 })
      .chain((shape) =>
        fc.tuple(
          fc.constant(shape),
          fc.tuple(...shape.map((size) => fc.nat(size - 1))),
          fc.tuple(...shape.map((size) => fc.integer({ min: 1, max: size }))),
          fc.tuple(
            ...shape.map((size) => fc.uniqueArray(fc.integer({ min: 1, max: Math.max(1, size - 1) }))),
          ),
        ),
      );
    fc.assert(
      fc.property(anyCase, ([shape, start, many, cuts]) => {
        const count = many.map((n, d) => Math.min(n, (shape[d] as number) - (start[d] as number)));
        const { file, blocks } = cutIntoBlocks(shape, cuts);
        const result = new Uint8Array(count.reduce((a, b) => a * b, 1)).fill(255);
        let copied = 0;
        for (const { from, to, length } of copiesOf(blocks, { start, count }, 1)) {
          result.set(file.subarray(from, from + length), to);
          copied += length;
        }
        expect(copied).toBe(result.length);
        expect([...result]).toEqual(elementByElement(shape, start, count));
      }),
      { numRuns: 500 },
    );
  });

  it("of whole rows that follow one another is one copy", () => {
    const { blocks } = cutIntoBlocks([6, 4, 3], [[3], [], []]);
    const all = [...copiesOf(blocks, { start: [0, 0, 0], count: [6, 4, 3] }, 8)];
    expect(all.map(({ length }) => length)).toEqual([288, 288]);
  });

  it("is checked against the shape", () => {
    const variable = { id: 1, group: "", name: "t", path: "a/", type: double, blocks: [] };
    expect(fullName(variable)).toBe("a/t");
    expect(selectionOf(variable, [4, 5], { start: [1, 2] })).toEqual({ start: [1, 2], count: [3, 3] });
    expect(() => selectionOf(variable, [4, 5], { start: [1] })).toThrow('"a/t" has 2 dimensions (4 × 5)');
    expect(() => selectionOf(variable, [4, 5], { start: [1, 2], count: [4, 1] })).toThrow(
      'dimension 0 of "a/t" goes from 0 to 4; 1 to 5 was requested',
    );
  });

  it("knows steps and shapes", () => {
    const { blocks } = cutIntoBlocks([4, 2], [[1], []]);
    expect(shapeOf(blocks)).toEqual([4, 2]);
    expect(shapeOf([])).toBeUndefined();
    const local = { ...(blocks[0] as BpBlock), dimensions: [{ local: 3, global: 0, offset: 0 }] };
    expect(shapeOf([local])).toBeUndefined();
    const steps = blocks.map((block, i) => ({ ...block, step: 2 - i }));
    expect(stepsOf({ id: 1, group: "", name: "t", path: "", type: double, blocks: steps })).toEqual([1, 2]);
  });
});

/** Element of a byte array by its place, so that a wrong one shows. */
const valueAt = (shape: readonly number[], point: readonly number[]): number =>
  point.reduce((index, p, d) => index * (shape[d] as number) + p, 0) % 251;

function elementByElement(
  shape: readonly number[],
  start: readonly number[],
  count: readonly number[],
): number[] {
  let points: number[][] = [[]];
  for (const [d, many] of count.entries()) {
    points = points.flatMap((p) => Array.from({ length: many }, (_, i) => [...p, (start[d] as number) + i]));
  }
  return points.map((point) => valueAt(shape, point));
}

/** Blocks of an array of bytes that is cut at the given places, laid behind one another in a file. */
function cutIntoBlocks(shape: readonly number[], cuts: readonly (readonly number[])[]) {
  const ranges = shape.map((size, d) => {
    const edges = [0, ...[...(cuts[d] ?? [])].filter((c) => c < size).sort((a, b) => a - b), size];
    return edges
      .slice(1)
      .map((end, i) => ({ offset: edges[i] as number, local: end - (edges[i] as number) }));
  });
  let boxes: { offset: number; local: number }[][] = [[]];
  for (const range of ranges) boxes = boxes.flatMap((box) => range.map((one) => [...box, one]));
  const data: number[] = [];
  const blocks = boxes.map((box): BpBlock => {
    const payloadOffset = data.length;
    data.push(
      ...elementByElement(
        shape,
        box.map((b) => b.offset),
        box.map((b) => b.local),
      ),
    );
    const dimensions = box.map((b, d) => ({ ...b, global: shape[d] as number }));
    return { step: 1, recordOffset: 0, payloadOffset, dimensions };
  });
  return { file: Uint8Array.from(data), blocks };
}

describe("types", () => {
  it("have one code and names of their own", () => {
    expect(new Set(BP_TYPES.map(({ code }) => code)).size).toBe(BP_TYPES.length);
    const names = BP_TYPES.flatMap(({ name, also }) => [name, ...also]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("entries of a group", () => {
  it("lie where the group was put", () => {
    const group = plan("t", [{ local: 1, global: 2, offset: 1 }]);
    const layout = layOutGroup(group);
    const { blocks, group: entry } = indexOfGroup(group, layout, { offset: 1000, subfile: 3 });
    expect(entry).toMatchObject({ offset: 1000, rank: 0, step: 1, name: "grouped" });
    expect(blocks[0]).toMatchObject({
      subfile: 3,
      recordOffset: 1046,
      payloadOffset: 1000 + (layout.payloadOffsets[0] as number),
    });
  });
});
