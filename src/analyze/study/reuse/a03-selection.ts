import { defineItem, number, share } from "./item.ts";

export const a03 = defineItem({
  id: "A03",
  definition: "A03@1",
  title: "Selection of I/O-intensive files",
  place: "section 2.2",
  section: "data",
  about:
    "Files with at least minBytes moved and at least minRuns runs over the period. All later items study these files and the runs that use them.",
  reading: "The share of all bytes shows how much of the centre's I/O the study covers.",
  options: ["minBytes", "minRuns", "period", "zone", "excludeMounts"],
  values: {
    files: ["count", "files", 8500, "about 8,500"],
    largeFiles: ["count", "files with at least minBytes"],
    filesOfSeveralRuns: ["count", "files with at least minRuns runs"],
    shareOfBytes: ["share", "share of all bytes", 7.8 / 12.8, "60.9 % (follows from 7.8 of 12.8 PB)"],
  },
  narrative: ({ text }) =>
    `${text("files")} files are I/O-intensive. They carry ${text("shareOfBytes")} of all data; the paper's 8,500 files carried 61 %.`,
  async measure(prepared) {
    const { db } = prepared;
    const { files } = prepared;
    const input = await prepared.input();
    const total = "(bytes_read + bytes_written)";
    const [row] =
      await db.rows(`select coalesce(sum(files), 0) as n, coalesce(sum(files) filter (large), 0) as large,
      coalesce(sum(files) filter (often), 0) as often from reuse_grouped`);
    const [selected] = await db.rows(`select coalesce(sum(${total}), 0) as bytes from reuse_selected`);
    return {
      n: number(row?.n),
      unit: "files",
      values: {
        files,
        largeFiles: number(row?.large),
        filesOfSeveralRuns: number(row?.often),
        shareOfBytes: share(number(selected?.bytes), Number(input.bytesRead + input.bytesWritten)),
      },
    };
  },
});
