import { describe, expect, it } from "vitest";
import { launchedBy } from "./environment.ts";
import { candidates } from "./mpi/library.ts";

describe("who started this process", () => {
  it.each([
    ["nobody", {}, undefined],
    ["MPICH's mpiexec", { PMI_RANK: "3", PMI_SIZE: "8", PMI_FD: "7" }, ["mpiexec", "pmi", 3, 8]],
    [
      "Open MPI's mpiexec",
      { OMPI_COMM_WORLD_RANK: "0", OMPI_COMM_WORLD_SIZE: "2", PMIX_RANK: "0" },
      ["Open MPI's mpiexec", "pmix", 0, 2],
    ],
    [
      "srun with PMI-2",
      { SLURM_PROCID: "1", SLURM_STEP_NUM_TASKS: "4", SLURM_STEP_ID: "0", PMI_RANK: "1", PMI_SIZE: "4" },
      ["srun", "pmi", 1, 4],
    ],
    [
      "srun with PMIx",
      { SLURM_PROCID: "1", SLURM_STEP_NUM_TASKS: "4", SLURM_STEP_ID: "0", PMIX_RANK: "1" },
      ["srun", "pmix", 1, 4],
    ],
    [
      "srun without either",
      { SLURM_PROCID: "2", SLURM_STEP_NUM_TASKS: "4", SLURM_STEP_ID: "0" },
      ["srun", "none", 2, 4],
    ],
    ["a batch script", { SLURM_PROCID: "0", SLURM_NTASKS: "8", SLURM_JOB_ID: "5" }, undefined],
    ["something that is not a number", { PMI_RANK: "x", PMI_SIZE: "8" }, undefined],
  ])("%s", (_, env, expected) => {
    const launched = launchedBy(env as Record<string, string>);
    expect(launched && [launched.by, launched.speaks, launched.rank, launched.size]).toEqual(expected);
  });

  it("decides which library is tried first", () => {
    const open = launchedBy({ OMPI_COMM_WORLD_RANK: "0", OMPI_COMM_WORLD_SIZE: "2" });
    expect(candidates({}, open)).toEqual([
      "libmpi.so.40",
      "libmpi_abi.so.0",
      "libmpi.so.12",
      "libmpich.so.12",
    ]);
    expect(candidates({}, undefined)[0]).toBe("libmpi.so.12");
    expect(candidates({ PLIMSOLL_MPI: "/opt/mpi.so" }, open)).toEqual(["/opt/mpi.so"]);
  });
});
