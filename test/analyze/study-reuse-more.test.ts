/** Items A17 to A20 of the reuse study against plain loops over the rows. */
import { beforeAll, describe, expect, it } from "vitest";
import { memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import { reuseOptions, runStudy, type Study } from "../../src/analyze/study/reuse/index.ts";
import { randomCorpus } from "./study-reference/corpus.ts";

const EXCLUDED = "/var/opt/cray/dws";

describe.each([1, 2, 3, 4])("a random centre, seed %i", (seed) => {
  const corpus = randomCorpus({ seed });
  let study: Study;
  const value = (key: string) => {
    const [item, name] = key.split(".") as [string, string];
    return Number(study.items[item]?.values[name]);
  };

  beforeAll(async () => {
    const db = await memoryStore();
    await db.insert("runs", corpus.runs as never);
    await db.insert("accesses", corpus.accesses as never);
    await db.insert("files", corpus.files as never);
    study = await runStudy(db, reuseOptions({ replicates: 20 }));
    db.close();
  });

  const moved = ({ bytes_read: r, bytes_written: w }: (typeof corpus.accesses)[number]) =>
    r === null || w === null ? 0 : Number(r) + Number(w);

  /** Accesses of each I/O-intensive file. */
  function selected() {
    const files = new Map<string, (typeof corpus.accesses)[number][]>();
    for (const one of corpus.accesses) {
      if (one.mount === EXCLUDED || one.mount.startsWith(`${EXCLUDED}/`)) continue;
      const key = `${one.file_id} ${one.mount}`;
      files.set(key, [...(files.get(key) ?? []), one]);
    }
    return [...files.values()].filter(
      (list) =>
        list.reduce((sum, one) => sum + Number(one.bytes_read ?? 0n) + Number(one.bytes_written ?? 0n), 0) >=
          100e9 && list.length >= 2,
    );
  }

  /** 1, -1 or 0, by what complete accesses moved. */
  function classOf(list: ReturnType<typeof selected>[number]): number | undefined {
    let [r, w] = [0, 0];
    for (const one of list)
      if (one.partial !== 1) [r, w] = [r + Number(one.bytes_read ?? 0n), w + Number(one.bytes_written ?? 0n)];
    if (r + w === 0) return undefined;
    const d = (r - w) / (r + w);
    return d >= 0.9 ? 1 : d <= -0.9 ? -1 : 0;
  }

  it("counts types of runs by class of the file (A17)", () => {
    expect(selected().length).toBe(study.files);
    const counts = new Map<string, number>();
    for (const list of selected()) {
      const of = classOf(list);
      if (of === undefined) continue;
      for (const one of list) {
        if (one.partial === 1 || moved(one) === 0) continue;
        const type = Math.sign(Number(one.bytes_read) - Number(one.bytes_written));
        for (const key of [`${of} ${type}`, `${of} all`]) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    const share = (of: number, type: number) =>
      (counts.get(`${of} ${type}`) ?? 0) / (counts.get(`${of} all`) ?? 0);
    expect(value("A17.readHeavyByReads")).toBeCloseTo(share(1, 1), 9);
    expect(value("A17.writeHeavyByWrites")).toBeCloseTo(share(-1, -1), 9);
    expect(value("A17.bothByReads")).toBeCloseTo(share(0, 1), 9);
    expect(value("A17.bothByWrites")).toBeCloseTo(share(0, -1), 9);
    const rows = study.items.A17!.tables[0]!.rows;
    expect(rows.reduce((sum, row) => sum + Number(row[1]) + Number(row[2]) + Number(row[3]), 0)).toBe(
      study.items.A17!.n,
    );
  });

  it("sets gaps beside run times (A18)", () => {
    const hours = corpus.runs
      .filter(
        ({ clock, start_unix_ns: start, end_unix_ns: end }) =>
          clock === "ok" && start !== null && end !== null && end >= start,
      )
      .map((run) => Number((run.end_unix_ns as bigint) - (run.start_unix_ns as bigint)) / 3.6e12);
    const mean = hours.reduce((sum, one) => sum + one, 0) / hours.length;
    expect(value("A18.runMeanHours")).toBeCloseTo(mean, 9);
    expect(value("A18.below2Hours")).toBeCloseTo(hours.filter((one) => one < 2).length / hours.length, 9);
    expect(value("A18.readGapOverRun")).toBeCloseTo(value("A08.readMeanHours") / mean, 6);
    expect(value("A18.writeGapOverRun")).toBeCloseTo(value("A08.writeMeanHours") / mean, 6);
  });

  it("tells producers from consumers (A19)", () => {
    let [shared, pairs, both, readers, writers, allBoth, handed] = [0, 0, 0, 0, 0, 0, 0];
    for (const list of selected()) {
      const of = new Map<bigint, [number, number]>();
      for (const one of list) {
        if (moved(one) === 0) continue;
        const [r, w] = of.get(one.application_id) ?? [0, 0];
        of.set(one.application_id, [r + Number(one.bytes_read), w + Number(one.bytes_written)]);
      }
      if (of.size < 2) continue;
      const sums = [...of.values()];
      const two = sums.filter(([r, w]) => r > 0 && w > 0).length;
      const read = sums.filter(([, w]) => w === 0).length;
      const written = sums.filter(([r]) => r === 0).length;
      shared++;
      [pairs, both, readers, writers] = [pairs + of.size, both + two, readers + read, writers + written];
      if (two === of.size) allBoth++;
      if (read > 0 && written > 0) handed++;
    }
    expect([value("A19.sharedFiles"), value("A19.pairs")]).toEqual([shared, pairs]);
    expect(value("A19.pairsReadAndWrite")).toBeCloseTo(both / pairs, 9);
    expect(value("A19.pairsReadOnly")).toBeCloseTo(readers / pairs, 9);
    expect(value("A19.pairsWriteOnly")).toBeCloseTo(writers / pairs, 9);
    expect(value("A19.filesAllReadAndWrite")).toBeCloseTo(allBoth / shared, 9);
    expect(value("A19.filesHandedOver")).toBeCloseTo(handed / shared, 9);
  });

  it("finds the share of burst buffers, and the OSTs (A20)", () => {
    let [out, all] = [0, 0];
    const osts = new Set<string>();
    for (const one of corpus.accesses) {
      const bytes = Number(one.bytes_read ?? 0n) + Number(one.bytes_written ?? 0n);
      all += bytes;
      if (one.mount === EXCLUDED || one.mount.startsWith(`${EXCLUDED}/`)) out += bytes;
    }
    for (const one of corpus.accesses)
      if (!one.mount.startsWith(EXCLUDED))
        for (const ost of (one.osts ?? "").split(" ")) if (ost !== "") osts.add(ost);
    expect(value("A20.burstBufferShare")).toBeCloseTo(out / all, 9);
    expect(value("A20.osts")).toBe(osts.size);
    expect(value("A20.mounts")).toBe(new Set(corpus.accesses.map(({ mount }) => mount)).size);
  });

  it("draws violins that stay within the data", () => {
    for (const { chart } of Object.values(study.items).flatMap(({ figures }) => figures)) {
      if (chart.kind !== "violin") continue;
      for (const { values, name } of chart.groups)
        if (chart.value.label === "relative to max")
          expect(Math.max(...values), name).toBeLessThanOrEqual(1 + 1e-9);
    }
  });
});
