import { expect, it } from "vitest";
import { textTable } from "./text-table.ts";

const rows = [
  ["read", "1,000", "a"],
  ["metadata", "7", "a long text of many words"],
];

it("makes columns as wide as their widest text, names to the left and numbers to the right", () => {
  expect(textTable([{ label: "what" }, { label: "calls", right: true }, { label: "" }], rows)).toEqual([
    "what      calls",
    "read      1,000  a",
    "metadata      7  a long text of many words",
  ]);
});

it("has no headings where no column has one, and keeps to the least width", () => {
  expect(textTable([{ min: 10 }, { right: true, min: 8 }], rows, { gap: "|" })).toEqual([
    "read      |   1,000",
    "metadata  |       7",
  ]);
  expect(textTable([{ label: "nothing" }], [])).toEqual(["nothing"]);
  expect(textTable([{}], [])).toEqual([]);
});

it("cuts what is longer than a column may be, and gives one column what the others leave", () => {
  expect(textTable([{ max: 5 }, {}, { max: 8 }], rows)).toEqual(["read   1,000  a", "meta…  7      a long…"]);
  const shown = textTable([{}, {}, { rest: 4 }], rows, { width: 30 });
  expect(shown).toEqual(["read      1,000  a", "metadata  7      a long text…"]);
  expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(30);
  // It has its characters even if the table gets too wide.
  expect(textTable([{}, {}, { rest: 4 }], rows, { width: 10 })[1]).toBe("metadata  7      a…");
  // Short texts need no more than their least width.
  expect(textTable([{ rest: 4, min: 6 }, {}], [["a", "b"]], { width: 80 })).toEqual(["a       b"]);
});

it("draws a line below the headings", () => {
  expect(
    textTable([{ label: "a" }, { label: "number", right: true }], [["xyz", "1"]], { rule: true }),
  ).toEqual(["a    number", "---  ------", "xyz       1"]);
});

it("takes many rows", () => {
  const many = Array.from({ length: 300_000 }, (_, i) => [String(i)]);
  expect(textTable([{ right: true }], many)[7]).toBe("     7");
});
