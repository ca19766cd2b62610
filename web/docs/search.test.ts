import { describe, expect, it } from "vitest";
import { lookUp, makeIndex, wordsOf } from "./search.ts";

const index = makeIndex([
  {
    path: "record.html",
    title: "Record",
    sections: [
      { id: "record", title: "Record", text: "Runs a program under the recorder." },
      { id: "io_uring", title: "io_uring", text: "Requests through liburing are seen." },
    ],
  },
  {
    path: "store.html",
    title: "The store",
    sections: [
      { id: "the-store", title: "The store", text: "A folder of Parquet segments; --store names it." },
      { id: "repair", title: "Repair", text: "The recorder leaves nothing here." },
      { id: "backup", title: "Backup", text: "Copy the folder." },
      { id: "growth", title: "Growth", text: "Bytes per day." },
      { id: "export", title: "Export", text: "Parquet, CSV or NDJSON." },
    ],
  },
]);
const found = (query: string) => lookUp(index, query, 5).map(({ path }) => path);

describe("the search", () => {
  it("splits names at dashes and keeps them whole", () => {
    expect(wordsOf("darshan-parser --store io_uring")).toEqual(
      "darshan-parser darshan parser store io_uring io uring".split(" "),
    );
  });

  it("finds words by their beginning, titles first", () => {
    expect(found("rec")).toEqual(["record.html#record", "record.html#io_uring", "store.html#repair"]);
    expect(found("io_uring")[0]).toBe("record.html#io_uring");
    expect(found("PARQUET")).toEqual(["store.html#the-store", "store.html#export"]);
  });

  it("asks for every word, and lets unknown ones pass beside known ones", () => {
    expect(found("parquet csv")).toEqual(["store.html#export"]);
    expect(found("the parquet csv")).toEqual(["store.html#export"]);
    expect(found("zzz")).toEqual([]);
    expect(found("  ")).toEqual([]);
  });

  it("shows the beginning of the text", () => {
    expect(lookUp(index, "backup", 1)).toEqual([
      { path: "store.html#backup", page: "The store", title: "Backup", lead: "Copy the folder." },
    ]);
  });

  it("names a page for man by its command, not by a heading that all have", () => {
    const sections = [{ id: "synopsis", title: "SYNOPSIS", text: "plimsoll sql STATEMENT" }];
    const manual = makeIndex([{ path: "man/plimsoll-sql.html", title: "plimsoll-sql", sections }]);
    expect(lookUp(manual, "sql", 1)).toEqual([
      {
        path: "man/plimsoll-sql.html#synopsis",
        page: "Synopsis",
        title: "plimsoll-sql",
        lead: "plimsoll sql STATEMENT",
      },
    ]);
  });
});
