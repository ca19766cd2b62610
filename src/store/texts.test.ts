/** Texts that go into a store as numbers and come out as they were. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storedFiles, storedSources } from "../model/store-schema.ts";
import { Store } from "./index.ts";
import { CodedTexts } from "./texts.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-texts-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("texts in a store", () => {
  it("come out as they went in: empty, missing, long, of any script, and of several chunks", async () => {
    const odd = ["", null, "'", 'say "no"', "a, b]", "ü – 語 🚢", "x".repeat(5000), "line\nbreak", "\\"];
    const mounts = Array.from({ length: 9000 }, (_, i) =>
      i % 3 === 0 ? (odd[i % odd.length] as string | null) : `/mount/${i % 5000}`,
    );
    const store = await Store.create(join(folder, "store"));
    const batch = store.beginBatch();
    const ids = BigUint64Array.from(mounts, (_, i) => BigInt(i));
    const paths = mounts.map((_, i) => `/path/${i}`);
    await batch.append(storedFiles, 9000, {
      file_id: ids,
      path: paths,
      mount: mounts,
      fs_type: { all: "lustre" },
    });
    // A second table, in which a text column never has a value.
    const hashes = { hash_high: { all: 1n }, hash_low: { all: 2n } };
    await batch.append(storedSources, 1, { ...hashes, path: ["p"], status: ["stored"] });
    await batch.commit();
    const session = await store.query();
    const rows = await session.rows("select * from files order by file_id");
    expect(rows.map(({ mount }) => mount)).toEqual(mounts);
    expect(rows.map(({ path }) => path)).toEqual(paths);
    expect(new Set(rows.map(({ fs_type }) => fs_type))).toEqual(new Set(["lustre"]));
    expect(await session.rows("select status, reason from sources")).toEqual([
      { status: "stored", reason: null },
    ]);
    session.close();
    await store.close();
  });
});

describe("codes of texts", () => {
  it("count from 1, start again with each segment, and are 0 for nothing", () => {
    const texts = new CodedTexts(new Int32Array(6));
    expect(texts.take(0, ["a", "b", "a", null], 0, 4)).toBe(2 * 17);
    expect(texts.take(4, { all: "b" }, 0, 2)).toBe(0);
    expect([...texts.codes]).toEqual([1, 2, 1, 0, 2, 2]);
    expect(texts.finish()).toEqual(["a", "b"]);
    texts.take(0, ["b"], 0, 1);
    expect([texts.codes[0], texts.finish()]).toEqual([1, ["b"]]);
  });
});
