import { describe, expect, it } from "vitest";
import { Random } from "../base/prng.ts";
import { KnownHashes } from "./known.ts";

describe("the set of known inputs", () => {
  it("knows what was added and nothing else, also through another view of its memory", () => {
    const random = new Random(5);
    const hash = () => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
    const set = new KnownHashes({ entries: 5000 });
    const added = Array.from({ length: 5000 }, hash);
    for (const one of added) expect(set.add(one)).toBe(true);
    const other = new KnownHashes(set.buffer);
    for (const one of added) {
      expect(other.has(one)).toBe(true);
      expect(other.add(one)).toBe(false);
    }
    for (let i = 0; i < 1000; i++) expect(set.has(hash())).toBe(false);
    for (const one of added) set.remove(one);
    for (const one of added) expect(other.has(one)).toBe(false);
  });

  it("tells apart hashes that fall into the same slot, and takes zero", () => {
    const set = new KnownHashes({ entries: 8 });
    for (let i = 0n; i < 300n; i++) expect(set.add(i << 12n)).toBe(true);
    expect(set.add(0n)).toBe(false);
    expect(set.has(5n << 12n)).toBe(true);
    expect(set.has(5n << 13n)).toBe(true);
    expect(set.has(1n << 50n)).toBe(false);
  });

  it("when it is full it says new, and goes on", () => {
    const set = new KnownHashes({ entries: 1 });
    for (let i = 1n; i < 9000n; i++) set.add(i);
    expect(set.add(10_000n)).toBe(true);
    expect(set.add(10_000n)).toBe(true);
    expect(set.has(10_000n)).toBe(false);
    expect(set.add(5n)).toBe(false);
  });

  it("grows level by level, and touches little of the room that it has", () => {
    const random = new Random(6);
    const hash = () => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
    const set = new KnownHashes({ entries: 100_000, first: 1000 });
    const added = Array.from({ length: 2000 }, hash);
    for (const one of added) expect(set.add(one)).toBe(true);
    const pages = new BigInt64Array(set.buffer);
    const touched = new Set<number>();
    for (const [at, slot] of pages.entries()) if (slot !== 0n) touched.add(Math.floor(at / 512));
    expect(set.buffer.byteLength).toBeGreaterThan(1_600_000);
    expect(touched.size).toBeLessThan(16);
    for (let i = 0; i < 98_000; i++) added.push(hash());
    for (const one of added.slice(2000)) set.add(one);
    expect(added.every((one) => set.has(one) && !set.add(one))).toBe(true);
  });

  it("forgets what is removed, and finds what lies behind it", () => {
    const set = new KnownHashes({ entries: 8 });
    for (let i = 0n; i < 300n; i++) set.add(i << 12n);
    for (let i = 0n; i < 300n; i += 2n) set.remove(i << 12n);
    for (let i = 0n; i < 300n; i++) expect(set.has(i << 12n)).toBe(i % 2n === 1n);
    set.remove(1n << 50n);
    expect(set.add(4n << 12n)).toBe(true);
    expect(set.add(4n << 12n)).toBe(false);
    expect(set.add(5n << 12n)).toBe(false);
  });
});
