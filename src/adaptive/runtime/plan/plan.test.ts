import { describe, expect, it } from "vitest";
import { fullName } from "../../../formats/bp/index.ts";
import { parseArray, planArrays } from "./dataset-plan.ts";
import { planDescription } from "./description.ts";
import { planRaw } from "./raw-sources.ts";

const source = (path: string, bytes: number) => ({ path, bytes });

describe("arrays by what each source holds", () => {
  it("are joined along the first dimension, in the order given", () => {
    const arrays = [parseArray("fluid/t:float64:2,3"), parseArray("n:int16:4")];
    const plan = planArrays(arrays, [source("a", 56), source("b", 56)]);
    expect(plan.variables.map((one) => [fullName(one), one.type.name, one.shape])).toEqual([
      ["fluid/t", "float64", [4, 3]],
      ["n", "int16", [8]],
    ]);
    expect(plan.sources[1]?.slabs).toEqual([
      {
        variable: 0,
        size: 8,
        at: 0,
        bytes: 48,
        dimensions: [
          { local: 2, global: 4, offset: 2 },
          { local: 3, global: 3, offset: 0 },
        ],
      },
      { variable: 1, size: 2, at: 48, bytes: 8, dimensions: [{ local: 4, global: 8, offset: 4 }] },
    ]);
  });

  it("may take their rows from the size of each source", () => {
    const plan = planArrays([parseArray("t:float32:*,2")], [source("a", 16), source("b", 0), source("c", 8)]);
    expect(plan.variables[0]?.shape).toEqual([3, 2]);
    expect(plan.sources.map(({ slabs }) => slabs[0]?.dimensions[0])).toEqual([
      { local: 2, global: 3, offset: 0 },
      undefined,
      { local: 1, global: 3, offset: 2 },
    ]);
  });

  it.each([
    ["t:float64", "--array t:float64: not three parts; expected name:type:dims"],
    ["t:decimal:3", "the type decimal is not one of int8,"],
    ["t:string:3", "the type string is not one of int8,"],
    ["t:int8:3,0", 'dimension 1 is "0"'],
    ["t:int8:3,*", 'dimension 1 is "*"'],
  ])("in %s are refused", (text, message) => {
    expect(() => parseArray(text)).toThrow(message);
  });

  it("must fit the sources", () => {
    expect(() => planArrays([parseArray("t:int8:4")], [source("a", 5)])).toThrow(
      "a: 5 bytes, but --array describes 4; check types and dimensions",
    );
    expect(() => planArrays([parseArray("t:int32:*,3")], [source("a", 13)])).toThrow(
      'a: 13 bytes are not a multiple of 12 bytes, a row of "t"',
    );
    const open = parseArray("t:int8:*");
    expect(() => planArrays([open, { ...open, name: "u" }], [])).toThrow("only one --array may have *");
    expect(() => planArrays([parseArray("t:int8:1"), parseArray("t:int8:1")], [])).toThrow(
      '"t" is described twice',
    );
  });
});

describe("a description", () => {
  const whole = {
    variables: [{ name: "t", type: "int16", shape: [4, 4] }],
    sources: [
      {
        path: "a",
        blocks: [
          { variable: "t", start: [0, 0], count: [4, 2] },
          { variable: "t", start: [0, 2], count: [1, 2] },
        ],
      },
      { path: "b", blocks: [{ variable: "t", start: [1, 2], count: [3, 2] }] },
    ],
  };
  const bytes: Readonly<Record<string, number>> = { a: 20, b: 12 };
  const plan = (value: unknown, sizes = bytes) =>
    planDescription(JSON.stringify(value), "d.json", (path) => source(path, sizes[path] ?? 0));

  it("places every block", () => {
    const { sources, variables } = plan(whole);
    expect(variables).toMatchObject([{ name: "t", path: "", shape: [4, 4] }]);
    expect(sources[0]?.slabs.map(({ at, bytes: length }) => [at, length])).toEqual([
      [0, 16],
      [16, 4],
    ]);
  });

  it.each([
    [{}, 'd.json: it has no list "variables"'],
    [{ ...whole, variables: [{ name: "t", type: "x", shape: [4] }] }, 'variable "t" has no known type (x)'],
    [{ ...whole, variables: [{ name: "t", type: "int8", shape: [0] }] }, 'variable "t" has no shape'],
    [{ ...whole, sources: whole.sources.slice(0, 1) }, 'the blocks of "t" hold 10 of its 16 elements'],
    [
      { ...whole, sources: [whole.sources[0], whole.sources[0]] },
      'two blocks of "t" overlap: [0:4, 0:2] and [0:4, 0:2]',
    ],
    [
      { ...whole, sources: [{ path: "a", blocks: [{ variable: "u", start: [0, 0], count: [4, 2] }] }] },
      'd.json: a: block 0 is of "u", which is not among the variables',
    ],
    [
      { ...whole, sources: [{ path: "a", blocks: [{ variable: "t", start: [3, 0], count: [2, 2] }] }] },
      "d.json: a: block 0 needs a start and a count inside 4 × 4",
    ],
  ])("with a fault is refused", (value, message) => {
    expect(() => plan(value)).toThrow(message);
  });

  it("must fit the files, and be JSON", () => {
    expect(() => plan(whole, { a: 21, b: 12 })).toThrow("d.json: a has 21 bytes, its blocks take 20");
    expect(() => planDescription("{", "d.json", () => source("", 0))).toThrow("d.json: not JSON: ");
  });
});

describe("sources of which nothing is said", () => {
  const namesOf = (...paths: string[]) =>
    planRaw(paths.map((path) => source(path, 5))).variables.map(fullName);

  it("become a variable of bytes each, named after its file", () => {
    const { variables, sources } = planRaw([source("/r/a b.bin", 5), source("/r/c", 0), source("/s/d", 7)]);
    expect(variables.map((one) => [fullName(one), one.type.name, one.shape])).toEqual([
      ["a b.bin", "uint8", [5]],
      ["d", "uint8", [7]],
    ]);
    expect(sources.map(({ slabs }) => slabs.map(({ variable, bytes }) => [variable, bytes]))).toEqual([
      [[0, 5]],
      [],
      [[1, 7]],
    ]);
  });

  it("have as many folders in their names as tell them apart", () => {
    expect(namesOf("/w/run1/out", "/w/run2/out", "/w/log")).toEqual(["run1/out", "run2/out", "log"]);
    expect(namesOf("/r/a/x", "/r/b/x", "/s/a/x")).toEqual(["r/a/x", "b/x", "s/a/x"]);
    expect(namesOf("/x", "/a/x")).toEqual(["x", "a/x"]);
  });

  it("are refused when two are the same file, or a name has control characters", () => {
    expect(() => namesOf("/a/x", "/a/x")).toThrow(
      "/a/x is given twice, but each source becomes a separate variable; --array data:uint8:* joins all sources",
    );
    expect(() => namesOf("/a/x\n")).toThrow('source "x\\n": a variable cannot have control characters');
  });
});
