/** Inputs and helpers that the tests of this folder share. */
import { expect } from "vitest";
import { type ByteSource, bytesSource } from "../source.ts";
import { bzip2Codec } from "./index.ts";

export const SEED = 20_240_611;

/** Numbers in [0, below) that are the same in every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

export function join(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Records with counters, most of them small or zero, as the files of the formats have them. */
export function records(bytes: number, seed = SEED): Uint8Array {
  const next = seeded(seed);
  const words = new Uint32Array(Math.ceil(bytes / 4));
  for (let at = 0; at < words.length; at++) {
    const kind = next(10);
    words[at] = kind < 6 ? 0 : kind < 8 ? next(40) : kind < 9 ? 1 << next(24) : next(4294967296);
  }
  return new Uint8Array(words.buffer).slice(0, bytes);
}

export function noise(bytes: number, seed = SEED): Uint8Array {
  const next = seeded(seed);
  return Uint8Array.from({ length: bytes }, () => next(256));
}

/** Reads a region to its end in slices of `slice` bytes. */
export function readAll(source: ByteSource, offset: number, length: number, slice = 1 << 16): Uint8Array {
  const reader = bzip2Codec.open(source, offset, length, "region");
  const into = new Uint8Array(slice + 2);
  const parts: Uint8Array[] = [];
  for (;;) {
    const count = reader.read(into, 1, 1 + slice);
    if (count === 0) break;
    parts.push(into.slice(1, 1 + count));
  }
  expect(into[0]).toBe(0);
  expect(into[slice + 1]).toBe(0);
  expect(reader.position).toBe(offset + length);
  return join(...parts);
}

export function decode(bytes: Uint8Array, slice?: number): Uint8Array {
  return readAll(bytesSource(bytes, "file"), 0, bytes.length, slice);
}

/** Bytes compared by memory, because the matcher of the runner walks large arrays element by element. */
export function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
