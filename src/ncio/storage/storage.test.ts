import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bytes, vector } from "../pattern/index.ts";
import type { Storage } from "../storage.ts";
import { memoryStorage, nullStorage, posixStorage } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-storage-"));
afterAll(() => rmSync(folder, { recursive: true }));

const of = (...values: number[]) => Uint8Array.from(values);

describe.each<[string, () => Storage]>([
  ["posix", () => posixStorage()],
  ["memory", () => memoryStorage()],
])("%s storage", (name, make) => {
  const path = join(folder, `${name}.dat`);

  it("keeps what was written; holes and what lies beyond the end read as zero", async () => {
    const storage = make();
    const file = await storage.open(path, "create");
    await file.write(70_000, of(1, 2, 3));
    await file.write(5, of(9));
    const into = new Uint8Array(6).fill(7);
    await file.read(69_999, into);
    expect([...into]).toEqual([0, 1, 2, 3, 0, 0]);
    await file.read(3, into);
    expect([...into]).toEqual([0, 0, 9, 0, 0, 0]);
    await file.sync();
    await file.close();
    expect(storage.counts()).toEqual({ requests: 4, messages: 0, movedBytes: 16 });
  });

  it("empties a file that is created, and keeps one that is opened for writing", async () => {
    const storage = make();
    const into = new Uint8Array(2);
    for (const [mode, expected] of [
      ["create", [0, 0]],
      ["write", [4, 5]],
      ["create", [0, 0]],
    ] as const) {
      const file = await storage.open(path, mode);
      await file.read(0, into);
      expect([...into]).toEqual(expected);
      await file.write(0, of(4, 5));
      await file.close();
    }
  });

  it("is shared by those who open it, and gone when it is removed", async () => {
    const storage = make();
    const [one, two] = [await storage.open(path, "create"), await storage.open(path, "write")];
    await one.write(1, of(6));
    const into = new Uint8Array(2);
    await two.read(0, into);
    expect([...into]).toEqual([0, 6]);
    await one.close();
    await two.close();
    await storage.remove(path);
    await storage.remove(path);
    await expect(storage.open(path, "read")).rejects.toMatchObject({ code: "ENOENT", path });
  });
});

describe("posix storage", () => {
  it("writes and reads each region by itself", async () => {
    const path = join(folder, "each.dat");
    const storage = posixStorage();
    const file = await storage.open(path, "create");
    const regions = {
      count: 2,
      memory: Float64Array.of(1, 4),
      file: Float64Array.of(0, 5),
      lengths: Float64Array.of(2, 1),
    };
    await file.writeEach?.(regions, of(0, 1, 2, 3, 4));
    expect([...readFileSync(path)]).toEqual([1, 2, 0, 0, 0, 4]);
    const into = new Uint8Array(5).fill(9);
    await file.readEach?.(regions, into);
    expect([...into]).toEqual([9, 1, 2, 9, 4]);
    expect(storage.counts()).toEqual({ requests: 4, messages: 0, movedBytes: 6 });
    await file.close();
  });

  it("gathers more buffers than the system takes at once", async () => {
    const path = join(folder, "gathered.dat");
    const storage = posixStorage();
    const file = await storage.open(path, "create");
    const buffers = Array.from({ length: 2500 }, (_, i) => Uint8Array.from({ length: i % 5 }, () => i % 251));
    await file.writeGathered?.(7, buffers);
    expect(readFileSync(path).subarray(7).equals(Buffer.concat(buffers))).toBe(true);
    expect(storage.counts()).toEqual({ requests: 1, messages: 0, movedBytes: Buffer.concat(buffers).length });
    await file.close();
  });

  it("names the file when the disk is full", async () => {
    const file = await posixStorage().open("/dev/full", "write");
    const full = { code: "ENOSPC", path: "/dev/full" };
    expect(() => file.write(0, of(1))).toThrow(expect.objectContaining(full));
    expect(() => file.writeGathered?.(0, [of(1), of(2)])).toThrow(expect.objectContaining(full));
    const region = {
      count: 1,
      memory: new Float64Array(1),
      file: new Float64Array(1),
      lengths: Float64Array.of(1),
    };
    expect(() => file.writeEach?.(region, of(1))).toThrow(expect.objectContaining(full));
    await file.close();
  });

  it("fails as the system does where a file cannot be opened", async () => {
    const storage = posixStorage();
    await expect(storage.open(folder, "write")).rejects.toMatchObject({ code: "EISDIR", path: folder });
    const lost = join(folder, "no", "such");
    await expect(storage.open(lost, "create")).rejects.toMatchObject({ code: "ENOENT", path: lost });
    const loop = join(folder, "loop");
    symlinkSync(loop, loop);
    await expect(storage.open(loop, "read")).rejects.toMatchObject({ code: "ELOOP" });
  });

  it("refuses to write to what was opened for reading", async () => {
    const path = join(folder, "read.dat");
    writeFileSync(path, "abc");
    const file = await posixStorage().open(path, "read");
    expect(() => file.write(0, of(1))).toThrow(expect.objectContaining({ code: "EBADF", path }));
    await file.close();
  });
});

describe("memory storage", () => {
  it("knows lists and datatypes when told to", async () => {
    const storage = memoryStorage({ listMax: 4, types: true });
    expect([storage.listMax, storage.hasTypes]).toEqual([4, true]);
    const file = await storage.open("f", "create");
    const pieces = { count: 2, offsets: Float64Array.of(3, 0), lengths: Float64Array.of(1, 2) };
    await file.writeList?.(pieces, of(7, 8, 9));
    const all = new Uint8Array(5);
    await file.read(0, all);
    expect([...all]).toEqual([8, 9, 0, 7, 0]);
    await file.writeType?.(1, vector(3, 2, bytes(1)), 1, of(5, 6));
    await file.read(0, all.fill(0));
    expect([...all]).toEqual([8, 9, 0, 5, 0]);
    const into = new Uint8Array(3);
    await file.readType?.(1, vector(3, 2, bytes(1)), 0, into);
    expect([...into]).toEqual([9, 5, 6]);
    await file.readList?.(pieces, into);
    expect([...into]).toEqual([5, 8, 9]);
  });

  it("is full at its limit, and holes take no room", async () => {
    const storage = memoryStorage({ bytesMax: 2 * 65536 });
    const file = await storage.open("f", "create");
    await file.write(2 ** 40, of(1));
    await file.write(0, of(1));
    expect(() => file.write(65536, of(1))).toThrow(expect.objectContaining({ code: "ENOSPC", path: "f" }));
    await storage.remove("f");
    const again = await storage.open("g", "create");
    await again.write(65536, of(1));
  });
});

describe("null storage", () => {
  it("takes everything, gives zeros, and counts", async () => {
    const storage = nullStorage({ listMax: 8 });
    expect(storage.keeps).toBe(false);
    const file = await storage.open("anything", "read");
    await file.write(0, of(1, 2));
    const into = of(1, 2, 3);
    await file.read(0, into);
    expect([...into]).toEqual([0, 0, 0]);
    expect(file.writeType).toBeUndefined();
    expect(storage.counts()).toEqual({ requests: 2, messages: 0, movedBytes: 5 });
  });
});
