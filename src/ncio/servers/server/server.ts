/** One storage target: listens, accepts clients, and answers their requests. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { BufferPool } from "../buffers.ts";
import { CONNECTIONS_MAX, frameBytesMax, PATIENCE, type Patience, UNKNOWN_MAX } from "../limits.ts";
import { encodeHello, Op, type ServerStats } from "../wire.ts";
import { ServerConnection } from "./connection.ts";
import { DelayedSyncs } from "./delayed-syncs.ts";
import { Disk } from "./disk.ts";
import { LocalFiles } from "./local-files.ts";
import { DataRequests } from "./requests.ts";
import type { ListenAt, ServerSetting } from "./setting.ts";
import { Waiting } from "./waiting.ts";

export class TargetServer {
  readonly setting: ServerSetting;
  readonly instance = randomBytes(16).toString("hex");
  readonly pool = new BufferPool();
  readonly files: LocalFiles;
  readonly delayed: DelayedSyncs;
  readonly disk: Disk;
  readonly data: DataRequests;
  readonly hello: Buffer;
  readonly frameBytesMax: number;
  readonly requests = new Float64Array(32);
  refused = 0;
  /** Called once when a client asks the server to end. */
  onShutdown: () => void = () => {};
  readonly #tokenHash: Buffer;
  readonly waiting: Waiting;
  readonly #connections = new Set<ServerConnection>();
  /** Connections without a hello, in order of arrival. */
  readonly #unknown = new Set<ServerConnection>();
  readonly #began = performance.now();
  #listener: Server | undefined;

  constructor(setting: ServerSetting, patience: Patience = PATIENCE) {
    const { server, servers, stripBytes, limits } = setting;
    this.setting = setting;
    this.files = new LocalFiles(setting.folder);
    this.delayed = new DelayedSyncs(this.files);
    this.disk = new Disk(setting.joins, setting.simulateSeekMs);
    this.data = new DataRequests(this.disk, limits, { servers, bytes: stripBytes }, server);
    this.hello = encodeHello({ server, servers, stripBytes, limits, instance: this.instance });
    this.frameBytesMax = frameBytesMax(limits);
    this.#tokenHash = hashOf(Buffer.from(setting.token));
    this.waiting = new Waiting(this.#connections, patience);
  }

  /** Returns the listen address: with port 0 the system chose one. */
  listen(): Promise<ListenAt> {
    const { listen } = this.setting;
    const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
    const listener = createServer(options, (socket) => this.#accept(socket));
    this.#listener = listener;
    this.waiting.start();
    return new Promise((resolve, reject) => {
      listener.once("error", reject);
      listener.once("listening", () => {
        listener.removeListener("error", reject);
        // An accept that fails (no descriptors left) must not end the server.
        listener.on("error", (error) => this.log(`accept: ${error.message}`));
        const address = listener.address();
        if (listen.kind === "unix" || address === null || typeof address === "string") resolve(listen);
        else resolve({ kind: "tcp", host: listen.host, port: address.port });
      });
      if (listen.kind === "unix") listener.listen(listen.path);
      else listener.listen(listen.port, listen.host);
    });
  }

  /** Constant-time comparison. */
  knows(token: Uint8Array): boolean {
    return timingSafeEqual(hashOf(token), this.#tokenHash);
  }

  /** Closes all connections, including those waiting for an answer. */
  async close(): Promise<void> {
    const { listen } = this.setting;
    const listener = this.#listener;
    const closed = new Promise<void>((resolve) => {
      if (listener?.listening === true) listener.close(() => resolve());
      else resolve();
    });
    for (const connection of this.#connections) connection.end();
    await closed;
    this.waiting.stop();
    if (listen.kind === "unix") rmSync(listen.path, { force: true });
  }

  stats(): ServerStats {
    const { setting, disk } = this;
    const { files, bytes } = this.files.totals();
    return {
      pid: process.pid,
      server: setting.server,
      instance: this.instance,
      upSeconds: (performance.now() - this.#began) / 1000,
      connections: this.#connections.size,
      openFiles: this.files.openCount,
      requests: Object.fromEntries(
        Object.entries(Op).map(([name, op]) => [name, this.requests[op] as number]),
      ),
      refused: this.refused,
      bytesWritten: disk.bytesWritten,
      bytesRead: disk.bytesRead,
      storageWrites: disk.writes,
      storageReads: disk.reads,
      syncs: this.requests[Op.sync] as number,
      flushes: this.files.flushes,
      flushedPages: this.files.flushedPages,
      storedBytes: bytes,
      files,
      joins: setting.joins,
      syncMode: setting.syncs,
      simulatedSeekMs: setting.simulateSeekMs,
      simulatedSeeks: disk.seeks.seeks,
    };
  }

  log(text: string): void {
    process.stderr.write(`${new Date().toISOString()} server ${this.setting.server}: ${text}\n`);
  }

  /** The client has authenticated. */
  known(connection: ServerConnection): void {
    this.#unknown.delete(connection);
  }

  #accept(socket: Socket): void {
    const isFull = this.#connections.size >= CONNECTIONS_MAX;
    if (isFull || this.#unknown.size >= UNKNOWN_MAX) {
      this.refused++;
      const [oldest] = this.#unknown;
      if (oldest === undefined) {
        socket.destroy();
        return;
      }
      oldest.drop();
      this.#remove(oldest);
    }
    const connection = new ServerConnection(socket, this, () => this.#remove(connection));
    this.#connections.add(connection);
    this.#unknown.add(connection);
  }

  #remove(connection: ServerConnection): void {
    this.#connections.delete(connection);
    this.#unknown.delete(connection);
    this.waiting.forget(connection);
  }
}

const hashOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();
