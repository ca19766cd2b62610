/** Similar runs of Darshan logs: clustering against a search for the closest pair, and hours of planted clusters. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import { averageLinkage, standardised } from "../../src/analyze/study/system/clusters.ts";
import { runStudy, systemOptions } from "../../src/analyze/study/system/index.ts";
import { Random } from "../../src/base/prng.ts";
import { jobTotals } from "../../src/store/job-totals.ts";

/** Merges the two clusters with the least mean distance of their points until it exceeds the limit. */
function closestFirst(points: readonly (readonly number[])[], limit: number): number[][] {
  const clusters = points.map((_, i) => [i]);
  const distance = (a: readonly number[], b: readonly number[]) =>
    Math.hypot(...a.map((x, k) => x - (b[k] as number)));
  for (;;) {
    let best = { a: -1, b: -1, d: Infinity };
    for (let a = 0; a < clusters.length; a++)
      for (let b = 0; b < a; b++) {
        const pairs = (clusters[a] as number[]).flatMap((i) =>
          (clusters[b] as number[]).map((j) => distance(points[i] as number[], points[j] as number[])),
        );
        const d = pairs.reduce((sum, one) => sum + one, 0) / pairs.length;
        if (d < best.d) best = { a, b, d };
      }
    if (best.d > limit || best.a < 0) return clusters.map((one) => one.sort((x, y) => x - y));
    (clusters[best.b] as number[]).push(...(clusters[best.a] as number[]));
    clusters.splice(best.a, 1);
  }
}

const sets = (clusters: readonly (readonly number[])[]) => clusters.map((one) => one.join(" ")).sort();

describe("average linkage", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("merges as a search for the closest pair does, seed %i", (seed) => {
    const random = new Random(seed);
    const points = Array.from({ length: 5 + random.below(30) }, () => [
      random.unit(),
      random.unit(),
      random.unit(),
    ]);
    for (const limit of [0, 0.1, 0.25, 0.5, 2]) {
      const found = averageLinkage(Float64Array.from(points.flat()), 3, limit);
      const clusters: number[][] = [];
      found.forEach((cluster, i) => {
        (clusters[cluster] ??= []).push(i);
      });
      expect(sets(clusters)).toEqual(sets(closestFirst(points, limit)));
    }
  });

  it("handles equal points, one point and none", () => {
    expect([...averageLinkage(new Float64Array(8), 2, 0)]).toEqual([0, 0, 0, 0]);
    expect([...averageLinkage(new Float64Array(2), 2, 0)]).toEqual([0]);
    expect([...averageLinkage(new Float64Array(0), 2, 0)]).toEqual([]);
  });

  it("standardises columns, and leaves those that do not vary at zero", () => {
    expect([...standardised(Float64Array.from([1, 5, 3, 5]), 2)]).toEqual([-1, 0, 1, 0]);
  });
});

describe("study system with similarity cluster", () => {
  it("compares runs of a cluster by the hour of their start, reads and writes apart", async () => {
    const db = await memoryStore();
    await db.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
    const [runs, accesses]: [Record<string, unknown>[], Record<string, unknown>[]] = [[], []];
    // Two ways to write of one program: small ones at 3 h take 2 s, at 9 h 8 s; large ones at 9 h 5 s. Few reads.
    for (let i = 0; i < 140; i++) {
      const kind = i < 60 ? "slow" : i < 90 ? "quick" : "large";
      const start = BigInt((kind === "quick" ? 3 : 9) * 3600 + 86_400 * (17_600 + (i % 20)));
      const run_id = BigInt(1000 + i);
      runs.push({
        run_id,
        application_id: 4096n * 7n,
        user_id: 1,
        start_unix_ns: start * 1_000_000_000n,
        clock: "ok",
      });
      accesses.push({
        run_id,
        file_id: BigInt(i),
        ranks: 4,
        shared: 1,
        bytes_read: i < 10 ? 5 : 0,
        read_seconds: 1,
        bytes_written: kind === "large" ? 1e12 : 1e6,
        write_seconds: kind === "slow" ? 8 : kind === "quick" ? 2 : 5,
        size_write_1k_10k: kind === "large" ? 0 : 100,
        size_write_1m_4m: kind === "large" ? 100 : 0,
      });
    }
    await db.insert("runs", runs as never);
    await db.insert("accesses", accesses as never);
    const { items } = await runStudy(db, systemOptions({ similarity: "cluster", replicates: 20 }));
    db.close();
    expect(items.B17?.values).toMatchObject({ groups: 2, groupedJobs: 140, slowestHour: 9 });
    expect(items.B17?.values.percentOfMost03).toBe(25);
    expect(items.B17?.values.percentOfMost09).toBe(100);
    expect(items.B17?.dropped["jobs with I/O in too small groups (b)"]).toBe(10);
  });
});
