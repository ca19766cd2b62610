// A writer that is killed loses at most the batch in flight. Random moments are in store-crash.long.test.ts.

import { describe, it } from "vitest";
import type { StorePoint } from "../../src/store/hooks.ts";
import { Child, KilledStore, SharedStore, useStores } from "./crash-kit.ts";

const storeAt = useStores();

const POINTS: readonly StorePoint[] = [
  "segment-written",
  "segments-synced",
  "segment-renamed",
  "segments-renamed",
  "manifest-written",
  "manifest-renamed",
];

describe("a writer that is killed", { timeout: 180_000 }, () => {
  it("loses at most the batch in flight, at every step of a commit", async () => {
    const path = storeAt("killed");
    const store = new KilledStore(path);
    for (const point of POINTS) {
      const child = new Child("write", path, "0", "1", "1000", point);
      await child.until(`at ${point}`);
      await store.killed(child);
    }
    await store.expectUndisturbed();
  });

  it("does no harm to another writer, nor to a compaction, nor they to it", async () => {
    const path = storeAt("together");
    const store = new SharedStore(path);
    for (const point of ["segments-renamed", "manifest-written"]) {
      const stopped = new Child("write", path, "0", "2", "100000", point);
      const [writer, compaction] = [new Child("write", path, "1", "2", "100000"), new Child("compact", path)];
      await Promise.all([stopped.until(`at ${point}`), compaction.until("ready"), writer.untilCommitted(3)]);
      await store.killed([stopped, compaction, writer]);
    }
    await store.expectWhole();
  });
});
