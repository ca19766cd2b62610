import { mkdirSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { FormatError, LimitError, UsageError } from "../base/errors.ts";
import { MISSING_I64 } from "../model/schema.ts";
import { STORE_SCHEMA, STORE_VERSION, storedAccesses, storedRuns } from "../model/store-schema.ts";
import { openDatabase, quoteText } from "./database.ts";
import { exportTable } from "./export.ts";
import type { Session } from "./session.ts";
import { Store } from "./store.ts";
import { appendRun, contents, idOf, storeWith, temporaryFolder } from "./test-kit.ts";

const root = temporaryFolder();
let number = 0;
let folder: string;
beforeEach(() => {
  folder = join(root, `store ${++number}'s`);
});

describe("a new store", () => {
  it("is empty, has all tables, and can be opened again", async () => {
    await (await Store.create(folder)).close();
    const store = await Store.open(folder);
    expect(store.batches()).toEqual([]);
    expect(await contents(store)).toEqual({ runs: [], accesses: 0, sources: 0 });
    const query = await store.query();
    expect(await query.columns("select run_id, ranks from runs")).toEqual({
      run_id: new Float64Array(),
      ranks: new Float64Array(),
    });
    query.close();
  });

  it("is not made where something else lies", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "thesis.tex"), "");
    await expect(Store.openOrCreate(folder)).rejects.toThrow(
      /is not a store and contains thesis.tex; choose an empty folder/,
    );
    await expect(Store.open(folder)).rejects.toThrow(UsageError);
    await expect(Store.open(join(root, "nowhere"))).rejects.toThrow(/nowhere is not a store: no such folder/);
    for (const way of [Store.create, Store.open, Store.openOrCreate])
      await expect(way.call(Store, join(folder, "thesis.tex"))).rejects.toThrow(
        /is a file; a store is a folder/,
      );
    await expect(Store.open(join(folder, "thesis.tex", "deeper"))).rejects.toThrow(
      /deeper is not a store: no such folder/,
    );
    await expect(Store.create(join(root, "a*\\"))).rejects.toThrow(
      /DuckDB cannot open a name with a backslash and one of \* \? \[; rename/,
    );
  });

  it("may be made by several at once", async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => Store.openOrCreate(folder)));
    expect(new Set(stores.map(({ path }) => path)).size).toBe(1);
    expect(readdirSync(folder).sort()).toEqual(["manifest", "segments", "store.json", "tmp"]);
  });
});

