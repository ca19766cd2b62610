/**
 * Decompression as a seam: a format asks for plain bytes and does not know who makes them. Node, a browser and
 * tests each pass their own codecs.
 */
import { FormatError } from "./errors.ts";
import type { ByteSource } from "./source.ts";

/** Plain bytes of one region, in order. */
export interface PlainReader {
  /** Fills `into` from `from` up to at most `to`; returns how many bytes, 0 only at the end of the region. */
  read(into: Uint8Array, from: number, to: number): number;
  /** Offset in the source just behind what has been consumed, for messages. */
  readonly position: number;
  /** Gives up what the reader holds. Reading to the end does so too. */
  close(): void;
}

/** A compression method. A region is one or more complete streams laid end to end. */
export interface Codec {
  /**
   * `label` names the region in messages. With `careful` the reader hands out bytes in small steps, so that of
   * a damaged stream all is seen that came before the damage; it is slower.
   */
  open(source: ByteSource, offset: number, length: number, label: string, careful?: boolean): PlainReader;
}

/** No compression: the bytes as they are. */
export const storedCodec: Codec = {
  open(source, offset, length, label) {
    const end = offset + length;
    let position = offset;
    return {
      get position() {
        return position;
      },
      read(into, from, to) {
        const bytes = source.read(position, Math.min(to - from, end - position));
        if (bytes.length === 0 && position < end) {
          throw new FormatError(
            source.name,
            { offset: position },
            `${label}: the file ends ${end - position} bytes early`,
          );
        }
        into.set(bytes, from);
        position += bytes.length;
        return bytes.length;
      },
      close() {},
    };
  },
};

/** One decoded stream and how many input bytes it took. */
export interface DecodedStream {
  readonly plain: Uint8Array;
  readonly consumed: number;
}

/**
 * A codec from a function that decodes the one stream at the start of its input. It holds a region and a whole
 * stream in memory, so it suits small inputs, browsers and tests; `plainBytesMax` bounds a single stream.
 */
export function wholeStreamCodec(
  decode: (input: Uint8Array, plainBytesMax: number) => DecodedStream,
  plainBytesMax: number,
): Codec {
  return {
    open(source, offset, length, label) {
      const region = source.read(offset, length);
      let consumed = 0;
      let plain: Uint8Array = new Uint8Array(0);
      let given = 0;
      return {
        get position() {
          return offset + consumed;
        },
        read(into, from, to) {
          while (given === plain.length) {
            if (consumed === region.length) {
              if (region.length < length) {
                throw new FormatError(
                  source.name,
                  { offset: offset + consumed },
                  `${label}: the file ends ${length - region.length} bytes early`,
                );
              }
              return 0;
            }
            try {
              const stream = decode(region.subarray(consumed), plainBytesMax);
              plain = stream.plain;
              given = 0;
              consumed += stream.consumed;
            } catch (cause) {
              const reason = cause instanceof Error ? cause.message : String(cause);
              throw new FormatError(source.name, { offset: offset + consumed }, `${label}: ${reason}`, {
                cause,
              });
            }
          }
          const count = Math.min(to - from, plain.length - given);
          into.set(plain.subarray(given, given + count), from);
          given += count;
          return count;
        },
        close() {
          plain = new Uint8Array(0);
          given = 0;
        },
      };
    },
  };
}
