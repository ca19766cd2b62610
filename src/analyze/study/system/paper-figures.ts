/** Which figure of the paper each of ours repeats, and what the paper prints for it. */
import type { PublishedMark, PublishedPlace } from "../../../model/index.ts";
import type { PaperFigure } from "../common/paper-figure.ts";
import type { Published } from "./item.ts";

/** A line for each cluster that the paper has a mean of. */
const lines = ({ cab, quartz }: Published): PublishedMark[] => [
  ...(cab === undefined ? [] : [{ value: cab, label: "paper, mean, Cab" }]),
  ...(quartz === undefined ? [] : [{ value: quartz, label: "paper, mean, Quartz" }]),
];

/** In the middle of the bar of the hour; the paper has one pair for both clusters. */
const peaks = (of: (key: string) => Published, what: string): PublishedPlace[] =>
  ["B17.earlierPeakHour", "B17.laterPeakHour"].flatMap((key) => {
    const { quartz: hour } = of(key);
    return hour === undefined ? [] : [{ from: hour + 0.5, label: `paper, ${what} at ${hour} h` }];
  });

export const SYSTEM_FIGURES: readonly PaperFigure<Published>[] = [
  {
    id: "figure-2a",
    number: "2(a, b)",
    keys: ["B04.durationMeanHours", "B04.below2Hours"],
    marks: (of) => [
      ...lines(of("B04.durationMeanHours")),
      { value: 2, share: of("B04.below2Hours").quartz ?? Number.NaN, label: "paper, most jobs below" },
    ],
  },
  {
    id: "figure-2b",
    number: "2(c, d)",
    keys: ["B04.nodesMean", "B04.below100Nodes"],
    marks: (of) => [
      ...lines(of("B04.nodesMean")),
      { value: 100, share: of("B04.below100Nodes").quartz ?? Number.NaN, label: "paper, most jobs below" },
    ],
  },
  { id: "figure-3", number: "3" },
  { id: "figure-4", number: "4", keys: ["B07.mkdirsR", "B07.mknodsR"] },
  { id: "figure-5", number: "5" },
  { id: "figure-6", number: "6" },
  { id: "figure-7", number: "7" },
  { id: "figure-8", number: "8" },
  { id: "figure-9", number: "9", keys: ["B12.ioShareOfMinutes", "B12.jobsWithIo"] },
  { id: "figure-10", number: "10", keys: ["B12.writeShareOfMinutes", "B12.jobsWithWrites"] },
  { id: "figure-11", number: "11" },
  { id: "figure-12", number: "12", keys: ["B15.neverBeyond1Share"] },
  {
    id: "figure-13",
    number: "13",
    keys: ["B16.mostlySmallShare"],
    marks: (of) => [
      { value: of("B16.mostlySmallShare").quartz ?? Number.NaN, label: "paper, mostly 1 KB to 1 MB" },
    ],
  },
  {
    id: "figure-14a",
    number: "14(a)",
    keys: ["B17.earlierPeakHour", "B17.laterPeakHour"],
    places: (of) => peaks(of, "peak"),
  },
  {
    id: "figure-14b",
    number: "14(b)",
    keys: ["B17.earlierPeakHour", "B17.laterPeakHour"],
    places: (of) => peaks(of, "slow"),
  },
];
