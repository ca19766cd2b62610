import { describe, expect, it } from "vitest";
import { cpuMsOf } from "../../../test/cpu-time.ts";
import { groupByPattern, namePattern } from "./file-patterns.ts";

describe("name patterns", () => {
  it.each([
    ["/scratch/run/chunk.0042.dat", "/scratch/run/chunk.#.dat"],
    ["/scratch/run2/part-7/out", "/scratch/run#/part-#/out"],
    ["/a/plain.name", "/a/plain.name"],
    ["", ""],
    ["42/7a", "#/#a"],
    ["12x345", "#x#"],
    ["/größe_09Ą", "/größe_#Ą"],
    // Hashes and UUIDs, whole words only.
    ["/cache/deadbeefcafe.bin", "/cache/#.bin"],
    ["/tmp/123e4567-e89b-12d3-a456-426614174000.lock", "/tmp/#.lock"],
    ["/tmp/DEADBEEF_x", "/tmp/#_x"],
    ["/src/feedbackloop", "/src/feedbackloop"],
    ["/src/facade/abcdef", "/src/facade/abcdef"],
    // Seven letters are a word, eight a hash.
    ["/x/abcdefa", "/x/abcdefa"],
    ["/x/abcdefab", "/x/#"],
  ])("%s becomes %s", (path, pattern) => {
    expect(namePattern(path)).toBe(pattern);
  });

  it("takes long hostile names in no time", () => {
    const names = ["a".repeat(1e5), "ab-".repeat(30_000), `${"abcdef01-".repeat(5000)}g`, "1".repeat(1e5)];
    expect(cpuMsOf(() => void names.map(namePattern))).toBeLessThan(2000);
  });

  it("groups in order of appearance, each item once", () => {
    const items = ["b.1", "a", "b.2", "c.9", "b.33"].map((path) => ({ path }));
    const groups = groupByPattern(items);
    expect([...groups.keys()]).toEqual(["b.#", "a", "c.#"]);
    expect(groups.get("b.#")).toEqual([items[0], items[2], items[4]]);
    expect([...groups.values()].flat()).toHaveLength(items.length);
  });
});
