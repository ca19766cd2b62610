/** A database over what the parts of a study handed over, in place of a store. */
import { assert } from "../base/assert.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { STORE_SCHEMA } from "../model/index.ts";
import { openDatabase, parquetRows, quoteName, type StoreOptions } from "./database.ts";
import { ownReadingError } from "./engine-error.ts";
import { StoreSession } from "./session.ts";
import { sqlType } from "./sql-types.ts";

/**
 * Each folder has Parquet files of the same names, `<name>.parquet`, of which `part(name)` gives all rows. Those named after a
 * table of the store stand in for it; its other tables are empty, and columns that no part has are NULL.
 */
export async function openParts(folders: readonly string[], options: StoreOptions): Promise<StoreSession> {
  const [first = ""] = folders;
  assert(folders.length > 0 && new Set(folders).size === folders.length, "every part is read once");
  const database = await openDatabase(first, options);
  try {
    const session = new StoreSession(first, [], database);
    await session.prepare();
    for (const file of readdirSync(first).filter((name) => name.endsWith(".parquet"))) {
      const name = file.replace(/\.parquet$/, "");
      const source = parquetRows(folders.map((folder) => join(folder, file)));
      const found = await database.connection.runAndReadAll(`describe select * from ${source}`);
      const types = new Map(found.getRows().map(([column, type]) => [String(column), String(type)]));
      // What is a decimal there was a whole number of 128 bits.
      const columns = [...types].map(([column, type]) =>
        type === "DECIMAL(38,0)"
          ? `${quoteName(column)}::HUGEINT as ${quoteName(column)}`
          : quoteName(column),
      );
      await session.addPart(name, `select ${columns.join(", ")} from ${source}`);
      const table = STORE_SCHEMA.find((one) => one.name === name);
      if (table === undefined) continue;
      const rows = table.columns.map((column) =>
        types.has(column.name)
          ? quoteName(column.name)
          : `null::${sqlType(column.type)} as ${quoteName(column.name)}`,
      );
      await session.run(
        `create or replace view ${quoteName(name)} as select ${rows.join(", ")} from ${session.part(name)}`,
      );
    }
    return session;
  } catch (error) {
    const clear = await ownReadingError(error, first, [], database);
    database.close();
    throw clear;
  }
}
