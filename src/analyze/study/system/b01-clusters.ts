import { defineItem, table } from "./item.ts";

export const b01 = defineItem({
  id: "B01",
  definition: "B01@1",
  title: "Clusters (table I)",
  section: "data",
  about:
    "The clusters that jobs of the store ran on: studied jobs, nodes of the largest job, and the memory of a node, as recorded or as given with nodeMemory.",
  reading:
    "The paper mixes two numbers of nodes of Quartz: 2,634 x 36 cores are not the printed 96,768, and 344.06 TB at 128 GB are 2,688 nodes. Only its values per node are used.",
  options: ["cluster", "nodeMemory"],
  values: {
    clusters: ["count", "clusters"],
    largestJobNodes: ["count", "nodes of the largest job"],
    nodeMemoryBytes: ["bytes", "memory of a node", { cab: 32e9, quartz: 128e9 }],
  },
  others: {
    clusterNodes: ["count", "nodes of the cluster", { cab: 1296, quartz: 2634 }],
  },
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
            ["memoryLeast", "Least memory", "bytes", "Memory of a node, least of its jobs."],
            ["memoryMost", "Most memory", "bytes", "Memory of a node, most of its jobs."],
          ],
          used.map((one) => [
            one.name === "" ? "(no name)" : one.name,
            one.jobs,
            one.nodes || null,
            Number.isFinite(one.least) ? one.least : null,
            Number.isFinite(one.most) ? one.most : null,
          ]),
        ),
      ],
    };
  },
});
