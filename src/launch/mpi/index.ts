/** MPI, loaded when asked for. */
export { MpiCommunicator } from "./communicator.ts";
export { connectMpi } from "./connect.ts";
export { type Direction, type MpiFile, openMpiFile, type Prepared, performMpiio } from "./files.ts";
export { MPIIO_METHODS, requireMethod } from "./hints.ts";
export { MpiError } from "./library.ts";
