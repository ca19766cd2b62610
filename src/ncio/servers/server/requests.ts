/** Validates every field of a request, then performs it. Faults are thrown as a `Refusal`. */
import { FormatError, LimitError } from "../../../base/errors.ts";
import { type Datatype, dataBytes, decodeDatatype, PieceCursor, pieceBlock } from "../../pattern/index.ts";
import { Refusal } from "../errors.ts";
import { HANDLES_MAX, type Limits } from "../limits.ts";
import { localBefore, type Strips } from "../strips.ts";
import { OPEN_FLAGS, OPEN_WRITE, PAIR_BYTES, readPlace, Status } from "../wire.ts";
import type { Disk } from "./disk.ts";
import type { LocalFile, LocalFiles } from "./local-files.ts";
import { PieceList } from "./piece-list.ts";

const BLOCK_PIECES = 4096;

/** The body of one request: its range in the receive buffer. */
export interface Body {
  bytes: Buffer;
  start: number;
  end: number;
}

interface Handle {
  readonly file: LocalFile;
  readonly writable: boolean;
}

/** Returns a buffer for a response with this many bytes of data, which start at `at`. */
type Reserve = (dataBytes: number) => { readonly buffer: Buffer; readonly at: number };

/** The files that one client has open. */
export class Handles {
  readonly #files: LocalFiles;
  readonly #open: (Handle | undefined)[] = [];

  constructor(files: LocalFiles) {
    this.#files = files;
  }

  open(body: Body): number {
    need(body, 5, "open");
    const flags = body.bytes.readUInt32LE(body.start);
    if ((flags & ~OPEN_FLAGS) !== 0) throw malformed(`open has unknown flags ${flags}`);
    const writable = (flags & OPEN_WRITE) !== 0;
    if (!writable && flags !== 0) throw malformed("open asks to create or empty a file without writing");
    const free = this.#open.indexOf(undefined);
    const index = free < 0 ? this.#open.length : free;
    if (index >= HANDLES_MAX)
      throw new Refusal(Status.tooMany, `more than ${HANDLES_MAX} files are open on one connection`);
    const file = this.#files.open(nameIn(body, 4), flags);
    this.#open[index] = { file, writable };
    return index + 1;
  }

  get(handle: number, writing: boolean): Handle {
    const found = this.#open[handle - 1];
    if (found === undefined) throw new Refusal(Status.badHandle, `no file is open as ${handle}`);
    if (writing && !found.writable)
      throw new Refusal(Status.badHandle, `${found.file.name}: is open for reading only`);
    return found;
  }

  close(handle: number): void {
    this.#files.close(this.get(handle, false).file);
    this.#open[handle - 1] = undefined;
  }

  closeAll(): void {
    for (const one of this.#open) if (one !== undefined) this.#files.close(one.file);
    this.#open.length = 0;
  }
}

/** Requests that move data. */
export class DataRequests {
  readonly #disk: Disk;
  readonly #limits: Limits;
  readonly #strips: Strips;
  readonly #server: number;
  readonly #pieces: PieceList;
  readonly #block = pieceBlock(BLOCK_PIECES);

  constructor(disk: Disk, limits: Limits, strips: Strips, server: number) {
    this.#disk = disk;
    this.#limits = limits;
    this.#strips = strips;
    this.#server = server;
    this.#pieces = new PieceList(disk.joins !== "none");
  }

  /** u64 local offset · data. Returns the bytes written. */
  write({ file }: Handle, body: Body): number {
    need(body, 9, "write");
    const bytes = body.end - body.start - 8;
    this.#checkBytes(bytes);
    const offset = checkedPlace(readPlace(body.bytes, body.start), bytes);
    this.#disk.write(file, offset, body.bytes, body.start + 8, bytes);
    return bytes;
  }

  /** u64 local offset · u32 length. */
  read({ file }: Handle, body: Body, reserve: Reserve): number {
    exactly(body, 12, "read");
    const bytes = body.bytes.readUInt32LE(body.start + 8);
    this.#checkBytes(bytes);
    const offset = checkedPlace(readPlace(body.bytes, body.start), bytes);
    const { buffer, at } = reserve(bytes);
    this.#disk.read(file, offset, buffer, at, bytes);
    return bytes;
  }

  /** u32 pairs · pairs of u64 local offset and u32 length · data. */
  writeList({ file }: Handle, body: Body): number {
    const data = this.#readPairs(body);
    return this.#writePieces(file, body, data, "list");
  }

  readList({ file }: Handle, body: Body, reserve: Reserve): number {
    const end = this.#readPairs(body);
    if (end !== body.end) throw malformed(`list read has ${body.end - end} bytes after its pairs`);
    return this.#readPieces(file, reserve);
  }

  /** u64 start · u64 skip · u32 range · u32 type bytes · type · data of this server. */
  writeType({ file }: Handle, body: Body): number {
    const data = this.#readType(body);
    return this.#writePieces(file, body, data, "datatype");
  }

  readType({ file }: Handle, body: Body, reserve: Reserve): number {
    const end = this.#readType(body);
    if (end !== body.end) throw malformed(`datatype read has ${body.end - end} bytes after its type`);
    return this.#readPieces(file, reserve);
  }

  #writePieces(file: LocalFile, body: Body, data: number, kind: string): number {
    const pieces = this.#pieces;
    const bytes = body.end - data;
    if (bytes !== pieces.bytes)
      throw malformed(`${kind} write comes to ${pieces.bytes} bytes here, ${bytes} were sent`);
    this.#disk.writePieces(file, pieces, body.bytes, data);
    return bytes;
  }