describe("a batch", () => {
  it("keeps every value, and NULL for what was not recorded", async () => {
    const store = await Store.create(folder);
    const batch = store.beginBatch({ writer: "me" });
    await batch.append(storedAccesses, 2, {
      run_id: BigUint64Array.of(2n ** 64n - 1n, 1n, 99n),
      file_id: [5n, 6n],
      application_id: { all: 9n },
      shared: Uint8Array.of(1, 0),
      partial: { all: 0 },
      layer: ["POSIX", null],
      mount: { all: "/sc'ratch" },
      bytes_read: BigInt64Array.of(MISSING_I64, 2n ** 62n),
      bytes_written: Float64Array.of(Number.NaN, 12),
      opens: [3, null],
      reads: { all: 4 },
      read_seconds: Float64Array.of(Number.NaN, 0.1),
      write_seconds: { all: Number.NaN },
    });
    const id = await batch.commit();
    expect(store.batches()).toMatchObject([{ id, writer: "me", tables: { accesses: [{ rows: 2 }] } }]);
    const query = await store.query();
    const columns =
      "run_id, shared, layer, mount, bytes_read, bytes_written, opens, reads, stats, read_seconds, write_seconds";
    expect(await query.rows(`select ${columns} from accesses order by file_id`)).toEqual([
      {
        run_id: 2n ** 64n - 1n,
        shared: 1,
        layer: "POSIX",
        mount: "/sc'ratch",
        bytes_read: null,
        bytes_written: null,
        opens: 3n,
        reads: 4n,
        stats: null,
        read_seconds: null,
        write_seconds: null,
      },
      {
        run_id: 1n,
        shared: 0,
        layer: null,
        mount: "/sc'ratch",
        bytes_read: 2n ** 62n,
        bytes_written: 12n,
        opens: null,
        reads: 4n,
        stats: null,
        read_seconds: 0.1,
        write_seconds: null,
      },
    ]);
    expect(
      await query.columns("select opens, bytes_written * 0.5 as half from accesses order by file_id"),
    ).toEqual({
      opens: Float64Array.of(3, Number.NaN),
      half: Float64Array.of(Number.NaN, 6),
    });
    query.close();
    await store.close();
  });

  it("is invisible until it is committed, and gone when it is aborted", async () => {
    const store = await Store.create(folder);
    const other = await Store.open(folder);
    const batch = store.beginBatch();
    for (let run = 0; run < 3000; run++) await appendRun(batch, run, 1);
    expect((await contents(other)).runs).toEqual([]);
    await batch.abort();
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
    expect((await contents(other)).runs).toEqual([]);
    const next = store.beginBatch();
    await appendRun(next, 1);
    await next.commit();
    expect(await contents(other)).toEqual({ runs: [1], accesses: 3, sources: 1 });
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  });

  it("without rows leaves nothing", async () => {
    const store = await Store.create(folder);
    await store.beginBatch().commit();
    expect(readdirSync(join(folder, "manifest"))).toEqual([]);
  });

  it("of many rows becomes several segments, and small appends become large ones", async () => {
    const store = await Store.create(folder);
    const batch = store.beginBatch();
    const count = 300_001;
    const bytes = BigInt64Array.from({ length: count }, (_, index) => BigInt(index));
    const ids = { run_id: { all: 1n }, application_id: { all: 1n }, shared: { all: 0 }, partial: { all: 0 } };
    await batch.append(storedAccesses, count, { ...ids, file_id: { all: 1n }, bytes_read: bytes });
    for (let at = 0; at < 10_000; at += 7)
      await batch.append(storedAccesses, 7, { ...ids, file_id: { all: 2n }, bytes_read: bytes.subarray(at) });
    await batch.commit();
    expect(store.batches()[0]?.tables.accesses?.length).toBeGreaterThan(2);
    const query = await store.query();
    const [sums] = await query.rows(
      "select count(*) as n, sum(bytes_read) filter (file_id = 1) as large, sum(bytes_read) filter (file_id = 2) as small, count(distinct bytes_read) filter (file_id = 2) as values from accesses",
    );
    const upTo = (n: bigint) => (n * (n - 1n)) / 2n;
    expect(sums).toEqual({ n: 310_004n, large: upTo(300_001n), small: upTo(10_003n), values: 10_003n });
    const { bytes_read } = await query.columns(
      "select bytes_read from accesses order by bytes_read desc limit 3",
    );
    expect(bytes_read).toEqual(Float64Array.of(300_000, 299_999, 299_998));
    query.close();
  });

  it("refuses what its table does not have", async () => {
    const store = await Store.create(folder);
    const batch = store.beginBatch();
    await expect(batch.append(storedRuns, 1, { synthetic: { all: 0 }, colour: ["red"] })).rejects.toThrow(
      /table runs has no column colour/,
    );
    await expect(
      batch.append(storedRuns, 1, { synthetic: { all: 0 }, run_id: { all: null } }),
    ).rejects.toThrow(/always has a value/);
    await batch.abort();
  });
});

describe("the same run from two writers", () => {
  it("is shown once, from the earliest batch, in all tables that know runs", async () => {
    const store = await storeWith(folder, [[1, 2], [2, 3], [3, 2, 4], [5]]);
    expect(await contents(store)).toEqual({ runs: [1, 2, 3, 4, 5], accesses: 15, sources: 5 });
    const query = await store.query();
    expect(
      await query.rows(`select count(*) as n, sum(bytes_read) as b from accesses where run_id = ${idOf(2)}`),
    ).toEqual([{ n: 3n, b: 63n }]);
    query.close();
  });
});

