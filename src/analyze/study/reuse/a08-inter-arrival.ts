import { mean, passing, quantileOf } from "../../../base/statistics.ts";
import { cmfChart, drawnNote, drawnValues } from "../common/charts.ts";
import { defineItem, drawn, share } from "./item.ts";
import { prepare } from "./prepare.ts";

export const a08 = defineItem({
  id: "A08",
  from: "files",
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
    const { gapRead, gapWrite } = prepared.swept.sequences;
    const side = (gaps: Float64Array) => {
      const known = passing(gaps, (hours) => !Number.isNaN(hours));
      return {
        files: known.length,
        mean: mean(known),
        long: share(
          known.reduce((n, hours) => n + Number(hours >= options.gapHours), 0),
          known.length,
        ),
        median: quantileOf(known, 0.5),
        p80: quantileOf(known, 0.8),
      };
    };
    const [read, write] = [side(gapRead), side(gapWrite)];
    const [reads, writes] = [read.files, write.files];
    const series = () => [
      {
        name: "read runs",
        role: "read" as const,
        values: drawnValues(gapRead).map((hours) => hours * 3600),
        mean: read.mean * 3600,
        n: reads,
      },
      {
        name: "write runs",
        role: "write" as const,
        values: drawnValues(gapWrite).map((hours) => hours * 3600),
        mean: write.mean * 3600,
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
        readMeanHours: read.mean,
        writeMeanHours: write.mean,
        readP80Hours: read.p80,
        writeP80Hours: write.p80,
        readMedianHours: read.median,
        writeMedianHours: write.median,
        readLongShare: read.long,
        writeLongShare: write.long,
      },
      figures: () =>
        reads + writes === 0
          ? []
          : [
              drawn({
                id: "figure-5a-inter-arrival",
                title: "Mean time between runs of the same type, per file",
                caption: `${reads} files with two or more read runs, ${writes} with two or more write runs; dotted: means.${drawnNote(prepared.files)}`,
                summary: `On average ${read.mean.toFixed(1)} h pass between read runs of a file and ${write.mean.toFixed(1)} h between write runs.`,
                chart: cmfChart({ label: "mean gap", unit: "seconds", scale: "log" }, series()),
              }),
            ],
    };
  },
});
