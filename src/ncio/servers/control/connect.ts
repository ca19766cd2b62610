/** Finds the servers of a folder. */
import { UsageError } from "../../../base/errors.ts";
import { type ClientOptions, connectServers, type ServersStorage } from "../client/storage.ts";
import { readState, readToken } from "./state.ts";

interface FoundServers {
  readonly addresses: readonly string[];
  readonly token: string;
  readonly stripBytes: number;
}

/** Addresses and token of the servers that were started in a folder. */
export function runningServers(dir: string): FoundServers {
  const state = readState(dir);
  if (state === undefined || state.phase === "starting") throw noServers(dir);
  return {
    addresses: state.servers.map(({ address }) => address),
    token: readToken(dir),
    stripBytes: state.stripBytes,
  };
}

export function connectFolder(
  dir: string,
  options: Omit<ClientOptions, "addresses" | "token"> = {},
): Promise<ServersStorage> {
  return connectServers({ ...options, ...runningServers(dir) });
}

export const noServers = (dir: string): UsageError =>
  new UsageError(`no servers were started in ${dir}; plimsoll targets start --dir ${dir} starts some`);
