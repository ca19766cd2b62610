/** An open file striped over servers. */
import { assert } from "../../../base/assert.ts";
import type { Done, FilePieces, FileRegions, StorageFile } from "../../storage.ts";
import type { Datatype } from "../../pattern/index.ts";
import { copyBytes } from "../copy.ts";
import { localBefore, serverOf, type Strips } from "../strips.ts";
import { HEADER_BYTES, Op, writePlace } from "../wire.ts";
import { ListRequests } from "./list-requests.ts";
import { EachRequests } from "./each-requests.ts";
import type { Link } from "./link.ts";
import { Call, type Waiter } from "./message.ts";
import type { ServersStorage } from "./storage.ts";
import { TypeRequests } from "./type-requests.ts";
import { writeAcross, readAcross } from "./contiguous.ts";

/** Header and offset. */
const WRITE_HEAD_BYTES = HEADER_BYTES + 8;
/** Above this size a copy costs more than a second part of the same send. */
const COPY_BYTES_MAX = 16 << 10;

export class ServersFile implements StorageFile {
  readonly name: string;
  readonly handles: readonly number[];
  readonly storage: ServersStorage;
  readonly #strips: Strips;
  readonly #lists: ListRequests;
  readonly #types: TypeRequests;
  #behind = 0;
  #failure: Error | undefined;
  #wake: (() => void)[] = [];
  #closed = false;

  constructor(storage: ServersStorage, name: string, handles: readonly number[]) {
    this.storage = storage;
    this.name = name;
    this.handles = handles;
    this.#strips = storage.strips;
    this.#lists = new ListRequests(this);
    this.#types = new TypeRequests(this, this.#lists);
  }

  write(at: number, bytes: Uint8Array): Done {
    this.#begin(at, bytes.length);
    if (bytes.length === 0) return undefined;
    if (!this.inOneStrip(at, bytes.length)) return writeAcross(this, at, bytes);
    return this.storage.outstanding > 1 ? this.#writeBehind(at, bytes) : this.#writeStrip(at, bytes);
  }

