/** What servers counted of the job of a log: the part of a report that a store gives. */
import { UsageError } from "../../base/errors.ts";
import type { Job } from "../../analyze/job/index.ts";
import { type Document, provenanceJson, type Section } from "../../model/index.ts";
import { originOf, withStore } from "../store/options.ts";

interface ServersQuery {
  readonly store: string;
  readonly cluster?: string | undefined;
}

export async function countedByServers(job: Job, { store, cluster }: ServersQuery) {
  const [jobId = "", ...others] = new Set(job.runs.map((run) => run.jobId));
  if (jobId === "" || others.length > 0)
    throw new UsageError(
      `--store: the ${jobId === "" ? "input names no job id" : "inputs are of several jobs"}; plimsoll job ID --store ${store} shows one job`,
    );
  const time = {
    startUnix: job.startUnixSeconds,
    endUnix: job.startUnixSeconds + (Number.isNaN(job.runSeconds) ? 0 : job.runSeconds),
  };
  // Loaded here: a report without a store opens no database.
  const load = await import("../../analyze/load/index.ts");
  return withStore({ store, memory: undefined, threads: undefined, temp: undefined }, async (db) => {
    const answer = await load.jobAnswer(db, jobId, { ...load.JOB_DEFAULTS, cluster });
    const run = load.runDuring(answer, time);
    const { zone } = await load.chosenZone(db, "");
    const origin = await originOf(db, "jobs", "readings");
    return {
      section: load.serverSection(run, jobId, { zone, origin }),
      json: { servers: run === undefined ? null : { ...run, origin: provenanceJson(origin) } },
    };
  });
}

type Counted = Awaited<ReturnType<typeof countedByServers>>;

/** Before the sections on how the report was made. */
export function withServers(document: Document, counted: Counted | undefined): Document {
  if (counted === undefined) return document;
  const { sections } = document;
  const isEnd = ({ id }: Section) => id === "counters" || id === "about";
  return {
    ...document,
    sections: [
      ...sections.filter((one) => !isEnd(one)),
      counted.section,
      ...sections.filter((one) => isEnd(one)),
    ],
  };
}
