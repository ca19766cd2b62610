/** Which MPI is it? */
import { spawnSync } from "node:child_process";

/** Whether `mpiexec` or `mpirun` is Open MPI's; undefined when it cannot be run. */
export function isOpenMpi(launcher: string, env: NodeJS.ProcessEnv = process.env): boolean | undefined {
  const { stdout, error } = spawnSync(launcher, ["--version"], { encoding: "utf8", env });
  return error === undefined ? /Open MPI|OpenRTE/.test(stdout) : undefined;
}

/** Name and version from the text of MPI_Get_library_version: "MPICH 4.0.2". */
export function mpiLibrary(text: string): string {
  const known = /^(MPICH) Version:\s*(\S+)/m.exec(text) ?? /^(Open MPI) v([\w.]+)/.exec(text);
  return known === null ? (text.split(/[,\n]/)[0] as string).trim().slice(0, 60) : `${known[1]} ${known[2]}`;
}
