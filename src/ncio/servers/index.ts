/** Storage targets: servers for tests and benchmarks, their client, and functions to start, query and stop them. */
export {
  type ClientOptions,
  connectServers,
  type ServersStorage,
  SYNC_TIMEOUT_MS,
} from "./client/storage.ts";
export { runningServers } from "./control/connect.ts";
export { type StartedServers, startServers } from "./control/start.ts";
export { type ServerStatus, targetsStatus } from "./control/status.ts";
export { stopServers } from "./control/stop.ts";
export {
  DEFAULT_LIMITS,
  type Limits,
  PAIRS_MAX,
  SERVERS_MAX,
  STRIP_BYTES_MAX,
  STRIP_BYTES_MIN,
} from "./limits.ts";
export { JOINS, type Joins, SYNCS, type Syncs } from "./modes.ts";
export type { ServerStats } from "./wire.ts";
