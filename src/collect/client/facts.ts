/** Job, user and node of a reading: from options, or from the environment of Slurm's prolog and epilog. */
import { totalmem } from "node:os";
import { join } from "node:path";
import { expandNodeList } from "../../formats/slurm/index.ts";
import { readToEnd } from "../files.ts";

export interface JobFacts {
  readonly jobId: string;
  readonly node: string;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly uid?: number | undefined;
  readonly nodes?: number | undefined;
}

/** Command line options; each overrides the environment. */
interface FactOptions {
  readonly job?: string | undefined;
  readonly node?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly uid?: string | undefined;
  readonly nodes?: string | undefined;
  readonly omitUser: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function jobFacts(given: FactOptions, env: Environment, hostname: string): JobFacts {
  const first = (...texts: (string | undefined)[]) => texts.find((text) => text !== undefined && text !== "");
  const jobId = first(given.job, env.SLURM_JOB_ID, env.SLURM_JOBID);
  if (jobId === undefined)
    throw new Error("no job: neither --job nor SLURM_JOB_ID; run it from Slurm's Prolog and Epilog");
  return {
    jobId,
    node: first(given.node, env.SLURMD_NODENAME, hostname.split(".")[0]) ?? hostname,
    cluster: first(given.cluster, env.SLURM_CLUSTER_NAME),
    ...(!given.omitUser && {
      user: first(given.user, env.SLURM_JOB_USER),
      uid: wholeNumber(first(given.uid, env.SLURM_JOB_UID)),
    }),
    nodes: wholeNumber(first(given.nodes, env.SLURM_JOB_NUM_NODES, env.SLURM_NNODES)) ?? listedNodes(env),
  };
}

function listedNodes(env: Environment): number | undefined {
  const list = env.SLURM_JOB_NODELIST ?? env.SLURM_NODELIST;
  return list === undefined ? undefined : expandNodeList(list)?.length;
}

function wholeNumber(text: string | undefined): number | undefined {
  const value = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  return value;
}

/** Memory of this machine, or of the meminfo in another root. */
export function nodeMemoryBytes(root: string): bigint {
  try {
    const text = new TextDecoder("latin1").decode(readToEnd(join(root, "proc/meminfo")));
    const kib = /^MemTotal:\s+(\d+) kB$/m.exec(text)?.[1];
    if (kib !== undefined) return 1024n * BigInt(kib);
  } catch {
    // A test root without meminfo.
  }
  return BigInt(totalmem());
}
