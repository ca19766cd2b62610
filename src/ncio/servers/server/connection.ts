/** One client of a server: its frames are handled one by one, each answered before the next. */
import { systemReason } from "../../../base/errors.ts";
import type { Socket } from "node:net";
import { Refusal } from "../errors.ts";
import { FrameReader } from "../frame-reader.ts";
import { HELLO_FRAME_BYTES, HELLO_MS, RESPONSE_BYTES, WAITING_BYTES_MAX } from "../limits.ts";
import {
  ERROR_TEXT_BYTES_MAX,
  HEADER_BYTES,
  MAGIC,
  Op,
  readPlace,
  responseHeader,
  Status,
  TOKEN_BYTES_MAX,
  VERSION,
  writePlace,
} from "../wire.ts";
import { type Body, checkedPlace, exactly, Handles, malformed, nameIn } from "./requests.ts";
import type { TargetServer } from "./server.ts";
import type { Client } from "./waiting.ts";

/** A response above this size uses a pooled buffer. */
const POOLED_BYTES_MIN = 4096;
const KNOWN_OPS = new Set<number>(Object.values(Op));
const WRITING_OPS = new Set<number>([Op.write, Op.writeList, Op.writeType]);
/** Operations with small requests and large responses. */
const ASKING_OPS = new Set<number>([Op.read, Op.readList, Op.readType, Op.stats]);

const NOTHING = Buffer.alloc(0);

export class ServerConnection implements Client {
  readonly #socket: Socket;
  readonly #server: TargetServer;
  readonly #reader: FrameReader;
  readonly #handles: Handles;
  readonly #body: Body = { bytes: Buffer.alloc(0), start: 0, end: 0 };
  readonly #helloTimer: NodeJS.Timeout;
  /** A request waiting for room for its response. */
  #deferred: Buffer | undefined;
  /** Responses since the client last took all. */
  #responses = 0;
  /** Bytes taken and sent by the client so far, and number of checks without a change. */
  #progress = 0;
  #stalledLooks = 0;
  #known = false;
  #ended = false;
  /** A request is in progress: a sync in another thread, or a simulated disk. */
  #busy = false;
  /** The response to a read, filled during the request. */
  #reply: { readonly buffer: Buffer; readonly at: number; readonly bytes: number } | undefined;

