/**
 * Content of the test file: every byte is computed from its file offset and the turn, so that misplaced bytes and leftovers of
 * earlier turns are detected.
 */

/** The four bytes at places 4w … 4w+3, the lowest first. */
function wordAt(word: number, salt: number): number {
  // Low and high part of the number separately: files can exceed 2^34 bytes.
  let value = Math.imul((word | 0) ^ salt, 0x9e3779b1) ^ Math.imul((word / 4294967296) | 0, 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39);
  return value ^ (value >>> 15);
}

export const byteAt = (place: number, salt: number): number =>
  (wordAt(Math.floor(place / 4), salt) >>> (8 * (place % 4))) & 0xff;

/** Fills `bytes[from … from+length)` with the content of the file at `place`. */
export function fillContent(
  bytes: Uint8Array,
  from: number,
  length: number,
  place: number,
  salt: number,
): void {
  let at = from;
  const end = from + length;
  let where = place;
  while (at < end) {
    let value = wordAt(Math.floor(where / 4), salt) >>> (8 * (where % 4));
    const stop = Math.min(end, at + 4 - (where % 4));
    where += stop - at;
    for (; at < stop; at++) {
      bytes[at] = value;
      value >>>= 8;
    }
  }
}

/** The first wrong byte in `bytes[from … from+length)`; -1 for none. */
export function findWrong(
  bytes: Uint8Array,
  from: number,
  length: number,
  place: number,
  salt: number,
): number {
  let at = from;
  const end = from + length;
  let where = place;
  while (at < end) {
    let value = wordAt(Math.floor(where / 4), salt) >>> (8 * (where % 4));
    const stop = Math.min(end, at + 4 - (where % 4));
    where += stop - at;
    for (; at < stop; at++) {
      if (bytes[at] !== (value & 0xff)) return at;
      value >>>= 8;
    }
  }
  return -1;
}
