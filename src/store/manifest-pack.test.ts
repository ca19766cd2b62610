import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { entryPath } from "./layout.ts";
import { type BatchInfo, entryText, plainBatch, readManifest } from "./manifest.ts";
import { PACK, readPack, renewPack } from "./manifest-pack.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-pack-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "manifest"));

const idOf = (n: number) => `20260731T${String(n).padStart(9, "0")}-0001f3-9a8b7c6`;
const batchOf = (n: number): BatchInfo => {
  const id = idOf(n);
  const file = { file: `segments/runs/${id}-0.parquet`, rows: n, bytes: 7, sha256: "ü" };
  return {
    ...{ id, version: 6, created: "2026-07-31T10:15:30.456Z", writer: "plimsoll ingest" },
    replaces: n % 500 === 7 ? [idOf(n - 1)] : [],
    ...(n % 400 === 3 ? { pruned: { minutes: 5 } } : {}),
    tables: { runs: [file] },
  };
};
const batches = Array.from({ length: 1200 }, (_, n) => batchOf(n));
for (const batch of batches) writeFileSync(entryPath(folder, batch.id), entryText(batch));

it("a copy of the manifest says what the entries say, also when they are spread", () => {
  const { entries } = readManifest(folder);
  expect(renewPack(folder, new Map([...entries].slice(0, 900)), new Map()).size).toBe(0);
  expect(renewPack(folder, entries, new Map())).toBe(entries);
  const packed = readPack(folder);
  expect([...packed.keys()]).toEqual(batches.map(({ id }) => id));
  const again = readManifest(folder, { known: packed });
  for (const batch of batches) {
    const read = again.entries.get(batch.id) as BatchInfo;
    expect(plainBatch(read)).toEqual(batch);
  }
});

it("which entries there are the folder says, not the copy", () => {
  rmSync(entryPath(folder, idOf(11)));
  const later = batchOf(5000);
  writeFileSync(entryPath(folder, later.id), entryText(later));
  const packed = readPack(folder);
  const { entries } = readManifest(folder, { known: packed });
  expect([entries.has(idOf(11)), entries.size]).toEqual([false, 1200]);
  expect(entries.get(later.id)).toMatchObject(later);
  // A few entries more are no reason for a new copy; many are.
  expect(renewPack(folder, entries, packed)).toBe(packed);
});

it("a damaged copy is not believed", () => {
  const path = join(folder, PACK);
  const bytes = readFileSync(path);
  for (const at of [0, bytes.length >> 1, bytes.length - 3]) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 1;
    writeFileSync(path, damaged);
    expect(readPack(folder).size).toBe(0);
  }
  // Of another version: the sum is that of what stands before it.
  const text = bytes.toString("utf8", 0, bytes.length - 65).replace("manifest 2", "manifest 1");
  writeFileSync(path, `${text}${createHash("sha256").update(text).digest("hex")}\n`);
  expect(readPack(folder).size).toBe(0);
  writeFileSync(path, bytes.subarray(0, 40));
  expect(readPack(folder).size).toBe(0);
  writeFileSync(path, bytes);
  expect(readPack(folder).size).toBe(1200);
});
