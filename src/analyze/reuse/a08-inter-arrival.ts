import { cmfChart, drawnPart, known } from "./charts.ts";
import { defineItem, drawn, number, share } from "./item.ts";
import { prepare } from "./prepare.ts";
import { matrixTable } from "./tables.ts";

export const a08 = defineItem({
  id: "A08",
  definition: "A08@1",
  title: "Inter-arrival times (figure 5a, finding 3)",
  about:
    "Per file and type the mean gap between successive runs of that type (A07), for files with at least two. Mean, 80th percentile (linear interpolation) and the share of files with at least gapHours are over files.",
  reading:
    "The paper's sentence on 80 % of the files can be read as the 80th percentile or as the share beyond 50 h: both are printed.",
  options: ["gap", "gapHours", "partial"],
  published: { readMeanHours: 47, writeMeanHours: 55, readP80Hours: 50, writeP80Hours: 55 },
  async measure(db, options) {
    const prepared = await prepare(db, options);
    await matrixTable(prepared);
    const side = (name: string) => `count(${name}) as n_${name}, avg(${name}) as mean_${name},
      quantile_cont(${name}, 0.8) as p80_${name}, quantile_cont(${name}, 0.5) as p50_${name},
      count(*) filter (${name} >= ${options.gapHours}) as long_${name}`;
    const [row] = await db.rows(`select ${side("gap_read")}, ${side("gap_write")} from reuse_matrix`);
    const [reads, writes] = [number(row?.n_gap_read), number(row?.n_gap_write)];
    const part = drawnPart(prepared.files, "file_no");
    const [readMeanHours, writeMeanHours] = [number(row?.mean_gap_read), number(row?.mean_gap_write)];
    const hours = async (column: string) =>
      (await known(db, column, `reuse_matrix where ${column} is not null and ${part.where}`)).map(
        (v) => v * 3600,
      );
    const series = [
      {
        name: "read runs",
        role: "read" as const,
        values: await hours("gap_read"),
        mean: readMeanHours * 3600,
        n: reads,
      },
      {
        name: "write runs",
        role: "write" as const,
        values: await hours("gap_write"),
        mean: writeMeanHours * 3600,
        n: writes,
      },
    ];
    return {
      n: Math.max(reads, writes),
      unit: "files",
      dropped: {
        "files with fewer than two read runs": prepared.files - reads,
        "files with fewer than two write runs": prepared.files - writes,
      },
      values: {
        readFiles: reads,
        writeFiles: writes,
        readMeanHours,
        writeMeanHours,
        readP80Hours: number(row?.p80_gap_read),
        writeP80Hours: number(row?.p80_gap_write),
        readMedianHours: number(row?.p50_gap_read),
        writeMedianHours: number(row?.p50_gap_write),
        readLongShare: share(number(row?.long_gap_read), reads),
        writeLongShare: share(number(row?.long_gap_write), writes),
      },
      figures:
        reads + writes === 0
          ? []
          : [
              drawn({
                id: "figure-5a-inter-arrival",
                title: "Mean time between runs of the same type, per file",
                caption: `${reads} files with two or more read runs, ${writes} with two or more write runs; dotted: means.${part.note}`,
                summary: `On average ${readMeanHours.toFixed(1)} h pass between read runs of a file and ${writeMeanHours.toFixed(1)} h between write runs.`,
                chart: cmfChart({ label: "mean gap", unit: "seconds", scale: "log" }, series),
              }),
            ],
    };
  },
});
