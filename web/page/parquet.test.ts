// The page's reader of Parquet against DuckDB's: the same calls of every kind of column and packing.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FormatError } from "../../src/base/errors.ts";
import { jsonText } from "../../src/base/json.ts";
import { Random } from "../../src/base/prng.ts";
import { bytesSource } from "../../src/base/source.ts";
import { readParquet } from "../../src/inputs/parquet.ts";
import type { CallSink } from "../../src/model/index.ts";
import { openDatabase } from "../../src/store/database.ts";
import { readParquetTable } from "./parquet.ts";

const MEMORY = 2 ** 28;
const ROWS = 5000;

/** Everything that a reader says. */
function listening(): { sink: CallSink; said: unknown[] } {
  const said: unknown[] = [];
  const [files, processes]: [string[], string[]] = [[], []];
  const sink: CallSink = {
    clock: (clock) => void said.push(clock),
    process: (process) => processes.push(JSON.stringify(process)) - 1,
    file: ({ path }) => files.push(path) - 1,
    note: (note) => void said.push(note),
    block({ count, startNs, endNs, bytes, movedBytes, process, file, operation }) {
      for (let i = 0; i < count; i++)
        said.push([
          ...[startNs[i], endNs[i], bytes[i], movedBytes?.[i], operation[i]],
          ...[processes[process[i] as number], files[file[i] as number]],
        ]);
    },
  } as CallSink;
  return { sink, said };
}

const second = (column: string) => `(1700000000 + i * 0.001 + ${column})::double`;
const micros = (offset: number) => `make_timestamp(1700000000000000 + i * 1000 + ${offset})`;

const SHAPES: readonly (readonly [string, string, string])[] = [
  ["seconds", `${second("0")} as start, ${second("0.0005")} as "end"`, ""],
  ["seconds of a clock of its own", `(i * 0.001)::double as start, (i * 0.001 + 1)::double as "end"`, ""],
  [
    "nanoseconds",
    `(1700000000000000000 + i * 1000)::bigint as start_ns, (1700000000000000000 + i * 1000 + 7)::bigint as end_ns`,
    "",
  ],
  ["small integers", `i::integer as start, (i + 3)::integer as "end"`, ""],
  ["unsigned integers", `i::ubigint as start, (i + 3)::ubigint as "end"`, ""],
  ["timestamps", `${micros(0)} as start_time, ${micros(300)} as end_time`, ""],
  [
    "timestamps of nanoseconds",
    `make_timestamp_ns(1700000000000000001 + i) as start, make_timestamp_ns(1700000000000000009 + i) as "end"`,
    "",
  ],
  [
    "timestamps of milliseconds",
    `(${micros(0)})::timestamp_ms as start, (${micros(9000)})::timestamp_ms as "end"`,
    "",
  ],
  [
    "decimals",
    `(1700000000.123456789 + i)::decimal(20, 9) as start, (1700000000.987654321 + i)::decimal(20, 9) as "end"`,
    "",
  ],
  ["short decimals", `(i / 8)::decimal(9, 3) as start, (i / 4)::decimal(9, 3) as "end"`, ""],
  [
    "ranks, hosts and moved bytes",
    `${second("0")} as start, ${second("1")} as "end", (i % 3)::smallint as rank, 'node' || (i % 5) as hostname, (i * 3)::double as moved`,
    "",
  ],
  [
    "missing values",
    `if(i % 7 = 0, null, ${second("0")}) as start, ${second("1")} as "end", if(i % 5 = 0, null, i % 4)::integer as rank`,
    "",
  ],
  ["snappy", `${second("0")} as start, ${second("1")} as "end"`, ", compression snappy"],
  ["zstd", `${second("0")} as start, ${second("1")} as "end"`, ", compression zstd"],
  ["gzip", `${second("0")} as start, ${second("1")} as "end"`, ", compression gzip"],
  ["no packing", `${second("0")} as start, ${second("1")} as "end"`, ", compression uncompressed"],
  ["pages of version 2", `${second("0")} as start, ${second("1")} as "end"`, ", parquet_version v2"],
];

