/** Critical time from the heat map: phases that wait for different ranks. */
import { describe, expect, it } from "vitest";
import type { Application } from "../../../generate/single/application.ts";
import { plannedJob } from "../test-kit.ts";

const MIB = 1024 ** 2;

/** Two steps with computing between them; in each, the ranks write a number of pieces of 4 MiB to files of their own. */
function steps(app: Application, pieces: readonly (readonly number[])[]): void {
  const files = pieces[0]?.map((_, rank) => app.lustre(`own.${rank}`, [rank])) ?? [];
  pieces.forEach((step, at) => {
    app.compute(at === 0 ? 1 : 5);
    step.forEach((count, rank) => {
      const file = files[rank] as string;
      if (at === 0) app.open("POSIX", rank, file);
      for (let i = 0; i < count; i++)
        app.write("POSIX", rank, file, { offset: (at * 1000 + i) * 4 * MIB, bytes: 4 * MIB });
      if (at === pieces.length - 1) app.close("POSIX", rank, file);
    });
    app.barrier();
  });
}

const job = (pieces: readonly (readonly number[])[], heatmap = true) =>
  plannedJob(4, (app) => {
    steps(app, pieces);
    return app.plan("test", { heatmap });
  });

describe("critical time from the heat map", () => {
  const turns = [
    [200, 20, 20, 20],
    [20, 20, 200, 20],
  ];

  it("adds up what each phase waits for, where that is another rank each time", () => {
    const [seen, counted] = [job(turns), job(turns, false)];
    expect([seen.ledger.isTraced, counted.ledger.isTraced]).toEqual([true, false]);
    // 400 pieces one after another instead of the 220 of the busiest rank.
    expect(seen.ledger.seconds / counted.ledger.seconds).toBeCloseTo(400 / 220, 1);
    expect(seen.ledger.countedSeconds).toBeCloseTo(counted.ledger.countedSeconds, 9);
  });

  it("costs only the phases of a rank that is mended", () => {
    const { ledger, files } = job(turns);
    const first = files.find(({ called }) => called.slowestRank === 0)?.called;
    if (first === undefined) throw new Error("no file of rank 0");
    const gain = ledger.gain({ healthy: [{ record: first, remains: 40 / 220 }] });
    // Of 200 pieces in the first phase 36 remain, or the 20 that others write meanwhile.
    expect(gain / ledger.seconds).toBeGreaterThan(0.35);
    expect(gain / ledger.seconds).toBeLessThan(0.5);
  });

  it("leaves one phase, and files that ranks share, to the counters", () => {
    expect(job([[100, 10, 10, 10]]).ledger.isTraced).toBe(false);
  });
});
