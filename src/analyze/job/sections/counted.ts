/** `1 file`, `30,512 files`. */
export { formatMany as counted } from "../../../base/units.ts";

/** What a layer keeps records of. */
export const recordNoun = (layer: string): string =>
  layer === "H5D" ? "dataset" : layer === "PNETCDF_VAR" ? "variable" : "file";
