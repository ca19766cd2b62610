import { formatCount } from "../../../base/units.ts";

/** `1 file`, `30,512 files`. */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${Math.round(count) === 1 ? "" : "s"}`;

/** What a layer keeps records of. */
export const recordNoun = (layer: string): string =>
  layer === "H5D" ? "dataset" : layer === "PNETCDF_VAR" ? "variable" : "file";
