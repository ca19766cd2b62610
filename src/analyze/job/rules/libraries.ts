/** Rules on libraries between the application and the file system: C streams, HDF5, PnetCDF. */
import type { Rule } from "../rule.ts";
import { HDF5_RULES } from "./libraries-hdf5.ts";
import { PNETCDF_RULES } from "./libraries-pnetcdf.ts";
import { STDIO_RULES } from "./libraries-stdio.ts";

export const LIBRARIES_RULES: readonly Rule[] = [...STDIO_RULES, ...HDF5_RULES, ...PNETCDF_RULES];
