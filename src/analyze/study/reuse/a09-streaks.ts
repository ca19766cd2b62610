import { mean } from "../../../base/statistics.ts";
import { cmfChart, drawnNote, drawnValues } from "../common/charts.ts";
import { defineItem, drawn, share } from "./item.ts";
import type { Column } from "./sweep/index.ts";

export const a09 = defineItem({
  id: "A09",
  from: "files",
  definition: "A09@1",
  title: "Consecutive runs",
  place: "figure 5b, finding 4",
  section: "reuse",
  about:
    "Per file and type the mean length of its streaks (A07). A file without runs of a type counts with 0 (absentType zero) or not at all (exclude). 'Exactly 2' uses the rounded mean; '2 or more' the mean itself, or the rounded mean with streakShare rounded.",
  reading:
    "Long read streaks and short write streaks mean that data is produced a few times and consumed many times.",
  options: ["absentType", "streakShare", "partial"],
  values: {
    readMean: ["none", "mean read streak", 14, "over 14"],
    writeMean: ["none", "mean write streak", 4, "below 4"],
    readOverWrite: ["ratio", "mean read streak / mean write streak", 4.3],
    readAtLeast2: ["share", "2 or more read runs", 0.8, "over 80 %"],
    writeAtLeast2: ["share", "2 or more write runs", 0.65, "over 65 %"],
    readExactly2: ["share", "exactly 2 read runs", 0.65],
    writeExactly2: ["share", "exactly 2 write runs", 0.5],
    readRoundedAtLeast2: ["share", "2 or more read runs, rounded mean"],
    writeRoundedAtLeast2: ["share", "2 or more write runs, rounded mean"],
    filesWithoutReads: ["count", "files without read runs"],
    filesWithoutWrites: ["count", "files without write runs"],
  },
  narrative: ({ number, text }) =>
    `${text("readAtLeast2")} of the files experience 2 or more consecutive read runs and ${text("writeAtLeast2")} 2 or more consecutive write runs (paper: over 80 % and over 65 %); 2 is the rounded mean of ${text("readExactly2")} and ${text("writeExactly2")} (65 % and 50 %). The mean is ${number("readMean")} read runs and ${number("writeMean")} write runs, a factor of ${number("readOverWrite")} (over 14, below 4, 4.3).`,
  async measure(prepared) {
    const { options } = prepared;
    const { streakRead, streakWrite } = prepared.scan.sequences;
    const asked = options.streakShare === "rounded" ? Math.round : (streak: number) => streak;
    const least = options.absentType === "zero" ? 0 : Number.MIN_VALUE;
    const countedOf = (streaks: Column) => streaks.passing((streak) => streak >= least);
    const side = (streaks: Column) => {
      const counted = countedOf(streaks);
      const part = (test: (streak: number) => boolean) =>
        share(
          counted.reduce((n, streak) => n + Number(test(streak)), 0),
          counted.length,
        );
      return {
        all: streaks.known().length,
        files: counted.length,
        mean: mean(counted),
        atLeast2: part((streak) => asked(streak) >= 2),
        rounded: part((streak) => Math.round(streak) >= 2),
        exactly2: part((streak) => Math.round(streak) === 2),
        absent: streaks.passing((streak) => streak === 0).length,
      };
    };
    const [read, write] = [side(streakRead), side(streakWrite)];
    const n = read.all;
    const series = () => [
      {
        name: "read runs",
        role: "read" as const,
        values: drawnValues(countedOf(streakRead)),
        mean: read.mean,
        n: read.files,
      },
      {
        name: "write runs",
        role: "write" as const,
        values: drawnValues(countedOf(streakWrite)),
        mean: write.mean,
        n: write.files,
      },
    ];
    return {
      n,
      unit: "files",
      dropped: {
        "files without an access in sequence": prepared.files - n,
        ...(options.absentType === "exclude"
          ? {
              "files without read runs": read.absent,
              "files without write runs": write.absent,
            }
          : {}),
      },
      values: {
        readMean: read.mean,
        writeMean: write.mean,
        readOverWrite: write.mean > 0 ? read.mean / write.mean : Number.NaN,
        readAtLeast2: read.atLeast2,
        writeAtLeast2: write.atLeast2,
        readExactly2: read.exactly2,
        writeExactly2: write.exactly2,
        readRoundedAtLeast2: read.rounded,
        writeRoundedAtLeast2: write.rounded,
        filesWithoutReads: read.absent,
        filesWithoutWrites: write.absent,
      },
      figures: () =>
        n === 0
          ? []
          : [
              drawn({
                id: "figure-5b-consecutive-runs",
                title: "Mean number of consecutive runs of a type, per file",
                caption: `${n} files; dotted: means.${options.absentType === "zero" ? " A file without runs of a type counts with 0, which a log axis cannot show: its curve begins above 0 %." : ""}${drawnNote(prepared.files)}`,
                summary: `A file sees ${read.mean.toFixed(1)} read runs in a row on average, and ${write.mean.toFixed(1)} write runs.`,
                chart: cmfChart({ label: "mean streak", unit: "count", scale: "log" }, series()),
              }),
            ],
    };
  },
});
