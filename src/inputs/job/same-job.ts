/** Whether logs are of one job: the report of a job adds them up, and a sum over different jobs means nothing. */
import { UsageError } from "../../base/errors.ts";

export interface LogOfJob {
  readonly path: string;
  readonly jobId: bigint;
  readonly userId: bigint;
  readonly startUnixSeconds: number;
  /** NaN when the log does not say. */
  readonly runSeconds: number;
}

/** Ours: longer than the time limits of most centres. Job ids come again: schedulers wrap, process ids serve as ids. */
const PAUSE_SECONDS_MAX = 7 * 86_400;
const NAMED_MAX = 3;

/** Refuses logs of different jobs, and names the jobs. */
export function requireOneJob(logs: readonly LogOfJob[], otherwise = "use --force-merge"): void {
  const jobs = jobsOf(logs);
  if (jobs.length <= 1) return;
  const named = jobs.slice(0, NAMED_MAX).map(nameOf).join(", ");
  const more = jobs.length > NAMED_MAX ? ` and ${jobs.length - NAMED_MAX} more` : "";
  throw new UsageError(
    `the logs belong to ${jobs.length} different jobs: ${named}${more}; pass the logs or the folder of one job, or ${otherwise}`,
  );
}

/** Logs by job: same job id, same user, and no pause that a job does not make. */
export function jobsOf(logs: readonly LogOfJob[]): LogOfJob[][] {
  const groups = new Map<string, LogOfJob[]>();
  for (const log of logs) {
    const key = `${log.jobId} ${log.userId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [log]);
    else group.push(log);
  }
  return [...groups.values()].flatMap(splitAtPauses);
}

function splitAtPauses(logs: readonly LogOfJob[]): LogOfJob[][] {
  const jobs: LogOfJob[][] = [];
  let endSeconds = Number.NEGATIVE_INFINITY;
  for (const log of [...logs].sort((a, b) => a.startUnixSeconds - b.startUnixSeconds)) {
    const last = jobs.at(-1);
    if (last === undefined || log.startUnixSeconds - endSeconds > PAUSE_SECONDS_MAX) jobs.push([log]);
    else last.push(log);
    endSeconds = Math.max(endSeconds, log.startUnixSeconds + (log.runSeconds || 0));
  }
  return jobs;
}

function nameOf(logs: readonly LogOfJob[]): string {
  const { jobId, userId, startUnixSeconds } = logs[0] as LogOfJob;
  const path = commonPath(logs.map(({ path: one }) => one));
  const start = new Date(1000 * startUnixSeconds);
  const day = Number.isNaN(start.getTime()) ? "at an unknown time" : `on ${start.toISOString().slice(0, 10)}`;
  return `${jobId} of user ${userId} ${day} (${path})`;
}

/** The path of one log, or the folder that holds all of them. */
function commonPath([first = "", ...others]: readonly string[]): string {
  const parts = first.split("/");
  let count = parts.length;
  for (const other of others) {
    const own = other.split("/");
    count = Math.min(count, own.length - 1);
    for (let i = 0; i < count; i++) if (own[i] !== parts[i]) count = i;
  }
  return count === 0 ? first : parts.slice(0, count).join("/") || "/";
}
