/** How files are used again: how long they rest, how often they are consumed, who shares them. */
import { larger } from "../intervals.ts";
import { claim, type Draft, MINIMUM } from "../../common/judge.ts";
import type { Evidence } from "./draft.ts";

export const f03 = ({ files, options, value }: Evidence): Draft => ({
  id: "F03",
  title: "Files rest for days between runs of a type",
  statement:
    "Read runs and write runs of a file have similar gaps, of two days and more at the 80th percentile.",
  n: Math.min(value("A08.readFiles") || 0, value("A08.writeFiles") || 0),
  minimum: MINIMUM,
  unit: "files",
  claims: [
    claim("A08.readP80Hours", "80th percentile of the read gaps beyond two days", "above", 48, files.readP80),
    claim(
      "A08.writeP80Hours",
      "80th percentile of the write gaps beyond two days",
      "above",
      48,
      files.writeP80,
    ),
    {
      ...claim(
        "A08.gapDifference",
        "mean gaps differ by less than a factor of two",
        "below",
        2,
        files.gapRatio,
      ),
      measured: larger(value("A08.readMeanHours"), value("A08.writeMeanHours")),
      published: 55 / 47,
    },
  ],
  sensitivity: [
    ["mean gap, read", "A08.readMeanHours"],
    ["mean gap, write", "A08.writeMeanHours"],
    ["median gap, read", "A08.readMedianHours"],
    ["median gap, write", "A08.writeMedianHours"],
    [`share of files from ${options.gapHours} h on, read`, "A08.readLongShare"],
    [`share of files from ${options.gapHours} h on, write`, "A08.writeLongShare"],
  ],
});

export const f04 = ({ count, files }: Evidence): Draft => ({
  id: "F04",
  title: "Data is produced a few times and consumed many times",
  statement: "Read runs follow each other in longer rows than write runs do.",
  n: count("A09"),
  minimum: MINIMUM,
  unit: "files",
  claims: [
    claim("A09.readOverWrite", "read streaks are longer than write streaks", "above", 1, files.streakRatio),
    claim(
      "A09.readAtLeast2",
      "more than half of the files see two read runs in a row",
      "above",
      0.5,
      files.readTwo,
    ),
  ],
  sensitivity: [
    ["mean read streak", "A09.readMean"],
    ["mean write streak", "A09.writeMean"],
    ["two or more read runs, rounded mean", "A09.readRoundedAtLeast2"],
    ["two or more write runs", "A09.writeAtLeast2"],
    ["two or more write runs, rounded mean", "A09.writeRoundedAtLeast2"],
  ],
});

export const f05 = ({ count, files }: Evidence): Draft => ({
  id: "F05",
  title: "Files are shared by several applications",
  statement:
    "Most files are touched by two or more applications, whose runs lie hours apart; most shared files are both read and written.",
  n: count("A10"),
  minimum: MINIMUM,
  unit: "files",
  claims: [
    claim("A10.sharedByTwoOrMore", "more than half of the files are shared", "above", 0.5, files.shared),
    claim(
      "A10.sharedReadWrite",
      "more than half of the shared files are both",
      "above",
      0.5,
      files.sharedReadWrite,
    ),
    claim(
      "A10.applicationMeanHours",
      "runs of an application lie more than two hours apart",
      "above",
      2,
      files.applicationHours,
    ),
  ],
  sensitivity: [
    ["two or more applications", "A10.sharedByTwoOrMore"],
    ["three or more applications", "A10.sharedByThreeOrMore"],
    ["median gap of an application", "A10.applicationMedianHours"],
  ],
});
