/** The workload programs, built at first use with the user's compiler and kept beside the recorder. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mpiLibrary } from "../../node/mpi.ts";
import { keepBuild } from "../build-cache.ts";
import { compile, type Environment } from "../compiler.ts";
import { ensureShim, recorderSource } from "../shim.ts";

export interface Programs {
  readonly workload: string;
  /** Data sieving by an MPI library, where there is one. */
  readonly mpiSieving: MpiProgram | undefined;
}

interface MpiProgram {
  readonly path: string;
  /** As it calls itself: "MPICH 4.0.2". */
  readonly library: string;
}

/** Throws ShimUnavailable where recorder or workload cannot be built. */
export function buildPrograms(wantMpi: boolean, env: Environment = process.env): Programs {
  ensureShim({ env });
  return { workload: buildWorkload(env), mpiSieving: wantMpi ? buildMpi(env) : undefined };
}

/**
 * The program and the library with its data sieving are one source. As a library of its own it stands behind the
 * recorder in the order in which names are looked up, where an MPI library would.
 */
function buildWorkload(env: Environment): string {
  const compiler = env.CC || "cc";
  const library = built(
    "libplimsoll-sieve",
    ".so",
    compiler,
    ["-O2", "-std=gnu11", "-fPIC", "-shared", "-DSIEVE_LIBRARY"],
    {
      ...{ env, source: "workload.c", after: [] },
    },
  );
  return built("workload", "", compiler, ["-O2", "-std=gnu11"], {
    ...{ env, source: "workload.c", after: [library] },
  });
}

/** MPICH before others: its ROMIO sieves as the paper's did. Open MPI has ROMIO too, which `MPI_ENVIRONMENT` chooses. */
const MPI_COMPILERS = ["mpicc.mpich", "mpicc", "mpicc.openmpi"];

export const MPI_ENVIRONMENT: Readonly<Record<string, string>> = {
  OMPI_MCA_io: "romio321",
  // One process on this machine: nothing else is asked of the launcher.
  OMPI_MCA_btl: "self",
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
};

function buildMpi(env: Environment): MpiProgram | undefined {
  for (const compiler of MPI_COMPILERS) {
    try {
      const path = built("mpi-sieving", "", compiler, ["-O2", "-std=gnu11"], {
        ...{ env, source: "mpi-sieving.c", after: [] },
      });
      const library = libraryOf(path, env);
      if (library !== undefined) return { path, library };
    } catch {
      // The next compiler, or our own data sieving.
    }
  }
  return undefined;
}

/** Asks the program which MPI it has; without one that works it says nothing. */
function libraryOf(path: string, env: Environment): string | undefined {
  const { status, stdout } = spawnSync(path, ["--version"], {
    encoding: "utf8",
    env: { ...env, ...MPI_ENVIRONMENT },
    timeout: 30_000,
  });
  if (status !== 0) return undefined;
  return mpiLibrary(stdout).replace(/^Open MPI .*/, "$& with ROMIO");
}

interface Build {
  readonly env: Environment;
  readonly source: string;
  /** Words behind the source: libraries. */
  readonly after: readonly string[];
}

function built(
  name: string,
  ending: string,
  compiler: string,
  flags: readonly string[],
  { env, source: sourceName, after }: Build,
): string {
  const source = join(dirname(recorderSource()), sourceName);
  const [program = "cc", ...words] = compiler.split(/\s+/);
  const version = spawnSync(program, [...words, "--version"], { encoding: "utf8", env });
  const inputs = [
    readFileSync(source),
    ...[compiler, version.stdout ?? "", [...flags, ...after].join(" "), process.arch],
  ];
  const build = (path: string) => compile(compiler, [...flags, "-o", path, source, ...after], env);
  return keepBuild({ name, ending, inputs, build }, { env }).path;
}
