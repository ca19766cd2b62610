/** A job of Slurm, whatever text it came from. */

export interface SlurmJob {
  /** Cluster, raw id and submit time: ids come again on other clusters, after requeues, and when counters restart. */
  readonly key: string;
  readonly cluster: string;
  /** JobIDRaw: what SLURM_JOB_ID was, and so what Lustre's servers know. */
  readonly jobId: string;
  /** The array and its task, where it is one. */
  readonly arrayJobId: string | undefined;
  readonly arrayTaskId: string | undefined;
  /** First job of a heterogeneous job and this one's place in it. */
  readonly hetJobId: string | undefined;
  readonly hetOffset: string | undefined;
  readonly user: string;
  readonly uid: string;
  readonly group: string;
  readonly account: string;
  readonly partition: string;
  readonly qos: string;
  readonly name: string;
  /** One word; `CANCELLED by 5101` is `CANCELLED`. */
  readonly state: string;
  readonly cancelledBy: string | undefined;
  readonly exitCode: string;
  readonly submitUnix: number | undefined;
  readonly eligibleUnix: number | undefined;
  readonly startUnix: number | undefined;
  readonly endUnix: number | undefined;
  readonly elapsedSeconds: number | undefined;
  readonly nodes: number | undefined;
  readonly cpus: number | undefined;
  /** As printed, folded. */
  readonly nodeList: string;
  /** `cpu=4,mem=4000M,gres/gpu=1` by name. */
  readonly tres: ReadonlyMap<string, string>;
  readonly workDir: string;
  /** Line of the text, or place in the list of a JSON document, from 1. */
  readonly line: number;
}

const ENDED = new Set(
  (
    "COMPLETED FAILED TIMEOUT CANCELLED NODE_FAIL OUT_OF_MEMORY PREEMPTED BOOT_FAIL DEADLINE REQUEUED REVOKED " +
    "SPECIAL_EXIT LAUNCH_FAILED RECONFIG_FAIL"
  ).split(" "),
);
const OPEN = new Set(
  (
    "RUNNING PENDING SUSPENDED COMPLETING CONFIGURING STAGE_OUT SIGNALING RESIZING REQUEUE_HOLD REQUEUE_FED " +
    "RESV_DEL_HOLD STOPPED POWER_UP_NODE UPDATE_DB EXPEDITING"
  ).split(" "),
);

export const isKnownState = (state: string) => ENDED.has(state) || OPEN.has(state);

/** `CANCELLED by 5101`, `COMPLETED+`: the word, and who cancelled. */
export function stateOf(text: string): { readonly state: string; readonly cancelledBy: string | undefined } {
  const match = /^([A-Z_]+)\+?(?: by (\S+))?$/.exec(text.trim());
  return { state: match?.[1] ?? text.trim(), cancelledBy: match?.[2] };
}

interface JobIdParts {
  readonly arrayJobId?: string;
  readonly arrayTaskId?: string;
  readonly hetJobId?: string;
  readonly hetOffset?: string;
  /** `batch`, `extern`, `0`: the row is a step. */
  readonly step?: string;
}

/** `332_5`, `332_[6-9%2]`, `123+1`, `331.batch`, and mixtures; undefined for anything else. */
export function jobIdParts(text: string): JobIdParts | undefined {
  const match = /^(\d+)(?:_(\d+|\[[\d,:%-]+\]))?(?:\+(\d+))?(?:\.(\w+(?:\+\w+)?))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, job = "", task, offset, step] = match;
  return {
    ...(task !== undefined && { arrayJobId: job, arrayTaskId: task }),
    ...(offset !== undefined && { hetJobId: job, hetOffset: offset }),
    ...(step !== undefined && { step }),
  };
}

export function tresOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(",")) {
    const equals = part.indexOf("=");
    if (equals > 0) found.set(part.slice(0, equals), part.slice(equals + 1));
  }
  return found;
}

export function keyOf(cluster: string, jobId: string, submitUnix: number | undefined): string {
  return `${cluster}/${jobId}/${submitUnix ?? ""}`;
}

/** What a reader should know, counted, with the lines of the first broken ones. */
export interface SlurmNotes {
  rows: number;
  /** Rows of steps; they are no jobs. */
  steps: number;
  broken: number;
  readonly brokenLines: { readonly line: number; readonly reason: string }[];
  /** Rows with a delimiter inside a free text that could be put right. */
  repaired: number;
  /** Times without a zone, which were read in the zone asked for. */
  localTimes: number;
  unknownStates: number;
  /** Rows whose NodeList has another number of nodes than NNodes says. */
  nodeMismatches: number;
  /** Columns that the text lacks and that jobs are matched with counters by, as sacct calls them. */
  readonly missingColumns: string[];
  /** What Slurm itself wrote into a document about its own failure. */
  readonly complaints: string[];
}

export function newSlurmNotes(): SlurmNotes {
  return {
    ...{ rows: 0, steps: 0, broken: 0, brokenLines: [], repaired: 0, localTimes: 0 },
    ...{ unknownStates: 0, nodeMismatches: 0, missingColumns: [], complaints: [] },
  };
}

const BROKEN_LINES_MAX = 20;

export function noteBroken(notes: SlurmNotes, line: number, reason: string): void {
  notes.broken++;
  if (notes.brokenLines.length < BROKEN_LINES_MAX) notes.brokenLines.push({ line, reason });
}
