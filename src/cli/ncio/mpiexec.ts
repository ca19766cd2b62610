/** Starts this same command again as ranks of an MPI, which is how MPI-IO is measured. */
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { FILE_VARIABLE, newFileName } from "../../ncio/run/measure.ts";
import type { Context } from "../context.ts";

const PROGRAMS = ["mpiexec.mpich", "mpiexec"];

interface Asked {
  readonly ranks: number;
  readonly mpiexec: string | undefined;
}

/** The exit code becomes ours. The file is in `folder`. */
export async function runUnderMpi(
  { ranks, mpiexec }: Asked,
  folder: string,
  context: Context,
): Promise<void> {
  const program = findMpiexec(mpiexec);
  const file = newFileName();
  const partial = context.partialOutput(join(folder, file));
  const [, script = "", ...words] = process.argv;
  const args = [...program.options, "-n", String(ranks), process.execPath, script, ...words];
  const child = spawn(program.name, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, [FILE_VARIABLE]: file },
  });
  const stop = () => child.kill("SIGTERM");
  context.signal.addEventListener("abort", stop, { once: true });
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status, signal) => resolve(status ?? (signal === "SIGINT" ? 130 : 1)));
  });
  context.signal.removeEventListener("abort", stop);
  rmSync(join(folder, file), { force: true });
  partial.done();
  context.exitWith(code);
}

function findMpiexec(asked: string | undefined): { name: string; options: string[] } {
  for (const name of asked === undefined ? PROGRAMS : [asked]) {
    const { stdout, error } = spawnSync(name, ["--version"], { encoding: "utf8" });
    if (error !== undefined) continue;
    // Its own MPI-IO ignores the hints that choose a method; and it refuses more ranks than cores, and root.
    const open = /Open MPI|OpenRTE/.test(stdout);
    const root = process.getuid?.() === 0 ? ["--allow-run-as-root"] : [];
    return { name, options: open ? ["--mca", "io", "romio321", "--oversubscribe", ...root] : [] };
  }
  throw new UsageError(
    asked === undefined
      ? "--backend mpiio needs mpiexec, which was not found; install an MPI (Debian: mpich or openmpi-bin) or name the launcher with --mpiexec"
      : `--mpiexec ${asked}: cannot be run`,
  );
}
