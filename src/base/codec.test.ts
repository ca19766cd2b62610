import { describe, expect, it } from "vitest";
import { type Codec, type DecodedStream, type PlainReader, storedCodec, wholeStreamCodec } from "./codec.ts";
import { FormatError } from "./errors.ts";
import { bytesSource } from "./source.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

/** Everything a reader gives, in pieces of at most `step`, with what stopped it. */
function drain(reader: PlainReader, step: number): { plain: number[]; error: unknown; position: number } {
  const plain: number[] = [];
  const room = new Uint8Array(step + 2);
  try {
    for (;;) {
      const count = reader.read(room, 1, 1 + step);
      expect(count).toBeLessThanOrEqual(step);
      if (count === 0) return { plain, error: undefined, position: reader.position };
      plain.push(...room.subarray(1, 1 + count));
    }
  } catch (error) {
    return { plain, error, position: reader.position };
  }
}

function expectError(error: unknown, offset: number, detail: string): void {
  expect(error).toBeInstanceOf(FormatError);
  const { source, offset: found, detail: text } = error as FormatError;
  expect({ source, offset: found, text }).toEqual({ source: "box", offset, text: detail });
}

describe("storedCodec", () => {
  const source = bytesSource(bytes(9, 1, 2, 3, 4, 5, 9), "box");

  for (const step of [1, 2, 3, 100]) {
    it(`gives the bytes of the region and no others, ${step} at a time`, () => {
      expect(drain(storedCodec.open(source, 1, 5, "region"), step)).toEqual({
        plain: [1, 2, 3, 4, 5],
        error: undefined,
        position: 6,
      });
    });
  }

  it("gives nothing for an empty region", () => {
    expect(drain(storedCodec.open(source, 3, 0, "region"), 4).plain).toEqual([]);
  });

  it("says how many bytes are missing when the input ends early", () => {
    const { plain, error } = drain(storedCodec.open(source, 4, 10, "name region"), 2);
    expect(plain).toEqual([4, 5, 9]);
    expectError(error, 7, "name region: the file ends 7 bytes early");
  });

  it("writes only where it was told to", () => {
    const room = new Uint8Array(6).fill(77);
    expect(storedCodec.open(source, 1, 5, "region").read(room, 2, 4)).toBe(2);
    expect([...room]).toEqual([77, 77, 1, 2, 77, 77]);
  });
});

describe("wholeStreamCodec", () => {
  /** A toy: a stream is its length, then its bytes, each one too high; length 255 is damage. */
  const toy = (input: Uint8Array, plainBytesMax: number): DecodedStream => {
    const length = input[0] as number;
    if (length === 255) throw new Error("damaged toy data");
    if (length > plainBytesMax) throw new Error(`a toy stream holds more than ${plainBytesMax} bytes`);
    if (input.length < 1 + length) throw new Error("the last toy stream is cut off");
    return { plain: input.slice(1, 1 + length).map((byte) => byte - 1), consumed: 1 + length };
  };
  const codec: Codec = wholeStreamCodec(toy, 10);

  for (const step of [1, 2, 5, 100]) {
    it(`joins streams, empty ones too, ${step} bytes at a time`, () => {
      const source = bytesSource(bytes(7, 2, 11, 12, 0, 0, 3, 21, 22, 23, 0, 7), "box");
      expect(drain(codec.open(source, 1, 10, "region"), step)).toEqual({
        plain: [10, 11, 20, 21, 22],
        error: undefined,
        position: 11,
      });
    });
  }

  it("gives nothing for an empty region", () => {
    expect(drain(codec.open(bytesSource(bytes(1), "box"), 1, 0, "region"), 4).plain).toEqual([]);
  });

  it("gives the streams before a damaged one, then its place and the reason", () => {
    const source = bytesSource(bytes(7, 2, 11, 12, 255, 1), "box");
    const { plain, error, position } = drain(codec.open(source, 1, 5, "POSIX region"), 3);
    expect(plain).toEqual([10, 11]);
    expectError(error, 4, "POSIX region: damaged toy data");
    expect((error as FormatError).cause).toBeInstanceOf(Error);
    expect(position).toBe(4);
  });

  it("says how many bytes are missing when the input ends between two streams", () => {
    const source = bytesSource(bytes(2, 11, 12), "box");
    const { plain, error } = drain(codec.open(source, 0, 8, "region"), 3);
    expect(plain).toEqual([10, 11]);
    expectError(error, 3, "region: the file ends 5 bytes early");
  });

  it("says so when the input ends inside a stream", () => {
    const source = bytesSource(bytes(1, 11, 3, 12), "box");
    const { plain, error } = drain(codec.open(source, 0, 8, "region"), 3);
    expect(plain).toEqual([10]);
    expectError(error, 2, "region: the last toy stream is cut off");
  });

  it("passes the bound of one stream on", () => {
    const source = bytesSource(bytes(11, ...new Array(11).fill(5)), "box");
    expectError(
      drain(codec.open(source, 0, 12, "region"), 3).error,
      0,
      "region: a toy stream holds more than 10 bytes",
    );
  });
});
