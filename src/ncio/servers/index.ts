/** Storage targets: servers for tests and benchmarks, their client, and what commands need to start, ask and stop them. */
export {
  type ClientOptions,
  connectServers,
  type ServersCounts,
  type ServersStorage,
} from "./client/storage.ts";
export type { ServersFile } from "./client/file.ts";
export { connectFolder, type FoundServers, runningServers } from "./control/connect.ts";
export { type StartedServers, type StartOptions, startServers } from "./control/start.ts";
export { type ServerStatus, type TargetsStatus, targetsStatus } from "./control/status.ts";
export { type StopOutcome, stopServers } from "./control/stop.ts";
export { TargetError } from "./errors.ts";
export {
  DEFAULT_LIMITS,
  DEFAULT_STRIP_BYTES,
  type Limits,
  PAIRS_MAX,
  SERVERS_MAX,
  STRIP_BYTES_MAX,
  STRIP_BYTES_MIN,
} from "./limits.ts";
export { JOINS, type Joins } from "./server/setting.ts";
export type { ServerStats } from "./wire.ts";
