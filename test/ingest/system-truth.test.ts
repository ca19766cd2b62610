/** Series and dumps with known answers into a store by the real command. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ask, ingested, plimsoll, useFolder } from "./system-kit.ts";
import { describeWithPublicData, hasPublicData, lustreData, lustreFolders } from "../reference-data.ts";

useFolder();

describe("planted series and dumps", () => {
  type TrueDeltas = Readonly<
    Record<string, Readonly<Record<string, readonly [bytes: number, calls: number]>>>
  >;
  const truthOf = (series: string) => {
    const path = lustreData("derived/series", series, "truth.json");
    const { deltas } = JSON.parse(readFileSync(path, "utf8")) as { deltas: TrueDeltas };
    const all = new Map<string, string>();
    for (const [job, values] of Object.entries(deltas))
      for (const [at, [bytes, calls]] of Object.entries(values))
        if (bytes > 0 || calls > 0) all.set(`${job} ${Math.floor(Number(at) / 60)}`, `${bytes} ${calls}`);
    return all;
  };
  const rowsOf = async (store: string) => {
    const [rows] = await ask(
      store,
      "select job_id, minute_unix, bytes_written as b, writes as n, seconds from minutes where writes > 0",
    );
    return new Map(rows?.map((r) => [`${r.job_id} ${r.minute_unix}`, `${r.b} ${r.n}`]));
  };

  it.each(["ost0000_v2.12_expiry", "ost0000_v2.17_expiry", "ost0001_v2.12_restart"])(
    "%s is what the truth says",
    async (series) => {
      const result = ingested(`truth-${series}`, lustreData("derived/series", series));
      expect(result).toMatchObject({ code: 0, new: 31, foreign: 1, skippedTotal: 0 });
      expect(await rowsOf(`truth-${series}`)).toEqual(truthOf(series));
    },
  );

  it.each(["telegraf_lines.txt", "influx1_group_by.csv", "influx1_select_star.csv", "influx2_annotated.csv"])(
    "%s agrees with it",
    async (file) => {
      expect(ingested(`influx-${file}`, lustreData("derived/influx", file))).toMatchObject({
        code: 0,
        new: 1,
      });
      const found = await rowsOf(`influx-${file}`);
      const truthful = truthOf("ost0000_v2.12_expiry");
      let same = 0;
      for (const [key, value] of found) if (truthful.get(key) === value) same++;
      expect(same).toBeGreaterThan(5);
      // Two points of the text were added by hand.
      expect(found.size - same).toBeLessThanOrEqual(2);
    },
  );

  it("every file of the collection is read, named or left alone, and nothing fails", () => {
    const { code, out } = plimsoll("ingest", ...lustreFolders, "--store", "all", "--json");
    expect([0, 3]).toContain(code);
    const { read, new: added, known, foreign, skippedTotal } = JSON.parse(out);
    expect(added + known + foreign + skippedTotal).toBe(read);
    expect(read).toBeGreaterThan(hasPublicData ? 400 : 120);
  });
});

describeWithPublicData("trees of a client and a server", () => {
  it("only files of targets are stored", async () => {
    const place = lustreData("hewlettpackard_lustre_exporter");
    // Nothing says when files of job_stats were read.
    expect(ingested("trees", place)).toMatchObject({ code: 3, new: 5 });
    const [rows, differences] = await ask(
      "trees",
      "select target, kind, count(*)::int as n from readings group by all order by all",
      "select count(*)::int as n from targets",
    );
    expect(rows).toEqual([
      { target: "MDT0000", kind: "md_stats", n: 1 },
      ...["OST0000", "OST0002", "OST0004", "OST0006"].map((target) => ({ target, kind: "ost_stats", n: 1 })),
    ]);
    // Each file was read once, so nothing happened between two readings.
    expect(differences).toEqual([{ n: 0 }]);
  });
});
