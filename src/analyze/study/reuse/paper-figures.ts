/** Which figure of the paper each of ours repeats, and what the paper prints for it. */
import { formatShare } from "../../../base/units.ts";
import type { PublishedMark } from "../../../model/index.ts";
import type { PaperFigure } from "../common/paper-figure.ts";
import type { Published } from "./item.ts";

const HOUR = 3600;

const line = (value: Published, label: string, scale = 1): PublishedMark => ({
  value: Number(value) * scale,
  label: `paper, ${label}`,
});
const point = (value: number, share: number, label: string): PublishedMark => ({
  value,
  share,
  label: `paper, ${label}`,
});

export const REUSE_FIGURES: readonly PaperFigure<Published>[] = [
  {
    id: "figure-2",
    number: "2",
    keys: ["A02.below1GB"],
    marks: (of) => [{ value: 1e9, label: `paper: ${formatShare(Number(of("A02.below1GB")))} below` }],
  },
  {
    id: "figure-3a",
    number: "3(a)",
    keys: ["A05.readHeavyShare", "A05.writeHeavyShare", "A05.readWriteShare"],
  },
  {
    id: "figure-3b",
    number: "3(b)",
    keys: ["A06.oneSided95", "A06.readShare", "A06.writeShare"],
    marks: (of) => [point(0.95, 1 - Number(of("A06.oneSided95")), "not one-sided, below")],
  },
  { id: "figure-4", number: "4" },
  {
    id: "figure-5a",
    number: "5(a)",
    keys: ["A08.readMeanHours", "A08.writeMeanHours", "A08.readP80Hours", "A08.writeP80Hours"],
    marks: (of) => [
      line(of("A08.readMeanHours"), "mean of reads", HOUR),
      line(of("A08.writeMeanHours"), "mean of writes", HOUR),
      point(Number(of("A08.readP80Hours")) * HOUR, 0.8, "80 % of reads"),
      point(Number(of("A08.writeP80Hours")) * HOUR, 0.8, "80 % of writes"),
    ],
  },
  {
    id: "figure-5b",
    number: "5(b)",
    keys: ["A09.readMean", "A09.writeMean", "A09.readAtLeast2", "A09.writeAtLeast2"],
    marks: (of) => [line(of("A09.readMean"), "mean of reads"), line(of("A09.writeMean"), "mean of writes")],
  },
  {
    id: "figure-6a",
    number: "6(a)",
    keys: ["A10.sharedByTwoOrMore"],
    marks: (of) => [point(1, 1 - Number(of("A10.sharedByTwoOrMore")), "files of one application, at")],
  },
  {
    id: "figure-6b",
    number: "6(b)",
    keys: ["A10.applicationMeanHours"],
    marks: (of) => [line(of("A10.applicationMeanHours"), "mean", HOUR)],
  },
  {
    id: "figure-6c",
    number: "6(c)",
    keys: ["A11.readMeanBytes", "A11.writeMeanBytes", "A11.meanBytes"],
    marks: (of) => [
      line(of("A11.readMeanBytes"), "mean of read runs"),
      line(of("A11.writeMeanBytes"), "mean of write runs"),
    ],
  },
  {
    id: "figure-7",
    number: "7",
    keys: ["A12.leastOverMost"],
    marks: (of) => [line(of("A12.leastOverMost"), "least active OST")],
  },
  {
    id: "figure-8a",
    number: "8(a)",
    keys: ["A13.posixBytesPerRun"],
    marks: (of) => [line(of("A13.posixBytesPerRun"), "POSIX, mean")],
  },
  {
    id: "figure-8b",
    number: "8(b)",
    keys: ["A13.posixSdBytes"],
    marks: (of) => [line(of("A13.posixSdBytes"), "POSIX, below")],
  },
  { id: "figure-8c", number: "8(c)" },
  {
    id: "figure-9a",
    number: "9(a)",
    keys: ["A14.peakHour"],
    // The middle of the hours that the paper names; bars of hour h cover [h, h + 1].
    places: (of) => [
      {
        from: Number(of("A14.peakHour")) - 1,
        to: Number(of("A14.peakHour")) + 1,
        label: "paper, most data 3 to 5 h",
      },
    ],
  },
  { id: "figure-9b", number: "9(b)", keys: ["A14.spearman"] },
  {
    id: "figure-9c",
    number: "9(c)",
    keys: ["A14.spearman", "A14.lowestHourCov"],
    marks: (of) => [line(of("A14.lowestHourCov"), "every hour above")],
  },
  {
    id: "figure-10a",
    number: "10(a)",
    keys: ["A15.meanCovBytes", "A15.below5PercentBytes", "A15.writeHeavyMeanCovBytes"],
    marks: (of) => [
      line(of("A15.meanCovBytes"), "mean"),
      point(0.05, Number(of("A15.below5PercentBytes")), "most files below"),
    ],
  },
  {
    id: "figure-10b",
    number: "10(b)",
    keys: ["A15.meanCovTime", "A15.readHeavyMeanCovTime"],
    marks: (of) => [
      line(of("A15.meanCovTime"), "mean"),
      line(of("A15.readHeavyMeanCovTime"), "mean, read-heavy files"),
    ],
  },
];