  constructor(socket: Socket, server: TargetServer, onClose: () => void) {
    this.#socket = socket;
    this.#server = server;
    this.#handles = new Handles(server.files);
    this.#reader = new FrameReader(
      (bytes, start, end) => this.#frame(bytes, start, end),
      (length) => this.#checkLength(length),
    );
    this.#helloTimer = setTimeout(() => this.end(), HELLO_MS);
    socket.on("data", (chunk: Buffer) => this.#feed(() => this.#reader.feed(chunk)));
    socket.on("drain", () => this.proceed());
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(this.#helloTimer);
      this.#ended = true;
      this.#handles.closeAll();
      onClose();
    });
  }

  end(): void {
    this.#ended = true;
    this.#socket.destroySoon();
  }

  /** Closes at once, even with pending answers. */
  drop(): void {
    this.#ended = true;
    this.#socket.destroy();
  }

  get waitingBytes(): number {
    const { writableLength } = this.#socket;
    if (writableLength === 0) this.#responses = 0;
    return writableLength + RESPONSE_BYTES * this.#responses;
  }

  /** Ends a client that neither continues its request nor takes its responses. */
  endIfStalled(looks: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    const progress = bytesRead + bytesWritten - writableLength;
    const owes = writableLength > 0 || (this.#reader.isWithinFrame && !this.#reader.stopped);
    this.#stalledLooks = owes && progress === this.#progress ? this.#stalledLooks + 1 : 0;
    this.#progress = progress;
    if (this.#stalledLooks >= looks) this.drop();
  }

  #feed(feed: () => void): void {
    if (this.#ended) return;
    // While corked nothing counts as taken.
    if (this.#socket.writableLength === 0) this.#responses = 0;
    this.#socket.cork();
    try {
      feed();
    } catch (error) {
      // Thrown by the check of a length: the start of the next frame is unknown.
      this.#refuse(0, error);
      this.end();
    }
    this.#socket.uncork();
    if (!this.#reader.stopped) return;
    this.#socket.pause();
    // Many small responses never fill the buffer, so no drain event follows.
    if (!this.#busy && !this.#ended && !this.#socket.writableNeedDrain)
      this.#socket.write(NOTHING, () => this.proceed());
  }

  #checkLength(length: number): void {
    const most = this.#known ? this.#server.frameBytesMax : HELLO_FRAME_BYTES;
    if (length < HEADER_BYTES - 4)
      throw malformed(`a frame of ${length} bytes, at least ${HEADER_BYTES - 4}`);
    if (length > most)
      throw new Refusal(Status.tooLarge, `a frame of ${length} bytes, at most ${most}`, true);
  }

  #frame(bytes: Buffer, start: number, end: number): void {
    if (this.#ended) return;
    const id = bytes.readUInt32LE(start + 4);
    const op = bytes.readUInt32LE(start + 8);
    if (this.#known && ASKING_OPS.has(op) && !this.#server.waiting.hasRoom()) {
      this.#deferred = Buffer.from(bytes.subarray(start, end));
      this.#reader.stop();
      this.#server.waiting.block(this);
      return;
    }
    try {
      if (!KNOWN_OPS.has(op)) throw new Refusal(Status.malformed, `unknown operation ${op}`, true);
      if (!this.#known && op !== Op.hello)
        throw new Refusal(Status.unauthorised, "the first request is a hello with the token", true);
      this.#body.bytes = bytes;
      this.#body.start = start + HEADER_BYTES;
      this.#body.end = end;
      this.#perform(op as Op, id, bytes.readUInt32LE(start + 12));
    } catch (error) {
      this.#releaseReply();
      this.#refuse(id, error);
      if (!(error instanceof Refusal) ? !isSystem(error) : error.fatal) this.end();
    }
  }

  #perform(op: Op, id: number, handle: number): void {
    if (op >= Op.write && op <= Op.readType) this.#moved(op, id, this.#move(op, handle));
    else if (op === Op.hello) this.#hello(id);
    else if (op === Op.sync) this.#sync(id, handle);
    else {
      const { value, body } = this.#manage(op, handle);
      this.#answer(op, id, value, body);
      if (op === Op.shutdown) this.#server.onShutdown();
    }
  }

  /** Returns the bytes moved. */
  #move(op: Op, handle: number): number {
    const { data, delayed } = this.#server;
    const body = this.#body;
    const open = this.#handles.get(handle, WRITING_OPS.has(op));
    delayed.touched(open.file);
    switch (op) {
      case Op.write:
        return data.write(open, body);
      case Op.writeList:
        return data.writeList(open, body);
      case Op.writeType:
        return data.writeType(open, body);
      case Op.read:
        return data.read(open, body, this.#reserve);
      case Op.readList:
        return data.readList(open, body, this.#reserve);
      default:
        return data.readType(open, body, this.#reserve);
    }
  }

  #manage(op: Op, handle: number): { value: number; body?: Buffer } {
    const { files } = this.#server;
    const body = this.#body;
    switch (op) {
      case Op.open:
        return { value: this.#handles.open(body) };
      case Op.close:
        exactly(body, 0, "close");
        this.#handles.close(handle);
        return { value: 0 };
      case Op.truncate: {
        exactly(body, 8, "truncate");
        const bytes = checkedPlace(readPlace(body.bytes, body.start), 0);
        files.truncate(this.#handles.get(handle, true).file, bytes);
        return { value: 0 };
      }
      case Op.stat: {
        const size = Buffer.allocUnsafe(8);
        writePlace(size, 0, files.size(nameIn(body, 0)));
        return { value: 0, body: size };
      }
      case Op.remove:
        files.remove(nameIn(body, 0));
        return { value: 0 };
      case Op.stats:
        exactly(body, 0, "stats");
        return { value: 0, body: Buffer.from(JSON.stringify(this.#server.stats())) };
      default:
        exactly(body, 0, "ping or shutdown");
        return { value: 0 };
    }
  }

  #hello(id: number): void {
    const { bytes, start, end } = this.#body;
    if (end - start < 8 || bytes.readUInt32LE(start) !== MAGIC)
      throw new Refusal(Status.malformed, "no hello of a client of storage targets", true);
    const version = bytes.readUInt16LE(start + 4);
    if (version !== VERSION)
      throw new Refusal(Status.version, `version ${version}, this server speaks ${VERSION}`, true);
    const length = bytes.readUInt16LE(start + 6);
    if (length > TOKEN_BYTES_MAX || end - start !== 8 + length)
      throw new Refusal(Status.malformed, "a hello with a wrong token length", true);
    if (!this.#server.knows(bytes.subarray(start + 8, end)))
      throw new Refusal(Status.unauthorised, "wrong token", true);
    this.#known = true;
    this.#server.known(this);
    clearTimeout(this.#helloTimer);
    this.#answer(Op.hello, id, 0, this.#server.hello);
  }

  /** Answers after a data request; later with a simulated disk. */
  #moved(op: Op, id: number, bytes: number): void {
    const wait = this.#server.disk.seeks.waitMs(performance.now());
    if (wait === 0) {
      this.#answerMoved(op, id, bytes);
      return;
    }
    this.#beginWaiting();
    setTimeout(() => {
      this.#busy = false;
      if (this.#ended) return this.#releaseReply();
      this.#answerMoved(op, id, bytes);
      this.proceed();
    }, wait);
  }

  #answerMoved(op: Op, id: number, bytes: number): void {
    const reply = this.#reply;
    if (reply === undefined) {
      this.#answer(op, id, bytes);
      return;
    }
    this.#reply = undefined;
    this.#server.requests[op]!++;
    const length = HEADER_BYTES + reply.bytes;
    responseHeader(reply.buffer, length, id, Status.ok, reply.bytes);
    const { pool } = this.#server;
    if (reply.buffer.length < POOLED_BYTES_MIN) this.#write(reply.buffer);
    else this.#write(reply.buffer.subarray(0, length), () => pool.give(reply.buffer));
  }

  #sync(id: number, handle: number): void {
    exactly(this.#body, 0, "sync");
    const { file } = this.#handles.get(handle, false);
    const { files, delayed, setting } = this.#server;
    if (setting.syncs === "blocking") {
      files.syncNow(file);
      this.#answer(Op.sync, id, 0);
      return;
    }
    this.#beginWaiting();
    const end = (error: Error | null): void => {
      this.#busy = false;
      if (this.#ended) return;
      if (error === null) this.#answer(Op.sync, id, 0);
      else this.#refuse(id, error);
      this.proceed();
    };
    if (setting.syncs === "delayed") delayed.add(file, end);
    else files.sync(file, end);
  }

  #beginWaiting(): void {
    this.#busy = true;
    this.#reader.stop();
  }

  /** Resumes reading frames, unless the client does not take its answers. */
  proceed(): void {
    if (this.#ended || this.#busy || !this.#reader.stopped || this.#hasTooMuch()) return;
    if (this.#deferred !== undefined && !this.#server.waiting.hasRoom()) {
      this.#server.waiting.block(this);
      return;
    }
    this.#feed(() => {
      const deferred = this.#deferred;
      this.#deferred = undefined;
      if (deferred !== undefined) this.#frame(deferred, 0, deferred.length);
      if (this.#deferred === undefined && !this.#busy && !this.#hasTooMuch()) this.#reader.resume();
    });
    if (!this.#reader.stopped) this.#socket.resume();
  }

  /** Whether this client has too many pending responses, or has some while all clients together have too many. */
  #hasTooMuch(): boolean {
    const bytes = this.waitingBytes;
    if (bytes > WAITING_BYTES_MAX) return true;
    if (bytes === 0 || this.#server.waiting.hasRoom()) return false;
    this.#server.waiting.block(this);
    return true;
  }

  readonly #reserve = (bytes: number): { readonly buffer: Buffer; readonly at: number } => {
    const length = HEADER_BYTES + bytes;
    const pooled = length >= POOLED_BYTES_MIN;
    const buffer = pooled ? this.#server.pool.take(length) : Buffer.allocUnsafe(length);
    this.#reply = { buffer, at: HEADER_BYTES, bytes };
    return this.#reply;
  };

  #releaseReply(): void {
    if (this.#reply !== undefined && this.#reply.buffer.length >= POOLED_BYTES_MIN)
      this.#server.pool.give(this.#reply.buffer);
    this.#reply = undefined;
  }

  #answer(op: Op, id: number, value: number, body?: Buffer): void {
    this.#server.requests[op]!++;
    this.#respond(id, Status.ok, value, body);
  }

  #refuse(id: number, error: unknown): void {
    this.#server.refused++;
    const { status, text } = describe(error);
    if (status === Status.internal) this.#server.log(error instanceof Error ? (error.stack ?? text) : text);
    this.#respond(id, status, 0, Buffer.from(text).subarray(0, ERROR_TEXT_BYTES_MAX));
  }

  #respond(id: number, status: Status, value: number, body?: Buffer): void {
    const length = HEADER_BYTES + (body?.length ?? 0);
    const frame = Buffer.allocUnsafe(length);
    responseHeader(frame, length, id, status, value);
    body?.copy(frame, HEADER_BYTES);
    this.#write(frame);
  }

  #write(frame: Buffer, written?: () => void): void {
    this.#socket.write(frame, written);
    this.#responses++;
    this.#server.waiting.add(frame.length);
    if (this.#hasTooMuch()) this.#reader.stop();
  }
}

const isSystem = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.syscall !== undefined;

function describe(error: unknown): { status: Status; text: string } {
  if (error instanceof Refusal) return { status: error.status, text: error.message };
  if (isSystem(error)) {
    const { code = "", syscall = "" } = error as NodeJS.ErrnoException;
    const reason = code === "EINVAL" ? "invalid offset or length" : systemReason(error);
    const text =
      reason === undefined ? `${syscall} failed on the server: ${code}` : `${reason} on the server`;
    return { status: Status.storage, text };
  }
  return { status: Status.internal, text: "internal error of the server; see its log" };
}