  read(at: number, into: Uint8Array): Done {
    this.#begin(at, into.length);
    if (into.length === 0) return undefined;
    if (!this.inOneStrip(at, into.length)) return readAcross(this, at, into);
    const call = new Call(1);
    const server = serverOf(this.#strips, at);
    this.sendRead(server, localBefore(this.#strips, server, at), into.length, into, 0, call);
    return call.promise;
  }

  /** One request per region, with as many in flight as the storage allows. */
  writeEach(regions: FileRegions, memory: Uint8Array): Done {
    this.#beginRegions(regions, memory.length);
    return new EachRequests(this, regions, memory, true).run();
  }

  readEach(regions: FileRegions, memory: Uint8Array): Done {
    this.#beginRegions(regions, memory.length);
    return new EachRequests(this, regions, memory, false).run();
  }

  writeList(pieces: FilePieces, data: Uint8Array): Done {
    this.#beginPieces(pieces, data.length);
    return this.#lists.write(pieces, data);
  }

  readList(pieces: FilePieces, into: Uint8Array): Done {
    this.#beginPieces(pieces, into.length);
    return this.#lists.read(pieces, into);
  }

  writeType(start: number, type: Datatype, skip: number, data: Uint8Array): Done {
    this.#begin(start, 0);
    return data.length === 0 ? undefined : this.#types.write(start, type, skip, data);
  }

  readType(start: number, type: Datatype, skip: number, into: Uint8Array): Done {
    this.#begin(start, 0);
    return into.length === 0 ? undefined : this.#types.read(start, type, skip, into);
  }

  /** Makes the parts on all servers durable. Also fails if a write-behind has failed. */
  async sync(): Promise<void> {
    this.#throwFailure();
    const { traffic, links } = this.storage;
    const call = new Call(links.length);
    traffic.syncMessages += links.length;
    for (const [server, link] of links.entries()) {
      const frame = this.storage.pool.take(HEADER_BYTES);
      link.send(Op.sync, this.handle(server), frame, HEADER_BYTES, link.message(call, frame, 0, true));
    }
    await call.promise;
    this.#throwFailure();
  }

  /** Truncates the file, or extends it with zeros. */
  async truncate(bytes: number): Promise<void> {
    this.#begin(bytes, 0);
    await this.#settled();
    const { links, strips } = this.storage;
    const cuts = links.map((link, server) => {
      const body = Buffer.alloc(8);
      writePlace(body, 0, localBefore(strips, server, bytes));
      return link.request(Op.truncate, this.handle(server), body);
    });
    await allOf(cuts);
  }

  /** Reports failures since the last call. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#settled();
    this.#closed = true;
    await allOf(this.storage.links.map((link, server) => link.request(Op.close, this.handle(server))));
    this.#throwFailure();
  }

  handle(server: number): number {
    return this.handles[server] as number;
  }

  link(server: number): Link {
    return this.storage.links[server] as Link;
  }

  /** Sends the write of a contiguous part of a server's local file; its data is copied. */
  sendWrite(server: number, local: number, data: Uint8Array, at: number, bytes: number, call: Waiter): void {
    const length = WRITE_HEAD_BYTES + bytes;
    const frame = this.storage.pool.take(length);
    copyBytes(data, at, frame, WRITE_HEAD_BYTES, bytes);
    this.#sendWriteFrame(server, local, frame, length, bytes, call);
  }

  /** The same without a copy: data must stay unchanged until the answer. */
  sendWriteOf(server: number, local: number, bytes: number, call: Waiter, parts: Uint8Array[]): void {
    const frame = this.storage.pool.take(WRITE_HEAD_BYTES);
    this.#sendWriteFrame(server, local, frame, WRITE_HEAD_BYTES, bytes, call, parts);
  }

  sendRead(server: number, local: number, bytes: number, into: Uint8Array, intoAt: number, call: Waiter) {
    const { pool, traffic } = this.storage;
    const length = WRITE_HEAD_BYTES + 4;
    const frame = pool.take(length);
    writePlace(frame, HEADER_BYTES, local);
    frame.writeUInt32LE(bytes, WRITE_HEAD_BYTES);
    traffic.messages++;
    traffic.movedBytes += bytes;
    const link = this.link(server);
    link.send(Op.read, this.handle(server), frame, length, link.reading(call, frame, bytes, into, intoAt));
  }

  #sendWriteFrame(
    server: number,
    local: number,
    frame: Buffer,
    length: number,
    bytes: number,
    call: Waiter,
    rest?: Uint8Array[],
  ): void {
    const { traffic } = this.storage;
    writePlace(frame, HEADER_BYTES, local);
    traffic.messages++;
    traffic.movedBytes += bytes;
    const link = this.link(server);
    link.send(Op.write, this.handle(server), frame, length, link.message(call, frame, bytes), rest);
  }

  #writeStrip(at: number, bytes: Uint8Array): Promise<void> {
    const call = new Call(1);
    const server = serverOf(this.#strips, at);
    const local = localBefore(this.#strips, server, at);
    if (bytes.length <= COPY_BYTES_MAX) this.sendWrite(server, local, bytes, 0, bytes.length, call);
    else this.sendWriteOf(server, local, bytes.length, call, [bytes]);
    return call.promise;
  }

  /** Returns once fewer than the allowed number are in flight. */
  #writeBehind(at: number, bytes: Uint8Array): Done {
    const server = serverOf(this.#strips, at);
    this.link(server).gather();
    this.#behind++;
    this.sendWrite(server, localBefore(this.#strips, server, at), bytes, 0, bytes.length, this.#later);
    if (this.#behind < this.storage.outstanding) return undefined;
    return new Promise<void>((resolve) => this.#wake.push(resolve)).then(() => this.#throwFailure());
  }

  /** Receives the results of write-behind. */
  readonly #later: Waiter = {
    answered: () => this.#endBehind(),
    failed: (error) => {
      this.#failure ??= error;
      this.#endBehind();
    },
  };

  #endBehind(): void {
    this.#behind--;
    // Wakes at half of the limit, so that a busy client sends several at once.
    if (this.#wake.length === 0 || this.#behind > this.storage.outstanding / 2) return;
    const wake = this.#wake;
    this.#wake = [];
    for (const one of wake) one();
  }

  async #settled(): Promise<void> {
    while (this.#behind > 0) await allOf(this.storage.links.map((link) => link.request(Op.ping, 0)));
    this.#throwFailure();
  }

  inOneStrip(at: number, bytes: number): boolean {
    const strip = this.#strips.bytes;
    return (at % strip) + bytes <= strip && bytes <= this.storage.limits.dataBytes;
  }

  #begin(at: number, bytes: number): void {
    assert(!this.#closed, `${this.name}: used after it was closed`);
    assert(
      Number.isInteger(at) && at >= 0 && at + bytes <= Number.MAX_SAFE_INTEGER,
      `${this.name}: invalid offset ${at} for ${bytes} bytes`,
    );
    this.#throwFailure();
    this.storage.traffic.requests++;
  }

  #beginRegions({ count, memory, file, lengths }: FileRegions, memoryBytes: number): void {
    this.#begin(0, 0);
    for (let i = 0; i < count; i++) {
      const length = lengths[i] as number;
      checkPlace(file[i] as number, length, i);
      const place = memory[i] as number;
      assert(place >= 0 && place + length <= memoryBytes, `region ${i} is outside the memory`);
    }
    this.storage.traffic.requests += count - 1;
  }

  #beginPieces({ count, offsets, lengths }: FilePieces, bytes: number): void {
    this.#begin(0, 0);
    assert(
      count <= this.storage.listMax,
      `${count} pieces in a list request, at most ${this.storage.listMax}`,
    );
    let total = 0;
    for (let i = 0; i < count; i++) {
      const length = lengths[i] as number;
      checkPlace(offsets[i] as number, length, i);
      total += length;
    }
    assert(total === bytes, `pieces of ${total} bytes with data of ${bytes}`);
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return;
    const failure = this.#failure;
    this.#failure = undefined;
    throw failure;
  }
}

function checkPlace(offset: number, length: number, index: number): void {
  assert(
    offset >= 0 && length > 0 && Number.isSafeInteger(offset + length),
    `piece ${index}: invalid offset ${offset} for ${length} bytes`,
  );
}

/** Waits for all, then fails with the first failure. */
async function allOf(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  for (const one of results) if (one.status === "rejected") throw one.reason;
}
