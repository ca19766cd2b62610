import { describe, expect, it } from "vitest";
import { TableModel } from "./table-model.ts";

const model = new TableModel({
  id: "files",
  section: "files",
  columns: [
    { key: "fileId", label: "Id", unit: "text", hidden: true },
    { key: "path", label: "Path", unit: "text" },
    { key: "exact", label: "Exact", unit: "index" },
    { key: "seconds", label: "Seconds", unit: "seconds" },
  ],
  rows: [
    ["7712345", "/lustre/a.h5", { n: "9007199254740993" }, 16777215.999999998],
    ["90", "=cmd()", null, -5],
  ],
});
it("says in a last column where rows that no machine recorded are from, and which a paper has", () => {
  const columns = [{ key: "bytes", label: "Bytes", unit: "bytes" as const }];
  const table = { id: "t", section: "t", columns, rows: [[1], [2]], origin: "partly synthetic" };
  expect(new TableModel({ ...table, publishedFrom: 1 }).csv()).toBe(
    "bytes,origin\r\n1,partly synthetic\r\n2,published\r\n",
  );
});

const found = (search: string) =>
  model.lines({ ...model.initial, search }).lines.map((line) => (line.kind === "row" ? line.row : -1));

describe("a table of a page", () => {
  it("finds what can be seen, not what hidden columns hold", () => {
    expect(found("lustre")).toEqual([0]);
    expect(found("9007199")).toEqual([0]);
    expect(found("77123")).toEqual([]);
    expect(found("90")).toEqual([0]);
    expect(found("")).toEqual([0, 1]);
  });

  it("is saved with hidden columns, plain numbers and no formula", () => {
    expect(model.csv()).toBe(
      "fileId,path,exact,seconds\r\n7712345,/lustre/a.h5,9007199254740993,16777216\r\n90,'=cmd(),,-5\r\n",
    );
  });
});
