/** Finds the servers of a folder. */
import { commandLine } from "../../../base/command-line.ts";
import { UsageError } from "../../../base/errors.ts";
import { readState, readToken } from "./state.ts";

interface FoundServers {
  readonly addresses: readonly string[];
  readonly token: string;
  readonly stripBytes: number;
}

/** Addresses and token of the servers started in a folder. */
export function runningServers(dir: string): FoundServers {
  const state = readState(dir);
  if (state === undefined || state.phase === "starting") throw noServers(dir);
  return {
    addresses: state.servers.map(({ address }) => address),
    token: readToken(dir),
    stripBytes: state.stripBytes,
  };
}

export const noServers = (dir: string): UsageError =>
  new UsageError(
    `no servers were started in ${dir}; start some with ${commandLine(["plimsoll", "targets", "start", "--dir", dir])}`,
  );
