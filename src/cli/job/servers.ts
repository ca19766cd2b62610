/** What servers counted of the job of a log: the part of a report that a store gives. */
import { commandLine } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import type { Job } from "../../analyze/job/index.ts";
import { originOf, withStore } from "../store/options.ts";

interface ServersQuery {
  readonly store: string;
  readonly cluster?: string | undefined;
}

export async function countedByServers(job: Job, { store, cluster }: ServersQuery) {
  const [jobId = "", ...others] = new Set(job.runs.map((run) => run.jobId));
  if (jobId === "" || others.length > 0)
    throw new UsageError(
      `--store: the ${jobId === "" ? "input names no job id" : "inputs are of several jobs"}; ${commandLine(["plimsoll", "job", "ID", "--store", store])} shows one job`,
    );
  const startUnix = job.startUnixSeconds;
  const endUnix = startUnix + (Number.isNaN(job.runSeconds) ? 0 : job.runSeconds);
  // Loaded here: a report without a store opens no database.
  const { serversOfJob } = await import("../../analyze/load/index.ts");
  return withStore({ store, memory: undefined, threads: undefined, temp: undefined }, async (db) =>
    serversOfJob(db, { jobId, startUnix, endUnix, cluster }, await originOf(db, "jobs", "readings")),
  );
}
