import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { STORE_VERSION } from "../model/store-schema.ts";
import { openDatabase } from "./database.ts";
import { temporaryFolder } from "./test-kit.ts";
import { type Upgrade, upgraded } from "./upgrades.ts";

it("an older version is read through all steps to the current one", async () => {
  const upgrades: readonly Upgrade[] = [
    { from: 1, tables: { runs: { added: { seconds: "ms / 1000" }, removed: ["ms"] }, files: {} } },
    {
      from: 3,
      tables: { runs: { changed: { seconds: "seconds * 2" }, added: { colour: "null::VARCHAR" } } },
    },
  ];
  const database = await openDatabase(temporaryFolder());
  const rows = async (version: number, source: string) =>
    (
      await database.connection.runAndReadAll(`from ${upgraded("runs", version, source, upgrades, 4)}`)
    ).getRowObjects();
  expect(await rows(1, "(select 1 as id, 500 as ms)")).toEqual([{ id: 1, seconds: 1, colour: null }]);
  expect(await rows(2, "(select 1 as id, 3 as seconds)")).toEqual([{ id: 1, seconds: 6, colour: null }]);
  expect(await rows(4, "(select 1 as id)")).toEqual([{ id: 1 }]);
  database.close();
});

it("a store of an older version is marked as one of this version with the first new batch", async () => {
  const { storeWith, contents } = await import("./test-kit.ts");
  const { readMark } = await import("./mark.ts");
  const { Store } = await import("./store.ts");
  const folder = join(temporaryFolder(), "s");
  await storeWith(folder, [[1]]);
  writeFileSync(join(folder, "store.json"), '{"kind":"plimsoll store","version":0}');
  expect((await contents(await Store.open(folder))).runs).toEqual([1]);
  expect(readMark(folder, folder).version).toBe(0);
  await storeWith(folder, [[2]]);
  expect(readMark(folder, folder).version).toBe(STORE_VERSION);
});