describe("a damaged store", () => {
  it("says which segment was cut, and which has vanished", async () => {
    const store = await storeWith(folder, [[1], [2]]);
    const file = join(folder, store.batches()[1]?.tables.accesses?.[0]?.file as string);
    const { length } = readFileSync(file);
    truncateSync(file, 100);
    await expect(contents(store)).rejects.toThrow(
      new FormatError(
        file,
        {},
        `damaged segment: 100 bytes, the manifest says ${length}; see plimsoll store repair`,
      ),
    );
    unlinkSync(file);
    await expect(contents(store)).rejects.toThrow(
      /segment is missing; if a compaction ran at the same time, try again/,
    );
  });

  it("says that a segment's bytes were changed, if the change makes it unreadable", async () => {
    const store = await storeWith(folder, [[1]]);
    const file = join(folder, store.batches()[0]?.tables.runs?.[0]?.file as string);
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4, bytes.length - 8);
    writeFileSync(file, bytes);
    await expect(contents(store)).rejects.toThrow(FormatError);
    await expect(contents(store)).rejects.toThrow(/damaged/);
  });

  it("names a damaged manifest entry", async () => {
    await storeWith(folder, [[1], [2]]);
    const [first] = readdirSync(join(folder, "manifest"));
    const path = join(folder, "manifest", first as string);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, 50));
    await expect(Store.open(folder)).rejects.toThrow(
      /damaged manifest entry: not a complete JSON document \(50 characters\)/,
    );
    writeFileSync(path, text.replace('"rows": 1', '"rows": null'));
    await expect(Store.open(folder)).rejects.toThrow(/damaged manifest entry: missing or invalid fields/);
    writeFileSync(path, text.replace(`"version": ${STORE_VERSION}`, '"version": 9'));
    await expect(Store.open(folder)).rejects.toThrow(
      new RegExp(`newer Plimsoll \\(version 9; this one reads up to ${STORE_VERSION}\\); update Plimsoll`),
    );
  });

  it("of another version says what to do", async () => {
    await Store.create(folder);
    writeFileSync(join(folder, "store.json"), '{"kind": "plimsoll store", "version": 9}');
    await expect(Store.open(folder)).rejects.toThrow(
      `a store of version 9; this Plimsoll reads up to ${STORE_VERSION}; update Plimsoll`,
    );
    writeFileSync(join(folder, "store.json"), '{"kind": "plimsoll');
    await expect(Store.open(folder)).rejects.toThrow(/damaged: incomplete JSON/);
    writeFileSync(join(folder, "store.json"), '{"kind": "recipes"}');
    await expect(Store.open(folder)).rejects.toThrow(FormatError);
  });

  it("does not mind foreign files in its folders", async () => {
    const store = await storeWith(folder, [[1]]);
    for (const name of [
      "manifest/.nfs0001",
      "manifest/notes.json",
      "segments/runs/x.parquet",
      "segments/readme",
    ])
      writeFileSync(join(folder, name), "x");
    expect((await contents(await Store.open(folder))).runs).toEqual([1]);
    await store.close();
  });
});

