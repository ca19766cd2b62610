import { defineItem, share } from "./item.ts";
import { LONG } from "./jobs.ts";

export const b03 = defineItem({
  id: "B03",
  definition: "B03@1",
  title: "Skipped long jobs",
  place: "section IV",
  section: "data",
  about:
    "Jobs that run maxHours or longer, which all other items skip, and their share of compute time: nodes times seconds.",
  reading: "The larger their share of compute time, the less the other jobs represent the machine.",
  options: ["cluster", "from", "to", "maxHours"],
  values: {
    longJobs: ["count", "long jobs"],
    longShareOfJobs: ["share", "long jobs, share of jobs"],
    longShareOfNodeHours: ["share", "long jobs, share of node-hours", { cab: 0.0223, quartz: 0.0874 }],
    nodeHours: ["hours", "node-hours of all jobs"],
  },
  byCluster: ["longShareOfNodeHours"],
  narrative: ({ text }) =>
    `${text("longJobs")} jobs are skipped as too long; they use ${text("longShareOfNodeHours")} of the compute time (paper: 2.23 % on Cab, 8.74 % on Quartz).`,
  measure({ jobs, cluster }) {
    let [longJobs, long, all, unknown, n] = [0, 0, 0, 0, 0];
    for (let job = 0; job < jobs.count; job++) {
      const state = jobs.state[job] as number;
      if (state !== LONG && state !== 0) continue;
      if (cluster !== undefined && jobs.cluster[job] !== cluster) continue;
      n++;
      if (state === LONG) longJobs++;
      const time = (jobs.nodes[job] as number) * (jobs.duration[job] as number);
      if (Number.isNaN(time)) unknown++;
      else {
        all += time;
        if (state === LONG) long += time;
      }
    }
    return {
      n,
      unit: "jobs of any length",
      dropped: { "jobs without a number of nodes": unknown },
      values: {
        longJobs,
        longShareOfJobs: share(longJobs, n),
        longShareOfNodeHours: share(long, all),
        nodeHours: all / 3600,
      },
    };
  },
});
