// Every format through the shared suite. A new format is a line here, a fixture and a golden.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { bytesSource } from "../../src/base/source.ts";
import { darshanText } from "../../src/formats/darshan-text/format.ts";
import { CATALOGUE, darshan, DarshanLog, importLog } from "../../src/library/formats.ts";
import { TablesBuilder } from "../../src/model/index.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { describeFormat, type FormatCase } from "../cases/format.ts";

const CASES: readonly FormatCase[] = [
  {
    format: darshan,
    fixture: "darshan/mpiio4_dxt.darshan",
    rowsMax: { counters: 40 },
    rows: { runs: 1, layers: 3, rank_loads: 1, counters: 177 },
    calls: 16,
  },
  {
    // The same log as text.
    format: darshanText,
    fixture: "darshan-text/mpiio4.txt",
    rowsMax: { counters: 40 },
    rows: { runs: 1, layers: 3, rank_loads: 1, counters: 177 },
    calls: 16,
  },
];

for (const testCase of CASES) describeFormat(testCase);

it("a Darshan log recompressed with bzip2 gives the same rows", () => {
  const read = (name: string) => {
    const bytes = readFileSync(new URL(`../fixtures/darshan/${name}`, import.meta.url));
    const builder = new TablesBuilder();
    importLog(new DarshanLog(bytesSource(bytes, "log"), { codecs: nodeCodecs }), builder, "log");
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
  importLog(new DarshanLog(bytesSource(bytes, "log"), { codecs: nodeCodecs }), builder, "log");
  expect(builder.finish().get("layers")?.rows).toBeGreaterThanOrEqual(1000);
});

it("every format with counters has a case in this suite", () => {
  expect(new Set<unknown>(CASES.map(({ format }) => format))).toEqual(
    new Set<unknown>(CATALOGUE.filter(({ counters }) => counters !== undefined)),
  );
});
