// From a source to the words that start it. Installs nothing by itself.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const sources = join(dirname(fileURLToPath(import.meta.url)), "programs");

/** What a program needs is not on this machine. */
export class Missing extends Error {}

/** Compiles a program into a folder; gives its command, and that which starts its ranks. */
export function build(program, folder) {
  const source = join(sources, program.source);
  const launcher =
    program.ranks === undefined
      ? []
      : [firstOf(["mpiexec.mpich", "mpiexec"], "an MPI (mpich, libmpich-dev)"), "-n", String(program.ranks)];
  if (source.endsWith(".py")) return { launcher, command: [python(program.needs ?? "zlib"), source] };
  const output = join(folder, program.name);
  // In the folder: HDF5's wrapper leaves its object files in the working directory.
  const done = spawnSync(compiler(program), ["-O2", "-Wall", "-o", output, source], {
    cwd: folder,
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(`cannot compile ${program.source}: ${done.stderr.trim()}`);
  return { launcher, command: [output] };
}

function compiler({ source, ranks }) {
  if (source.startsWith("hdf5"))
    return firstOf(["h5pcc.mpich", "h5pcc"], "parallel HDF5 (libhdf5-mpich-dev)");
  if (ranks !== undefined) return firstOf(["mpicc.mpich", "mpicc"], "an MPI (mpich, libmpich-dev)");
  return firstOf(["cc", "gcc"], "a C compiler");
}

function firstOf(names, what) {
  for (const name of names) if (spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0) return name;
  throw new Missing(`needs ${what}`);
}

/** Another Python may come first on the path than the one that Debian's packages are for, or a script that starts one. */
function python(module) {
  for (const name of ["python3", "/usr/bin/python3"]) {
    const words = ["-c", `import sys, ${module}; print(sys.executable)`];
    const { status, stdout } = spawnSync(name, words, { encoding: "utf8" });
    if (status === 0) return stdout.trim();
  }
  throw new Missing(`needs Python with ${module} (python3-${module})`);
}
