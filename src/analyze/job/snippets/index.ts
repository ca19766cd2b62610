/** The table of snippets: code and commands that findings hand to people. Every entry is compiled or run by a test. */
import * as commands from "./commands.ts";
import * as files from "./files.ts";
import * as hdf5 from "./hdf5.ts";
import * as mpiIo from "./mpi-io.ts";
import * as overlap from "./overlap.ts";
import * as pnetcdf from "./pnetcdf.ts";
import * as posix from "./posix.ts";
import * as stdio from "./stdio.ts";

export const SNIPPETS = {
  ...mpiIo,
  ...overlap,
  ...files,
  ...posix,
  ...stdio,
  ...hdf5,
  ...pnetcdf,
  ...commands,
};

export { snippetFor } from "./entry.ts";
export { programLanguage } from "./program.ts";
export { wayOf } from "./words.ts";
