import { mean } from "../../../base/statistics.ts";
import { classBars, classInfos, classShares, classSums } from "./burst-classes.ts";
import { defineItem, share } from "./item.ts";
import type { Prepared } from "./prepare.ts";
import { BYTE_NAMES } from "./series.ts";

const BYTE_LABELS = ["0 B", "< 1 KB", "1 KB–1 MB", "1 MB–1 GB", "1 GB–1 TB", "≥ 1 TB"];

interface Mostly {
  readonly small: Uint8Array;
  readonly medium: Uint8Array;
}

/** Of jobs with I/O: more than half of the I/O minutes in bursts of 1 KB to 1 MB; more than 90 % in 1 MB to 1 GB. */
export function mostlyFlags({ series }: Prepared): Mostly {
  const shares = classShares(series.byteClass, BYTE_NAMES.length, series.count);
  return {
    small: Uint8Array.from(shares[2] ?? [], (one) => (one > 0.5 ? 1 : 0)),
    medium: Uint8Array.from(shares[3] ?? [], (one) => (one > 0.9 ? 1 : 0)),
  };
}

export const b16 = defineItem({
  id: "B16",
  definition: "B16@1",
  title: "I/O minutes by burst size",
  place: "figure 13",
  section: "bursts",
  about:
    "Minutes with I/O by the size of their write burst: none, below 1 KB, [1 KB, 1 MB), [1 MB, 1 GB), [1 GB, 1 TB), and more. The size is that of the whole burst, or with burst minute that of the minute itself. Counts are minutes of all jobs together; mostlySmall are jobs with more than half of their I/O minutes in bursts of 1 KB to 1 MB, mostlyMedium with more than 90 % in 1 MB to 1 GB.",
  reading: "Minutes without writes are a separate class, so that shares of a job add up to one.",
  options: ["maxGapMinutes", "burst"],
  values: {
    mostlySmall: ["count", "jobs mostly at 1 KB to 1 MB"],
    mostlyMedium: ["count", "jobs mostly at 1 MB to 1 GB"],
    mostlySmallShare: ["share", "mostly at 1 KB to 1 MB", { quartz: 0.73 }],
    mostlyMediumShare: ["share", "mostly at 1 MB to 1 GB", undefined, "many jobs"],
    ...classInfos(BYTE_NAMES, (_, i) => BYTE_LABELS[i] as string),
  },
  narrative: ({ text }) =>
    `${text("mostlySmallShare")} of the jobs with I/O spend more than half of their I/O minutes in bursts of 1 KB to 1 MB (paper: 73 %), and ${text("mostlyMediumShare")} more than 90 % in bursts of 1 MB to 1 GB.`,
  measure(prepared) {
    const { series } = prepared;
    const shares = classShares(series.byteClass, BYTE_NAMES.length, series.count);
    const n = shares[0]?.length ?? 0;
    const { small, medium } = mostlyFlags(prepared);
    const ones = (flags: Uint8Array) => flags.reduce((sum, flag) => sum + flag, 0);
    return {
      n,
      unit: "jobs with I/O",
      dropped: { "jobs with minutes without bytes": series.count - n },
      values: {
        mostlySmall: ones(small),
        mostlyMedium: ones(medium),
        mostlySmallShare: share(ones(small), n),
        mostlyMediumShare: share(ones(medium), n),
        ...classSums(series.byteClass, BYTE_NAMES, series.count),
        ...Object.fromEntries(BYTE_NAMES.map((name, i) => [`${name}MeanShare`, mean(shares[i] ?? [])])),
      },
      figures: () =>
        n === 0
          ? []
          : [
              classBars(
                "figure-13-bursts",
                "I/O minutes by burst size",
                "burst size",
                BYTE_LABELS,
                shares,
                n,
              ),
            ],
    };
  },
});
