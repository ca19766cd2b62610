/** Reads back what a point wrote, and compares every byte: regions with their content, holes with what the method promises. */
import { assert } from "../../base/assert.ts";
import {
  type Datatype,
  dataBelow,
  dataBytes,
  isOrdered,
  type Pattern,
  PieceCursor,
  pieceBlock,
  RegionCursor,
  type RankAccess,
  regionBlock,
} from "../pattern/index.ts";
import type { StorageFile } from "../storage.ts";
import { fillContent, findWrong } from "./content.ts";

/** Memory between regions holds this before a read, and after it. */
const UNTOUCHED = 0xa5;
const CHUNK_BYTES = 4 << 20;
const ZEROS = new Uint8Array(CHUNK_BYTES);

/** A buffer with the content of the regions, and something else between them. */
export function fillRegions(buffer: Uint8Array, access: RankAccess, salt: number): void {
  const block = regionBlock(4096);
  for (const cursor = new RegionCursor(access); cursor.next(block) > 0; )
    for (let i = 0; i < block.count; i++)
      fillContent(
        buffer,
        block.memory[i] as number,
        block.lengths[i] as number,
        block.file[i] as number,
        salt,
      );
}

export const clearBuffer = (buffer: Uint8Array): void => void buffer.fill(UNTOUCHED);

/** After a read: regions hold what the file has at their place, and nothing else was touched. */
export function wrongInMemory(buffer: Uint8Array, access: RankAccess, salt: number): string | undefined {
  const block = regionBlock(4096);
  for (const cursor = new RegionCursor(access); cursor.next(block) > 0; )
    for (let i = 0; i < block.count; i++) {
      const [at, length, place] = [block.memory[i], block.lengths[i], block.file[i]] as [
        number,
        number,
        number,
      ];
      const wrong = findWrong(buffer, at, length, place, salt);
      if (wrong >= 0) return `byte ${wrong} of the buffer is not byte ${place + wrong - at} of the file`;
      buffer.fill(UNTOUCHED, at, at + length);
    }
  const touched = buffer.findIndex((byte) => byte !== UNTOUCHED);
  return touched < 0 ? undefined : `byte ${touched} of the buffer lies between regions and was written`;
}

interface FileCheck {
  readonly pattern: Pattern;
  readonly salt: number;
  /** The share of the file that is read here. */
  readonly from: number;
  readonly to: number;
  /** Holes hold zeros; otherwise they are not looked at. */
  readonly holesAreZero: boolean;
}

/** What is wrong in a part of the file, in words. */
export async function wrongInFile(file: StorageFile, check: FileCheck): Promise<string | undefined> {
  const { pattern, salt, to, holesAreZero } = check;
  const accesses = Array.from({ length: pattern.ranks }, (_, rank) => pattern.access(rank));
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(0, to - check.from)));
  const block = pieceBlock(4096);
  for (let at = check.from; at < to; at += chunk.length) {
    const bytes = chunk.subarray(0, Math.min(chunk.length, to - at));
    const reading = file.read(at, bytes);
    if (reading !== undefined) await reading;
    for (const [rank, access] of accesses.entries()) {
      for (const cursor = cursorWithin(access, at, at + bytes.length); cursor.next(block) > 0; )
        for (let i = 0; i < block.count; i++) {
          const [place, length] = [block.offsets[i], block.lengths[i]] as [number, number];
          const wrong = findWrong(bytes, place - at, length, place, salt);
          if (wrong >= 0) return `byte ${at + wrong} of the file, of rank ${rank}, is wrong`;
          bytes.fill(0, place - at, place - at + length);
        }
    }
    if (holesAreZero && Buffer.compare(bytes, ZEROS.subarray(0, bytes.length)) !== 0)
      return `byte ${at + bytes.findIndex((byte) => byte !== 0)} of the file lies in a hole and is not zero`;
  }
  return undefined;
}

/** The pieces of an access that lie in a stretch of the file, cut to it. */
function cursorWithin({ file, fileStart }: RankAccess, from: number, to: number): PieceCursor {
  assert(isOrdered(file as Datatype), "pieces of a file come in the order of their places");
  const below = (place: number) =>
    place <= fileStart ? 0 : Math.min(dataBytes(file), dataBelow(file, place - fileStart));
  return new PieceCursor(file, { start: fileStart, from: below(from), to: below(to) });
}
