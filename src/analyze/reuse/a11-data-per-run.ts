import { cmfChart, drawnPart, known } from "./charts.ts";
import { MOVING } from "./a06-one-sided-runs.ts";
import { defineItem, drawn, exact, number } from "./item.ts";
import { prepare } from "./prepare.ts";

export const a11 = defineItem({
  id: "A11",
  definition: "A11@1",
  title: "Data per run (figure 6, finding 6)",
  about:
    "Per run the bytes that it moved to and from selected files, for read runs and write runs (A06) apart.",
  reading:
    "These means are over runs; A13's are over files, and larger. Published values are derived from the totals: 4.7 PB over 69 % and 3.1 PB over 31 % of 400,000 runs.",
  options: ["runBytes", "partial"],
  published: { readMeanBytes: 17e9, writeMeanBytes: 25e9, meanBytes: 19.5e9 },
  async measure(db, options) {
    const { runs } = await prepare(db, options);
    const type = "case when r > w then 1 when r < w then -1 else 0 end";
    const rows = await db.rows(`select ${type} as type, count(*) as n, sum(r) + sum(w) as bytes,
      avg(cast(r + w as double)) as mean, quantile_cont(cast(r + w as double), 0.5) as median
      from reuse_runs where ${MOVING} group by 1`);
    const of = (code: number) => rows.find((row) => number(row.type) === code);
    const [read, write] = [of(1), of(-1)];
    const n = rows.reduce((sum, row) => sum + number(row.n), 0);
    const bytes = rows.reduce((sum, row) => sum + exact(row.bytes), 0n);
    const part = drawnPart(runs, "run_id");
    const amounts = (where: string) =>
      known(db, "cast(r + w as double)", `reuse_runs where ${MOVING} and ${where} and ${part.where}`);
    const [readMean, writeMean] = [number(read?.mean), number(write?.mean)];
    return {
      n,
      unit: "runs",
      dropped: { "runs that moved no bytes or are incomplete": runs - n },
      values: {
        readMeanBytes: readMean,
        writeMeanBytes: writeMean,
        writeOverRead: writeMean / readMean,
        meanBytes: n === 0 ? Number.NaN : Number(bytes) / n,
        readMedianBytes: number(read?.median),
        writeMedianBytes: number(write?.median),
        readRunsBytes: exact(read?.bytes),
        writeRunsBytes: exact(write?.bytes),
        balancedRunsBytes: exact(of(0)?.bytes),
        bytes,
      },
      notes: ["Means over runs, not over files."],
      figures:
        n === 0
          ? []
          : [
              drawn({
                id: "figure-6c-data-per-run",
                title: "Data per run",
                caption: `${number(read?.n) || 0} read runs and ${number(write?.n) || 0} write runs; dotted: means over runs.${part.note}`,
                summary: "Cumulative share of runs by the data that they moved.",
                chart: cmfChart({ label: "data of a run", unit: "bytes", scale: "log" }, [
                  {
                    name: "read runs",
                    role: "read",
                    values: await amounts("r > w"),
                    mean: readMean,
                    n: number(read?.n),
                  },
                  {
                    name: "write runs",
                    role: "write",
                    values: await amounts("r < w"),
                    mean: writeMean,
                    n: number(write?.n),
                  },
                ]),
              }),
            ],
    };
  },
});
