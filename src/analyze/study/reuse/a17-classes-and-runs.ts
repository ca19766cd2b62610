import { defineItem, share, table } from "./item.ts";
import { BALANCED_TYPE, READ_TYPE, WRITE_TYPE } from "./sweep/index.ts";

const CLASSES = [
  [1, "read-heavy"],
  [-1, "write-heavy"],
  [0, "both"],
] as const;

export const a17 = defineItem({
  id: "A17",
  from: "files",
  definition: "A17@1",
  title: "Classes of files and types of their runs",
  place: "section 2.3",
  section: "types",
  about:
    "File runs of the selected files by class of the file (A05) and type of the run: a read run moved more bytes from the file than to it, a write run more to it, a balanced run equally many. Only complete file runs that moved bytes count.",
  reading:
    "The paper says without numbers that read-heavy files are mostly read by read runs, write-heavy files mostly written by write runs, and that both kinds use the others.",
  options: ["period", "minBytes", "minRuns", "classRule", "classThreshold", "partial"],
  values: {
    readHeavyByReads: ["share", "share of read runs, read-heavy files", undefined, "mostly"],
    writeHeavyByWrites: ["share", "share of write runs, write-heavy files", undefined, "mostly"],
    bothByReads: ["share", "share of read runs, other files", undefined, "both"],
    bothByWrites: ["share", "share of write runs, other files", undefined, "both"],
  },
  narrative: ({ text }) =>
    `${text("readHeavyByReads")} of the runs of read-heavy files are read runs, ${text("writeHeavyByWrites")} of those of write-heavy files are write runs; the other files see ${text("bothByReads")} read runs and ${text("bothByWrites")} write runs (paper: mostly, mostly, and both).`,
  async measure({ scan: { types } }) {
    const sum = (code: number, of: "runs" | "bytes") =>
      [READ_TYPE, WRITE_TYPE, BALANCED_TYPE].reduce((all, type) => all + types.cell(code, type)[of], 0);
    const of = (code: number, type: number) => share(types.cell(code, type).runs, sum(code, "runs"));
    const n = CLASSES.reduce((all, [code]) => all + sum(code, "runs"), 0);
    return {
      n,
      unit: "file runs",
      values: {
        readHeavyByReads: of(1, READ_TYPE),
        writeHeavyByWrites: of(-1, WRITE_TYPE),
        bothByReads: of(0, READ_TYPE),
        bothByWrites: of(0, WRITE_TYPE),
      },
      tables:
        n === 0
          ? []
          : [
              table(
                "classes-and-runs",
                "File runs by class of the file and type of the run.",
                [
                  ["class", "Class", "text", "Class of the file (A05)."],
                  ["readRuns", "Read runs", "count", "Moved more bytes from the file than to it."],
                  ["writeRuns", "Write runs", "count", "Moved more bytes to the file."],
                  ["evenRuns", "Even", "count", "Read and wrote equally many bytes."],
                  ["readShare", "Read", "share", "Share of read runs."],
                  ["writeShare", "Write", "share", "Share of write runs."],
                  ["bytes", "Data", "bytes", "Bytes moved by all of these file runs."],
                ],
                CLASSES.map(([code, name]) => [
                  name,
                  types.cell(code, READ_TYPE).runs,
                  types.cell(code, WRITE_TYPE).runs,
                  types.cell(code, BALANCED_TYPE).runs,
                  of(code, READ_TYPE),
                  of(code, WRITE_TYPE),
                  sum(code, "bytes"),
                ]),
              ),
            ],
    };
  },
});
