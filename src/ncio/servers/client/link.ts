/** A client's connection to one server: any number of messages in flight, answered in order. */
import { createConnection, type Socket } from "node:net";
import type { BufferPool } from "../buffers.ts";
import { parseAddress } from "../address.ts";
import { TargetError } from "../errors.ts";
import { FrameReader } from "../frame-reader.ts";
import { frameBytesMax } from "../limits.ts";
import {
  decodeHello,
  HEADER_BYTES,
  MAGIC,
  Op,
  requestHeader,
  type ServerHello,
  Status,
  TOKEN_BYTES_MAX,
  VERSION,
} from "../wire.ts";
import type { Message, Waiter } from "./message.ts";

interface LinkOptions {
  readonly address: string;
  /** The number of the server, for messages; unknown before its hello. */
  readonly server?: number;
  readonly token: string;
  /** A slower server counts as lost. */
  readonly timeoutMs: number;
  /** The same for a sync, which may write much data. */
  readonly syncTimeoutMs: number;
}

/** Enough for all answers to small requests, and reused for each read of the socket. */
const READ_BYTES = 256 << 10;
const TICK_MS = 250;

/** The answer to a control request. */
export interface Answer {
  readonly value: number;
  readonly body: Buffer;
}

export class Link {
  readonly address: string;
  hello!: ServerHello;
  readonly #socket: Socket;
  readonly #pool: BufferPool;
  readonly #options: LinkOptions;
  readonly #reader: FrameReader;
  readonly #waiting = new Map<number, Message>();
  readonly #clock: NodeJS.Timeout;
  #tick = 0;
  #nextId = 1;
  #lost: TargetError | undefined;
  #closing = false;
  #corked = false;
  #frameMax = 64 << 10;

