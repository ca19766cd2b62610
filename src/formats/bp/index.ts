/** BP version 3, the container of ADIOS 1: subfiles and a global index, written and read. */
export * from "./checksums.ts";
export * from "./dataset.ts";
export * from "./describe.ts";
export { bp } from "./format.ts";
export * from "./index-data.ts";
export * from "./read-index.ts";
export * from "./select.ts";
export * from "./slabs.ts";
export * from "./statistics.ts";
export * from "./types.ts";
export * from "./values.ts";
export * from "./write-group.ts";
export * from "./write-index.ts";
