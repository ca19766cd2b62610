import { cmfChart, drawnPart, known } from "./charts.ts";
import { defineItem, drawn, number, share } from "./item.ts";
import { prepare } from "./prepare.ts";

/** How one-sided a run is: 0 when it reads as much as it writes, 1 when it does one of the two only. */
export const ONE_SIDED = "abs(cast(r - w as double)) / cast(r + w as double)";
export const MOVING = "complete and r is not null and w is not null and r + w > 0";

export const a06 = defineItem({
  id: "A06",
  definition: "A06@1",
  title: "One-sided runs (figure 3b, finding 2)",
  about:
    "Per run x = |r - w|/(r + w) with r and w its bytes to the selected files. A run is a read run when r > w, a write run when r < w; r = w is balanced, counted, and in neither class. One-sided from x = oneSided on; the shares are of the runs that moved bytes.",
  reading:
    "Values near 1 are runs that only read or only write; a curve that rises at the right end says that most do.",
  options: ["oneSided", "runBytes", "partial"],
  published: { runs: 400e3, oneSided95: 0.82, readShare: 0.69, writeShare: 0.31, readOverWrite: 2.2 },
  async measure(db, options) {
    const { runs } = await prepare(db, options);
    const [row] =
      await db.rows(`select count(*) as n, count(*) filter (r > w) as reads, count(*) filter (r < w) as writes,
      count(*) filter (r = w) as balanced, count(*) filter (x >= 0.9) as x90, count(*) filter (x >= 0.95) as x95,
      count(*) filter (x >= 0.99) as x99, count(*) filter (x >= ${options.oneSided}) as x_option, avg(x) as mean
      from (select r, w, ${ONE_SIDED} as x from reuse_runs where ${MOVING})`);
    const [dropped] = await db.rows(`select count(*) filter (not complete) as partial,
      count(*) filter (complete and r + w = 0) as zero, count(*) filter (complete and (r is null or w is null)) as unknown
      from reuse_runs`);
    const n = number(row?.n);
    const [reads, writes] = [number(row?.reads), number(row?.writes)];
    const part = drawnPart(n, "run_id");
    const values = await known(db, ONE_SIDED, `reuse_runs where ${MOVING} and ${part.where}`);
    const oneSided95 = share(number(row?.x95), n);
    return {
      n,
      unit: "runs",
      dropped: {
        "runs that moved no bytes": number(dropped?.zero),
        "runs with incomplete records": number(dropped?.partial),
        "runs without recorded bytes": number(dropped?.unknown),
      },
      values: {
        runs,
        readRuns: reads,
        writeRuns: writes,
        balanced: number(row?.balanced),
        readShare: share(reads, reads + writes),
        writeShare: share(writes, reads + writes),
        readOverWrite: share(reads, writes),
        oneSided90: share(number(row?.x90), n),
        oneSided95,
        oneSided99: share(number(row?.x99), n),
        oneSided: share(number(row?.x_option), n),
        meanDifference: number(row?.mean),
      },
      figures:
        n === 0
          ? []
          : [
              drawn({
                id: "figure-3b-one-sided-runs",
                title: "How one-sided runs are",
                caption: `Cumulative share of ${n} runs; dotted: mean.${part.note}`,
                summary: `${(100 * oneSided95).toFixed(1)} % of ${n} runs have |r - w|/(r + w) of 0.95 or more.`,
                chart: cmfChart(
                  { label: "|read - written| / (read + written)", unit: "none", scale: "linear" },
                  [{ name: "runs", role: "neutral", values, mean: number(row?.mean), n }],
                ),
              }),
            ],
    };
  },
});
