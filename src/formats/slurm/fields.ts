/** Columns of sacct by their names, as a job; shared by all text forms. */
import {
  isKnownState,
  jobIdParts,
  keyOf,
  newSlurmNotes,
  noteBroken,
  type SlurmJob,
  type SlurmNotes,
  stateOf,
  tresOf,
} from "./job.ts";
import { expandNodeList } from "./nodes.ts";
import { durationSeconds, isLocalTime, timeOf, type Zone } from "./times.ts";

export interface SlurmOptions {
  /** Zone of times that have none: `UTC` (when nothing is said), `+02:00`, `Europe/Berlin`. */
  readonly zone?: string;
  /** Cluster, where the text does not say. */
  readonly cluster?: string;
  /** Names of the columns, for text without a header line. */
  readonly columns?: readonly string[];
  /** Delimiter; found from the header when not given. */
  readonly delimiter?: string;
}

export interface SlurmFile {
  readonly jobs: SlurmJob[];
  readonly notes: SlurmNotes;
}

/** Takes rows of named values and makes jobs of them. */
export class JobRows {
  readonly jobs: SlurmJob[] = [];
  readonly notes = newSlurmNotes();
  readonly #zone: Zone;
  readonly #cluster: string;

  constructor(zone: Zone, cluster: string) {
    this.#zone = zone;
    this.#cluster = cluster;
  }

  add(line: number, get: (column: string) => string | undefined): void {
    this.notes.rows++;
    const shown = get("jobid") ?? get("jobidraw") ?? "";
    const parts = jobIdParts(shown);
    if (parts === undefined) {
      noteBroken(this.notes, line, `"${shown.slice(0, 40)}" is not a job id`);
      return;
    }
    if (parts.step !== undefined) {
      this.notes.steps++;
      return;
    }
    const raw = get("jobidraw") ?? shown;
    const times = this.#times(line, get);
    if (times === undefined) return;
    const { state, cancelledBy } = stateOf(get("state") ?? "");
    if (state !== "" && !isKnownState(state)) this.notes.unknownStates++;
    const nodeList = get("nodelist") ?? "";
    // Of a job that never had nodes sacct prints how many it asked for.
    const isUnassigned = nodeList === "None assigned";
    const nodes = isUnassigned ? 0 : whole(get("nnodes") ?? get("allocnodes"));
    this.#checkNodes(nodeList, nodes);
    const cluster = get("cluster") || this.#cluster;
    const { submit, eligible, start, end } = times;
    this.jobs.push({
      key: keyOf(cluster, raw, submit),
      cluster,
      jobId: raw,
      arrayJobId: get("arrayjobid") ?? parts.arrayJobId,
      arrayTaskId: get("arraytaskid") ?? parts.arrayTaskId,
      hetJobId: parts.hetJobId ?? get("hetjobid"),
      hetOffset: parts.hetOffset ?? get("hetjoboffset"),
      user: get("user") ?? "",
      uid: get("uid") ?? "",
      group: get("group") ?? "",
      account: get("account") ?? "",
      partition: get("partition") ?? "",
      qos: get("qos") ?? "",
      name: get("jobname") ?? "",
      state,
      cancelledBy,
      exitCode: get("exitcode") ?? "",
      submitUnix: submit,
      eligibleUnix: eligible,
      startUnix: start,
      endUnix: end,
      elapsedSeconds: whole(get("elapsedraw")) ?? durationSeconds(get("elapsed") ?? ""),
      nodes,
      cpus: isUnassigned ? 0 : whole(get("ncpus") ?? get("alloccpus")),
      nodeList,
      tres: tresOf(get("alloctres") ?? ""),
      workDir: get("workdir") ?? "",
      line,
    });
  }

  #times(line: number, get: (column: string) => string | undefined) {
    const found: Record<string, number | undefined> = {};
    for (const name of ["submit", "eligible", "start", "end"]) {
      const text = get(name) ?? "";
      const time = timeOf(text, this.#zone);
      if (time === null) {
        noteBroken(this.notes, line, `"${text.slice(0, 40)}" in ${name} is not a time`);
        return undefined;
      }
      if (isLocalTime(text)) this.notes.localTimes++;
      found[name] = time;
    }
    return { submit: found.submit, eligible: found.eligible, start: found.start, end: found.end };
  }

  #checkNodes(nodeList: string, nodes: number | undefined): void {
    const expanded = expandNodeList(nodeList);
    const isWrong =
      expanded === undefined || (nodes !== undefined && expanded.length > 0 && expanded.length !== nodes);
    if (isWrong) this.notes.nodeMismatches++;
  }
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
