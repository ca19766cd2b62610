/** Tables of the model that nothing fills would be documented in vain: each column gets a value from some input. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { CallSurvey } from "../../src/analyze/job/index.ts";
import { bytesSource } from "../../src/base/source.ts";
import { accessCsv } from "../../src/formats/access-csv/format.ts";
import { importLog } from "../../src/formats/darshan/import.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import { sampleLogs } from "../../src/generate/samples.ts";
import { SCHEMA, STORE_SCHEMA, TablesBuilder } from "../../src/model/index.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { everyModuleLog } from "./every-module.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fixture = (path: string) => readFileSync(join(root, "test/fixtures", path));

function rowsOf(fill: (into: TablesBuilder) => void) {
  const builder = new TablesBuilder();
  fill(builder);
  return builder.finish();
}

/** Columns of a table that have a value in some row: null is what was not recorded, "" and 0 say nothing. */
function filled(tables: ReturnType<typeof rowsOf>, name: string): Set<string> {
  const table = tables.get(name);
  const columns = table?.schema.columns ?? [];
  const rows = Array.from({ length: table?.rows ?? 0 }, (_, row) => row);
  const said = ({ name: column }: { readonly name: string }) =>
    rows.some((row) => {
      const value = table?.value(column, row);
      return value !== null && value !== undefined && value !== "" && Number(value) !== 0;
    });
  return new Set(columns.filter(said).map((column) => column.name));
}

describe("docs/model.md", () => {
  let known: Map<string, Set<string>>;
  /** Each kind of call once. */
  const traced = rowsOf((into) => {
    const survey = new CallSurvey();
    const lines = ["open", "stat", "seek", "sync", "write"].map(
      (op, i) => `1,${i},${i}.1,${i}.3,/data/a,${op}`,
    );
    const text = ["pid,bytes,start,end,file,op", ...lines, ""].join("\n");
    accessCsv.calls(bytesSource(new TextEncoder().encode(text), "calls.csv"), survey.sink());
    survey.finish({ runId: "t", source: "calls.csv", kind: "csv", recorder: "" }, into);
  });
  beforeAll(() => {
    const logs = [
      ...["darshan/mpiio4_dxt.darshan", "darshan/files1000_dxt.darshan"].map(fixture),
      ...[1, 2, 3].map((seed) => everyModuleLog(seed, { tame: true }).bytes),
      ...sampleLogs(1, nodeEncoders).map(({ bytes }) => bytes),
    ].map((bytes, i) =>
      rowsOf((into) =>
        importLog(new DarshanLog(bytesSource(bytes, `log ${i}`), { codecs: nodeCodecs }), into, `log ${i}`),
      ),
    );
    const inputs = [...logs, traced];
    known = new Map(
      SCHEMA.map(({ name }) => [name, new Set(inputs.flatMap((tables) => [...filled(tables, name)]))]),
    );
  });

  it.each(SCHEMA)("says of no column of $name what no input gives", ({ name, columns }) => {
    expect(columns.map((column) => column.name).filter((column) => !known.get(name)?.has(column))).toEqual(
      [],
    );
  });

  it("names traces of calls where they fill a table", () => {
    const byTraces = SCHEMA.filter(({ name }) => (traced.get(name)?.rows ?? 0) > 0);
    expect(byTraces.map(({ name }) => name)).toEqual(
      SCHEMA.filter(({ filledBy }) => filledBy.includes("traces of calls")).map(({ name }) => name),
    );
  });
});

describe("docs/store-tables.md", () => {
  /** Sources that make rows: of logs, of counters and job lists, of ingests themselves, of roll-ups. */
  const writers = ["src/ingest", "src/formats/darshan", "src/store"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(root, folder, name), "utf8")),
  );

  it.each(STORE_SCHEMA)("names no table without who makes its rows: $name", ({ name }) => {
    const constant = `stored${name.replace(/(^|_)(.)/g, (_, __, letter: string) => letter.toUpperCase())}`;
    const rollUp = /_(hours|days)$/.test(name);
    expect(writers.some((text) => text.includes(rollUp ? "STORE_LEVELS" : `${constant}`))).toBe(true);
  });
});
