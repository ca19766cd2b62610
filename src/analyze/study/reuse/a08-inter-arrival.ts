import { mean, quantileIn } from "../../../base/statistics.ts";
import { cmfChart, drawnNote, drawnValues } from "../common/charts.ts";
import { defineItem, drawn, share } from "./item.ts";
import type { Column } from "./sweep/index.ts";

export const a08 = defineItem({
  id: "A08",
  from: "files",
  definition: "A08@1",
  title: "Inter-arrival times",
  place: "figure 5a, finding 3",
  section: "reuse",
  about:
    "Per file and type the mean gap between successive runs of that type (A07), for files with at least two. Mean, 80th percentile (linear interpolation) and the share of files with at least gapHours are over files.",
  reading:
    "The paper's sentence on 80 % of the files can mean the 80th percentile or the share above 50 h. Finding 3 says over two days for 80 % of the files, which is the share; both are printed.",
  options: ["gap", "gapHours", "partial"],
  values: {
    readFiles: ["count", "files with read gaps"],
    writeFiles: ["count", "files with write gaps"],
    readMeanHours: ["hours", "mean read gap", 47],
    writeMeanHours: ["hours", "mean write gap", 55],
    readP80Hours: ["hours", "80th percentile of read gaps", 50, "50 to 55 h"],
    writeP80Hours: ["hours", "80th percentile of write gaps", 55, "50 to 55 h"],
    readMedianHours: ["hours", "median read gap"],
    writeMedianHours: ["hours", "median write gap"],
    readLongShare: [
      "share",
      "files with a long mean read gap (50 h or more unless set)",
      0.8,
      "80 %, over 50 h",
    ],
    writeLongShare: [
      "share",
      "files with a long mean write gap (50 h or more unless set)",
      0.8,
      "80 %, over 50 h",
    ],
  },
  others: {
    gapDifference: ["ratio", "larger / smaller mean gap"],
  },
  narrative: ({ number, text }, { gapHours }) =>
    `The mean inter-arrival time of read runs experienced by a file is ${number("readMeanHours")} hours, that of write runs ${number("writeMeanHours")} hours (paper: 47 and 55). 80 % of the files have at most ${number("readP80Hours")} hours between read runs and ${number("writeP80Hours")} between write runs (paper: 50 to 55); ${text("readLongShare")} and ${text("writeLongShare")} of the files have a mean gap of ${String(gapHours)} h or more (paper: 80 %).`,
  async measure(prepared) {
    const { options } = prepared;
    const { gapRead, gapWrite } = prepared.scan.sequences;
    const side = (gaps: Column) => {
      const known = gaps.known();
      return {
        files: known.length,
        mean: mean(known),
        long: share(
          known.reduce((n, hours) => n + Number(hours >= options.gapHours), 0),
          known.length,
        ),
        median: quantileIn(known, 0.5),
        p80: quantileIn(known, 0.8),
      };
    };
    const [read, write] = [side(gapRead), side(gapWrite)];
    const [reads, writes] = [read.files, write.files];
    const series = () => [
      {
        name: "read runs",
        role: "read" as const,
        values: drawnValues(gapRead.values()).map((hours) => hours * 3600),
        mean: read.mean * 3600,
        n: reads,
      },
      {
        name: "write runs",
        role: "write" as const,
        values: drawnValues(gapWrite.values()).map((hours) => hours * 3600),
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
