/** Ends the servers of a folder, including unresponsive ones, but never a process that merely reuses a pid. */
import { rmSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import { Op } from "../wire.ts";
import { noServers } from "./connect.ts";
import { cleanUp } from "./folder.ts";
import { serverFolders } from "./layout.ts";
import { isAlive, isGone, signal } from "./processes.ts";
import { readState, readToken, type ServerEntry, type TargetsState } from "./state.ts";
import { linkTo } from "./status.ts";

interface StopOutcome {
  readonly server: number;
  readonly pid: number;
  /** `ended` on request; `killed` if it did not respond; `gone` if it had ended before. */
  readonly outcome: "ended" | "killed" | "gone";
}

const END_MS = 5000;
const TERM_MS = 2000;

/** With `removeData` also removes their data. */
export async function stopServers(folder: string, removeData = false): Promise<StopOutcome[]> {
  const dir = resolve(folder);
  const state = readState(dir);
  if (state === undefined) throw noServers(dir);
  if (state.host !== hostname())
    throw new UsageError(`servers in ${dir} were started on ${state.host}; stop them there`);
  if (state.phase === "starting" && isAlive(state.owner))
    throw new UsageError(
      `process ${state.owner.pid} is starting servers in ${dir}; stop that process instead`,
    );
  const token = tokenOf(dir);
  const outcomes = await Promise.all(state.servers.map((entry) => stopOne(entry, token)));
  clear(dir, state, removeData);
  return outcomes;
}

async function stopOne(entry: ServerEntry, token: string): Promise<StopOutcome> {
  const { server, pid } = entry;
  if (!isAlive(entry)) return { server, pid, outcome: "gone" };
  if ((await requestShutdown(entry, token)) && (await isGone(entry, END_MS)))
    return { server, pid, outcome: "ended" };
  signal(entry, "SIGTERM");
  if (await isGone(entry, TERM_MS)) return { server, pid, outcome: "ended" };
  signal(entry, "SIGKILL");
  if (await isGone(entry, TERM_MS)) return { server, pid, outcome: "killed" };
  throw new UsageError(`server ${server}: process ${pid} cannot be ended; does it belong to another user?`);
}

/** Whether the same server instance has received the request. */
async function requestShutdown(entry: ServerEntry, token: string): Promise<boolean> {
  try {
    const link = await linkTo(entry, token);
    try {
      if (link.hello.instance !== entry.instance) return false;
      await link.request(Op.shutdown, 0);
      return true;
    } finally {
      link.close();
    }
  } catch {
    return false;
  }
}

function clear(dir: string, { socketFolder }: TargetsState, removeData: boolean): void {
  if (removeData) for (const folder of serverFolders(dir)) rmSync(folder, { recursive: true, force: true });
  cleanUp({ dir, logPath: join(dir, "servers.log"), socketFolder: () => socketFolder }, false);
}

/** Without a token the servers are ended by signals. */
function tokenOf(dir: string): string {
  try {
    return readToken(dir);
  } catch {
    return "";
  }
}
