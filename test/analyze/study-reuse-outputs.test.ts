/** The lists that findings lead to: files by class, to compress, to stage in, to replicate, each recomputed from the accesses. */
import { beforeAll, describe, expect, it } from "vitest";
import { memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import { reuseOptions, runStudy, type Study } from "../../src/analyze/study/reuse/index.ts";
import { randomCorpus } from "./study-reference/corpus.ts";

const corpus = randomCorpus({ seed: 3 });
let study: Study;

beforeAll(async () => {
  const db = await memoryStore();
  await db.insert("runs", corpus.runs as never);
  await db.insert("accesses", corpus.accesses as never);
  await db.insert("files", (corpus.files ?? []) as never);
  study = await runStudy(db, reuseOptions({ replicates: 20 }));
  db.close();
});

function rowsOf(id: string): Record<string, unknown>[] {
  const found = study.outputs.find((one) => one.id === id)!;
  return found.rows.map((row) => Object.fromEntries(found.columns.map(({ key }, i) => [key, row[i]])));
}
const filesOf = (id: string) => rowsOf(id).map(({ file }) => String(file));

/** Runs that read more of a file than they wrote, and whose times are known. */
function readRuns(file: string): number {
  const timed = new Set(corpus.runs.filter(({ clock }) => clock === "ok").map(({ run_id }) => run_id));
  return corpus.accesses.filter(
    (one) =>
      String(one.file_id) === file &&
      timed.has(one.run_id) &&
      Number(one.bytes_read) > Number(one.bytes_written),
  ).length;
}

describe("outputs of the reuse study", () => {
  it("list every selected file with its class and its data", () => {
    const rows = rowsOf("files");
    expect(rows.length).toBe(study.files);
    const sums = new Map<string, bigint>();
    for (const one of corpus.accesses)
      sums.set(
        String(one.file_id),
        (sums.get(String(one.file_id)) ?? 0n) + BigInt(one.bytes_read ?? 0) + BigInt(one.bytes_written ?? 0),
      );
    for (const { file, bytesRead, bytesWritten } of rows)
      expect((bytesRead as bigint) + (bytesWritten as bigint)).toBe(sums.get(String(file)));
    const moved = rows.map(({ bytesRead, bytesWritten }) => (bytesRead as bigint) + (bytesWritten as bigint));
    expect(moved.every((bytes, i) => i === 0 || bytes <= (moved[i - 1] as bigint))).toBe(true);
  });

  it("compress what rests, and nothing else", () => {
    const chosen = new Set(filesOf("files-to-compress"));
    expect(chosen.size).toBeGreaterThan(0);
    for (const row of rowsOf("files")) {
      const neverRead = row.class === "write-heavy" && row.nextRead === null && row.bytesRead === 0n;
      const rests = Number(row.meanGap ?? 0) >= study.options.gapHours * 3600;
      if (rests) expect(chosen.has(String(row.file)), String(row.file)).toBe(true);
      if (chosen.has(String(row.file)) && !rests) expect(row.class).toBe("write-heavy");
      if (neverRead) expect(chosen.has(String(row.file))).toBe(true);
    }
  });

  it("replicate read-heavy files with many read runs", () => {
    const expected = rowsOf("files").filter(
      (row) => row.class === "read-heavy" && readRuns(String(row.file)) >= 10,
    );
    expect(filesOf("files-to-replicate").sort()).toEqual(expected.map(({ file }) => String(file)).sort());
  });

  it("stage in what is predicted to be read within a day after the end", () => {
    const last = Math.max(...rowsOf("files").map(({ lastAccess }) => Number(lastAccess)));
    const expected = rowsOf("files").filter(({ nextRead }) => {
      const next = Number(nextRead ?? Number.NaN);
      return next >= last && next <= last + 24 * 3600;
    });
    expect(filesOf("files-to-stage-in").sort()).toEqual(expected.map(({ file }) => String(file)).sort());
  });
});
