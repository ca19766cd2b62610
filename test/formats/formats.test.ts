// Every format through the shared suite. A new format is a line here, a fixture and a golden.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/base/errors.ts";
import { bytesSource } from "../../src/base/source.ts";
import { darshan, detectFormat, FORMATS } from "../../src/library/formats.ts";
import { skeleton } from "../../src/formats/skeleton.ts";
import { TablesBuilder } from "../../src/model/index.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { describeFormat, type FormatCase } from "../cases/format.ts";

const CASES: readonly FormatCase[] = [
  {
    format: darshan,
    fixture: "darshan/mpiio4_dxt.darshan",
    options: { codecs: nodeCodecs },
    rowsMax: { ops: 40, counters: 40 },
    rows: { runs: 1, layers: 3, rank_loads: 1, counters: 177, ops: 16 },
  },
];

for (const testCase of CASES) describeFormat(testCase);

it("the format to copy from adds nothing, and refuses what it does not understand", () => {
  const builder = new TablesBuilder();
  expect(skeleton.recognizes(new Uint8Array(0), "x.skeleton")).toBe(true);
  skeleton.read(bytesSource(new Uint8Array(0), "x.skeleton"), builder, { codecs: nodeCodecs });
  for (const table of builder.finish().values()) expect(table.rows).toBe(0);
  const full = bytesSource(new Uint8Array(3), "x.skeleton");
  expect(() => skeleton.read(full, builder, { codecs: nodeCodecs })).toThrow(FormatError);
});

it("a Darshan log recompressed with bzip2 gives the same rows", () => {
  const read = (name: string) => {
    const bytes = readFileSync(new URL(`../fixtures/darshan/${name}`, import.meta.url));
    const builder = new TablesBuilder();
    darshan.read(bytesSource(bytes, "log"), builder, { codecs: nodeCodecs });
    return [...builder.finish()].map(([table, { schema, column }]) => [
      table,
      schema.columns.map(({ name: of }) => [of, column(of)]),
    ]);
  };
  const zlib = read("files1000_dxt.darshan");
  expect(read("files1000_dxt.bzip2.darshan")).toEqual(zlib);
  // One row per file at least: the fixture is a process that writes 1,000 files.
  const builder = new TablesBuilder();
  const bytes = readFileSync(new URL("../fixtures/darshan/files1000_dxt.darshan", import.meta.url));
  darshan.read(bytesSource(bytes, "log"), builder, { codecs: nodeCodecs });
  expect(builder.finish().get("layers")?.rows).toBeGreaterThanOrEqual(1000);
});

describe("the table of formats", () => {
  it("has a case in this suite for every format", () => {
    expect(new Set(CASES.map(({ format }) => format))).toEqual(new Set(FORMATS));
  });

  it("has no id twice", () => {
    const ids = FORMATS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("says what it knows when an input is none of it", () => {
    const detect = (bytes: Uint8Array) => () => detectFormat(bytesSource(bytes, "thing"));
    expect(detect(new TextEncoder().encode("hello"))).toThrow(FormatError);
    expect(detect(new TextEncoder().encode("hello"))).toThrow(
      /^thing: byte 0: unknown format \(have: .*Darshan log.*\)$/,
    );
    expect(detect(new Uint8Array(0))).toThrow(/^thing: byte 0: the file is empty/);
    expect(detect(new Uint8Array(5000))).toThrow(/unknown format/);
  });
});