describe("the page's reader of Parquet", () => {
  let folder: string;
  let run: (sql: string) => Promise<unknown>;
  let close: () => void;
  const write = async (name: string, columns: string, options = "") => {
    const path = join(folder, `${name.replaceAll(/\W/g, "-")}.parquet`);
    await run(
      `copy (select ${columns}, (i % 9000)::bigint as bytes, (i % 4)::integer as pid, '/data/f' || (i % 11) as file, if(i % 2 = 0, 'read', 'write') as op from range(${ROWS}) t(i)) to '${path}' (format parquet, row_group_size 2048${options})`,
    );
    return path;
  };
  const fromPage = async (bytes: Uint8Array, memoryBytes = MEMORY) => {
    const { sink, said } = listening();
    await readParquetTable(bytesSource(bytes, "a.parquet"), sink, memoryBytes);
    return said;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-page-parquet-"));
    const database = await openDatabase("", { memoryBytes: MEMORY, tempFolder: folder });
    run = (sql) => database.connection.run(sql);
    close = () => database.close();
  });
  afterAll(() => {
    close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(SHAPES)("reads %s as DuckDB does", async (name, columns, options) => {
    const path = await write(name, columns, options);
    const { sink, said } = listening();
    await readParquet(path, sink, MEMORY, async () => {});
    expect(said.length).toBe(ROWS + 1);
    // The database hands out row groups in any order.
    const sorted = (rows: unknown[]) => rows.map((row) => jsonText(row)).sort();
    expect(sorted(await fromPage(readFileSync(path)))).toEqual(sorted(said));
  });

  it("says in one line what is wrong with a table", async () => {
    await run(`copy (select 1 as a, 2 as b) to '${join(folder, "other.parquet")}' (format parquet)`);
    await expect(fromPage(readFileSync(join(folder, "other.parquet")))).rejects.toThrow(
      /no column bytes \(columns: a, b\)/,
    );
    const dates = await write("dates", `date '2020-01-01' as start, date '2020-01-02' as "end"`);
    await expect(fromPage(readFileSync(dates))).rejects.toThrow(/column start is DATE; expected DOUBLE/);
    const mixed = await write("mixed", `i::double as start, i::bigint as "end"`);
    await expect(fromPage(readFileSync(mixed))).rejects.toThrow(/start is DOUBLE and end is BIGINT/);
    await expect(fromPage(readFileSync(mixed), 1000)).rejects.toThrow(FormatError);
    const brotli = await write("brotli", `i::double as start, i::double as "end"`, ", compression brotli");
    await expect(fromPage(readFileSync(brotli))).rejects.toThrow(/BROTLI/);
    const sound = await write("sound", `i::double as start, i::double as "end"`);
    await expect(fromPage(readFileSync(sound), 1000)).rejects.toThrow(/row group of \d+ rows takes about/);
    await expect(fromPage(Buffer.from("PAR1 but nothing else"))).rejects.toThrow(
      /not a readable Parquet file/,
    );
  });

  it("refuses damage with an error of the format, and ends", async () => {
    const sound = readFileSync(await write("to-damage", `${second("0")} as start, ${second("1")} as "end"`));
    const random = new Random(5);
    let refused = 0;
    for (let turn = 0; turn < 300; turn++) {
      const bytes = Uint8Array.from(sound);
      for (let k = 0; k < 1 + random.below(4); k++)
        bytes[turn % 2 === 0 ? sound.length - 1 - random.below(900) : random.below(sound.length)] =
          random.below(256);
      try {
        await fromPage(turn % 5 === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes);
      } catch (error) {
        refused++;
        expect(error).toBeInstanceOf(FormatError);
      }
    }
    expect(refused).toBeGreaterThan(50);
  }, 60_000);
});
