/** MPI, loaded when asked for. */
export { ABIS, type Abi } from "./abi.ts";
export { MpiCommunicator } from "./communicator.ts";
export { type ConnectOptions, connectMpi } from "./connect.ts";
export {
  type Direction,
  type MpiFile,
  type MpiioRequest,
  type MpiioTimes,
  openMpiFile,
  type Prepared,
  performMpiio,
} from "./files.ts";
export { type Hints, MPIIO_METHODS, requireMethod } from "./hints.ts";
export { MpiError } from "./library.ts";
