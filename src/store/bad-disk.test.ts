// A disk that fails in fsync of a folder: the commit says so, and no entry is left without its segments.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { checkStore } from "./check.ts";
import { compactStore } from "./compact.ts";
import { Store } from "./store.ts";
import { appendRun, contents, storeWith, temporaryFolder } from "./test-kit.ts";

const fault = vi.hoisted(() => ({ folder: "" }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const folders = new Map<number, string>();
  return {
    ...real,
    openSync(...words: Parameters<typeof real.openSync>) {
      const descriptor = real.openSync(...words);
      folders.set(descriptor, String(words[0]));
      return descriptor;
    },
    fsyncSync(descriptor: number) {
      if (fault.folder !== "" && folders.get(descriptor)?.endsWith(fault.folder))
        throw Object.assign(new Error("EIO: fsync"), { code: "EIO", syscall: "fsync" });
      real.fsyncSync(descriptor);
    },
  };
});

const root = temporaryFolder();
afterEach(() => {
  fault.folder = "";
});

it.each(["/manifest", "/segments/runs"])("a commit and a compaction fail with %s", async (name) => {
  const folder = join(root, name.replaceAll("/", "-"), "s");
  const store = await storeWith(folder, [[1], [2]]);
  fault.folder = name;
  const batch = store.beginBatch();
  await appendRun(batch, 3);
  await expect(batch.commit()).rejects.toMatchObject({ code: "EIO", path: join(folder, name.slice(1)) });
  // Behind the rename of the entry the batch exists; before it nothing of it is left.
  const runs = name === "/manifest" ? [1, 2, 3] : [1, 2];
  const whole = async () => {
    expect((await contents(await Store.open(folder))).runs).toEqual(runs);
    expect(await checkStore(folder, { deep: true })).toMatchObject({ problems: [], rubbish: [] });
  };
  await whole();
  await expect(compactStore(store)).rejects.toMatchObject({ code: "EIO" });
  await whole();
  fault.folder = "";
  await compactStore(store, { graceMs: 0 });
  await whole();
  expect(readdirSync(join(folder, "segments/runs")).length).toBe(1);
});
