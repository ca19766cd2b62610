/**
 * Message of a rank to an aggregator: number of its pieces in a window, bytes of their data, their offsets in the window, their
 * lengths (32-bit words, native byte order), and for a write the data.
 */
import { PieceCursor, type Pieces, type RankAccess, pieceBlock } from "../pattern/index.ts";
import { PieceCopy } from "./copy.ts";
import { allocate } from "./task.ts";

export interface PieceMessage {
  readonly count: number;
  readonly bytes: number;
  /** Ascending. */
  readonly places: Uint32Array;
  readonly lengths: Uint32Array;
  /** Packed; empty in a read request. */
  readonly data: Uint8Array;
}

/** The message, and the part of it that the caller fills with data. */
export function writeMessage(
  access: RankAccess,
  place: number,
  from: number,
  to: number,
  withData: boolean,
): { message: Uint8Array; data: Uint8Array } {
  const { count, blocks } = collect(access, from, to);
  const message = allocate(8 + 8 * count + (withData ? to - from : 0));
  const words = new Uint32Array(message.buffer, message.byteOffset, 2 + 2 * count);
  words[0] = count;
  words[1] = to - from;
  let at = 2;
  for (const block of blocks)
    for (let i = 0; i < block.count; i++, at++) {
      words[at] = (block.offsets[i] as number) - place;
      words[at + count] = block.lengths[i] as number;
    }
  return { message, data: message.subarray(8 + 8 * count) };
}

function collect(access: RankAccess, from: number, to: number): { count: number; blocks: Pieces[] } {
  const cursor = new PieceCursor(access.file, { start: access.fileStart, from, to });
  const blocks: Pieces[] = [];
  let count = 0;
  // A piece has at least one byte, so small ranges allocate small blocks.
  for (let size = Math.min(64, to - from); ; size = Math.min(8192, 2 * size)) {
    const block = pieceBlock(size);
    if (cursor.next(block) === 0) return { count, blocks };
    count += block.count;
    blocks.push(block);
    if (block.count < size) return { count, blocks };
  }
}

const NONE = new Uint32Array(0);

/** An empty message requests nothing. */
export function readMessage(message: Uint8Array): PieceMessage {
  if (message.length === 0) return { count: 0, bytes: 0, places: NONE, lengths: NONE, data: message };
  const aligned = message.byteOffset % 4 === 0 ? message : message.slice();
  const [count = 0, bytes = 0] = new Uint32Array(aligned.buffer, aligned.byteOffset, 2);
  const at = aligned.byteOffset + 8;
  return {
    count,
    bytes,
    places: new Uint32Array(aligned.buffer, at, count),
    lengths: new Uint32Array(aligned.buffer, at + 4 * count, count),
    data: aligned.subarray(8 + 8 * count),
  };
}

/** Copies the data of a message to its offsets in a window that starts at `low`. */
export function scatterPieces(
  { count, places, lengths, data }: PieceMessage,
  window: Uint8Array,
  low: number,
): void {
  const copy = new PieceCopy(data, window);
  for (let i = 0, at = 0; i < count; i++) {
    const length = lengths[i] as number;
    copy.piece(at, (places[i] as number) - low, length);
    at += length;
  }
}

/** The data at the offsets of a message. */
export function gatherPieces(
  { count, bytes, places, lengths }: PieceMessage,
  window: Uint8Array,
  low: number,
): Uint8Array {
  const data = allocate(bytes);
  const copy = new PieceCopy(window, data);
  for (let i = 0, at = 0; i < count; i++) {
    const length = lengths[i] as number;
    copy.piece((places[i] as number) - low, at, length);
    at += length;
  }
  return data;
}
