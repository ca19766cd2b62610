/**
 * Where the bytes of an input come from. Reading is synchronous: parsers are tight loops, and in a browser a
 * worker has `FileReaderSync` while a page can hold the file in memory (`bytesSource`).
 */
export interface ByteSource {
  /** A path or label for messages. */
  readonly name: string;
  readonly byteLength: number;
  /** Of a gzip file that stays packed: the first bytes of what is in it. */
  readonly inside?: Uint8Array;
  /**
   * The bytes [offset, offset + length), fewer at the end of the input. They stay as they are until the source
   * is closed, or until the caller gives them back as `reuse`, memory that the source may fill again.
   */
  read(offset: number, length: number, reuse?: Uint8Array): Uint8Array;
}

/** A source over bytes that are already in memory; reads are views, nothing is copied. */
export function bytesSource(bytes: Uint8Array, name = "input"): ByteSource {
  return {
    name,
    byteLength: bytes.byteLength,
    read: (offset, length) => bytes.subarray(offset, offset + length),
  };
}

/** How many first bytes tell what a file is. */
export const HEAD_BYTES = 4096;
