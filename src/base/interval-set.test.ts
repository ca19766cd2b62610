import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commonLength, IntervalSet } from "./interval-set.ts";

const spans = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 40 }))
    .map(([a, n]) => [a, a + n] as const),
  { maxLength: 60 },
);

function setOf(list: readonly (readonly [number, number])[]): IntervalSet {
  const set = new IntervalSet();
  for (const [start, end] of list) set.add(start, end);
  return set;
}

/** Each unit of length by itself. */
function units(list: readonly (readonly [number, number])[]): Set<number> {
  const found = new Set<number>();
  for (const [start, end] of list) for (let at = start; at < end; at++) found.add(at);
  return found;
}

describe("a set of intervals", () => {
  it("covers each unit that an interval covers once, in any order", () => {
    fc.assert(
      fc.property(spans, (list) => {
        expect(setOf(list).length).toBe(units(list).size);
        expect(setOf([...list].reverse()).length).toBe(units(list).size);
      }),
    );
  });

  it("gives its parts in order and apart, also when it is asked in between", () => {
    fc.assert(
      fc.property(spans, spans, (one, two) => {
        const set = setOf(one);
        void set.length;
        for (const [start, end] of two) set.add(start, end);
        const pairs = [...set.pairs()];
        expect(pairs).toEqual([...pairs].sort((a, b) => a - b));
        expect(set.length).toBe(units([...one, ...two]).size);
      }),
    );
  });

  it("stays small when many intervals leave few gaps", () => {
    const set = new IntervalSet();
    for (let pass = 0; pass < 50; pass++)
      for (let i = 0; i < 10_000; i++) set.add(((i * 7919) % 10_000) * 2, ((i * 7919) % 10_000) * 2 + 1);
    expect(set.length).toBe(10_000);
    expect(set.pairs().buffer.byteLength).toBeLessThan(1_000_000);
  });

  it("rejects what is no interval", () => {
    const set = new IntervalSet();
    expect([
      set.add(2, 1),
      set.add(Number.NaN, 1),
      set.add(0, Number.POSITIVE_INFINITY),
      set.add(1, 1),
    ]).toEqual([false, false, false, true]);
    expect(set.length).toBe(0);
  });

  it("knows what it has in common with another", () => {
    fc.assert(
      fc.property(spans, spans, (one, two) => {
        const both = [...units(one)].filter((at) => units(two).has(at));
        expect(commonLength(setOf(one), setOf(two))).toBe(both.length);
      }),
    );
  });

  it("takes in another set", () => {
    const set = setOf([[0, 2]]);
    set.addAll(
      setOf([
        [1, 5],
        [9, 10],
      ]),
    );
    expect([...set.pairs()]).toEqual([0, 5, 9, 10]);
    set.clear();
    expect(set.length).toBe(0);
  });
});
