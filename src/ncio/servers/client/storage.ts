/** The client of storage targets: a file is striped over all servers, and requests go to the servers with a part of them. */
import { UsageError } from "../../../base/errors.ts";
import type { RequestCounts, Storage } from "../../storage.ts";
import { BufferPool } from "../buffers.ts";
import { TargetError } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { nameFault } from "../names.ts";
import { fileEnd, type Strips } from "../strips.ts";
import { OPEN_CREATE, OPEN_EMPTY, OPEN_WRITE, Op, readPlace, type ServerStats, Status } from "../wire.ts";
import { ServersFile } from "./file.ts";
import { type Answer, Link } from "./link.ts";

export interface ClientOptions {
  /** One per server, in order: `unix:PATH` or `tcp:HOST:PORT`. */
  readonly addresses: readonly string[];
  readonly token: string;
  /** Timeout of an answer; default 30 s. */
  readonly timeoutMs?: number;
  /** The same for a sync; default 10 min. */
  readonly syncTimeoutMs?: number;
  /**
   * Max contiguous single-strip writes in flight. Default 1: each write waits for its answer, like a blocking client. With
   * more, a write returns before its answer, and errors are reported by a later call, `sync` or `close`.
   */
  readonly outstanding?: number;
  /** Pairs in one list request; default: the limit of the servers. */
  readonly listMax?: number;
}

const TIMEOUT_MS = 30_000;
export const SYNC_TIMEOUT_MS = 600_000;
const OUTSTANDING_MAX = 65_536;

interface ServersCounts extends RequestCounts {
  /** Sync messages, one per server; not counted in the others. */
  readonly syncMessages: number;
}

/** Common state of all files. */
class Traffic {
  requests = 0;
  messages = 0;
  syncMessages = 0;
  movedBytes = 0;
}

export class ServersStorage implements Storage {
  readonly name = "servers";
  readonly listMax: number;
  readonly hasTypes = true;
  readonly keeps = true;
  /** Max bytes such that data and pieces fit into one message per server. */
  readonly requestBytesMax: number;
  readonly strips: Strips;
  /** The minimum of all servers' limits. */
  readonly limits: Limits;
  readonly links: readonly Link[];
  readonly pool: BufferPool;
  readonly outstanding: number;
  readonly traffic = new Traffic();

  constructor(links: readonly Link[], pool: BufferPool, options: ClientOptions) {
    this.links = links;
    this.pool = pool;
    this.strips = checkLayout(links);
    this.limits = leastLimits(links);
    this.requestBytesMax = Math.min(this.limits.dataBytes, this.limits.typePieces);
    this.outstanding = checked(options.outstanding ?? 1, OUTSTANDING_MAX, "outstanding");
    this.listMax = Math.min(
      this.limits.pairs,
      checked(options.listMax ?? this.limits.pairs, 2 ** 32, "listMax"),
    );
  }

  /** `create` creates or truncates the file on all servers; `write` creates it if missing. */
  async open(name: string, mode: "create" | "write" | "read"): Promise<ServersFile> {
    const flags = { create: OPEN_WRITE | OPEN_CREATE | OPEN_EMPTY, write: OPEN_WRITE | OPEN_CREATE, read: 0 }[
      mode
    ];
    const text = nameBytes(name);
    const body = Buffer.alloc(4 + text.length);
    body.writeUInt32LE(flags, 0);
    text.copy(body, 4);
    const opened = await this.#each(Op.open, body);
    const failed = opened.find((one) => one instanceof Error);
    if (failed === undefined)
      return new ServersFile(
        this,
        name,
        (opened as Answer[]).map(({ value }) => value),
      );
    await Promise.allSettled(
      opened.map((one, i) =>
        one instanceof Error ? undefined : this.links[i]?.request(Op.close, one.value),
      ),
    );
    throw failed;
  }

  /** Size of the file: the last byte written on any server. */
  async size(name: string): Promise<number> {
    const sizes = await this.#each(Op.stat, nameBytes(name));
    let end = 0;
    for (const [server, one] of sizes.entries()) {
      if (one instanceof Error) throw one;
      end = Math.max(end, fileEnd(this.strips, server, readPlace(one.body, 0)));
    }
    return end;
  }

  /** A missing file is not an error. */
  async remove(name: string): Promise<void> {
    for (const one of await this.#each(Op.remove, nameBytes(name))) {
      const missing = one instanceof TargetError && one.status === Status.noSuchFile;
      if (one instanceof Error && !missing) throw one;
    }
  }

  /** Fails with the first server that does not answer. */
  async ping(): Promise<void> {
    const [failed] = (await this.#each(Op.ping)).filter((one) => one instanceof Error);
    if (failed !== undefined) throw failed;
  }

  async stats(): Promise<ServerStats[]> {
    return (await this.#each(Op.stats)).map((one) => {
      if (one instanceof Error) throw one;
      return JSON.parse(one.body.toString()) as ServerStats;
    });
  }

  counts(): ServersCounts {
    const { requests, messages, movedBytes, syncMessages } = this.traffic;
    return { requests, messages, movedBytes, syncMessages };
  }

  async close(): Promise<void> {
    for (const link of this.links) link.close();
  }

  #each(op: Op, body?: Buffer): Promise<(Answer | Error)[]> {
    return Promise.all(this.links.map((link) => link.request(op, 0, body).catch((error: Error) => error)));
  }
}

/** Connects to all servers and checks that they form one set. */
export async function connectServers(options: ClientOptions): Promise<ServersStorage> {
  const { addresses, token, timeoutMs = TIMEOUT_MS, syncTimeoutMs = SYNC_TIMEOUT_MS } = options;
  if (addresses.length === 0)
    throw new UsageError("no server address; start servers with plimsoll targets start");
  const pool = new BufferPool();
  const links = await Promise.all(
    addresses.map((address, server) =>
      Link.connect({ address, server, token, timeoutMs, syncTimeoutMs }, pool).catch((error: Error) => error),
    ),
  );
  const good = links.filter((link) => link instanceof Link);
  try {
    const bad = links.find((link) => link instanceof Error);
    if (bad !== undefined) throw bad;
    return new ServersStorage(good, pool, options);
  } catch (error) {
    for (const link of good) link.close();
    throw error;
  }
}

function checkLayout(links: readonly Link[]): Strips {
  const bytes = links[0]?.hello.stripBytes ?? 0;
  for (const [index, { hello, address }] of links.entries()) {
    if (hello.servers !== links.length || hello.server !== index || hello.stripBytes !== bytes)
      throw new UsageError(
        `${address} is server ${hello.server} of ${hello.servers} with strips of ${hello.stripBytes} bytes, not server ${index} of ${links.length} with strips of ${bytes}; give all addresses of one set, in order`,
      );
  }
  return { servers: links.length, bytes };
}

function leastLimits(links: readonly Link[]): Limits {
  const least = (name: keyof Limits): number => Math.min(...links.map(({ hello }) => hello.limits[name]));
  return {
    dataBytes: least("dataBytes"),
    pairs: least("pairs"),
    typeBytes: least("typeBytes"),
    typeDepth: least("typeDepth"),
    typePieces: least("typePieces"),
  };
}

function nameBytes(name: string): Buffer {
  const fault = nameFault(name);
  if (fault !== undefined) throw new UsageError(`${fault}; files on servers have flat names`);
  return Buffer.from(name);
}

function checked(value: number, most: number, what: string): number {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`${what} ${value}: expected a whole number from 1 to ${most}`);
  return value;
}
