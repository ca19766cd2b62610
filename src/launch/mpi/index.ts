/** MPI, loaded on demand. */
export { MpiCommunicator } from "./communicator.ts";
export { connectMpi } from "./connect.ts";
export { type MpiFile, openMpiFile, type Prepared } from "./files.ts";
export { MPIIO_METHODS, requireMethod } from "./hints.ts";
export { MpiError } from "./library.ts";
