// A full disk and a disk that cannot be written, on a small tmpfs. Mounting needs root.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Random } from "../base/prng.ts";
import { storedAccesses } from "../model/store-schema.ts";
import { checkStore } from "./check.ts";
import { compactStore } from "./compact.ts";
import { Store } from "./store.ts";
import { appendRun, contents, temporaryFolder } from "./test-kit.ts";

const disk = join(temporaryFolder(), "disk");
mkdirSync(disk);
const mounted = mount("-t", "tmpfs", "-o", "size=3m", "tmpfs", disk);
if (!mounted) {
  const message = "the tests of a full disk need the right to mount a tmpfs (root)";
  if (process.env.PLIMSOLL_REQUIRE_ALL === "1") throw new Error(message);
  console.warn(`SKIPPED: ${message}`);
}
afterAll(() => {
  if (mounted) spawnSync("umount", ["--lazy", disk]);
});

function mount(...words: string[]): boolean {
  return spawnSync("mount", words).status === 0;
}

describe.skipIf(!mounted)("a store on a small disk", () => {
  const path = join(disk, "store");
  let committed: number[] = [];

  it("keeps all that was committed when the disk is full, and says so", async () => {
    const store = await Store.create(path);
    const errors: NodeJS.ErrnoException[] = [];
    const random = new Random(1);
    for (let run = 0; run < 1000 && errors.length < 5; run++) {
      const batch = store.beginBatch();
      try {
        await appendRun(batch, run);
        // Numbers that do not compress, about 100 kB.
        const bytes = BigInt64Array.from({ length: 4000 }, () => BigInt(Math.floor(random.unit() * 2 ** 53)));
        const ids = { run_id: { all: 1n }, file_id: { all: 1n }, application_id: { all: 1n } };
        await batch.append(storedAccesses, 4000, {
          ...ids,
          shared: { all: 0 },
          partial: { all: 0 },
          bytes_read: bytes,
          bytes_written: bytes,
          opens: bytes,
        });
        await batch.commit();
        committed.push(run);
      } catch (error) {
        errors.push(error as NodeJS.ErrnoException);
        await batch.abort();
      }
    }
    expect(committed.length).toBeGreaterThan(3);
    expect(errors.length).toBe(5);
    for (const error of errors) {
      expect(error).toMatchObject({ code: "ENOSPC", path: expect.stringContaining(path) });
      expect(error.syscall).toBeDefined();
    }
    expect(readdirSync(join(path, "tmp"))).toEqual([]);
    const opened = await Store.open(path);
    expect((await contents(opened)).runs).toEqual(committed);
    expect(await checkStore(path, { deep: true })).toMatchObject({ problems: [], rubbish: [] });
    await store.close();
  });

  it("survives a compaction that finds no room", async () => {
    const store = await Store.open(path);
    await expect(compactStore(store)).rejects.toMatchObject({ code: "ENOSPC" });
    expect((await contents(await Store.open(path))).runs).toEqual(committed);
    expect(await checkStore(path, { deep: true })).toMatchObject({ problems: [], rubbish: [] });
  });

  it("can be read where nothing can be written", async () => {
    expect(mount("-o", "remount,ro", disk)).toBe(true);
    const store = await Store.open(path);
    expect((await contents(store)).runs).toEqual(committed);
    expect((await checkStore(path)).problems).toEqual([]);
    const batch = store.beginBatch();
    await expect(appendRun(batch, 5000).then(() => batch.commit())).rejects.toMatchObject({ code: "EROFS" });
    await batch.abort();
    await expect(compactStore(store)).rejects.toMatchObject({ code: "EROFS" });
    await expect(Store.create(join(disk, "another"))).rejects.toMatchObject({ code: "EROFS" });
    committed = [];
  });
});
