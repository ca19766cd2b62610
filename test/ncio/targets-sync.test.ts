// When servers make data durable: beside other requests, at once, or once for all who wait.

import { afterEach, describe, expect, it } from "vitest";
import { bytes, vector } from "../../src/ncio/pattern/index.ts";
import { connectServers } from "../../src/ncio/servers/index.ts";
import type { Syncs } from "../../src/ncio/servers/index.ts";
import { DirtyPages } from "../../src/ncio/servers/server/dirty-pages.ts";
import { type LocalSet, localServers } from "./targets-kit.ts";

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const CLIENTS = 4;
/** Every page of 4 KiB has regions of all clients. */
const COUNT = 1024;

async function writers(syncs: Syncs) {
  const set = await localServers({ servers: 1, syncs });
  endings.push(() => set.stop());
  const files = [];
  for (let client = 0; client < CLIENTS; client++) {
    const storage = await connectServers(set);
    endings.push(() => storage.close());
    files.push(await storage.open("f", client === 0 ? "create" : "write"));
  }
  return { set, files };
}

const type = vector(COUNT, CLIENTS * 128, bytes(8));
const data = new Uint8Array(8 * COUNT).fill(7);
const stats = (set: LocalSet) => set.servers[0]!.stats();
/** Of the whole file. */
const PAGES = (COUNT * CLIENTS * 128) / 4096;

describe("a server asked to sync", () => {
  it.each(["beside", "blocking", "delayed"] as const)("%s: every byte is there afterwards", async (syncs) => {
    const { set, files } = await writers(syncs);
    await Promise.all(
      files.map(async (file, client) => {
        await file.writeType?.(client * 128, type, 0, data);
        await file.sync();
      }),
    );
    expect(stats(set)).toMatchObject({ syncs: CLIENTS, syncMode: syncs });
    const into = new Uint8Array(8);
    for (const at of [0, 128, 384, (COUNT - 1) * 512]) {
      await files[0]!.read(at, into);
      expect([...into]).toEqual([7, 7, 7, 7, 7, 7, 7, 7]);
    }
  });

  it("blocking: a sync after each large request writes all pages again for every client", async () => {
    const { set, files } = await writers("blocking");
    for (const [client, file] of files.entries()) {
      await file.writeType?.(client * 128, type, 0, data);
      await file.sync();
    }
    expect(stats(set)).toMatchObject({ flushes: CLIENTS, flushedPages: CLIENTS * PAGES });
  });

  it("blocking: answers any number of small requests of a connection that never waits for it", async () => {
    const { set, files } = await writers("blocking");
    const one = new Uint8Array(1).fill(9);
    // Responses count 256 bytes each, and 8 MiB are the most of a client: 32,768 that were never counted as taken stopped it.
    for (let at = 0; at < 40_000; at++) await files[0]!.write(at, one);
    expect(stats(set).requests).toMatchObject({ write: 40_000 });
  }, 60_000);

  it("syncs when all have written write every page once", async () => {
    const { set, files } = await writers("blocking");
    for (const [client, file] of files.entries()) await file.writeType?.(client * 128, type, 0, data);
    for (const file of files) await file.sync();
    expect(stats(set)).toMatchObject({ syncs: CLIENTS, flushes: 1, flushedPages: PAGES });
  });

  it("delayed: a sync waits while others write, and one call serves all", async () => {
    const { set, files } = await writers("delayed");
    const waits: Promise<void>[] = [];
    const done: number[] = [];
    for (const [client, file] of files.entries()) {
      // Whoever has written asks for its sync; the requests of the others come before the moment without any.
      await file.writeType?.(client * 128, type, 0, data);
      waits.push(Promise.resolve(file.sync()).then(() => void done.push(client)));
    }
    await Promise.all(waits);
    expect(done.sort()).toEqual([0, 1, 2, 3]);
    expect(stats(set).flushedPages).toBeLessThan(CLIENTS * PAGES);
    expect(stats(set).syncs).toBe(CLIENTS);
  });
});

it("pages are counted once until they are taken", () => {
  const dirty = new DirtyPages();
  dirty.add(0, 1);
  dirty.add(4095, 2);
  dirty.add(10 * 4096, 4096);
  expect(dirty.take()).toBe(3);
  expect(dirty.take()).toBe(0);
  dirty.add(500 * 4096 - 1, 2);
  expect(dirty.take()).toBe(2);
});
