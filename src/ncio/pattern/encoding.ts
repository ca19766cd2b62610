/**
 * Compact encoding of a datatype for requests, and the check of an untrusted datatype.
 *
 * A number is little-endian groups of seven bits, the high bit marks continuation. A type is a tag and its numbers:
 * 1 length · 2 count stride type · 3 n (at type)*.
 */
import { withRoom } from "../../base/room.ts";
import { FormatError, LimitError } from "../../base/errors.ts";
import type { Datatype, Part } from "../../base/datatype.ts";

interface TypeLimits {
  /** Nesting depth. */
  readonly depth: number;
  /** Total parts of all lists. */
  readonly parts: number;
}

/** Name in errors. */
const SOURCE = "datatype";

const TYPE_LIMITS: TypeLimits = { depth: 16, parts: 65536 };

const TAG = { bytes: 1, vector: 2, parts: 3 } as const;

export function encodeDatatype(type: Datatype): Uint8Array {
  const out = new Output();
  put(type, out);
  return out.done();
}

function put(type: Datatype, out: Output): void {
  out.number(TAG[type.kind]);
  switch (type.kind) {
    case "bytes":
      out.number(type.length);
      return;
    case "vector":
      out.number(type.count);
      out.number(type.stride);
      put(type.of, out);
      return;
    case "parts":
      out.number(type.parts.length);
      for (const { at, of } of type.parts) {
        out.number(at);
        put(of, out);
      }
  }
}

/** Decodes bytes of `encodeDatatype`; any other input fails with a `FormatError`. All bytes must be used. */
export function decodeDatatype(encoded: Uint8Array, limits = TYPE_LIMITS): Datatype {
  const input = new Input(encoded, limits);
  const type = take(input, 1);
  if (input.at !== encoded.length) input.fail(`${encoded.length - input.at} bytes after the end of the type`);
  checkDatatype(type, limits);
  return type;
}

function take(input: Input, depth: number): Datatype {
  if (depth > input.limits.depth) throw tooDeep(input.limits, { offset: input.at });
  const tag = input.number();
  if (tag === TAG.bytes) return { kind: "bytes", length: input.number() };
  if (tag === TAG.vector)
    return { kind: "vector", count: input.number(), stride: input.number(), of: take(input, depth + 1) };
  if (tag !== TAG.parts) return input.fail(`a type is 1, 2 or 3, found ${tag}`);
  const count = input.number();
  input.partsLeft -= count;
  if (input.partsLeft < 0) throw tooMany(input.limits, { offset: input.at });
  const parts: Part[] = [];
  for (let i = 0; i < count; i++) parts.push({ at: input.number(), of: take(input, depth + 1) });
  return { kind: "parts", parts };
}

/**
 * Checks an untrusted datatype (decoded, or from JSON): shape, depth, number of parts, and that its data and offsets fit
 * exactly into a number. Fails with a `FormatError`.
 */
export function checkDatatype(value: unknown, limits = TYPE_LIMITS): asserts value is Datatype {
  let parts = 0;
  const check = (type: unknown, depth: number): { bytes: number; high: number } => {
    if (depth > limits.depth) throw tooDeep(limits, {});
    if (typeof type !== "object" || type === null)
      throw new FormatError(SOURCE, {}, `a type is an object, found ${type}`);
    const { kind, length, count, stride, of, parts: list } = type as Record<string, unknown>;
    if (kind === "bytes") return { bytes: whole(length, "length"), high: whole(length, "length") };
    if (kind === "vector") {
      const [n, step, inner] = [whole(count, "count"), whole(stride, "stride"), check(of, depth + 1)];
      if (n === 0 || inner.bytes === 0) return { bytes: 0, high: 0 };
      return { bytes: exact(n * inner.bytes), high: exact((n - 1) * step + inner.high) };
    }
    if (kind !== "parts")
      throw new FormatError(SOURCE, {}, `kind is bytes, vector or parts, found ${String(kind)}`);
    if (!Array.isArray(list)) throw new FormatError(SOURCE, {}, "parts is a list");
    parts += list.length;
    if (parts > limits.parts) throw tooMany(limits, {});
    let [bytes, high] = [0, 0];
    for (const part of list as readonly (Partial<Part> | null)[]) {
      const inner = check(part?.of, depth + 1);
      bytes = exact(bytes + inner.bytes);
      if (inner.bytes > 0) high = Math.max(high, exact(whole(part?.at, "at") + inner.high));
      else whole(part?.at, "at");
    }
    return { bytes, high };
  };
  const whole = (number: unknown, name: string): number => {
    if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0)
      throw new FormatError(
        SOURCE,
        {},
        `${name} is a whole number from 0 to 2^53-1, found ${String(number)}`,
      );
    return number;
  };
  const exact = (number: number): number => {
    if (!Number.isSafeInteger(number)) throw new FormatError(SOURCE, {}, "the type goes beyond 2^53-1 bytes");
    return number;
  };
  check(value, 1);
}

function tooDeep({ depth }: TypeLimits, place: { offset?: number }): LimitError {
  return new LimitError(SOURCE, place, `more than ${depth} nested types`);
}

function tooMany({ parts }: TypeLimits, place: { offset?: number }): LimitError {
  return new LimitError(SOURCE, place, `more than ${parts} parts`);
}

class Output {
  #bytes = new Uint8Array(64);
  #length = 0;

  number(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#bytes = withRoom(this.#bytes, 2 * this.#bytes.length);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = 128 | (rest % 128);
    this.#bytes[this.#length++] = rest;
  }

  done(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

class Input {
  at = 0;
  partsLeft: number;
  readonly #bytes: Uint8Array;
  readonly limits: TypeLimits;

  constructor(bytes: Uint8Array, limits: TypeLimits) {
    this.#bytes = bytes;
    this.limits = limits;
    this.partsLeft = limits.parts;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.at];
      if (byte === undefined) return this.fail("the type ends in the middle");
      this.at++;
      value += (byte % 128) * scale;
      if (value > Number.MAX_SAFE_INTEGER || scale > 2 ** 49) return this.fail("a number beyond 2^53-1");
      if (byte < 128) return value;
    }
  }

  fail(detail: string): never {
    throw new FormatError(SOURCE, { offset: this.at }, detail);
  }
}
