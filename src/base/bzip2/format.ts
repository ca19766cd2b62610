/** What both directions of bzip2 share: the format's constants and its checksum. */

/** "BZh", then a digit for the block size in units of `BLOCK_UNIT`. */
export const STREAM_MAGIC = 0x425a68;
/** The 48-bit marks in front of a block (pi) and of a stream's end (the square root of pi), in two halves. */
export const BLOCK_MAGIC_HIGH = 0x314159;
export const BLOCK_MAGIC_LOW = 0x265359;
export const END_MAGIC_HIGH = 0x177245;
export const END_MAGIC_LOW = 0x385090;

export const BLOCK_UNIT = 100_000;
/** This many symbols in a row share a Huffman table. */
export const GROUP_SYMBOLS = 50;
export const TABLES_MAX = 6;
/** 256 byte values become 255 list positions, two run digits and an end mark. */
export const ALPHABET_MAX = 258;
export const CODE_BITS_MAX = 20;
/** This many equal bytes are always followed by a count of further ones. */
export const RUN_START = 4;

export const CRC_START = -1;

/** Entry k * 256 + b is the checksum of byte b with k zero bytes behind it, so eight bytes go in one step. */
const CRC_TABLE = makeCrcTable();

function makeCrcTable(): Int32Array {
  const table = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
    table[byte] = crc;
  }
  for (let at = 256; at < table.length; at++) {
    const before = table[at - 256]!;
    table[at] = (before << 8) ^ table[before >>> 24]!;
  }
  return table;
}

/**
 * Continues a block's checksum (CRC-32, high bit first) over bytes[from, to). Start from `CRC_START`; the
 * complement of the result is what the format stores.
 */
export function crcUpdate(start: number, bytes: Uint8Array, from: number, to: number): number {
  const table = CRC_TABLE;
  let crc = start;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    crc ^= (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    crc =
      table[1792 + (crc >>> 24)]! ^
      table[1536 + ((crc >>> 16) & 255)]! ^
      table[1280 + ((crc >>> 8) & 255)]! ^
      table[1024 + (crc & 255)]! ^
      table[768 + bytes[at + 4]!]! ^
      table[512 + bytes[at + 5]!]! ^
      table[256 + bytes[at + 6]!]! ^
      table[bytes[at + 7]!]!;
  }
  for (; at < to; at++) crc = (crc << 8) ^ table[(crc >>> 24) ^ bytes[at]!]!;
  return crc;
}

/** Adds a finished block's stored checksum to that of its stream. */
export function crcCombine(stream: number, block: number): number {
  return ((stream << 1) | (stream >>> 31)) ^ block;
}
