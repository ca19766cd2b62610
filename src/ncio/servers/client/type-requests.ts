/**
 * Datatype requests: each server gets the same short encoding of all pieces, and the data of its own strips. An irregular type
 * whose encoding exceeds the limit is sent as lists.
 */
import { type Datatype, dataBytes, encodeDatatype, PieceCursor, pieceBlock } from "../../pattern/index.ts";
import { assert } from "../../../base/assert.ts";
import { HEADER_BYTES, Op, writePlace } from "../wire.ts";
import type { ServersFile } from "./file.ts";
import { type ListRequests, sendReads, sendWrites } from "./list-requests.ts";
import { movePieces, Spread, type Staging } from "./spread.ts";

const HEAD_BYTES = HEADER_BYTES + 24;
const BLOCK_PIECES = 4096;

interface Encoding {
  readonly bytes: Uint8Array;
  readonly depth: number;
}

interface Part {
  readonly start: number;
  readonly type: Datatype;
  /** Data of the type before the part, and of the part. */
  readonly skip: number;
  readonly bytes: number;
}

export class TypeRequests {
  readonly #file: ServersFile;
  readonly #lists: ListRequests;
  readonly #spread: Spread;
  readonly #block = pieceBlock(BLOCK_PIECES);
  /** Of the type that was sent last: requests of one access follow one another. */
  #last: { readonly type: Datatype; readonly encoding: Encoding } | undefined;

  constructor(file: ServersFile, lists: ListRequests) {
    this.#file = file;
    this.#lists = lists;
    this.#spread = new Spread(file.storage.strips);
  }

  write(start: number, type: Datatype, skip: number, data: Uint8Array): Promise<void> {
    return this.#run(start, type, skip, data, true);
  }

  read(start: number, type: Datatype, skip: number, into: Uint8Array): Promise<void> {
    return this.#run(start, type, skip, into, false);
  }

  #run(start: number, type: Datatype, skip: number, data: Uint8Array, writing: boolean): Promise<void> {
    assert(
      skip >= 0 && skip + data.length <= dataBytes(type),
      `bytes ${skip} to ${skip + data.length} of a datatype of ${dataBytes(type)}`,
    );
    const { limits } = this.#file.storage;
    const { bytes: encoded, depth } = this.#encodingOf(type);
    if (encoded.length > limits.typeBytes || depth > limits.typeDepth)
      return this.#asLists(start, type, skip, data, writing);
    const bytes = this.#spreadPart(start, type, skip, data.length);
    if (bytes === data.length) return this.#send({ start, type, skip, bytes }, encoded, data, writing);
    return this.#inParts(start, type, skip, data, writing, encoded);
  }

  #encodingOf(type: Datatype): Encoding {
    if (this.#last?.type !== type)
      this.#last = { type, encoding: { bytes: encodeDatatype(type), depth: depthOf(type) } };
    return this.#last.encoding;
  }

  async #inParts(
    start: number,
    type: Datatype,
    skip: number,
    data: Uint8Array,
    writing: boolean,
    encoded: Uint8Array,
  ): Promise<void> {
    for (let done = 0; done < data.length; ) {
      const bytes = this.#spreadPart(start, type, skip + done, data.length - done);
      const part = { start, type, skip: skip + done, bytes };
      await this.#send(part, encoded, data.subarray(done, done + bytes), writing);
      done += bytes;
    }
  }

  /** Computes the spread of as many bytes as fit into one request, and returns their number. */
  #spreadPart(start: number, type: Datatype, skip: number, bytes: number): number {
    const { dataBytes: most, typePieces } = this.#file.storage.limits;
    const range = { start, from: skip, to: skip + Math.min(bytes, most) };
    const cursor = new PieceCursor(type, range);
    const block = this.#block;
    const spread = this.#spread.clear();
    let left = typePieces;
    while (left > 0 && cursor.next(block, Math.min(left, BLOCK_PIECES)) > 0) {
      spread.add(block, 0, block.count);
      left -= block.count;
    }
    return spread.bytes.reduce((sum, one) => sum + one, 0);
  }

  #send(part: Part, encoded: Uint8Array, data: Uint8Array, writing: boolean): Promise<void> {
    const { strips, pool } = this.#file.storage;
    const { bytes } = this.#spread;
    const frames: (Buffer | undefined)[] = [];
    const lengths: number[] = [];
    const at = new Float64Array(strips.servers).fill(HEAD_BYTES + encoded.length);
    let messages = 0;
    for (let server = 0; server < strips.servers; server++) {
      if (bytes[server] === 0) continue;
      messages++;
      const length = HEAD_BYTES + encoded.length + (writing ? (bytes[server] as number) : 0);
      const frame = pool.take(length);
      describe(frame, part, encoded);
      frames[server] = frame;
      lengths[server] = length;
    }
    if (writing) {
      this.#move(part, data, { buffers: frames, at, pairAt: undefined }, true);
      return sendWrites(this.#file, Op.writeType, frames, lengths, bytes, messages);
    }
    return sendReads(this.#file, Op.readType, frames, lengths, bytes, messages).then((answers) => {
      this.#move(part, data, { buffers: answers, at: at.fill(0), pairAt: undefined }, false);
      for (const buffer of answers) if (buffer !== undefined) pool.give(buffer);
    });
  }

  #move({ start, type, skip, bytes }: Part, data: Uint8Array, staging: Staging, scatter: boolean): void {
    const { strips } = this.#file.storage;
    const block = this.#block;
    let place = 0;
    for (
      const cursor = new PieceCursor(type, { start, from: skip, to: skip + bytes });
      cursor.next(block) > 0;
    )
      place = movePieces(block, 0, block.count, strips, data, place, staging, scatter);
  }

  async #asLists(start: number, type: Datatype, skip: number, data: Uint8Array, writing: boolean) {
    const cursor = new PieceCursor(type, { start, from: skip, to: skip + data.length });
    const block = pieceBlock(this.#file.storage.listMax);
    let done = 0;
    while (cursor.next(block) > 0) {
      let bytes = 0;
      for (let i = 0; i < block.count; i++) bytes += block.lengths[i] as number;
      const part = data.subarray(done, done + bytes);
      await (writing ? this.#lists.write(block, part) : this.#lists.read(block, part));
      done += bytes;
    }
  }
}

function describe(frame: Buffer, { start, skip, bytes }: Part, encoded: Uint8Array): void {
  writePlace(frame, HEADER_BYTES, start);
  writePlace(frame, HEADER_BYTES + 8, skip);
  frame.writeUInt32LE(bytes, HEADER_BYTES + 16);
  frame.writeUInt32LE(encoded.length, HEADER_BYTES + 20);
  frame.set(encoded, HEAD_BYTES);
}

function depthOf(type: Datatype): number {
  if (type.kind === "bytes") return 1;
  if (type.kind === "vector") return 1 + depthOf(type.of);
  return 1 + type.parts.reduce((most, { of }) => Math.max(most, depthOf(of)), 0);
}
