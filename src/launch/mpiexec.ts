/** Starts this command line again as ranks of an MPI, which is how MPI-IO is measured. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { UsageError } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";
import { exitOf } from "../node/child-program.ts";
import { isOpenMpi } from "../node/mpi.ts";

const PROGRAMS = ["mpiexec.mpich", "mpiexec"];

interface MpiexecValues {
  readonly ranks: number;
  readonly mpiexec: string | undefined;
  /** What asks for it, for messages: "--backend mpiio". */
  readonly option: string;
  /** The file of the run, removed however it ends, and the variable that names it to the ranks. */
  readonly file: { readonly path: string; readonly variable: string; readonly value: string };
}

/** The exit code of the run. */
export async function runUnderMpi(
  { ranks, mpiexec, option, file }: MpiexecValues,
  listener: Listener,
): Promise<number> {
  const program = findMpiexec(mpiexec, option);
  const partial = listener.partialOutput?.(file.path);
  const [, script = "", ...words] = process.argv;
  const args = [...program.options, "-n", String(ranks), process.execPath, script, ...words];
  const child = spawn(program.name, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, [file.variable]: file.value },
  });
  try {
    const { code, signal } = await exitOf(child, listener.signal);
    return code ?? (signal === "SIGINT" ? 130 : 1);
  } finally {
    rmSync(file.path, { force: true });
    partial?.done();
  }
}

function findMpiexec(asked: string | undefined, option: string): { name: string; options: string[] } {
  for (const name of asked === undefined ? PROGRAMS : [asked]) {
    const open = isOpenMpi(name);
    if (open === undefined) continue;
    // Its own MPI-IO ignores the hints that choose a method; and it refuses more ranks than cores, and root.
    const root = process.getuid?.() === 0 ? ["--allow-run-as-root"] : [];
    return { name, options: open ? ["--mca", "io", "romio321", "--oversubscribe", ...root] : [] };
  }
  throw new UsageError(
    asked === undefined
      ? `${option} needs mpiexec, which was not found; install an MPI (Debian: mpich or openmpi-bin) or name the launcher with --mpiexec`
      : `--mpiexec ${asked}: cannot be run`,
  );
}