describe("SQL of users", () => {
  it.each([
    [2, [1, 2], true],
    [3, [1, 2, 3], false],
  ])("gives the first %i rows, and says whether there are more", async (most, expected, isCut) => {
    const query = await (await storeWith(folder, [[1, 2, 3]])).query();
    const result = await query.raw("select unnest([1, 2, 3])", most);
    const rows = [];
    for await (const piece of result.pieces()) rows.push(...piece);
    expect([rows.flat(), result.isCut]).toEqual([expected, isCut]);
    query.close();
  });

  it("reads, and does nothing else", async () => {
    const store = await storeWith(folder, [[1]]);
    const query = await store.query();
    const text = async (sql: string) => {
      const rows = [];
      for await (const piece of (await query.raw(sql)).pieces()) rows.push(...piece);
      return rows;
    };
    expect(await text("select run_id, 1.5, date '2024-02-01', [1, 2], null, true from runs;")).toEqual([
      [idOf(1), 1.5, "2024-02-01", "[1, 2]", null, true],
    ]);
    for (const sql of [
      "-- how many\nfrom runs",
      "with a as (select 1) select * from a",
      "describe runs",
      "show tables",
      "summarize files",
      "explain select 1",
      "explain analyze select count(*) from runs",
      "(select 1)",
      "values (1)",
    ])
      expect((await text(sql)).length, sql).toBeGreaterThan(0);
    const tables = [...STORE_SCHEMA.map(({ name }) => name), "job_totals"];
    expect((await text("show tables")).flat()).toEqual(tables.sort());
    const segment = join(store.path, "segments/runs/evil.parquet");
    for (const sql of [
      "create table x (a int)",
      "drop view runs",
      "set memory_limit = '1TB'",
      "pragma database_list",
      "attach 'x.db'",
      "install httpfs",
      `copy runs to '${segment.replaceAll("'", "''")}'`,
      `explain analyze copy runs to '${segment.replaceAll("'", "''")}'`,
      `explain (analyze) copy runs to '${segment.replaceAll("'", "''")}'`,
      `explain analyze /* /* */ select */ copy runs to '${segment.replaceAll("'", "''")}'`,
      `/* /* */ select */ copy runs to '${segment.replaceAll("'", "''")}'`,
      "select 1; drop view runs",
      "",
      " ; ",
      "-- nothing",
    ])
      await expect(text(sql), sql).rejects.toThrow(UsageError);
    for (const path of [
      "/etc/passwd",
      join(store.path, "store.json"),
      join(store.path, "segments/../store.json"),
    ])
      await expect(text(`select * from read_text('${path.replaceAll("'", "''")}')`)).rejects.toThrow(
        /file system operations are disabled/,
      );
    expect(readdirSync(join(folder, "segments/runs")).length).toBe(1);
    query.close();
  });

  it("says where it is wrong", async () => {
    const store = await storeWith(folder, [[1]]);
    const query = await store.query();
    const message = (sql: string) => query.raw(sql).then(String, (error: Error) => error.message);
    expect(await message("selec 1")).toBe('SQL line 1, column 1: syntax error at or near "selec"');
    expect(await message("select run_id,\n  colour from runs")).toMatch(
      /^SQL line 2, column 3: Referenced column "colour" not found in FROM clause! Candidate bindings: /,
    );
    const long = `select ${"1 + ".repeat(100)} nothing_such from runs`;
    expect(await message(long)).toContain(`column ${long.indexOf("nothing_such") + 1}: `);
    expect(await message("select * from walks")).toMatch(
      /^SQL line 1, column 15: Table with name walks does not exist!/,
    );
    await expect(query.rows("select colour from runs")).rejects.toThrow(/Binder Error/);
    expect(await message("select (application || 'x')::int from runs")).toBe(
      "SQL line 1, column 28: Could not convert string 'appx' to INT32",
    );
    query.close();
  });

  it("can be given more memory or less, never so little that nothing works", async () => {
    const query = await (await storeWith(folder, [[1], [2]])).query();
    const limit = async () => (await query.rows("select current_setting('memory_limit') as n"))[0]?.n;
    await query.limitMemory(512 * 1024 ** 2);
    expect(await limit()).toBe("512.0 MiB");
    await query.limitMemory(1000.5);
    expect(await limit()).toBe("32.0 MiB");
    expect((await query.rows("from accesses")).length).toBe(6);
    query.close();
  });

  it("says when the memory does not suffice", async () => {
    await storeWith(folder, [[1]]);
    const store = await Store.open(folder, { memoryBytes: 40 * 1024 * 1024, threads: 1 });
    const query = await store.query();
    await expect(query.rows("select list(range) from range(30000000)")).rejects.toThrow(LimitError);
    query.close();
  });
});

