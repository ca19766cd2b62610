// Writers and compactions that are killed at moments drawn at random.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { testSeed } from "../seed.ts";
import { Child, KilledStore, SharedStore, useStores } from "./crash-kit.ts";

const storeAt = useStores();
const KILLS = 40;
const ROUNDS = 8;
const seed = testSeed(20260731);

describe(`a writer that is killed (seed ${seed})`, { timeout: 600_000 }, () => {
  it("loses at most the batch in flight", async () => {
    const path = storeAt("killed");
    const random = new Random(seed);
    const store = new KilledStore(path);
    for (let i = 0; i < KILLS; i++) {
      const child = new Child("write", path, "0", "1", "100000");
      await child.until("ready");
      await sleep(random.unit() * 60);
      await store.killed(child);
    }
    await store.expectUndisturbed();
  });

  it("does no harm to another writer, nor to a compaction, nor they to it", async () => {
    const path = storeAt("together");
    const random = new Random(seed + 1);
    const store = new SharedStore(path);
    for (let round = 0; round < ROUNDS; round++) {
      const children = [
        new Child("write", path, "0", "2", "100000"),
        new Child("write", path, "1", "2", "100000"),
        new Child("compact", path),
      ];
      await Promise.all(children.map((child) => child.until("ready")));
      await sleep(200 + random.unit() * 600);
      const order = children.map((child) => ({ child, place: random.unit() }));
      await store.killed(order.sort((a, b) => a.place - b.place).map(({ child }) => child));
    }
    await store.expectWhole();
  });
});
