/** The table of snippets: code and commands that findings hand to people. Every entry is compiled or run by a test. */
import { COMMAND_SNIPPETS } from "./commands.ts";
import { FILE_SNIPPETS } from "./files.ts";
import { HDF5_SNIPPETS } from "./hdf5.ts";
import { MPI_IO_SNIPPETS } from "./mpi-io.ts";
import { OVERLAP_SNIPPETS } from "./overlap.ts";
import { PNETCDF_SNIPPETS } from "./pnetcdf.ts";
import { POSIX_SNIPPETS } from "./posix.ts";
import { STDIO_SNIPPETS } from "./stdio.ts";

export const SNIPPETS = {
  ...MPI_IO_SNIPPETS,
  ...OVERLAP_SNIPPETS,
  ...FILE_SNIPPETS,
  ...POSIX_SNIPPETS,
  ...STDIO_SNIPPETS,
  ...HDF5_SNIPPETS,
  ...PNETCDF_SNIPPETS,
  ...COMMAND_SNIPPETS,
};

export { snippetFor } from "./entry.ts";
export { programOf, usesMpi } from "./program.ts";
export { fitsMemory } from "./commands.ts";
export { isTinyStream } from "./stdio.ts";
export { wayOf } from "./words.ts";
