import { mean, quantileOf } from "../../../base/statistics.ts";
import type { TableBlock } from "../../../model/index.ts";
import { drawnNote } from "../common/charts.ts";
import { cmf } from "./charts.ts";
import { defineItem, drawn, share, table } from "./item.ts";
import type { Prepared } from "./prepare.ts";

/** Values of a column of the studied jobs, without what is not known. */
function studiedValues(
  { studied }: Prepared,
  column: Float64Array,
  factor = 1,
  only?: (job: number) => boolean,
): Float64Array {
  const values = new Float64Array(studied.length);
  let count = 0;
  for (const job of studied) {
    const value = column[job] as number;
    if (!Number.isNaN(value) && (only === undefined || only(job))) values[count++] = value * factor;
  }
  return values.slice(0, count);
}

export function summary(values: Float64Array) {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const none = values.length === 0;
  return {
    n: values.length,
    min: none ? Number.NaN : min,
    max: none ? Number.NaN : max,
    mean: mean(values),
    median: quantileOf(values, 0.5),
  };
}

function belowShare(values: Float64Array, limit: number): number {
  let count = 0;
  for (const value of values) if (value < limit) count++;
  return share(count, values.length);
}

const TABLE_II = [
  ["Duration (hours)", "Cab (paper)", 0.0003, 23.9, 0.8, 0.003],
  ["Duration (hours)", "Quartz (paper)", 0.0003, 23.9, 0.85, 0.03],
  ["Nodes", "Cab (paper)", 2, 758, 19.7, 8],
  ["Nodes", "Quartz (paper)", 1, 1197, 19.8, 8],
] as const;

interface ClusterShape {
  readonly name: string;
  readonly hours: Float64Array;
  readonly nodes: Float64Array;
}

function tableTwo(parts: readonly ClusterShape[]): TableBlock {
  const own = (["hours", "nodes"] as const).flatMap((key) =>
    parts.map((part) => {
      const { min, max, mean: middle, median } = summary(part[key]);
      return [key === "hours" ? "Duration (hours)" : "Nodes", part.name, min, max, middle, median];
    }),
  );
  const whole = table(
    "table-2-duration-and-nodes",
    "Table II: duration and nodes of all jobs, here and in the paper.",
    [
      ["metric", "Metric", "text", "Quantity."],
      ["cluster", "Cluster", "text", "Clusters here, then those of the paper."],
      ["min", "min", "none", "Least."],
      ["max", "max", "none", "Most."],
      ["mean", "mean", "none", "Mean over jobs."],
      ["median", "median", "none", "Median over jobs."],
    ],
    [...own, ...TABLE_II],
  );
  return { ...whole, publishedFrom: own.length };
}

export const b04 = defineItem({
  id: "B04",
  definition: "B04@1",
  title: "Duration and nodes",
  place: "figure 2, table II",
  section: "shape",
  about:
    "Durations and allocated nodes of the studied jobs: min, max, mean, median, and the shares below two hours and below 100 nodes. Medians interpolate.",
  reading: "Most jobs are short and small, so means say little about them: read the figure.",
  byCluster: true,
  options: ["cluster", "from", "to", "maxHours"],
  values: {
    durationMinHours: ["hours", "duration, min", { cab: 0.0003, quartz: 0.0003 }],
    durationMaxHours: ["hours", "duration, max", { cab: 23.9, quartz: 23.9 }],
    durationMeanHours: ["hours", "duration, mean", { cab: 0.8, quartz: 0.85 }],
    durationMedianHours: ["hours", "duration, median", { cab: 0.003, quartz: 0.03 }],
    below2Hours: ["share", "below 2 hours", { cab: 0.9, quartz: 0.9 }, "more than 90 %"],
    nodesMin: ["count", "nodes, min", { cab: 2, quartz: 1 }],
    nodesMax: ["count", "nodes, max", { cab: 758, quartz: 1197 }],
    nodesMean: ["none", "nodes, mean", { cab: 19.7, quartz: 19.8 }],
    nodesMedian: ["none", "nodes, median", { cab: 8, quartz: 8 }],
    below100Nodes: ["share", "below 100 nodes", { cab: 0.9, quartz: 0.9 }],
  },
  narrative: ({ text }) =>
    `${text("below2Hours")} of the jobs run for less than two hours, and ${text("below100Nodes")} use fewer than 100 nodes (paper: over 90 % and 90 %). The mean duration is ${text("durationMeanHours")}, the median ${text("durationMedianHours")}; the mean job has ${text("nodesMean")} nodes, the median one ${text("nodesMedian")}.`,
  measure(prepared) {
    const { jobs, studied } = prepared;
    const hours = studiedValues(prepared, jobs.duration, 1 / 3600);
    const nodes = studiedValues(prepared, jobs.nodes);
    const [d, k] = [summary(hours), summary(nodes)];
    const clusters = [...new Set(studied.map((job) => jobs.cluster[job] as number))].sort((a, b) => a - b);
    const parts = clusters.map((cluster) => {
      const only = (job: number) => jobs.cluster[job] === cluster;
      return {
        name: jobs.clusters[cluster] || "jobs",
        hours: studiedValues(prepared, jobs.duration, 1 / 3600, only),
        nodes: studiedValues(prepared, jobs.nodes, 1, only),
      };
    });
    return {
      n: studied.length,
      unit: "jobs",
      dropped: { "jobs without a number of nodes": studied.length - nodes.length },
      values: {
        durationMinHours: d.min,
        durationMaxHours: d.max,
        durationMeanHours: d.mean,
        durationMedianHours: d.median,
        below2Hours: belowShare(hours, 2),
        nodesMin: k.min,
        nodesMax: k.max,
        nodesMean: k.mean,
        nodesMedian: k.median,
        below100Nodes: belowShare(nodes, 100),
      },
      tables: [tableTwo(parts)],
      figures: () => {
        if (studied.length === 0) return [];
        const note = drawnNote(Math.max(...parts.map((part) => part.hours.length)));
        return [
          drawn({
            id: "figure-2a-duration",
            title: "Duration of jobs",
            caption: `Share of ${hours.length} jobs with at most this duration; dotted: means.${note}`,
            summary: `${(100 * belowShare(hours, 2)).toFixed(1)} % of ${hours.length} jobs run for less than two hours.`,
            chart: cmf(
              { label: "duration, hours", unit: "none", scale: "log" },
              parts.map((part) => ({ name: part.name, values: part.hours })),
            ),
          }),
          drawn({
            id: "figure-2b-nodes",
            title: "Nodes of jobs",
            caption: `Share of ${nodes.length} jobs with at most this many nodes; dotted: means.${note}`,
            summary: `${(100 * belowShare(nodes, 100)).toFixed(1)} % of ${nodes.length} jobs use fewer than 100 nodes.`,
            chart: cmf(
              { label: "nodes", unit: "count", scale: "log" },
              parts.map((part) => ({ name: part.name, values: part.nodes })),
            ),
          }),
        ];
      },
    };
  },
});
