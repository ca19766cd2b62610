/** Reads and writes of local files. They block: a server handles one request at a time, like those of PVFS2. */
import { readSync, writeSync } from "node:fs";
import { copyBytes } from "../copy.ts";
import type { PieceList } from "./piece-list.ts";
import { SeekModel } from "./seek-model.ts";
import type { Joins } from "../modes.ts";

/** The part of an open file that is used here. */
interface OpenFile {
  readonly fd: number;
  readonly dirty: { add(offset: number, bytes: number): void };
}

/** A call costs about as much as moving this much cached data (measured: 2.5 µs, 2 × 0.2 ns a byte). */
const SIEVE_BYTES_PER_PIECE = 4096;
const SIEVE_WINDOW_BYTES = 1 << 20;

export class Disk {
  readonly joins: Joins;
  readonly seeks: SeekModel;
  writes = 0;
  reads = 0;
  bytesWritten = 0;
  bytesRead = 0;
  #window: Buffer | undefined;

  constructor(joins: Joins, simulateSeekMs: number) {
    this.joins = joins;
    this.seeks = new SeekModel(simulateSeekMs);
  }

  write(file: OpenFile, offset: number, data: Buffer, from: number, bytes: number): void {
    let done = 0;
    while (done < bytes) {
      const count = writeSync(file.fd, data, from + done, bytes - done, offset + done);
      this.writes++;
      done += count;
      this.bytesWritten += count;
    }
    file.dirty.add(offset, bytes);
    this.seeks.moved(file.fd, offset, bytes);
  }

  /** Bytes beyond the file read as zero. */
  read(file: OpenFile, offset: number, into: Buffer, at: number, bytes: number): void {
    let done = 0;
    while (done < bytes) {
      const count = readSync(file.fd, into, at + done, bytes - done, offset + done);
      this.reads++;
      if (count === 0) break;
      done += count;
    }
    if (done < bytes) into.fill(0, at + done, at + bytes);
    this.bytesRead += bytes;
    this.seeks.moved(file.fd, offset, bytes);
  }

  writePieces(file: OpenFile, pieces: PieceList, data: Buffer, from: number): void {
    const { offsets, lengths, count } = pieces;
    let at = from;
    for (let i = 0; i < count; ) {
      const end = this.joins === "sieve" ? groupEnd(pieces, i) : i + 1;
      if (end > i + 1) {
        at += this.#writeGroup(file, pieces, i, end, data, at);
      } else {
        const length = lengths[i] as number;
        this.write(file, offsets[i] as number, data, at, length);
        at += length;
      }
      i = end;
    }
  }

  readPieces(file: OpenFile, pieces: PieceList, into: Buffer, to: number): void {
    const { offsets, lengths, count } = pieces;
    let at = to;
    for (let i = 0; i < count; ) {
      const end = this.joins === "sieve" ? groupEnd(pieces, i) : i + 1;
      if (end > i + 1) {
        at += this.#readGroup(file, pieces, i, end, into, at);
      } else {
        const length = lengths[i] as number;
        this.read(file, offsets[i] as number, into, at, length);
        at += length;
      }
      i = end;
    }
  }

  #writeGroup(file: OpenFile, pieces: PieceList, from: number, to: number, data: Buffer, at: number): number {
    const { start, window, bytes } = this.#readWindow(file, pieces, from, to);
    let taken = at;
    for (let i = from; i < to; i++) {
      const length = pieces.lengths[i] as number;
      copyBytes(data, taken, window, (pieces.offsets[i] as number) - start, length);
      taken += length;
    }
    this.write(file, start, window, 0, bytes);
    this.bytesWritten -= bytes - (taken - at);
    return taken - at;
  }

  #readGroup(file: OpenFile, pieces: PieceList, from: number, to: number, into: Buffer, at: number): number {
    const { start, window } = this.#readWindow(file, pieces, from, to);
    let filled = at;
    for (let i = from; i < to; i++) {
      const length = pieces.lengths[i] as number;
      copyBytes(window, (pieces.offsets[i] as number) - start, into, filled, length);
      filled += length;
    }
    this.bytesRead += filled - at;
    return filled - at;
  }

  #readWindow(file: OpenFile, { offsets, lengths }: PieceList, from: number, to: number) {
    this.#window ??= Buffer.allocUnsafeSlow(SIEVE_WINDOW_BYTES);
    const start = offsets[from] as number;
    const bytes = (offsets[to - 1] as number) + (lengths[to - 1] as number) - start;
    this.read(file, start, this.#window, 0, bytes);
    this.bytesRead -= bytes;
    return { start, bytes, window: this.#window };
  }
}

/** End of the ascending pieces from `from` that are dense enough to be moved together. */
function groupEnd({ offsets, lengths, count }: PieceList, from: number): number {
  const start = offsets[from] as number;
  let end = start + (lengths[from] as number);
  let i = from + 1;
  for (; i < count; i++) {
    const offset = offsets[i] as number;
    const next = offset + (lengths[i] as number);
    if (offset < end || offset - end > SIEVE_BYTES_PER_PIECE || next - start > SIEVE_WINDOW_BYTES) break;
    end = next;
  }
  return i;
}
