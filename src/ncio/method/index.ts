/** The methods of noncontiguous I/O. */
export { expectedCounts, type StorageShape } from "./expected.ts";
export { holesAfter } from "./holes.ts";
export { INSIDE, METHOD_DEFAULTS, type MethodOptions, type OperationResult } from "./method.ts";
export { METHODS, runOperation } from "./run.ts";
