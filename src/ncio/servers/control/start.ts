/** Starts server processes; if one fails to start, all are stopped. */
import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import { formatAddress } from "../address.ts";
import {
  DEFAULT_LIMITS,
  DEFAULT_STRIP_BYTES,
  type Limits,
  PAIRS_MAX,
  SERVERS_MAX,
  STRIP_BYTES_MAX,
  STRIP_BYTES_MIN,
} from "../limits.ts";
import type { ListenAt } from "../server/setting.ts";
import type { Joins, Syncs } from "../modes.ts";
import { cleanUp, openFolder, type OpenFolder } from "./folder.ts";
import { Child } from "./child.ts";
import { writeState } from "./state.ts";

interface StartOptions {
  readonly servers: number;
  /** Folder of data and state; default: a temporary folder, removed by `stop`. */
  readonly dir?: string;
  readonly stripBytes?: number;
  /** TCP instead of Unix sockets; default: 127.0.0.1 and ports chosen by the system. */
  readonly tcp?: { readonly host?: string; readonly port?: number };
  readonly joins?: Joins;
  readonly syncs?: Syncs;
  readonly simulateSeekMs?: number;
  readonly limits?: Partial<Limits>;
  /** The servers outlive this process, until `stopServers`. */
  readonly detached?: boolean;
  readonly signal?: AbortSignal;
}

export interface StartedServers {
  readonly dir: string;
  readonly addresses: readonly string[];
  readonly token: string;
  readonly pids: readonly number[];
  readonly stripBytes: number;
  /** Resolves when all have ended, by themselves or by `stop`. */
  readonly ended: Promise<void>;
  /** Ends all and removes their sockets and state; their data stays, unless the folder was temporary. */
  stop(): Promise<void>;
}

export async function startServers(options: StartOptions): Promise<StartedServers> {
  const stripBytes = options.stripBytes ?? DEFAULT_STRIP_BYTES;
  checkOptions(options, stripBytes);
  const temporary = options.dir === undefined;
  const dir = resolve(options.dir ?? mkdtempSync(join(tmpdir(), "plimsoll-targets-")));
  const folder = openFolder(dir, options.servers, stripBytes);
  const children: Child[] = [];
  try {
    const token = randomBytes(32).toString("hex");
    const listens = placesToListen(options, folder);
    for (const [server, listen] of listens.entries())
      children.push(startChild(options, { server, listen, token, stripBytes, folder }));
    await allReady(children, options.signal);
    publish(folder, children, token);
    for (const child of children) if (options.detached === true) child.letGo();
    return {
      dir,
      addresses: children.map(({ ready }) => formatAddress(ready.listen)),
      token,
      pids: children.map(({ ready }) => ready.pid),
      stripBytes,
      ended: Promise.all(children.map(({ ended }) => ended)).then(() => {}),
      stop: () => stop(children, folder, temporary),
    };
  } catch (error) {
    await Promise.all(children.map((child) => child.kill()));
    cleanUp(folder, folder.created || temporary);
    throw error;
  }
}

interface ChildOptions {
  readonly server: number;
  readonly listen: ListenAt;
  readonly token: string;
  readonly stripBytes: number;
  readonly folder: OpenFolder;
}

function startChild(
  options: StartOptions,
  { server, listen, token, stripBytes, folder }: ChildOptions,
): Child {
  const setting = {
    server,
    servers: options.servers,
    stripBytes,
    folder: folder.serverFolder(server),
    listen,
    token,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    joins: options.joins ?? "touching",
    syncs: options.syncs ?? "beside",
    simulateSeekMs: options.simulateSeekMs ?? 0,
  };
  return new Child({ setting, detached: options.detached === true }, folder.logPath);
}

/** Fails if any server fails to start. */
async function allReady(children: readonly Child[], signal: AbortSignal | undefined): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal?.reason);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
  await Promise.race([Promise.all(children.map((child) => child.whenReady())), aborted]);
}

function publish(folder: OpenFolder, children: readonly Child[], token: string): void {
  folder.writeToken(token);
  const servers = children.map(({ ready, id }, server) => ({
    server,
    ...id,
    address: formatAddress(ready.listen),
    instance: ready.instance,
  }));
  writeState(folder.dir, { ...folder.claim(), phase: "running", servers });
}

async function stop(children: readonly Child[], folder: OpenFolder, temporary: boolean): Promise<void> {
  await Promise.all(children.map((child) => child.end()));
  cleanUp(folder, temporary);
}

function placesToListen({ servers, tcp }: StartOptions, folder: OpenFolder): ListenAt[] {
  return Array.from({ length: servers }, (_, server) => {
    if (tcp === undefined) return { kind: "unix", path: join(folder.makeSocketFolder(), `${server}.sock`) };
    const port = tcp.port === undefined || tcp.port === 0 ? 0 : tcp.port + server;
    return { kind: "tcp", host: tcp.host ?? "127.0.0.1", port };
  });
}

function checkOptions(
  { servers, tcp, simulateSeekMs = 0, limits, dir }: StartOptions,
  stripBytes: number,
): void {
  whole(servers, 1, SERVERS_MAX, "number of servers");
  whole(stripBytes, STRIP_BYTES_MIN, STRIP_BYTES_MAX, "strip");
  whole(tcp?.port ?? 0, 0, 65_535, "port");
  whole(limits?.pairs ?? 1, 1, PAIRS_MAX, "pairs of a list request");
  if (!(simulateSeekMs >= 0 && simulateSeekMs <= 10_000))
    throw new UsageError(`simulated seek of ${simulateSeekMs} ms: expected 0 to 10000`);
  if (tcp?.port !== undefined && tcp.port > 0) whole(tcp.port + servers - 1, 1, 65_535, "last port");
  if (tcp?.host !== undefined && ["0.0.0.0", "::", ""].includes(tcp.host))
    throw new UsageError(
      `${tcp.host === "" ? "an empty address" : tcp.host}: name one address of this machine, which clients can reach`,
    );
  if (dir === "") throw new UsageError("--dir is empty: name a folder");
}

function whole(value: number, least: number, most: number, what: string): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new UsageError(`${what} ${value}: expected a whole number from ${least} to ${most}`);
}