  #readPieces(file: LocalFile, reserve: Reserve): number {
    const { buffer, at } = reserve(this.#pieces.bytes);
    this.#disk.readPieces(file, this.#pieces, buffer, at);
    return this.#pieces.bytes;
  }

  /** Returns the start of the data. */
  #readPairs(body: Body): number {
    need(body, 4 + PAIR_BYTES, "list request");
    const { bytes, start } = body;
    const count = bytes.readUInt32LE(start);
    if (count > this.#limits.pairs)
      throw new Refusal(Status.tooLarge, `${count} pairs in a list request, at most ${this.#limits.pairs}`);
    if (count === 0) throw malformed("list request without pairs");
    need(body, 4 + count * PAIR_BYTES, `list request of ${count} pairs`);
    const pieces = this.#pieces;
    pieces.clear();
    let at = start + 4;
    for (let i = 0; i < count; i++, at += PAIR_BYTES) {
      const length = bytes.readUInt32LE(at + 8);
      if (length === 0) throw malformed(`pair ${i} has no bytes`);
      pieces.add(checkedPlace(readPlace(bytes, at), length), length);
      if (pieces.bytes > this.#limits.dataBytes) this.#checkBytes(pieces.bytes);
    }
    return at;
  }

  #readType(body: Body): number {
    need(body, 24, "datatype request");
    const { bytes, start: at } = body;
    const start = readPlace(bytes, at);
    const skip = readPlace(bytes, at + 8);
    const range = bytes.readUInt32LE(at + 16);
    const typeBytes = bytes.readUInt32LE(at + 20);
    if (Number.isNaN(start) || Number.isNaN(skip)) throw outOfRange("an offset beyond 2^53");
    this.#checkBytes(range);
    if (typeBytes > this.#limits.typeBytes)
      throw new Refusal(
        Status.tooLarge,
        `a datatype of ${typeBytes} bytes, at most ${this.#limits.typeBytes}`,
      );
    need(body, 24 + typeBytes, `datatype of ${typeBytes} bytes`);
    const type = decodeType(bytes.subarray(at + 24, at + 24 + typeBytes), this.#limits);
    if (skip + range > dataBytes(type))
      throw outOfRange(`bytes ${skip} to ${skip + range} of a datatype of ${dataBytes(type)} bytes`);
    this.#collectOwn(new PieceCursor(type, { start, from: skip, to: skip + range }));
    return at + 24 + typeBytes;
  }

  /** Selects the pieces in the strips of this server from the datatype. */
  #collectOwn(cursor: PieceCursor): void {
    const pieces = this.#pieces;
    const block = this.#block;
    const { typePieces } = this.#limits;
    let total = 0;
    pieces.clear();
    while (cursor.next(block) > 0) {
      total += block.count;
      if (total > typePieces)
        throw new Refusal(Status.tooLarge, `a datatype of more than ${typePieces} pieces in one request`);
      for (let i = 0; i < block.count; i++)
        this.#addOwn(block.offsets[i] as number, block.lengths[i] as number);
    }
  }

  #addOwn(offset: number, length: number): void {
    const strips = this.#strips;
    const strip = Math.floor(offset / strips.bytes);
    const inside = offset - strip * strips.bytes;
    if (inside + length <= strips.bytes) {
      const round = Math.floor(strip / strips.servers);
      if (strip - round * strips.servers === this.#server)
        this.#pieces.add(round * strips.bytes + inside, length);
      return;
    }
    const from = localBefore(strips, this.#server, offset);
    const to = localBefore(strips, this.#server, checkedPlace(offset, length) + length);
    if (to > from) this.#pieces.add(from, to - from);
  }

  #checkBytes(bytes: number): void {
    if (bytes === 0) throw malformed("a request for no bytes");
    if (bytes > this.#limits.dataBytes)
      throw new Refusal(Status.tooLarge, `${bytes} bytes in one request, at most ${this.#limits.dataBytes}`);
  }
}

function decodeType(bytes: Uint8Array, { typeDepth, typeBytes }: Limits): Datatype {
  try {
    // No list of parts can be longer than its bytes.
    return decodeDatatype(bytes, { depth: typeDepth, parts: typeBytes });
  } catch (error) {
    if (error instanceof LimitError) throw new Refusal(Status.tooLarge, error.message);
    if (error instanceof FormatError) throw malformed(error.message);
    throw error;
  }
}

/** The name that fills the rest of a body. */
export function nameIn({ bytes, start, end }: Body, at: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start + at, end));
  } catch {
    throw new Refusal(Status.badName, "a name is not UTF-8");
  }
}

export function exactly({ start, end }: Body, bytes: number, what: string): void {
  if (end - start !== bytes) throw malformed(`${what} has ${end - start} bytes, expected ${bytes}`);
}

function need({ start, end }: Body, bytes: number, what: string): void {
  if (end - start < bytes) throw malformed(`${what} has ${end - start} bytes, expected ${bytes} or more`);
}

export function checkedPlace(offset: number, bytes: number): number {
  if (!(offset + bytes <= Number.MAX_SAFE_INTEGER)) throw outOfRange(`offset ${offset}: beyond 2^53`);
  return offset;
}

export const malformed = (text: string): Refusal => new Refusal(Status.malformed, text);
const outOfRange = (text: string): Refusal => new Refusal(Status.outOfRange, text);
