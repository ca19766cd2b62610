import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { referenceLogs } from "../../../test/reference-data.ts";
import { bytesSource } from "../../base/source.ts";
import { makeSingle, SINGLE_LOGS } from "../../generate/single/index.ts";
import { type RowSink, storedAccesses, storedRuns, TableBuilder, TablesBuilder } from "../../model/index.ts";
import type { Table } from "../../model/tables.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { importLog } from "./import.ts";
import { DarshanLog } from "./log.ts";
import { StoredRows } from "./stored-rows.ts";
import { singleLog } from "../../analyze/job/test-kit.ts";
import { plainAccesses } from "./test-kit.ts";

const identify = (name: string) => {
  const hash = createHash("sha256").update(name).digest();
  return { low: hash.readUInt32BE(4), high: hash.readUInt32BE(0) };
};
const options = { identify, nowUnixSeconds: 2_000_000_000 };
const open = (bytes: Uint8Array, name = "log") =>
  new DarshanLog(bytesSource(bytes, name), { codecs: nodeCodecs });

/** Rows of a flush as tables. */
async function tablesOf(rows: StoredRows): Promise<Map<string, Table>> {
  const builders = new Map<string, TableBuilder>();
  const sink: RowSink = {
    async append(schema, count, columns) {
      const builder = builders.get(schema.name) ?? new TableBuilder(schema);
      builders.set(schema.name, builder);
      builder.appendColumns(count, columns);
    },
  };
  await rows.flush(sink);
  return new Map([...builders].map(([name, builder]) => [name, builder.finish()]));
}

/** Columns that the plain way has too; it knows nothing of runs, nor the rule of layers. */
const COMMON = storedAccesses.columns
  .map(({ name }) => name)
  .filter((name) => !/^(run_id|application_id|user_id|start_unix_ns|end_unix_ns|partial|layer)$/.test(name));

async function compare(bytes: Uint8Array): Promise<void> {
  const expected = plainAccesses(open(bytes));
  const into = new TablesBuilder();
  importLog(open(bytes), into, "run");
  const before = into.finish().get("runs") as Table;
  const rows = new StoredRows(options);
  rows.add(open(bytes), "log", { low: 7, high: 9 });
  const stored = await tablesOf(rows);
  const accesses = stored.get("accesses");
  expect(accesses?.rows ?? 0).toBe(expected.size);
  for (let row = 0; row < expected.size; row++) {
    const plain = expected.get(accesses?.value("file_id", row) as bigint);
    for (const name of COMMON) {
      const [one, two] = [plain?.[name], accesses?.value(name, row)];
      if (typeof one === "number" && typeof two === "number" && !name.startsWith("shared"))
        expect(two, name).toBeCloseTo(one, 9);
      else if (typeof one === "number" && typeof two === "bigint") expect(two, name).toBe(BigInt(one));
      else expect(two, name).toEqual(one);
    }
    expect(accesses?.value("run_id", row)).toBe((9n << 32n) | 7n);
  }
  const run = stored.get("runs") as Table;
  for (const name of [
    "application",
    "ranks",
    "start_unix_ns",
    "end_unix_ns",
    "run_seconds",
    "modules",
    "job_id",
  ])
    expect(run.value(name, 0), name).toEqual(before.value(name, 0));
  expect(run.value("files", 0)).toBe(BigInt(expected.size));
  const total = (column: string) =>
    [...expected.values()].reduce((sum, row) => sum + ((row[column] as bigint | null) ?? 0n), 0n);
  expect(run.value("bytes_read", 0)).toBe(total("bytes_read"));
  expect(run.value("bytes_written", 0)).toBe(total("bytes_written"));
}

describe("rows for a store", () => {
  it.each(SINGLE_LOGS.filter(({ id }) => id !== "file-per-process").map(({ id }) => id))(
    "%s: are those that the plain way gives",
    async (id) => {
      await compare(singleLog(id));
    },
  );

  it("of many logs are those of each, and a damaged log between them leaves nothing", async () => {
    const logs = SINGLE_LOGS.slice(0, 6).map((log) => makeSingle(log, 3, nodeEncoders).bytes);
    const rows = new StoredRows(options);
    let accesses = 0;
    for (const [index, bytes] of logs.entries()) {
      const cut = bytes.slice(0, bytes.length - 40);
      expect(() => rows.add(open(cut), "cut", { low: 1, high: 1 })).toThrow();
      rows.add(open(bytes), `log ${index}`, { low: index, high: 0 });
      const alone = new StoredRows(options);
      alone.add(open(bytes), "alone", { low: index, high: 0 });
      accesses += alone.accesses;
    }
    expect([rows.runs, rows.accesses]).toEqual([logs.length, accesses]);
    const tables = await tablesOf(rows);
    expect(new Set(tables.get("accesses")?.column("run_id") as BigUint64Array)).toEqual(
      new Set(logs.map((_, index) => BigInt(index))),
    );
    expect([rows.runs, rows.accesses]).toEqual([0, 0]);
    // The columns are used again: nothing of the last flush may shine through.
    rows.add(open(logs[0] as Uint8Array), "again", { low: 99, high: 0 });
    const again = (await tablesOf(rows)).get("accesses") as Table;
    const alone = new StoredRows(options);
    alone.add(open(logs[0] as Uint8Array), "again", { low: 99, high: 0 });
    const fresh = (await tablesOf(alone)).get("accesses") as Table;
    for (const { name } of storedAccesses.columns)
      for (let row = 0; row < fresh.rows; row++)
        expect(again.value(name, row), name).toEqual(fresh.value(name, row));
  });

  it("say what is wrong with a clock", async () => {
    const clock = async (startSeconds: number, endSeconds: number, now = 2_000_000_000) => {
      const { LogWriter, memorySink } = await import("./writer.ts");
      const sink = memorySink();
      const writer = new LogWriter(sink, { encoders: nodeEncoders });
      writer.job({
        uid: 1,
        startSeconds,
        endSeconds,
        nprocs: 1,
        jobId: 1,
        commandLine: "x",
        mounts: [],
        metadata: [],
      });
      writer.names([]);
      writer.finish();
      const rows = new StoredRows({ ...options, nowUnixSeconds: now });
      rows.add(open(sink.bytes()), "log", { low: 0, high: 0 });
      return (await tablesOf(rows)).get("runs")?.value("clock", 0);
    };
    expect(await clock(1_700_000_000, 1_700_000_100)).toBe("ok");
    expect(await clock(1_700_000_100, 1_700_000_000)).toBe("end before start");
    expect(await clock(12, 1_700_000_000)).toBe("too early");
    expect(await clock(1_700_000_000, 0)).toBe("no end");
    expect(await clock(2_100_000_000, 2_100_000_001)).toBe("in the future");
  });

  it("have every column of the tables", async () => {
    const rows = new StoredRows(options);
    rows.add(open(makeSingle(SINGLE_LOGS[0] as (typeof SINGLE_LOGS)[0], 1, nodeEncoders).bytes), "x", {
      low: 1,
      high: 2,
    });
    const seen: Record<string, string[]> = {};
    await rows.flush({
      async append(schema, _, columns) {
        seen[schema.name] = Object.keys(columns).sort();
      },
    });
    for (const schema of [storedRuns, storedAccesses])
      expect(seen[schema.name]).toEqual(schema.columns.map(({ name }) => name).sort());
  });
});

describe("rows of real logs for a store", () => {
  it.each(referenceLogs)("$file: are those that the plain way gives", async ({ path }) => {
    await compare(readFileSync(path));
  });
});
