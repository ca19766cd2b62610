/** Segments and manifest entries that are sound files with other content than they should have. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeEach, describe, expect, it } from "vitest";
import { storedAccesses } from "../model/store-schema.ts";
import { checkStore } from "./check.ts";
import { compactStore } from "./compact.ts";
import { exportTable } from "./export.ts";
import { hashFile } from "./files.ts";
import { Store } from "./store.ts";
import { contents, storeWith, temporaryFolder } from "./test-kit.ts";

const root = temporaryFolder();
let folder: string;
let count = 0;
beforeEach(() => {
  folder = join(root, `store ${count++}`);
});

/** Writes the first segment of a table again, with another list of columns; the manifest knows its new size and checksum. */
async function rewrite(store: Store, columns: string, table = "accesses"): Promise<string> {
  const segment = store.batches()[0]?.tables[table]?.[0]?.file as string;
  const path = join(folder, segment);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(
    `copy (select ${columns} from read_parquet('${path}')) to '${path}.new' (format parquet)`,
  );
  connection.closeSync();
  renameSync(`${path}.new`, path);
  for (const name of readdirSync(join(folder, "manifest"))) {
    const at = join(folder, "manifest", name);
    const entry = JSON.parse(readFileSync(at, "utf8"));
    for (const one of entry.tables[table] ?? [])
      if (one.file === segment)
        Object.assign(one, { bytes: readFileSync(path).length, sha256: await hashFile(path) });
    writeFileSync(at, JSON.stringify(entry));
  }
  return path;
}

describe("a segment with another column", () => {
  it.each([
    ["* exclude (bytes_read)", "no column bytes_read"],
    ["* rename (read_seconds as other)", "no column read_seconds"],
    ["* replace ('x' as bytes_read)", "column bytes_read is VARCHAR, expected BIGINT"],
    ["* replace ('nan'::double as bytes_read)", "column bytes_read is DOUBLE, expected BIGINT"],
  ])("%s is named by every reader", async (columns, what) => {
    const path = await rewrite(await storeWith(folder, [[1], [2]]), columns);
    const store = await Store.open(folder);
    const sum = async () => {
      const session = await store.query();
      try {
        return await session.rows("select sum(bytes_read), sum(read_seconds) from accesses");
      } finally {
        session.close();
      }
    };
    const message = `${path}: damaged segment: ${what}`;
    await expect(sum()).rejects.toThrow(message);
    await expect(compactStore(store)).rejects.toThrow(message);
    await expect(
      exportTable(store, storedAccesses, join(root, "out.csv"), { format: "csv" }),
    ).rejects.toThrow(message);
    await store.close();
  });

  it("that runs are compared by is named by a check", async () => {
    const path = await rewrite(await storeWith(folder, [[1], [2]]), "* replace ([1, 2] as run_id)", "runs");
    const { problems } = await checkStore(folder);
    expect(problems).toEqual([
      { path: relative(folder, path), what: "damaged segment: column run_id is INTEGER[], expected UBIGINT" },
    ]);
  });

  it("is no trouble for a statement of a user that does not fit the tables", async () => {
    const store = await storeWith(folder, [[1]]);
    const session = await store.query();
    await expect(session.raw("select nothing from runs")).rejects.toThrow(/^SQL line 1/);
    session.close();
    expect((await contents(store)).runs).toEqual([1]);
  });
});

describe("a manifest entry", () => {
  it.each([
    ["without tables", (entry: Entry) => delete entry.tables],
    [
      "with a table that is no list",
      (entry: Entry) => Object.assign(entry.tables ?? {}, { runs: { rows: 1 } }),
    ],
    ["with tables in a list", (entry: Entry) => Object.assign(entry, { tables: [] })],
    [
      "with a segment of another table",
      (entry: Entry) => Object.assign(entry, { tables: { files: entry.tables?.runs } }),
    ],
    ["without a writer", (entry: Entry) => delete entry.writer],
  ])("%s is damaged", async (_, change) => {
    await storeWith(folder, [[1]]);
    const [name] = readdirSync(join(folder, "manifest"));
    const path = join(folder, "manifest", name as string);
    const entry = JSON.parse(readFileSync(path, "utf8"));
    change(entry);
    writeFileSync(path, JSON.stringify(entry));
    await expect(Store.open(folder)).rejects.toThrow(
      `${path}: damaged manifest entry: missing or invalid fields`,
    );
  });
});

interface Entry {
  tables?: Record<string, unknown>;
  writer?: string;
}
