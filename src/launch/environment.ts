/** The launcher of this process, from its environment: before any MPI is loaded. */

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Launched {
  /** The launcher, by its usual name. */
  readonly by: "Open MPI's mpiexec" | "mpiexec" | "srun";
  /** Process manager interface of its ranks: PMIx for Open MPI, PMI for MPICH and compatible. `none`: neither. */
  readonly speaks: "pmix" | "pmi" | "none";
  readonly rank: number;
  readonly size: number;
}

/** Undefined when this process is not a rank. */
export function launchedBy(env: Environment): Launched | undefined {
  const slurm = place(env.SLURM_PROCID, env.SLURM_STEP_NUM_TASKS);
  const pmix = env.PMIX_RANK !== undefined;
  const open = place(env.OMPI_COMM_WORLD_RANK, env.OMPI_COMM_WORLD_SIZE);
  if (open !== undefined) return { by: "Open MPI's mpiexec", speaks: "pmix", ...open };
  const pmi = place(env.PMI_RANK, env.PMI_SIZE);
  const by = slurm !== undefined && env.SLURM_STEP_ID !== undefined ? "srun" : "mpiexec";
  if (pmi !== undefined) return { by, speaks: "pmi", ...pmi };
  // A batch script has task numbers too, but no step: it is a single process, not started by srun.
  if (slurm === undefined || env.SLURM_STEP_ID === undefined) return undefined;
  return { by: "srun", speaks: pmix ? "pmix" : "none", ...slurm };
}

function place(
  rank: string | undefined,
  size: string | undefined,
): { rank: number; size: number } | undefined {
  if (rank === undefined || size === undefined || !/^\d+$/.test(rank) || !/^\d+$/.test(size))
    return undefined;
  return { rank: Number(rank), size: Number(size) };
}
