import { defineItem, number, share, table } from "./item.ts";

const CLASSES = [
  [1, "read-heavy"],
  [-1, "write-heavy"],
  [0, "both"],
] as const;

export const a17 = defineItem({
  id: "A17",
  definition: "A17@1",
  title: "Classes of files and types of their runs (section 2.3)",
  section: "types",
  about:
    "File runs of the selected files by class of the file (A05) and by what the run did with the file: a read run moved more bytes from it than to it, a write run more to it, even runs as many. Complete file runs that moved bytes count.",
  reading:
    "The paper says in words that read-heavy files are mostly read by read runs, write-heavy files mostly written by write runs, and that both kinds work on the others.",
  options: ["period", "minBytes", "minRuns", "classRule", "classThreshold"],
  values: {
    readHeavyByReads: ["share", "read runs, of the runs of read-heavy files", undefined, "mostly"],
    writeHeavyByWrites: ["share", "write runs, of the runs of write-heavy files", undefined, "mostly"],
    bothByReads: ["share", "read runs, of the runs of the others", undefined, "both"],
    bothByWrites: ["share", "write runs, of the runs of the others", undefined, "both"],
  },
  narrative: ({ text }) =>
    `${text("readHeavyByReads")} of the runs of read-heavy files are read runs, ${text("writeHeavyByWrites")} of those of write-heavy files are write runs; the other files see ${text("bothByReads")} read runs and ${text("bothByWrites")} write runs (paper: mostly, mostly, and both).`,
  async measure({ db }) {
    const rows = await db.rows(`select s.class, if(r > w, 1, if(w > r, -1, 0)) as type, count(*) as runs,
        sum(cast(r as double) + w) as bytes
      from reuse_input a join reuse_selected s on a.file_id = s.file_id and a.mount_no = s.mount_no
      where not is_partial and r is not null and w is not null and greatest(r, w) > 0 and s.class is not null
      group by all`);
    const cell = (code: number, type: number) => {
      const found = rows.find((row) => number(row.class) === code && number(row.type) === type);
      return { runs: number(found?.runs) || 0, bytes: number(found?.bytes) || 0 };
    };
    const all = (code: number) => [1, -1, 0].reduce((sum, type) => sum + cell(code, type).runs, 0);
    const of = (code: number, type: number) => share(cell(code, type).runs, all(code));
    const n = CLASSES.reduce((sum, [code]) => sum + all(code), 0);
    return {
      n,
      unit: "file runs",
      values: {
        readHeavyByReads: of(1, 1),
        writeHeavyByWrites: of(-1, -1),
        bothByReads: of(0, 1),
        bothByWrites: of(0, -1),
      },
      tables:
        n === 0
          ? []
          : [
              table(
                "classes-and-runs",
                "File runs by class of the file and type of the run.",
                [
                  ["class", "Class", "text", "Of the file (A05)."],
                  ["readRuns", "Read runs", "count", "Moved more bytes from the file than to it."],
                  ["writeRuns", "Write runs", "count", "Moved more bytes to the file."],
                  ["evenRuns", "Even", "count", "Moved as many both ways."],
                  ["readShare", "Read", "share", "Read runs of all."],
                  ["writeShare", "Write", "share", "Write runs of all."],
                  ["bytes", "Data", "bytes", "Moved by all of them."],
                ],
                CLASSES.map(([code, name]) => [
                  name,
                  cell(code, 1).runs,
                  cell(code, -1).runs,
                  cell(code, 0).runs,
                  of(code, 1),
                  of(code, -1),
                  [1, -1, 0].reduce((sum, type) => sum + cell(code, type).bytes, 0),
                ]),
              ),
            ],
    };
  },
});
