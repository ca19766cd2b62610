/** Server counters of the job of a log: the section that a store adds to its report. */
import { formatBytes, formatCount } from "../../base/units.ts";
import {
  type Provenance,
  provenanceJson,
  provenancePrefix,
  type Queryable,
  type Section,
} from "../../model/index.ts";
import { chosenZone } from "../study/common/stored-zone.ts";
import { JOB_DEFAULTS, type JobAnswer, jobAnswer, type JobRun } from "./job.ts";
import { besideBlock, NO_MINUTES, targetTable } from "./job-document.ts";
import { figuresOf } from "./job-figures.ts";

interface LoggedJob {
  readonly jobId: string;
  readonly startUnix: number;
  readonly endUnix: number;
  /** Where several have a job of this id. */
  readonly cluster?: string | undefined;
}

/** What servers counted of the job of a log: a section for the report on it, and its part of the JSON. */
export async function serversOfJob(db: Queryable, job: LoggedJob, origin: Provenance) {
  const { jobId, cluster } = job;
  const run = runDuring(await jobAnswer(db, jobId, { ...JOB_DEFAULTS, cluster }), job);
  const { zone } = await chosenZone(db, "");
  return {
    section: serverSection(run, jobId, { zone, origin }),
    json: { servers: run === undefined ? null : { ...run, origin: provenanceJson(origin) } },
  };
}

/** The run of the job that the log's time lies in; undefined: servers counted none then. */
function runDuring({ runs }: JobAnswer, { startUnix, endUnix }: LoggedJob): JobRun | undefined {
  const overlap = ({ facts, series }: JobRun) => {
    const begin = facts.startUnix ?? (series[0]?.minuteUnix ?? Number.NaN) * 60;
    const end = facts.endUnix ?? ((series.at(-1)?.minuteUnix ?? Number.NaN) + 1) * 60;
    return Math.min(endUnix, end) - Math.max(startUnix, begin);
  };
  return runs
    .filter((run) => run.series.length > 0 && overlap(run) >= 0)
    .sort((a, b) => overlap(b) - overlap(a))[0];
}

function serverSection(
  run: JobRun | undefined,
  jobId: string,
  { zone, origin }: { readonly zone: string; readonly origin: Provenance },
): Section {
  return {
    id: "servers",
    title: "Server counters",
    blocks:
      run?.servers == null
        ? [
            {
              ...NO_MINUTES,
              text: `The store has no server counters of job ${jobId} at the time of this log.`,
            },
          ]
        : [
            {
              kind: "text",
              text: `${provenancePrefix(origin)}Servers counted ${formatBytes(Number(run.servers.bytesRead))} read, ${formatBytes(Number(run.servers.bytesWritten))} written and ${formatCount(Number(run.servers.metadataCalls))} metadata operations of job ${jobId}${run.facts.cluster === null ? "" : ` on ${run.facts.cluster}`}, over all its programs.`,
            },
            ...figuresOf(run, zone, (name) => `servers-${name}`),
            targetTable(run),
            besideBlock(run),
          ],
  };
}
