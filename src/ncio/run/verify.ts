/** Reads back the data of a point, and compares every byte: regions with their content, holes with the promise of the method. */
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

/** Fill byte of memory between regions; a read must not change it. */
const UNTOUCHED = 0xa5;
const CHUNK_BYTES = 4 << 20;
const ZEROS = new Uint8Array(CHUNK_BYTES);

/** Fills a buffer with the content of the regions, and a different byte between them. */
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

/** After a read: regions must hold the content of the file, and all other bytes must be unchanged. */
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
  return touched < 0 ? undefined : `byte ${touched} of the buffer lies between regions and was overwritten`;
}

interface FileCheck {
  readonly pattern: Pattern;
  readonly salt: number;
  /** The range of the file read by this rank. */
  readonly from: number;
  readonly to: number;
  /** Whether holes must be zero; otherwise they are not checked. */
  readonly holesAreZero: boolean;
}

/** Describes the first error in a part of the file. */
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

/** The pieces of an access within a range of the file, cut to it. */
function cursorWithin({ file, fileStart }: RankAccess, from: number, to: number): PieceCursor {
  assert(isOrdered(file as Datatype), "pieces of a file are in ascending order");
  const below = (place: number) =>
    place <= fileStart ? 0 : Math.min(dataBytes(file), dataBelow(file, place - fileStart));
  return new PieceCursor(file, { start: fileStart, from: below(from), to: below(to) });
}
