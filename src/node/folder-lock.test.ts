import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UsageError } from "../base/errors.ts";
import { lockFolder } from "./folder-lock.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-lock-"));
  path = join(folder, "locks", "counters");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes the file of a lock that is held look like that of another process. */
async function heldBy(change: (parts: string[]) => void): Promise<string> {
  const lock = await lockFolder(path, "test");
  const parts = basename(lock.file).split("~");
  change(parts);
  const file = join(path, parts.join("~"));
  renameSync(lock.file, file);
  lock.release();
  return file;
}

/** A process that is over. */
async function deadPid(): Promise<number> {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid as number;
}

describe("a lock in a folder", () => {
  it("is held by one at a time, and who holds it is named", async () => {
    const lock = await lockFolder(path, "ingest of counters");
    expect(lock.isHeld()).toBe(true);
    const refused = lockFolder(path, "ingest of counters", { wait: false });
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(
      `ingest of counters: process ${process.pid} on this machine is running`,
    );
    const waited: string[] = [];
    const next = lockFolder(path, "test", { onWait: (holder) => waited.push(holder) });
    await expect.poll(() => waited).toEqual([`process ${process.pid} on this machine`]);
    lock.release();
    expect(lock.isHeld()).toBe(false);
    (await next).release();
    expect(readdirSync(path)).toEqual(["free"]);
  });

  it("goes to one of many, each in turn, also when all begin with the folder", async () => {
    let [inside, most, turns] = [0, 0, 0];
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const lock = await lockFolder(path, "test");
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        turns++;
        inside--;
        lock.release();
      }),
    );
    expect([turns, most]).toEqual([12, 1]);
    expect(readdirSync(join(folder, "locks"))).toEqual(["counters"]);
  });

  it("of a process that is over, or whose number another has got, is taken at once", async () => {
    const pid = await deadPid();
    await heldBy((parts) => parts.splice(3, 1, String(pid)));
    (await lockFolder(path, "test", { wait: false })).release();
    // The parent runs, but did not start when the name says.
    await heldBy((parts) => parts.splice(3, 2, String(process.ppid), "1"));
    (await lockFolder(path, "test", { wait: false })).release();
    expect(readdirSync(path)).toEqual(["free"]);
  });

  it("of another machine is taken when its holder is silent for too long, and its holder can tell", async () => {
    const file = await heldBy((parts) => parts.splice(1, 2, "oss1", "0123456789ab"));
    // It is seen to be alive when it touches its file, and a start of another machine waits for that.
    const waited: string[] = [];
    const refused = lockFolder(path, "test", { wait: false, onWait: (holder) => waited.push(holder) });
    await expect.poll(() => waited.length).toBe(1);
    utimesSync(file, 9, 9);
    await expect(refused).rejects.toThrow(/process \d+ on oss1 is running/);
    let [nowMs, looks] = [0, 0];
    vi.spyOn(performance, "now").mockImplementation(() => {
      looks++;
      return nowMs;
    });
    let taken = false;
    const taking = lockFolder(path, "test", { silentMs: 1000 }).then((lock) => {
      taken = true;
      return lock;
    });
    for (let step = 1; step <= 3; step++) {
      utimesSync(file, step, step);
      nowMs += 900;
      const seen = looks + 1;
      await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThan(seen);
      expect(taken).toBe(false);
    }
    nowMs += 1000;
    const lock = await taking;
    expect(readdirSync(path)).toEqual([basename(lock.file)]);
    lock.release();
  });

  it("tells its holder when it is lost", async () => {
    let lost = 0;
    vi.useFakeTimers();
    try {
      const lock = await lockFolder(path, "test", { onLost: () => lost++ });
      vi.advanceTimersByTime(60_000);
      expect(lost).toBe(0);
      rmSync(lock.file);
      vi.advanceTimersByTime(60_000);
      expect(lost).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is there again after somebody emptied or removed its folder", async () => {
    (await lockFolder(path, "test")).release();
    rmSync(join(path, "free"));
    (await lockFolder(path, "test")).release();
    rmSync(path, { recursive: true });
    const lock = await lockFolder(path, "test");
    rmSync(path, { recursive: true });
    expect(lock.isHeld()).toBe(false);
    mkdirSync(path);
    (await lockFolder(path, "test")).release();
    lock.release();
    expect(readdirSync(path)).toEqual(["free"]);
  });
});
