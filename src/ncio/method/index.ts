/** The methods of noncontiguous I/O. */
export { expectedCounts, type ExpectedCounts, type StorageShape } from "./expected.ts";
export { holesAfter, type HolesAfter } from "./holes.ts";
export {
  METHOD_DEFAULTS,
  type MethodOptions,
  type OnRequests,
  type Operation,
  type OperationResult,
} from "./method.ts";
export { checkMethodOptions, METHODS, runOperation } from "./run.ts";
