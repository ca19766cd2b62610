/** What files and runs are: read or written, one-sided, and how much they move. */
import { claim, type Draft, MINIMUM } from "../../common/judge.ts";
import type { Evidence } from "./draft.ts";

export const f01 = ({ count, files, tableSettings, value }: Evidence): Draft => ({
  id: "F01",
  title: "Files are read-heavy, write-heavy or both",
  statement:
    "Most files are both read and written heavily; of the others more are read-heavy than write-heavy.",
  n: count("A05"),
  minimum: MINIMUM,
  unit: "files",
  claims: [
    claim("A05.readWriteShare", "more than half of the files are both", "above", 0.5, files.readWrite),
    {
      ...claim(
        "A05.readHeavyOverWriteHeavy",
        "more are read-heavy than write-heavy",
        "above",
        1,
        files.heavyRatio,
      ),
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
  minimum: MINIMUM,
  unit: "runs",
  claims: [
    claim("A06.oneSided95", "more than half of the runs are one-sided", "above", 0.5, runs.oneSided),
    claim("A06.readOverWrite", "read runs outnumber write runs", "above", 1, runs.readOverWrite),
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
  minimum: MINIMUM,
  unit: "runs",
  claims: [
    {
      ...claim(
        "A11.writeOverRead",
        "mean of write runs over mean of read runs",
        "above",
        1,
        runs.writeOverRead,
      ),
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
