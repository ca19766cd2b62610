/** DuckDB takes paths for patterns and folders such as `ranks=8` for columns; a store's path is a name. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { storedRuns } from "../model/store-schema.ts";
import { checkStore } from "./check.ts";
import { compactStore } from "./compact.ts";
import { openDatabase, parquetRows, quoteText } from "./database.ts";
import { exportTable } from "./export.ts";
import { contents, storeWith, temporaryFolder } from "./test-kit.ts";

const root = temporaryFolder();
const folder = join(root, "all");
beforeEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(["run[1]", "*", "a?", "job_id=7/ranks=8", "back\\slash"])("a store in %s", (name) => {
  it("is read, checked, compacted and exported, and no other", async () => {
    for (const other of ["run1", "ab", "b"]) await (await storeWith(join(folder, other), [[100]])).close();
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    const store = await storeWith(path, [
      [1, 2],
      [2, 3],
    ]);
    const expected = { runs: [1, 2, 3], accesses: 9, sources: 3 };
    expect(await contents(store)).toEqual(expected);
    expect((await checkStore(path, { deep: true })).problems).toEqual([]);
    expect(await exportTable(store, storedRuns, join(folder, "[1].csv"), { format: "csv" })).toBe(3);
    await compactStore(store, { graceMs: 0 });
    expect(await contents(store)).toMatchObject({ runs: [1, 2, 3], accesses: 9 });
    const query = await store.query();
    try {
      // A statement of a user reads the store, and no other file.
      const { pieces } = await query.raw("select count(*)::int as n, min(ranks)::int as ranks from runs");
      const rows: unknown[] = [];
      for await (const piece of pieces()) rows.push(...piece);
      expect(rows).toEqual([[3, 4]]);
      const foreign = quoteText(join(folder, "ab", "segments", "*"));
      await expect(query.raw(`select * from read_parquet(${foreign})`)).rejects.toThrow(/Cannot access file/);
    } finally {
      query.close();
      await store.close();
    }
  });
});

it("rows of a file come from the file of that name, and have the columns of the file", async () => {
  mkdirSync(join(folder, "bytes=77"), { recursive: true });
  const database = await openDatabase("", { tempFolder: root });
  const write = (path: string, value: number) =>
    database.connection.run(`copy (select ${value} as bytes) to ${quoteText(path)} (format parquet)`);
  const read = async (path: string) =>
    (await database.connection.runAndReadAll(`select * from ${parquetRows([path])}`)).getRowObjectsJS();
  try {
    await write(join(folder, "x1.parquet"), 1);
    for (const [i, name] of ["x[1].parquet", "x*.parquet", "x?.parquet", "bytes=77/x.parquet"].entries()) {
      await write(join(folder, name), 10 + i);
      expect(await read(join(folder, name)), name).toEqual([{ bytes: 10 + i }]);
    }
    await expect(read(join(folder, "y[1].parquet"))).rejects.toThrow(/No files found/);
    expect(() => parquetRows(["a\\[1].parquet"])).toThrow(/backslash and one of \* \? \[/);
  } finally {
    database.close();
  }
});
