/** What files and runs are: read or written, one-sided, and how much they move. */
import { above, type Draft } from "../../common/judge.ts";
import type { Evidence } from "./draft.ts";

export const f01 = ({ count, files, tableSettings, value }: Evidence): Draft => ({
  id: "F01",
  title: "Files are read-heavy, write-heavy or both",
  statement:
    "Most files are both read and written heavily; of the others more are read-heavy than write-heavy.",
  n: count("A05"),
  unit: "files",
  claims: [
    above("A05.readWriteShare", 0.5, "more than half of the files are both", files.readWrite),
    {
      ...above("A05.readHeavyOverWriteHeavy", 1, "more are read-heavy than write-heavy", files.heavyRatio),
      measured: value("A05.readHeavy") / value("A05.writeHeavy"),
      published: 22 / 7,
    },
  ],
  sensitivity: tableSettings("A05.readWriteShare", "class-sensitivity", 3),
});

export const f02 = ({ count, runs }: Evidence): Draft => ({
  id: "F02",
  title: "Runs do one type of I/O",
  statement: "Most runs only read or only write, and more read than write.",
  n: count("A06"),
  unit: "runs",
  claims: [
    above("A06.oneSided95", 0.5, "more than half of the runs are one-sided", runs.oneSided),
    above("A06.readOverWrite", 1, "read runs outnumber write runs", runs.readOverWrite),
  ],
  sensitivity: [
    ["|r - w|/(r + w) >= 0.9", "A06.oneSided90"],
    ["|r - w|/(r + w) >= 0.95", "A06.oneSided95"],
    ["|r - w|/(r + w) >= 0.99", "A06.oneSided99"],
  ],
});

export const f06 = ({ count, runs }: Evidence): Draft => ({
  id: "F06",
  title: "Write runs move more data than read runs",
  statement: "A write run moves more data than a read run on average.",
  n: count("A11"),
  unit: "runs",
  claims: [
    {
      ...above("A11.writeOverRead", 1, "mean of write runs / mean of read runs", runs.writeOverRead),
      published: 25 / 17,
    },
  ],
  sensitivity: [
    ["mean, read runs", "A11.readMeanBytes"],
    ["mean, write runs", "A11.writeMeanBytes"],
    ["median, read runs", "A11.readMedianBytes"],
    ["median, write runs", "A11.writeMedianBytes"],
  ],
});