  private constructor(options: LinkOptions, pool: BufferPool) {
    this.address = options.address;
    this.#options = options;
    this.#pool = pool;
    this.#reader = new FrameReader(
      (bytes, start, end) => this.#answered(bytes, start, end),
      (length) => this.#checkLength(length),
    );
    const at = parseAddress(options.address);
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const onread = {
      buffer,
      callback: (bytes: number): boolean => {
        this.#feed(buffer.subarray(0, bytes));
        return true;
      },
    };
    this.#socket =
      at.kind === "unix"
        ? createConnection({ path: at.path, onread })
        : createConnection({ host: at.host, port: at.port, noDelay: true, onread });
    this.#socket.on("error", (error: NodeJS.ErrnoException) => this.#lose(linkReason(error), error));
    this.#socket.on("close", () => this.#lose("closed the connection"));
    this.#clock = setInterval(() => this.#watch(), TICK_MS);
    this.#clock.unref();
  }

  /** Connects and says hello. */
  static async connect(options: LinkOptions, pool: BufferPool): Promise<Link> {
    const link = new Link(options, pool);
    try {
      const answer = await link.request(Op.hello, 0, helloBody(options.token));
      const hello = decodeHello(answer.body);
      if (hello === undefined) throw link.#error("sent an invalid answer to hello");
      link.hello = hello;
      link.#frameMax = frameBytesMax(hello.limits);
      return link;
    } catch (error) {
      link.close();
      throw error;
    }
  }

  get label(): string {
    const server = this.hello?.server ?? this.#options.server;
    return server === undefined ? `server at ${this.address}` : `server ${server} at ${this.address}`;
  }

  get lost(): TargetError | undefined {
    return this.#lost;
  }

  /** Fills in the header of a frame and sends it, followed by `rest`; `message.call` gets the answer. */
  send(op: Op, handle: number, frame: Buffer, length: number, message: Message, rest?: Uint8Array[]): void {
    if (this.#lost !== undefined) {
      message.call.failed(this.#lost);
      return;
    }
    const id = this.#nextId;
    this.#nextId = id === 0xffffffff ? 1 : id + 1;
    let whole = length;
    if (rest !== undefined) for (const part of rest) whole += part.length;
    requestHeader(frame, 0, whole, id, op, handle);
    message.tick = this.#tick;
    this.#waiting.set(id, message);
    const head = length === frame.length ? frame : frame.subarray(0, length);
    if (rest === undefined) {
      this.#socket.write(head);
      return;
    }
    this.#socket.cork();
    this.#socket.write(head);
    for (const part of rest) this.#socket.write(part);
    this.#socket.uncork();
  }

  /** Sends all frames of this turn together. */
  gather(): void {
    if (this.#corked || this.#lost !== undefined) return;
    this.#corked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#corked = false;
      this.#socket.uncork();
    });
  }

  message(call: Waiter, frame: Buffer | undefined, bytes: number, sync = false): Message {
    return { call, frame, bytes, into: undefined, intoAt: 0, tick: 0, ticksMax: this.#ticks(sync) };
  }

  reading(call: Waiter, frame: Buffer, bytes: number, into: Uint8Array, intoAt: number): Message {
    return { call, frame, bytes, into, intoAt, tick: 0, ticksMax: this.#ticks(false) };
  }

  /** One request that moves no data. */
  request(op: Op, handle: number, body?: Uint8Array): Promise<Answer> {
    const length = HEADER_BYTES + (body?.length ?? 0);
    const frame = Buffer.alloc(length);
    if (body !== undefined) frame.set(body, HEADER_BYTES);
    return new Promise((answered, failed) => {
      const waiter: Waiter = {
        answered: (value, bytes) => answered({ value, body: bytes ?? Buffer.alloc(0) }),
        failed,
      };
      this.send(op, handle, frame, length, this.message(waiter, undefined, -1));
    });
  }

  close(): void {
    this.#closing = true;
    clearInterval(this.#clock);
    this.#lost ??= this.#error("the connection was closed here");
    this.#failAll(this.#lost);
    this.#socket.destroySoon();
  }

  #feed(chunk: Buffer): void {
    try {
      this.#reader.feed(chunk);
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : String(error));
    }
  }

  #answered(bytes: Buffer, start: number, end: number): void {
    const id = bytes.readUInt32LE(start + 4);
    const status = bytes.readUInt32LE(start + 8) as Status;
    const message = this.#waiting.get(id);
    if (message === undefined) {
      const text = status === Status.ok ? "answered an unknown request" : textOf(bytes, start, end);
      this.#lose(text, undefined, status);
      return;
    }
    this.#waiting.delete(id);
    if (message.frame !== undefined) this.#pool.give(message.frame);
    const { call } = message;
    if (status !== Status.ok) {
      call.failed(this.#error(textOf(bytes, start, end), status));
      return;
    }
    const value = bytes.readUInt32LE(start + 12);
    const body = start + HEADER_BYTES;
    if (message.bytes < 0) {
      call.answered(value, Buffer.from(bytes.subarray(body, end)));
    } else if (value !== message.bytes || end - body !== (message.into === undefined ? 0 : message.bytes)) {
      call.failed(this.#error(`moved ${value} bytes instead of ${message.bytes}`));
    } else {
      if (message.into !== undefined) bytes.copy(message.into, message.intoAt, body, end);
      call.answered(value, undefined);
    }
  }

  #checkLength(length: number): void {
    if (length < HEADER_BYTES - 4 || length > this.#frameMax)
      throw new Error(`sent a frame of ${length} bytes, which is not an answer of a storage target`);
  }

  #watch(): void {
    this.#tick++;
    // Answers come in order, so the oldest is the first.
    for (const message of this.#waiting.values()) {
      if (this.#tick - message.tick > message.ticksMax)
        this.#lose(`did not answer within ${(message.ticksMax * TICK_MS) / 1000} s`);
      return;
    }
  }

  #lose(reason: string, cause?: Error, status?: Status): void {
    if (this.#lost !== undefined || this.#closing) return;
    this.#lost = this.#error(reason, status, cause === undefined ? undefined : { cause });
    clearInterval(this.#clock);
    this.#socket.destroy();
    this.#failAll(this.#lost);
  }

  #failAll(error: TargetError): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { call } of waiting) call.failed(error);
  }

  #error(text: string, status?: Status, options?: ErrorOptions): TargetError {
    return new TargetError(this.label, text, status, options);
  }

  #ticks(sync: boolean): number {
    const { timeoutMs, syncTimeoutMs } = this.#options;
    return Math.ceil((sync ? syncTimeoutMs : timeoutMs) / TICK_MS);
  }
}

function helloBody(token: string): Buffer {
  const bytes = Buffer.from(token).subarray(0, TOKEN_BYTES_MAX);
  const body = Buffer.alloc(8 + bytes.length);
  body.writeUInt32LE(MAGIC, 0);
  body.writeUInt16LE(VERSION, 4);
  body.writeUInt16LE(bytes.length, 6);
  bytes.copy(body, 8);
  return body;
}

/** The text of a refusal; it is untrusted, so it is reduced to one printable line. */
const textOf = (bytes: Buffer, start: number, end: number): string =>
  `refused: ${bytes.toString("utf8", start + HEADER_BYTES, end).replace(/[\x00-\x1f\x7f-\x9f]+/g, " ")}`;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "is not running: no such socket",
  ECONNREFUSED: "is not running: connection refused",
  ECONNRESET: "closed the connection",
  EPIPE: "closed the connection",
  EACCES: "cannot be reached: permission denied",
  ETIMEDOUT: "cannot be reached: timeout",
  EHOSTUNREACH: "cannot be reached: no route to host",
  ENETUNREACH: "cannot be reached: network unreachable",
  ENOTFOUND: "cannot be reached: no such host name",
};

const linkReason = ({ code = "", message }: NodeJS.ErrnoException): string =>
  REASONS[code] ?? `cannot be reached: ${code === "" ? message : code}`;
