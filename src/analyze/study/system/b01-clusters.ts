import { printedText, type ValueInfo, type ValueInfos, type ValueUnit } from "../common/values.ts";
import { defineItem, type Published, table } from "./item.ts";

/** Table I of the paper: what no job record tells. */
const TABLE_I_NUMBERS: ValueInfos<Published> = {
  clusterNodes: ["count", "nodes of the cluster", { cab: 1296, quartz: 2634 }],
  coresPerNode: ["count", "cores per node", { cab: 16, quartz: 36 }],
  totalCores: ["count", "cores in total", { cab: 20_736, quartz: 96_768 }],
  clockGhz: ["none", "processor clock, GHz", { cab: 2.6, quartz: 2.1 }],
  totalMemoryBytes: ["bytes", "memory in total", { cab: 41.5e12, quartz: 344.06e12 }],
  teraflops: ["none", "peak, Tflop/s", { cab: 426, quartz: 3251.4 }],
  fileSystemBytes: ["bytes", "file system capacity", { cab: 15 * 2 ** 50, quartz: 15 * 2 ** 50 }, "15 PiB"],
};
/** The rows of it that are words. */
const TABLE_I_WORDS = [
  ["Processor", "Xeon 8-core E5-2670", "Xeon 18-core E5-2695"],
  ["Operating system", "TOSS 2", "TOSS 3"],
  ["Interconnect", "QDR Infiniband", "Intel Omni-Path 100 Gb/s"],
] as const;

/** Table I whole, with the nodes that its own products imply beside the printed ones. */
function tableOne(memory: Published) {
  const numbers: readonly ValueInfo<Published>[] = [
    ...Object.values(TABLE_I_NUMBERS),
    ["bytes", "memory per node", memory],
  ];
  const text = (unit: ValueUnit, value: number | undefined) =>
    value === undefined ? "–" : printedText(unit, value);
  const cores = (of: "cab" | "quartz") =>
    (TABLE_I_NUMBERS.totalCores?.[2]?.[of] ?? Number.NaN) /
    (TABLE_I_NUMBERS.coresPerNode?.[2]?.[of] ?? Number.NaN);
  const whole = table(
    "table-1-published",
    "Table I of the paper; the last row is computed from it.",
    [
      ["what", "What", "text", "Row of the table."],
      ["cab", "Cab", "text", "Published value."],
      ["quartz", "Quartz", "text", "Published value."],
    ],
    [
      ...TABLE_I_WORDS.map((row) => [...row]),
      ...numbers.map(([unit, label, { cab, quartz } = {}, words]) => [
        label,
        words ?? text(unit, cab),
        words ?? text(unit, quartz),
      ]),
      [
        "nodes by cores (cores in total / cores per node)",
        text("count", cores("cab")),
        text("count", cores("quartz")),
      ],
    ],
  );
  return { ...whole, publishedFrom: 0 };
}

const NODE_MEMORY: Published = { cab: 32e9, quartz: 128e9 };

export const b01 = defineItem({
  id: "B01",
  definition: "B01@1",
  title: "Clusters",
  place: "table I",
  section: "data",
  about:
    "The clusters that jobs of the store ran on: studied jobs, nodes of the largest job, and the memory of a node, as recorded or as given with nodeMemory.",
  reading:
    "The paper mixes two numbers of nodes of Quartz: 2,634 x 36 cores are not the printed 96,768, and 344.06 TB at 128 GB are 2,688 nodes. Only its values per node are used.",
  options: ["cluster", "nodeMemory"],
  values: {
    clusters: ["count", "clusters"],
    largestJobNodes: ["count", "nodes of the largest job"],
    nodeMemoryBytes: ["bytes", "memory per node", NODE_MEMORY],
  },
  tabled: TABLE_I_NUMBERS,
  byCluster: ["nodeMemoryBytes"],
  measure({ jobs, studied }) {
    const clusters = jobs.clusters.map((name) => ({
      name,
      jobs: 0,
      nodes: 0,
      least: Infinity,
      most: -Infinity,
      unknown: 0,
    }));
    for (const job of studied) {
      const one = clusters[jobs.cluster[job] as number];
      if (one === undefined) continue;
      one.jobs++;
      const [nodes, memory] = [jobs.nodes[job] as number, jobs.memory[job] as number];
      if (nodes > one.nodes) one.nodes = nodes;
      if (Number.isNaN(memory)) one.unknown++;
      else {
        one.least = Math.min(one.least, memory);
        one.most = Math.max(one.most, memory);
      }
    }
    const used = clusters.filter((one) => one.jobs > 0);
    const all = used.reduce((most, one) => Math.max(most, one.most), -Infinity);
    return {
      n: studied.length,
      unit: "jobs",
      dropped: {
        "jobs without known node memory (left out of B14 and B15)": used.reduce(
          (sum, one) => sum + one.unknown,
          0,
        ),
      },
      values: {
        clusters: used.length,
        largestJobNodes: used.length === 0 ? Number.NaN : Math.max(...used.map(({ nodes }) => nodes)),
        nodeMemoryBytes: Number.isFinite(all) ? all : Number.NaN,
      },
      tables: [
        table(
          "table-1-clusters",
          "Clusters of the studied jobs.",
          [
            ["cluster", "Cluster", "text", "Name."],
            ["jobs", "Jobs", "count", "Studied jobs."],
            ["nodes", "Largest job", "count", "Nodes of the largest job."],
            ["memoryLeast", "Min memory", "bytes", "Memory per node, min over its jobs."],
            ["memoryMost", "Max memory", "bytes", "Memory per node, max over its jobs."],
          ],
          used.map((one) => [
            one.name === "" ? "(no name)" : one.name,
            one.jobs,
            one.nodes || null,
            Number.isFinite(one.least) ? one.least : null,
            Number.isFinite(one.most) ? one.most : null,
          ]),
        ),
        tableOne(NODE_MEMORY),
      ],
    };
  },
});
