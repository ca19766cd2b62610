/** Ranks that are processes of one machine, each with a socket to every other. */
import { createServer, connect as connectTo, type Socket } from "node:net";
import { assert } from "../../base/assert.ts";
import type { Communicator } from "../communicator.ts";
import { FrameReader, frameHeader } from "./frames.ts";
import { socketPath } from "./wire.ts";

const COLLECTIVE = 0;
const MESSAGE = 1;
const EMPTY = new Uint8Array(0);

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** Arrived values and waiting calls, in order. */
class Queue<T> {
  readonly #values: T[] = [];
  readonly #waiting: Waiting<T>[] = [];
  #failure: Error | undefined;

  push(value: T): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#values.push(value);
    else waiting.resolve(value);
  }

  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  take(): Promise<T> {
    if (this.#values.length > 0) return Promise.resolve(this.#values.shift() as T);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

export interface Mesh {
  /** Waits until all others are connected; call it when all listen. */
  connect(): Promise<Communicator>;
}

/** Starts to listen. `abort` ends the whole run. */
export async function listenAsRank(
  rank: number,
  size: number,
  folder: string,
  abort: (reason: string) => never,
): Promise<Mesh> {
  const sockets: (Socket | undefined)[] = new Array(size).fill(undefined);
  let missing = size - 1;
  let complete: () => void = () => {};
  const arrived = (from: number, socket: Socket) => {
    assert(sockets[from] === undefined, `rank ${from} connected twice`);
    socket.setNoDelay(true);
    sockets[from] = socket;
    if (--missing === 0) complete();
  };
  // Higher ranks connect to this one and send their number first.
  const server = createServer((socket) => {
    socket.once("readable", () => {
      const hello = socket.read(4) as Buffer | null;
      if (hello === null) socket.destroy();
      else arrived(hello.readUInt32LE(0), socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath(folder, rank), () => resolve());
  });
  return {
    async connect() {
      const all = new Promise<void>((resolve) => (complete = resolve));
      if (missing === 0) complete();
      for (let other = 0; other < rank; other++) {
        const socket = connectTo(socketPath(folder, other));
        await new Promise<void>((resolve, reject) => {
          socket.once("error", reject);
          socket.once("connect", () => resolve());
        });
        const hello = Buffer.alloc(4);
        hello.writeUInt32LE(rank);
        socket.write(hello);
        arrived(other, socket);
      }
      await all;
      server.close();
      return new SocketCommunicator(rank, sockets, abort);
    },
  };
}

class SocketCommunicator implements Communicator {
  readonly name = "child processes";
  readonly rank: number;
  readonly size: number;
  readonly #sockets: readonly (Socket | undefined)[];
  readonly #abort: (reason: string) => never;
  /** Data of collective calls, by sender: each sends in the order of the calls. */
  readonly #collective: readonly Queue<Uint8Array>[];
  readonly #messages = new Queue<{ from: number; bytes: Uint8Array }>();
  #closing = false;

  constructor(rank: number, sockets: readonly (Socket | undefined)[], abort: (reason: string) => never) {
    this.rank = rank;
    this.size = sockets.length;
    this.#sockets = sockets;
    this.#abort = abort;
    this.#collective = sockets.map(() => new Queue());
    sockets.forEach((socket, from) => {
      if (socket === undefined) return;
      const reader = new FrameReader((tag, bytes) => {
        if (tag === COLLECTIVE) this.#collective[from]?.push(bytes);
        else this.#messages.push({ from, bytes });
      });
      socket.on("data", (chunk) => reader.push(chunk));
      socket.on("error", () => {});
      socket.on("close", () => {
        if (!this.#closing) this.#lost(from);
      });
    });
  }

  async barrier(): Promise<void> {
    // Dissemination barrier: each round doubles the number of ranks heard from, directly or through others.
    for (let step = 1; step < this.size; step *= 2) {
      const to = (this.rank + step) % this.size;
      const from = (this.rank - step + this.size) % this.size;
      await Promise.all([this.#give(to, COLLECTIVE, EMPTY), this.#take(from)]);
    }
  }

  async broadcast(bytes: Uint8Array | undefined, root: number): Promise<Uint8Array> {
    if (this.rank !== root) return this.#take(root);
    assert(bytes !== undefined, "the root of a broadcast has no bytes");
    await Promise.all(this.#others().map((to) => this.#give(to, COLLECTIVE, bytes)));
    return bytes;
  }

  async gather(bytes: Uint8Array, root: number): Promise<Uint8Array[] | undefined> {
    if (this.rank !== root) {
      await this.#give(root, COLLECTIVE, bytes);
      return undefined;
    }
    return Promise.all(this.#sockets.map((_, from) => (from === this.rank ? bytes : this.#take(from))));
  }

  async exchange(out: readonly Uint8Array[]): Promise<Uint8Array[]> {
    assert(out.length === this.size, `an exchange of ${out.length} parts among ${this.size} ranks`);
    const given = this.#others().map((to) => this.#give(to, COLLECTIVE, out[to] as Uint8Array));
    const taken = this.#sockets.map((_, from) =>
      from === this.rank ? (out[from] as Uint8Array) : this.#take(from),
    );
    const [received] = await Promise.all([Promise.all(taken), Promise.all(given)]);
    return received;
  }

  async send(to: number, bytes: Uint8Array): Promise<void> {
    if (to === this.rank) this.#messages.push({ from: to, bytes: bytes.slice() });
    else await this.#give(to, MESSAGE, bytes);
  }

  receive(): Promise<{ from: number; bytes: Uint8Array }> {
    return this.#messages.take();
  }

  abort(reason: string): never {
    return this.#abort(reason);
  }

  async close(): Promise<void> {
    await this.barrier();
    this.#closing = true;
    for (const socket of this.#sockets) socket?.end();
  }

  #others(): number[] {
    return this.#sockets.flatMap((socket, rank) => (socket === undefined ? [] : [rank]));
  }

  #take(from: number): Promise<Uint8Array> {
    const queue = this.#collective[from];
    assert(queue !== undefined, `there is no rank ${from}`);
    return queue.take();
  }

  /** Resolves when the system has the bytes, so that they may change afterwards. */
  #give(to: number, tag: number, bytes: Uint8Array): Promise<void> {
    const socket = this.#sockets[to];
    assert(socket !== undefined, `there is no rank ${to} to send to`);
    return new Promise((resolve, reject) => {
      const ended = (error?: Error | null) =>
        error ? reject(new Error(`rank ${to} is gone: ${error.message}`)) : resolve();
      socket.cork();
      if (bytes.length === 0) socket.write(frameHeader(tag, 0), ended);
      else {
        socket.write(frameHeader(tag, bytes.length));
        socket.write(bytes, ended);
      }
      socket.uncork();
    });
  }

  #lost(from: number): void {
    const error = new Error(`rank ${from} is gone`);
    this.#collective[from]?.fail(error);
    this.#messages.fail(error);
  }
}
