import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publish } from "./batch.ts";
import { parquetRows } from "./database.ts";
import { entryPath, newBatchId, isBatchId, ID_LENGTH, segmentName, timeOf } from "./layout.ts";
import { type BatchInfo, entryText, judge, liveBatches } from "./manifest.ts";
import { Store } from "./store.ts";
import { tableQuery } from "./views.ts";
import { storedRuns } from "../model/index.ts";

function manifestOf(list: readonly (readonly [string, ...string[]])[], settled: readonly string[] = []) {
  const entries = new Map<string, BatchInfo>(
    [...list]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, ...replaces]) => [id, { id, version: 1, created: "", writer: "", replaces, tables: {} }]),
  );
  return { entries, settled: new Set(settled), damaged: [] };
}
const live = (...given: Parameters<typeof manifestOf>) =>
  liveBatches(manifestOf(...given)).map(({ id }) => id);

describe("which batches count", () => {
  it("a compaction instead of what it replaces", () => {
    expect(live([["1"], ["2"], ["3"]])).toEqual(["1", "2", "3"]);
    expect(live([["1"], ["2"], ["3"], ["4", "1", "2"]])).toEqual(["3", "4"]);
    expect(live([["1"], ["2"], ["3"], ["4", "1", "2"], ["5", "3", "4"]])).toEqual(["5"]);
  });

  it("of two compactions that meet, the first as a whole and the second not at all", () => {
    const met = [["1"], ["2"], ["3"], ["4", "1", "2"], ["5", "2", "3"]] as const;
    expect(live(met)).toEqual(["3", "4"]);
    expect(judge(manifestOf(met)).get("5")).toBe("rejected");
    expect(live([...met, ["6", "5", "3"]])).toEqual(["3", "4"]);
  });

  it("a settled compaction, whatever of the rest is already removed", () => {
    expect(live([["2"], ["3"], ["4", "1", "2"]])).toEqual(["2", "3"]);
    expect(live([["2"], ["3"], ["4", "1", "2"]], ["4"])).toEqual(["3", "4"]);
    // One with a smaller id that shows up later is too late.
    expect(live([["1"], ["2"], ["3"], ["4", "1", "2"], ["5", "2", "3"]], ["5"])).toEqual(["1", "5"]);
    expect(live([["3"]], ["4"])).toEqual(["3"]);
  });

  it("every row exactly once, whatever compactions ran", () => {
    // Rows are known by the plain batch that brought them. Compactions see what was live at some earlier moment.
    const plan = fc.array(
      fc.record({ sees: fc.nat(), takes: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(plan, (compactions) => {
        const list: [string, ...string[]][] = Array.from({ length: 6 }, (_, i) => [`a${i}`]);
        const states: string[][] = [live(list)];
        for (const [index, { sees, takes }] of compactions.entries()) {
          const seen = states[states.length - 1 - (sees % Math.min(3, states.length))] ?? [];
          const chosen = seen.filter((_, i) => takes[i % takes.length]);
          if (chosen.length > 0) list.push([`b${index}`, ...chosen]);
          const now = live(list);
          states.push(now);
          const byId = new Map(list.map(([id, ...replaces]) => [id, replaces]));
          const rows = (id: string): string[] => {
            const replaces = byId.get(id) ?? [];
            return replaces.length === 0 ? [id] : replaces.flatMap(rows);
          };
          expect(now.flatMap(rows).sort()).toEqual(["a0", "a1", "a2", "a3", "a4", "a5"]);
        }
      }),
    );
  });
});

describe("ids of batches", () => {
  it("sort by time, never meet, and pass what other clocks said", () => {
    const ids = Array.from({ length: 2000 }, () => newBatchId());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(2000);
    expect(ids.every((id) => isBatchId(id) && id.length === ID_LENGTH)).toBe(true);
    const future = "29990101T000000000-000001-0000000";
    expect(newBatchId(future) > future).toBe(true);
    expect(timeOf(future)).toBe(Date.UTC(2999, 0, 1));
  });
});

describe("a store refuses to be written wrong:", () => {
  const segment = (id: string, number = 0) => ({
    ...{ file: segmentName("runs", id, number), rows: 1, bytes: 1, sha256: "" },
  });
  const batchOf = (id: string, file = id): BatchInfo => ({
    ...{ id, version: 1, created: "", writer: "", replaces: [] },
    tables: { runs: [segment(file)] },
  });

  it("an entry whose segment has the name of another batch", () => {
    const [one, other] = [newBatchId(), newBatchId()];
    expect(entryText(batchOf(one))).toContain(one);
    expect(() => entryText(batchOf(one, other))).toThrow("can be read");
    expect(() => segmentName("runs", "x", 0)).toThrow("found by its name");
  });

  it("an id that is taken, and a batch that replaces a younger one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-publish-"));
    try {
      const { path: store } = await Store.create(join(folder, "s"));
      const [older, id] = [newBatchId(), newBatchId()];
      const write = (name: string, replaces: string[]) =>
        publish({ store, writer: "test" }, name, [], replaces, []);
      expect(() => write(older, [id])).toThrow("replaces older ones");
      expect(() => write(id, [older, older])).toThrow("each once");
      writeFileSync(entryPath(store, id), "");
      expect(() => write(id, [])).toThrow("given to one batch");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("a view that reads a segment twice, or files that are none", () => {
    const batch = batchOf(newBatchId());
    const setting = { store: "/s", batches: [batch, batch], hiding: new Set<string>() };
    expect(() => tableQuery(storedRuns, setting)).toThrow("no segment is read twice");
    expect(() => parquetRows([])).toThrow("has files");
  });
});
