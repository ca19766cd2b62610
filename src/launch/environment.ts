/** Who started this process, from its environment: before any MPI is loaded. */

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Launched {
  /** The program that started the ranks, as people call it. */
  readonly by: "Open MPI's mpiexec" | "mpiexec" | "srun";
  /** Which MPI its ranks belong to: PMIx is Open MPI's way, PMI that of MPICH and compatible libraries. `none`: it offers neither. */
  readonly speaks: "pmix" | "pmi" | "none";
  readonly rank: number;
  readonly size: number;
}

/** Undefined when this process is no rank of anything. */
export function launchedBy(env: Environment): Launched | undefined {
  const slurm = place(env.SLURM_PROCID, env.SLURM_STEP_NUM_TASKS);
  const pmix = env.PMIX_RANK !== undefined;
  const open = place(env.OMPI_COMM_WORLD_RANK, env.OMPI_COMM_WORLD_SIZE);
  if (open !== undefined) return { by: "Open MPI's mpiexec", speaks: "pmix", ...open };
  const pmi = place(env.PMI_RANK, env.PMI_SIZE);
  const by = slurm !== undefined && env.SLURM_STEP_ID !== undefined ? "srun" : "mpiexec";
  if (pmi !== undefined) return { by, speaks: "pmi", ...pmi };
  // Inside a batch script there are numbers of tasks too, but no step: that is one process that srun did not start.
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
