import { cmfChart } from "../common/charts.ts";
import { defineItem, drawn, share } from "./item.ts";
import type { Runs } from "./sweep/index.ts";

/** How to say that figures of runs are drawn from a part of them. */
export const sampleNote = ({ moving, sample }: Runs): string =>
  sample.count >= moving ? "" : ` Drawn from ${sample.count} of ${moving}, chosen by hash.`;

export const a06 = defineItem({
  id: "A06",
  from: "runs",
  definition: "A06@1",
  title: "One-sided runs",
  place: "figure 3b, finding 2",
  section: "types",
  about:
    "Per run x = |r - w|/(r + w) with r and w its bytes to the selected files. A run is a read run when r > w, a write run when r < w; r = w is balanced, counted, and in neither class. One-sided from x = oneSided; shares refer to the runs that moved bytes.",
  reading:
    "Values near 1 are runs that only read or only write; a curve that rises at the right end shows that most do.",
  options: ["oneSided", "runBytes", "partial"],
  repeats: ["runs"],
  values: {
    runs: ["count", "runs", 400e3, "about 400,000"],
    readRuns: ["count", "read runs"],
    writeRuns: ["count", "write runs"],
    balanced: ["count", "balanced runs"],
    readShare: ["share", "read runs, share", 0.69],
    writeShare: ["share", "write runs, share", 0.31],
    readOverWrite: ["ratio", "read runs / write runs", 2.2],
    oneSided90: ["share", "one-sided from 0.9"],
    oneSided95: ["share", "one-sided from 0.95", 0.82, "over 82 %"],
    oneSided99: ["share", "one-sided from 0.99"],
    oneSided: ["share", "one-sided from oneSided"],
    meanDifference: ["none", "mean of |r - w|/(r + w)"],
  },
  narrative: ({ number, text }) =>
    `${text("oneSided95")} of all runs have a value very close to 1: they either read or write. ${text("readShare")} are read runs and ${text("writeShare")} write runs, ${number("readOverWrite")} times as many. The paper has over 82 %, 69 % and 31 %.`,
  async measure(prepared) {
    const { scan } = prepared;
    const runs = await scan.runs;
    const n = runs.moving;
    const { reads, writes } = runs;
    const [x90, x95, x99, asked] = [...runs.oneSided].map((count) => share(count, n));
    const oneSided95 = x95 as number;
    const mean = share(runs.sumOfX, n);
    return {
      n,
      unit: "runs",
      dropped: {
        "runs that moved no bytes": runs.idle,
        "runs with incomplete records": runs.partial,
        "runs without recorded bytes": runs.unknown,
      },
      values: {
        runs: runs.count,
        readRuns: reads,
        writeRuns: writes,
        balanced: runs.balanced,
        readShare: share(reads, reads + writes),
        writeShare: share(writes, reads + writes),
        readOverWrite: share(reads, writes),
        oneSided90: x90 as number,
        oneSided95,
        oneSided99: x99 as number,
        oneSided: asked as number,
        meanDifference: mean,
      },
      figures: () =>
        n === 0
          ? []
          : [
              drawn({
                id: "figure-3b-one-sided-runs",
                title: "One-sidedness of runs",
                caption: `Cumulative share of ${n} runs; dotted: mean.${sampleNote(runs)}`,
                summary: `${(100 * oneSided95).toFixed(1)} % of ${n} runs have |r - w|/(r + w) of 0.95 or more.`,
                chart: cmfChart(
                  { label: "|read - written| / (read + written)", unit: "none", scale: "linear" },
                  [{ name: "runs", role: "neutral", values: runs.sample.take().x, mean, n }],
                ),
              }),
            ],
    };
  },
});