describe("shares of a table", () => {
  /** Sums of a column of 64 bits over what is scanned, low words only. */
  async function scanned(query: Session, statements: readonly string[]): Promise<number[]> {
    const found: number[] = [];
    await query.scan(statements, (rows, [column]) => {
      for (let row = 0; row < rows; row++) found.push((column as Uint32Array)[2 * row] as number);
    });
    return found.sort((a, b) => a - b);
  }

  it("hold every row once between them, also where a run is hidden", async () => {
    // Run 2 was stored twice; the second of them is not seen.
    const store = await storeWith(folder, [[1, 2], [2, 3], [4], [5]]);
    const query = await store.query();
    const shares = await query.shares("accesses");
    expect(shares.length).toBe(availableParallelism() === 1 ? 1 : 3);
    for (const share of shares) expect((await query.rows(`from ${share}`)).length).toBeGreaterThan(0);
    const bytes = (share: string) => `select bytes_read from ${share}`;
    const all = [1, 2, 3, 4, 5].flatMap((run) => [10 * run, 10 * run + 1, 10 * run + 2]);
    expect(await scanned(query, shares.map(bytes))).toEqual(all);
    expect(await query.shares("accesses")).toEqual(shares);
    expect(
      await scanned(
        query,
        (await query.shares("files")).map((share) => `select 7::bigint from ${share}`),
      ),
    ).toHaveLength(18);
    query.close();
  });

  it("leave the number of threads as it was, also after a failure and after a user's statement", async () => {
    const query = await (await storeWith(folder, [[1], [2], [3]])).query();
    const threads = async () => (await query.rows("select current_setting('threads') as n"))[0]?.n;
    const before = await threads();
    const shares = await query.shares("accesses");
    const bytes = shares.map((share) => `select bytes_read from ${share}`);
    expect(await scanned(query, bytes)).toHaveLength(9);
    expect(await threads()).toEqual(before);
    await expect(scanned(query, ["select 1::bigint", "select error('no')"])).rejects.toThrow("no");
    expect(await threads()).toEqual(before);
    await query.raw("select 1");
    await expect(query.run("set threads = 1")).rejects.toThrow("locked");
    expect(await scanned(query, bytes)).toHaveLength(9);
    query.close();
  });

  it("are the table itself where there is one segment or none", async () => {
    const query = await (await storeWith(folder, [[1]])).query();
    expect(await query.shares("accesses")).toEqual(['"accesses"']);
    expect(await query.shares("jobs")).toEqual(['"jobs"']);
    await expect(query.shares("nothing")).rejects.toThrow("no table nothing");
    query.close();
  });

  it("are all left when one of the statements fails, or what takes the rows", async () => {
    const query = await (await storeWith(folder, [[1]])).query();
    const rows = "select range from range(3000000)";
    await expect(query.scan([rows, "select error('no')::bigint"], () => {})).rejects.toThrow("no");
    const refuse = () => {
      throw new UsageError("enough");
    };
    await expect(query.scan([rows, rows], refuse)).rejects.toThrow("enough");
    // And the session goes on.
    expect(await scanned(query, ["select 1::bigint", "select 2::bigint"])).toEqual([1, 2]);
    query.close();
  });
});

describe("an export", () => {
  it("has encodings that every Parquet reader knows, unlike segments", async () => {
    const store = await storeWith(folder, [[1, 2]]);
    const path = join(root, "accesses.parquet");
    expect(await exportTable(store, storedAccesses, path, { format: "parquet" })).toBe(6);
    const { connection, close } = await openDatabase(folder);
    const encodings = async (files: string) => {
      const sql = `select distinct encodings from parquet_metadata(${quoteText(files)})`;
      return (await connection.runAndReadAll(sql)).getRows().join(" ");
    };
    expect(await encodings(path)).not.toMatch(/DELTA|SPLIT/);
    expect(await encodings(join(folder, "segments", "accesses", "*.parquet"))).toMatch(
      /DELTA|RLE_DICTIONARY/,
    );
    close();
  });
});

describe("memory", () => {
  it("is kept to by spilling into the store's tmp folder or the one given, which is empty afterwards", async () => {
    const store = await storeWith(folder, [[1]]);
    const given = join(root, "spill");
    for (const options of [{}, { tempFolder: given }]) {
      const small = await Store.open(folder, { memoryBytes: 64 * 1024 * 1024, threads: 1, ...options });
      const query = await small.query();
      await query.run(
        "create temp table big as select range as a, hash(range) as b from range(4000000) order by b",
      );
      const spilled = readdirSync(options.tempFolder ?? join(folder, "tmp"));
      expect(spilled.length).toBe(1);
      expect(await query.rows("select count(*) as n, min(a) as least from big")).toEqual([
        { n: 4_000_000n, least: 0n },
      ]);
      query.close();
      expect(readdirSync(options.tempFolder ?? join(folder, "tmp"))).toEqual([]);
    }
    await store.close();
  });
});
