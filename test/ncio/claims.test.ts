// Numbers and curves of the NCIO paper beside those of a sweep: planted worlds in which every relation holds, none does, or nothing is known.

import { describe, expect, it } from "vitest";
import { claimsOf } from "../../src/ncio/judge/index.ts";
import { type Planted, plantedSweep } from "./advice-kit.ts";

const MB = 1e6;

/** As the text of the paper has it: 389 MB/s at best, holes in the file below 5 % of that, and so on. */
function paperRate({ method, case: name, count, size, spacing }: Planted): number {
  const more = (count / 4096) ** 0.5 * (size / 8) ** 0.3;
  if (name === "c-c") return (method === "two-phase" ? 32 - 8 * Math.min(2, count / 8192) : 24) * more * MB;
  if (name === "nc-c") {
    const fall = count > 16_384 ? 0.2 : 1;
    return { posix: 0.145, list: 2, datatype: 24 * fall, "two-phase": 31, sieving: 1 }[method] * MB;
  }
  const far = (128 / (spacing - size + 8)) ** (method === "two-phase" ? 1 : 0.4);
  const fall = method === "datatype" && count > 16_384 ? 0.2 : 1;
  const base = { posix: 0.04, list: 0.1, datatype: 0.25 * fall, "two-phase": 0.9, sieving: 0.1 }[method];
  return base * far * (size / 8) ** 0.1 * MB;
}

const judged = (spec: Parameters<typeof plantedSweep>[0]) =>
  new Map(claimsOf(plantedSweep(spec)).map((claim) => [claim.id, claim]));

describe("the claims of sections 4 and 5", () => {
  it("are confirmed where each relation was planted, beside the published numbers", () => {
    const found = judged({
      rate: paperRate,
      change: (point) => ({
        ...point,
        bandwidthWithoutSyncBytesPerSecond: 4 * point.bandwidthBytesPerSecond,
        syncSeconds: point.method === "datatype" ? 2061 : 18,
        lateSeconds: 1,
        punctualSeconds: point.method === "two-phase" ? 1.1 : 0.1,
      }),
    });
    expect([...found.values()].map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(
      Array.from({ length: 18 }, (_, i) => `S${i + 1} confirmed`),
    );
    expect(found.get("S1")?.measured).toBe("25 %");
    expect(found.get("S7")?.measured).toBe("115× (2060 s over 18 s)");
    expect(found.get("S14")?.measured).toMatch(/^166×/);
    expect(found.get("S15")?.measured).toBe("1,080 B");
    expect(found.get("S17")?.measured).toBe("11×");
  });

  it("are refuted by the opposite", () => {
    const found = judged({
      rate: (planted) => 1e12 / paperRate(planted),
      change: (point) => ({
        ...point,
        bandwidthWithoutSyncBytesPerSecond: point.bandwidthBytesPerSecond,
        syncSeconds: point.method === "datatype" ? 1 : 18,
      }),
    });
    for (const id of ["S1", "S2", "S3", "S5", "S6", "S7", "S8", "S10", "S13", "S14", "S15", "S16"])
      expect([id, found.get(id)?.verdict]).toEqual([id, "refuted"]);
    expect(found.get("S17")).toMatchObject({ verdict: "not measured", where: "needs --late" });
  });

  it("tell how far methods are apart at most", () => {
    const found = (times: number) =>
      judged({ rate: ({ method }) => (method === "posix" ? 1e6 : times * 1e6) }).get("S18");
    expect(found(3)).toMatchObject({ verdict: "refuted", measured: expect.stringMatching(/^3×/) });
    expect(found(250)).toMatchObject({ verdict: "confirmed", measured: expect.stringMatching(/^250×/) });
  });

  it("say nothing of what was not measured, and nothing sure from one repeat", () => {
    const few = judged({ rate: paperRate, repeats: 1 });
    expect(few.get("S5")?.verdict).toBe("not enough samples");
    expect(few.get("S7")?.verdict).toBe("not enough samples");
    const none = judged({ rate: paperRate, cases: ["nc-nc"], variables: { size: [8] } });
    expect(
      new Set([...none.values()].map(({ id, verdict }) => (["S1", "S18"].includes(id) ? "" : verdict))),
    ).toEqual(new Set(["", "not measured"]));
  });
});
