import { cmfChart, drawnPart, known } from "./charts.ts";
import { defineItem, drawn, number, share } from "./item.ts";
import { prepare } from "./prepare.ts";
import { matrixTable } from "./tables.ts";

export const a09 = defineItem({
  id: "A09",
  definition: "A09@1",
  title: "Consecutive runs (figure 5b, finding 4)",
  about:
    "Per file and type the mean length of its streaks (A07). A file without runs of a type counts with 0 (absentType zero) or not at all (exclude). 'Exactly 2' is asked of the rounded mean; '2 or more' of the mean itself, or of the rounded mean with streakShare rounded.",
  reading:
    "Long read streaks beside short write streaks: data is produced a few times and consumed many times.",
  options: ["absentType", "streakShare", "partial"],
  published: {
    readMean: 14,
    writeMean: 4,
    readAtLeast2: 0.8,
    writeAtLeast2: 0.65,
    readExactly2: 0.65,
    writeExactly2: 0.5,
    readOverWrite: 4.3,
  },
  async measure(db, options) {
    const prepared = await prepare(db, options);
    await matrixTable(prepared);
    const value = (name: string) => (options.absentType === "zero" ? name : `nullif(${name}, 0)`);
    const asked = (name: string) => (options.streakShare === "rounded" ? `round(${name})` : name);
    const side = (
      name: string,
      as: string,
    ) => `count(${value(name)}) as n_${as}, avg(${value(name)}) as mean_${as},
      count(*) filter (${asked(name)} >= 2) as least_${as}, count(*) filter (round(${name}) >= 2) as round_${as},
      count(*) filter (round(${name}) = 2) as two_${as}, count(*) filter (${name} = 0) as absent_${as}`;
    const [row] = await db.rows(
      `select ${side("streak_read", "r")}, ${side("streak_write", "w")}, count(streak_read) as n from reuse_matrix`,
    );
    const n = number(row?.n);
    const [reads, writes] = [number(row?.n_r), number(row?.n_w)];
    const [readMean, writeMean] = [number(row?.mean_r), number(row?.mean_w)];
    const part = drawnPart(prepared.files, "file_no");
    const lengths = (column: string) =>
      known(db, value(column), `reuse_matrix where ${value(column)} is not null and ${part.where}`);
    const series = [
      {
        name: "read runs",
        role: "read" as const,
        values: await lengths("streak_read"),
        mean: readMean,
        n: reads,
      },
      {
        name: "write runs",
        role: "write" as const,
        values: await lengths("streak_write"),
        mean: writeMean,
        n: writes,
      },
    ];
    return {
      n,
      unit: "files",
      dropped: {
        "files without an access in sequence": prepared.files - n,
        ...(options.absentType === "exclude"
          ? {
              "files without read runs": number(row?.absent_r),
              "files without write runs": number(row?.absent_w),
            }
          : {}),
      },
      values: {
        readMean,
        writeMean,
        readOverWrite: writeMean > 0 ? readMean / writeMean : Number.NaN,
        readAtLeast2: share(number(row?.least_r), reads),
        writeAtLeast2: share(number(row?.least_w), writes),
        readExactly2: share(number(row?.two_r), reads),
        writeExactly2: share(number(row?.two_w), writes),
        readRoundedAtLeast2: share(number(row?.round_r), reads),
        writeRoundedAtLeast2: share(number(row?.round_w), writes),
        filesWithoutReads: number(row?.absent_r),
        filesWithoutWrites: number(row?.absent_w),
      },
      figures:
        n === 0
          ? []
          : [
              drawn({
                id: "figure-5b-consecutive-runs",
                title: "Mean number of consecutive runs of a type, per file",
                caption: `${n} files; dotted: means.${options.absentType === "zero" ? " A file without runs of a type counts with 0, which a log axis cannot show: its curve begins above 0 %." : ""}${part.note}`,
                summary: `A file sees ${readMean.toFixed(1)} read runs in a row on average, and ${writeMean.toFixed(1)} write runs.`,
                chart: cmfChart({ label: "mean streak", unit: "count", scale: "log" }, series),
              }),
            ],
    };
  },
});
