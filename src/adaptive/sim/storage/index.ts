/** The storage model: its interface for hosts, experiments and pages. */

export { type RunSeed, STREAM, normal, sampleSeed } from "./draws.ts";
export { type StorageModel, WRITE_EIO, WRITE_ENOSPC, WRITE_OK, type WriteStatus } from "./model.ts";
export {
  MB,
  PARAMETER_NAMES,
  PARAMETERS,
  type ParameterName,
  type StorageParameters,
  withDefaults,
} from "./parameters.ts";
export { type Flush, Storage } from "./storage.ts";
export { type Interference, makeWorld, type World } from "./world.ts";
export { LIGHT_CHANGE } from "./kinds.ts";
