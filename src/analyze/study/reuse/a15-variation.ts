import { mean, quantileIn } from "../../../base/statistics.ts";
import { cmfChart, drawnNote, drawnValues } from "../common/charts.ts";
import { defineItem, drawn, share } from "./item.ts";
import type { Column } from "./sweep/index.ts";

export const a15 = defineItem({
  id: "A15",
  from: "files",
  definition: "A15@1",
  title: "Variation from run to run",
  place: "figures 10a and 10b, finding 10",
  section: "variation",
  about:
    "Per file the coefficient of variation, sd / mean, over its runs of (a) bytes and (b) I/O time. Both types together, or read and write runs separately (covRuns per-type: one value per file and type). Needs two runs and a mean above zero.",
  reading: "If times vary and amounts hardly do, the variation comes from the storage.",
  options: ["ioTime", "ddof", "covRuns", "metadataOnly", "partial", "classRule", "classThreshold"],
  values: {
    meanCovBytes: ["share", "mean CoV of data", 0.12],
    meanCovTime: ["share", "mean CoV of I/O time", 0.39],
    below5PercentBytes: ["share", "CoV of data below 5 %", 0.8, "over 80 %"],
    medianCovBytes: ["share", "median CoV of data"],
    medianCovTime: ["share", "median CoV of I/O time"],
    readHeavyMeanCovBytes: ["share", "mean CoV of data, read-heavy", undefined, "least"],
    writeHeavyMeanCovBytes: ["share", "mean CoV of data, write-heavy", 0.35],
    readWriteMeanCovBytes: ["share", "mean CoV of data, read- and write-heavy"],
    readHeavyMeanCovTime: ["share", "mean CoV of I/O time, read-heavy", 0.68],
    writeHeavyMeanCovTime: ["share", "mean CoV of I/O time, write-heavy"],
    readWriteMeanCovTime: ["share", "mean CoV of I/O time, read- and write-heavy"],
    filesBytes: ["count", "files with a CoV of data"],
    filesTime: ["count", "files with a CoV of I/O time"],
  },
  others: {
    timeOverBytes: ["ratio", "CoV of I/O time / CoV of data"],
    readHeavyOverAll: ["ratio", "CoV of I/O time, read-heavy / all"],
  },
  narrative: ({ text }) =>
    `${text("below5PercentBytes")} of the files have a variation of data below 5 % from run to run (paper: over 80 %). The mean variation of data is ${text("meanCovBytes")} (12 %), that of I/O time ${text("meanCovTime")} (39 %). Write-heavy files vary by ${text("writeHeavyMeanCovBytes")} in data (35 %), read-heavy files by ${text("readHeavyMeanCovTime")} in time (68 %).`,
  async measure(prepared) {
    const { options } = prepared;
    const { classes, scan } = prepared;
    const { covBytes, covTime, types } = scan.spreads;
    const perType = options.covRuns === "per-type";
    const files = perType ? types.file.values() : undefined;
    const side = (column: Column) => {
      const known = column.known();
      const classMean = (code: number) =>
        mean(column.passing((value, i) => !Number.isNaN(value) && classes[files?.[i] ?? i] === code));
      return {
        column,
        n: known.length,
        mean: mean(known),
        median: quantileIn(known, 0.5),
        below5: share(
          known.reduce((n, value) => n + Number(value < 0.05), 0),
          known.length,
        ),
        readHeavy: classMean(1),
        writeHeavy: classMean(-1),
        readWrite: classMean(0),
      };
    };
    const bytes = side(perType ? types.covBytes : covBytes);
    const time = side(perType ? types.covTime : covTime);
    const [nBytes, nTime] = [bytes.n, time.n];
    const figure = (id: string, title: string, one: typeof bytes) =>
      drawn({
        id,
        title,
        caption: `${one.n} files with two or more runs; dotted: mean.${drawnNote(one.n)}`,
        summary: `The mean coefficient of variation is ${(100 * one.mean).toFixed(1)} %.`,
        chart: cmfChart({ label: "coefficient of variation", unit: "share" }, [
          {
            name: perType ? "files and types" : "files",
            role: "neutral",
            values: drawnValues(one.column.known()),
            mean: one.mean,
            n: one.n,
          },
        ]),
      });
    const all = files?.length ?? prepared.files;
    return {
      n: Math.max(nBytes, nTime),
      unit: perType ? "files and types" : "files",
      dropped: {
        "without a variation of bytes (fewer than two runs, or no bytes)": all - nBytes,
        "without a variation of I/O time (fewer than two runs, or no time)": all - nTime,
      },
      values: {
        meanCovBytes: bytes.mean,
        meanCovTime: time.mean,
        below5PercentBytes: bytes.below5,
        medianCovBytes: bytes.median,
        medianCovTime: time.median,
        readHeavyMeanCovBytes: bytes.readHeavy,
        writeHeavyMeanCovBytes: bytes.writeHeavy,
        readWriteMeanCovBytes: bytes.readWrite,
        readHeavyMeanCovTime: time.readHeavy,
        writeHeavyMeanCovTime: time.writeHeavy,
        readWriteMeanCovTime: time.readWrite,
        filesBytes: nBytes,
        filesTime: nTime,
      },
      figures: () => [
        ...(nBytes > 0
          ? [figure("figure-10a-variation-of-data", "Variation of data from run to run", bytes)]
          : []),
        ...(nTime > 0
          ? [figure("figure-10b-variation-of-time", "Variation of I/O time from run to run", time)]
          : []),
      ],
    };
  },
});
