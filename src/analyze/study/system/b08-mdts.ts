import { gini } from "../../../base/statistics.ts";
import { formatMany } from "../../../base/units.ts";
import { bars } from "./charts.ts";
import { defineItem, drawn, share, table } from "./item.ts";

export const b08 = defineItem({
  id: "B08",
  definition: "B08@1",
  title: "Metadata targets",
  place: "figure 5",
  section: "metadata",
  about:
    "Opens and closes that each MDT handled: sums over job minutes, or over target rows if job minutes have no MDT counters. Max / mean, min / max and Gini coefficient of the opens; closes / opens.",
  reading:
    "Fewer closes than opens need not mean forgotten files: closes can be lost at the end of a job, and opens that only look up a file are never closed.",
  options: ["from", "to"],
  values: {
    mdts: ["count", "MDTs", { cab: 14, quartz: 14 }],
    opens: ["count", "opens"],
    closes: ["count", "closes"],
    notClosed: ["count", "opens without a close"],
    closesOverOpens: ["share", "closes / opens"],
    mostOverMean: ["ratio", "max / mean"],
    leastOverMost: ["share", "min / max"],
    gini: ["none", "Gini coefficient of the opens"],
  },
  narrative: ({ text }) =>
    `The busiest of ${text("mdts")} MDTs handles ${text("mostOverMean")} the mean number of opens, and the least busy ${text("leastOverMost")} of the busiest. Of ${text("opens")} opens ${text("closesOverOpens")} have a close.`,
  measure({ mdts }) {
    const { targets, source, outside } = mdts;
    const opens = targets.map((one) => one.opens);
    const sum = (of: readonly number[]) => of.reduce((all, one) => all + one, 0);
    const [allOpens, allCloses] = [sum(opens), sum(targets.map((one) => one.closes))];
    const n = targets.length;
    return {
      n,
      unit: "MDTs",
      dropped: { "rows of MDTs outside the period": outside.rows },
      values: {
        mdts: n,
        opens: allOpens,
        closes: allCloses,
        notClosed: allOpens - allCloses,
        closesOverOpens: share(allCloses, allOpens),
        mostOverMean: n === 0 ? Number.NaN : share(Math.max(...opens), allOpens / n),
        leastOverMost: n === 0 ? Number.NaN : share(Math.min(...opens), Math.max(...opens)),
        gini: gini(opens),
      },
      tabled: Object.fromEntries(
        targets.flatMap(({ name, opens: o, closes }) => [
          [`${name}.opens`, o],
          [`${name}.closes`, closes],
        ]),
      ),
      tables:
        n === 0
          ? []
          : [
              table(
                "mdts",
                "Operations per metadata target.",
                [
                  ["mdt", "MDT", "text", "File system and target."],
                  ["opens", "Opens", "count", "Opens."],
                  ["closes", "Closes", "count", "Closes."],
                  ["notClosed", "Not closed", "count", "Opens minus closes."],
                  ["mknods", "Files made", "count", "mknod calls."],
                  ["calls", "All calls", "count", "All metadata operations."],
                  ["overMean", "vs mean", "ratio", "Opens / mean of all MDTs."],
                ],
                targets.map((one) => [
                  one.name,
                  one.opens,
                  one.closes,
                  one.opens - one.closes,
                  one.mknods,
                  one.calls,
                  share(one.opens, allOpens / n),
                ]),
              ),
            ],
      notes: [
        source === "jobs"
          ? "Over all jobs of the file system, on any cluster and of any length."
          : "Job minutes have no MDT counters: these are target totals, including load outside all jobs.",
        ...(outside.rows === 0
          ? []
          : [
              `Rows outside the period have ${formatMany(outside.opens, "open")} and ${formatMany(outside.closes, "close")}.`,
            ]),
      ],
      figures: () =>
        n === 0
          ? []
          : [
              drawn({
                id: "figure-5-mdts",
                title: "Opens and closes of metadata targets",
                caption: `${n} MDTs, ${allOpens} opens and ${allCloses} closes.`,
                summary: `The busiest MDT handles ${share(Math.max(...opens), allOpens / n).toFixed(1)} times the mean.`,
                chart: bars(
                  targets.map(({ name }) => name.replace(/^.*-/, "")),
                  "metadata target",
                  { label: "calls", unit: "count" },
                  [
                    { name: "opens", role: "metadata", values: opens },
                    { name: "closes", role: "neutral", values: targets.map(({ closes }) => closes) },
                  ],
                ),
              }),
            ],
    };
  },
});
