/** Queries the status of the servers of a folder. */
import { resolve } from "node:path";
import { BufferPool } from "../buffers.ts";
import { Link } from "../client/link.ts";
import { Op, type ServerStats } from "../wire.ts";
import { noServers } from "./connect.ts";
import { isAlive } from "./processes.ts";
import { readState, readToken, type ServerEntry } from "./state.ts";

/**
 * `gone`: its process has ended. `silent`: the process runs but does not answer. `other`: another program answers at its
 * address.
 */
type ServerCondition = "running" | "gone" | "silent" | "other";

export interface ServerStatus {
  readonly server: number;
  readonly address: string;
  readonly pid: number;
  readonly condition: ServerCondition;
  /** The reason if it does not run. */
  readonly reason: string | undefined;
  readonly stats: ServerStats | undefined;
}

interface TargetsStatus {
  readonly dir: string;
  readonly since: string;
  readonly host: string;
  readonly stripBytes: number;
  readonly servers: readonly ServerStatus[];
}

const ANSWER_MS = 3000;

export async function targetsStatus(folder: string): Promise<TargetsStatus> {
  const dir = resolve(folder);
  const state = readState(dir);
  if (state === undefined || state.phase === "starting") throw noServers(dir);
  const token = readToken(dir);
  const servers = await Promise.all(state.servers.map((entry) => askServer(entry, token)));
  return { dir, since: state.since, host: state.host, stripBytes: state.stripBytes, servers };
}

async function askServer(entry: ServerEntry, token: string): Promise<ServerStatus> {
  const { server, address, pid } = entry;
  let link: Link | undefined;
  try {
    link = await linkTo(entry, token);
    const { body } = await link.request(Op.stats, 0);
    const stats = JSON.parse(body.toString()) as ServerStats;
    if (link.hello.instance === entry.instance)
      return { server, address, pid, condition: "running", reason: undefined, stats };
    const reason = "another server answers at its address";
    return { server, address, pid, condition: "other", reason, stats: undefined };
  } catch (error) {
    const alive = isAlive(entry);
    const reason = alive ? `process ${pid}: ${(error as Error).message}` : `process ${pid} has ended`;
    return { server, address, pid, condition: alive ? "silent" : "gone", reason, stats: undefined };
  } finally {
    link?.close();
  }
}

export function linkTo({ address, server }: ServerEntry, token: string): Promise<Link> {
  const times = { timeoutMs: ANSWER_MS, syncTimeoutMs: ANSWER_MS };
  return Link.connect({ address, server, token, ...times }, new BufferPool());
}
