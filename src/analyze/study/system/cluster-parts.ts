/** The study cluster by cluster: figures and tables keep apart what the paper keeps apart. */
import { once } from "../common/study.ts";
import { lightJobs } from "./b19-light-jobs.ts";
import { summedDays } from "./days.ts";
import { NO_USER } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";
import { userTotals } from "./users.ts";
import { writersOf } from "./writers.ts";

export interface ClusterPart {
  /** Empty where there is one cluster: then nothing has to be told apart. */
  readonly name: string;
  /** What the items share, of the jobs of this cluster. */
  readonly prepared: Prepared;
}

/** One part for each cluster with studied jobs. */
export function clusterParts(prepared: Prepared): readonly ClusterPart[] {
  const { jobs, studied, counted } = prepared;
  const clusters = [...new Set(studied.map((job) => jobs.cluster[job] as number))].sort((a, b) => a - b);
  if (clusters.length < 2) return [{ name: "", prepared }];
  return clusters.map((cluster) => {
    const own = (job: number) => jobs.cluster[job] === cluster;
    return {
      name: jobs.clusters[cluster] || "no cluster",
      prepared: narrowed({ ...prepared, cluster }, studied.filter(own), counted.filter(own)),
    };
  });
}

function narrowed(prepared: Prepared, studied: Uint32Array, counted: Uint32Array): Prepared {
  const { jobs } = prepared;
  const part: Prepared = {
    ...prepared,
    studied,
    counted,
    users: once(() => userTotals(part)),
    writers: once(() => writersOf(part)),
    lightJobs: once(() => lightJobs(part)),
    days: once(() => summedDays(part, counted)),
    userDays: once(() =>
      summedDays(
        part,
        counted.filter((job) => jobs.user[job] !== NO_USER),
      ),
    ),
    clusterParts: () => [{ name: "", prepared: part }],
  };
  return part;
}

/** `figure-3-users` and `figure-3-users-cab`; `Users` and `Users, cab`. */
export const clusterId = (id: string, name: string): string =>
  name === "" ? id : `${id}-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
export const clusterTitle = (title: string, name: string): string =>
  name === "" ? title : `${title}, ${name}`;
