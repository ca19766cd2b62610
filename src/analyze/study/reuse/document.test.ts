import { describe, expect, it } from "vitest";
import { randomCorpus } from "../../../../test/analyze/study-reference/corpus.ts";
import { itemAndKey, valueInfo } from "../common/values.ts";
import { REUSE_STUDY, studyDocument } from "./document.ts";
import { STUDY_ITEMS } from "./items.ts";
import { reuseOptions } from "./options.ts";
import { runStudy } from "./study.ts";
import { memoryStore } from "../common/test-kit.ts";

describe("the report of a study", () => {
  it("holds every item, figure and finding once, with unique ids", async () => {
    const db = await memoryStore();
    const corpus = randomCorpus({ seed: 2 });
    await db.insert("runs", corpus.runs as never);
    await db.insert("accesses", corpus.accesses as never);
    await db.insert("files", corpus.files);
    const study = await runStudy(db, reuseOptions({ replicates: 20 }));
    db.close();
    const origin = { synthetic: 0, of: 1, unit: "runs" };
    const document = studyDocument({ study, store: "s", command: "c", madeBy: "m", origin });
    const blocks = document.sections.flatMap((section) => section.blocks);
    const ids = blocks.flatMap((block) =>
      block.kind === "table" ? [block.id] : block.kind === "figure" ? [block.figure.id] : [],
    );
    expect(new Set(ids).size).toBe(ids.length);
    const figures = Object.values(study.items).flatMap((item) => item.figures);
    for (const figure of figures) {
      expect(ids).toContain(figure.id);
      expect(figure.definition).toMatch(/^A\d\d@1$/);
    }
    expect(study.outputs.find(({ id }) => id === "files")?.rows[0]?.[1]).toMatch(
      /^\/(scratch|home)\/file \d+$/,
    );
    expect(blocks.filter((block) => block.kind === "text").length).toBeGreaterThanOrEqual(16);
    expect(document.verdict).toMatch(/Of the ten published findings \d+ are confirmed/);
    for (const table of blocks)
      if (table.kind === "table")
        for (const row of table.rows) expect(row).toHaveLength(table.columns.length);
  });

  it("has a unit for every number of a finding, and a section for every item", async () => {
    const db = await memoryStore();
    const { findings } = await runStudy(db, reuseOptions({ replicates: 20 }));
    db.close();
    const keys = findings.flatMap(({ claims, sensitivity }) =>
      [...claims, ...sensitivity].map(({ key }) => key),
    );
    expect(keys.length).toBeGreaterThan(20);
    for (const full of keys) {
      const [id, key] = itemAndKey(full);
      const item = STUDY_ITEMS.find((one) => one.id === id);
      expect(item && valueInfo(item, key), full).toBeDefined();
    }
    const sections = REUSE_STUDY.sections.map(({ id }) => id);
    for (const item of STUDY_ITEMS) expect(sections, item.id).toContain(item.section);
  });
});
