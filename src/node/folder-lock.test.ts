/** The lock of a folder: held by one, free when that one is gone, also where its process cannot be seen. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FolderLock, type LockOptions, lockFolder } from "./folder-lock.ts";

let folder: string;
const locks: FolderLock[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-lock-"));
});
afterEach(() => {
  for (const lock of locks.splice(0)) lock.release();
  rmSync(folder, { recursive: true, force: true });
});

async function take(options?: LockOptions) {
  const lock = await lockFolder(folder, options);
  if (lock.taken) locks.push(lock);
  return lock;
}
const file = (name: string) => join(folder, name);
/** The file of an owner that is like this process but for some fields. */
async function leave(name: string, change: Readonly<Record<string, unknown>>): Promise<void> {
  const lock = await take();
  const [own = ""] = readdirSync(folder);
  const owner = { ...JSON.parse(readFileSync(file(own), "utf8")), ...change };
  if (lock.taken) lock.release();
  rmSync(file(own));
  writeFileSync(file(name), JSON.stringify(owner));
}

describe("the lock of a folder", () => {
  it("is one's at a time, and says whose", async () => {
    const first = await take();
    expect(first.taken).toBe(true);
    expect(await take()).toMatchObject({ taken: false, owner: { pid: process.pid } });
    if (first.taken) first.release();
    expect((await take()).taken).toBe(true);
    expect(readdirSync(folder)).toEqual(["lock.2"]);
    expect(statSync(file("lock.2")).mode & 0o777).toBe(0o600);
  });

  it("is taken by one of many who find its owner gone", async () => {
    await leave("lock.7", { pid: 4_194_305 });
    const taken = (await Promise.all(Array.from({ length: 20 }, () => take()))).filter((lock) => lock.taken);
    expect(taken.length).toBe(1);
    expect(readdirSync(folder)).toEqual(["lock.8"]);
  });

  it("is free when another process has the number of its owner", async () => {
    await leave("lock.1", { ticks: "1" });
    expect((await take()).taken).toBe(true);
  });

  it.each([{ boot: "another" }, { namespace: "pid:[1]" }])(
    "of an owner that cannot be seen (%j) is free when nobody renews it",
    async (change) => {
      await leave("lock.1", { ...change, host: "oss7" });
      const waited: unknown[] = [];
      expect((await take({ goneMs: 300, onWait: (owner) => waited.push(owner?.host) })).taken).toBe(true);
      expect(waited).toEqual(["oss7"]);
    },
  );

  it("of an owner that cannot be seen is kept while it is renewed", async () => {
    await leave("lock.1", { boot: "another", host: "oss7" });
    const timer = setInterval(() => utimesSync(file("lock.1"), new Date(), new Date()), 20);
    try {
      expect(await take({ goneMs: 60_000 })).toMatchObject({ taken: false, owner: { host: "oss7" } });
    } finally {
      clearInterval(timer);
    }
  });

  it("that is being written is looked at again when it is whole", async () => {
    writeFileSync(file("lock.1"), "");
    const onWait = () => setTimeout(() => writeFileSync(file("lock.1"), "released\n"), 10);
    expect((await take({ goneMs: 60_000, onWait })).taken).toBe(true);
    writeFileSync(file("lock.3"), "half");
    expect((await take({ goneMs: 200 })).taken).toBe(true);
  });

  it("is renewed, and its loss is told", async () => {
    let lost = 0;
    await take({ renewMs: 10, onLost: () => lost++ });
    const before = statSync(file("lock.1"), { bigint: true }).mtimeNs;
    await expect.poll(() => statSync(file("lock.1"), { bigint: true }).mtimeNs).toBeGreaterThan(before);
    expect(lost).toBe(0);
    rmSync(file("lock.1"));
    await expect.poll(() => lost).toBe(1);
    // What is no longer one's own is left alone.
    for (const lock of locks.splice(0)) lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
