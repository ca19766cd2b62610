import { mean } from "../../../base/statistics.ts";
import { largestShares, memoryNotes, unknownMemory } from "./burst-classes.ts";
import { defineItem, share, table } from "./item.ts";
import { GAPS } from "./series.ts";

export const b14 = defineItem({
  id: "B14",
  definition: "B14@1",
  title: "Write bursts and memory",
  place: "section IV-H",
  section: "bursts",
  about:
    "A burst is a maximal run of minutes with writes, with gaps of at most maxGapMinutes; its size is the sum of their bytes. Memory of a job is that of a node times its nodes. Per job with minutes the largest burst as a share of memory; jobs without writes count with 0, as in the paper, and are excluded from the values of writers. bursts covers all jobs with a known run time, with or without known memory.",
  reading:
    "Server sums can exceed the memory: a burst can be several outputs in a row. The table shows the effect of the gap rule.",
  options: ["maxGapMinutes", "nodeMemory", "lateMinutes"],
  repeats: ["jobs"],
  values: {
    jobs: ["count", "jobs", { quartz: 16_795 }],
    bursts: ["count", "bursts"],
    above50: ["count", "jobs above 50 % of memory", { quartz: 170 }],
    above100: ["count", "jobs above 100 % of memory"],
    below15: ["count", "jobs below 15 % of memory", { quartz: 16_485 }],
    below5: ["count", "jobs below 5 % of memory", { quartz: 16_173 }],
    above50Share: ["share", "above 50 % of memory"],
    below15Share: ["share", "below 15 % of memory"],
    below5Share: ["share", "below 5 % of memory", { quartz: 16_173 / 16_795 }, "more than 95 %"],
    writers: ["count", "jobs that write"],
    writersBelow5: ["count", "jobs that write, below 5 % of memory"],
    writersBelow5Share: ["share", "share of jobs that write, below 5 % of memory"],
    meanLargestShare: ["share", "largest burst / memory, mean"],
  },
  narrative: ({ text }) =>
    `${text("below5Share")} of ${text("jobs")} jobs write no burst of 5 % of their memory or more, ${text("below15Share")} none of 15 %, and ${text("above50")} write one above 50 % (paper: 96.3 %, 98.2 %, and 170 of 16,795). Of the jobs that write at all ${text("writersBelow5Share")} stay below 5 %.`,
  measure(prepared) {
    const { series } = prepared;
    const { all, writer } = largestShares(prepared);
    const count = (test: (one: number, i: number) => boolean) =>
      all.length === 0 ? Number.NaN : all.filter(test).length;
    const writers = all.length === 0 ? Number.NaN : writer.reduce((sum, one) => sum + one, 0);
    let [bursts, known] = [0, 0];
    for (let i = 0; i < series.count; i++) {
      if ((series.job[i] as number) < 0) continue;
      known++;
      bursts += series.bursts[i] as number;
    }
    const below5 = count((one) => one < 0.05);
    const writersBelow5 = count((one, i) => one < 0.05 && writer[i] === 1);
    return {
      n: all.length,
      unit: "jobs with minutes",
      dropped: { "jobs whose memory is not known (see nodeMemory)": unknownMemory(prepared) },
      values: {
        jobs: all.length,
        bursts: known === 0 ? Number.NaN : bursts,
        above50: count((one) => one > 0.5),
        above100: count((one) => one > 1),
        below15: count((one) => one < 0.15),
        below5,
        above50Share: share(
          count((one) => one > 0.5),
          all.length,
        ),
        below15Share: share(
          count((one) => one < 0.15),
          all.length,
        ),
        below5Share: share(below5, all.length),
        writers,
        writersBelow5,
        writersBelow5Share: share(writersBelow5, writers),
        meanLargestShare: mean(all),
      },
      tables:
        all.length === 0
          ? []
          : [
              table(
                "burst-gaps",
                "Sensitivity to the gap allowed inside a burst.",
                [
                  ["gap", "Gap", "count", "Minutes without a write allowed inside a burst."],
                  ["bursts", "Bursts", "count", "Bursts of all jobs with minutes."],
                  ["below5", "Below 5 %", "count", "Jobs whose largest burst is below 5 % of memory."],
                ],
                GAPS.map((gap, i) => [gap, series.burstsByGap[i] as number, series.below5ByGap[i] as number]),
              ),
            ],
      notes: memoryNotes(prepared),
    };
  },
});
