/** The table of modules, by their slot in format 3.41. A new module is its file plus one line here. */
import { apmpi, apxc } from "./autoperf.ts";
import { daos, dfs } from "./daos.ts";
import { h5d, h5f } from "./hdf5.ts";
import type { ModuleSpec } from "./module.ts";
import { mpiio } from "./mpiio.ts";
import { pnetcdfFile, pnetcdfVar } from "./pnetcdf.ts";
import { posix } from "./posix.ts";
import { bgq, nullModule } from "./small.ts";
import { stdio } from "./stdio.ts";
import { dxtMpiio, dxtPosix, heatmap, lustre, mdhim } from "./variable.ts";

export const MODULES: readonly ModuleSpec[] = [
  nullModule,
  posix,
  mpiio,
  h5f,
  h5d,
  pnetcdfFile,
  pnetcdfVar,
  bgq,
  lustre,
  stdio,
  dxtPosix,
  dxtMpiio,
  mdhim,
  apxc,
  apmpi,
  heatmap,
  dfs,
  daos,
];

/** The module of that name, in any letter case. */
export function findModule(name: string): ModuleSpec | undefined {
  const wanted = name.toUpperCase();
  return MODULES.find((module) => module.name === wanted);
}

export * from "./module.ts";
export {
  apmpi,
  apxc,
  bgq,
  daos,
  dfs,
  dxtMpiio,
  dxtPosix,
  h5d,
  h5f,
  heatmap,
  lustre,
  mpiio,
  pnetcdfVar,
  posix,
  stdio,
};
export { SYNC_TIMES } from "./autoperf.ts";
export { COMPONENT_WORDS, segmentWords } from "./variable.ts";
