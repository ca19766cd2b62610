import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IntervalUnion, type UnionLength } from "./intervals.ts";
import { unionLength, unionLengthOfPairs } from "./intervals-kit.ts";
import { Random } from "./prng.ts";

type Interval = readonly [number, number];

const startsOf = (list: readonly Interval[]) => Float64Array.from(list, ([start]) => start);
const endsOf = (list: readonly Interval[]) => Float64Array.from(list, ([, end]) => end);
const byStart = (list: readonly Interval[]) => list.toSorted(([a], [b]) => a - b);

/** Every way to the same answer. */
const WAYS: Readonly<Record<string, (list: readonly Interval[]) => UnionLength>> = {
  columns: (list) => unionLength(startsOf(list), endsOf(list)),
  "plain arrays": (list) => unionLength([...startsOf(list)], [...endsOf(list)]),
  pairs: (list) => unionLengthOfPairs(Float64Array.from(list.flat())),
  "one stream": (list) => unionOfSorted(byStart(list)),
};

function unionOfSorted(list: readonly Interval[]): UnionLength {
  const union = new IntervalUnion();
  for (const [start, end] of list) union.add(start, end);
  return union.result();
}

const lengthOf = (list: readonly Interval[]) => unionLength(startsOf(list), endsOf(list)).length;

/** Cell by cell between neighbouring coordinates: a cell counts when some interval covers it. */
function bruteForce(list: readonly Interval[]): UnionLength {
  const coordinates = [...new Set(list.flat())].sort((a, b) => a - b);
  let length = 0;
  let groups = 0;
  let covered = false;
  coordinates.forEach((from, i) => {
    const to = coordinates[i + 1];
    const touched = list.some(([start, end]) => start <= from && from <= end);
    if (touched && !covered) groups++;
    covered = to !== undefined && list.some(([start, end]) => start <= from && to <= end);
    if (covered) length += (to as number) - from;
  });
  return { length, groups, rejected: 0 };
}

/** Whole numbers up to 2^40, so that sums are exact and comparisons need no tolerance. */
const wholes = (most: number) =>
  fc.array(
    fc
      .tuple(fc.integer({ min: -most, max: most }), fc.integer({ min: 0, max: most }))
      .map(([start, length]): Interval => [start, start + length]),
    { maxLength: 300, size: "max" },
  );
const someWholes = fc.oneof(wholes(30), wholes(1000), wholes(2 ** 40));
const RUNS = { numRuns: 1000 };

describe.each(Object.entries(WAYS))("the union by %s", (_, union) => {
  it("is that of the golden vectors of C02", () => {
    const length = (...list: Interval[]) => union(list).length;
    expect(length([0, 4], [1, 3], [2, 6], [8, 10])).toBe(8);
    expect(length([0, 10], [2, 3])).toBe(10);
    expect(length([0, 1], [1, 2])).toBe(2);
    expect(length([0, 0])).toBe(0);
    expect(length()).toBe(0);
  });

  it("counts groups: touching intervals are one, and a point is one too", () => {
    expect(union([])).toEqual({ length: 0, groups: 0, rejected: 0 });
    expect(union([[0, 0]])).toEqual({ length: 0, groups: 1, rejected: 0 });
    expect(
      union([
        [1, 2],
        [0, 1],
      ]),
    ).toEqual({ length: 2, groups: 1, rejected: 0 });
    expect(
      union([
        [0, 1],
        [3, 3],
        [5, 6],
      ]),
    ).toEqual({ length: 2, groups: 3, rejected: 0 });
    expect(
      union([
        [1, 2],
        [2, 2],
        [2, 3],
      ]),
    ).toEqual({ length: 2, groups: 1, rejected: 0 });
  });

  it("rejects and counts what ends before it starts or is not finite", () => {
    const { NaN: none, POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
    const list: Interval[] = [
      [2, 1],
      [0, 4],
      [none, 1],
      [0, none],
      [none, none],
      [0, most],
      [least, 0],
      [least, most],
      [most, most],
      [least, least],
      [3, 5],
      [7, 7 - 2 ** -49],
    ];
    // A stream has its own place for each, so the order does not matter: NaN has none.
    const kept = list.filter(([start, end]) => start <= end && Number.isFinite(end - start));
    const rest = list.filter((interval) => !kept.includes(interval));
    expect(union([...kept, ...rest])).toEqual({ length: 5, groups: 1, rejected: 10 });
    expect(union([[2, 1]])).toEqual({ length: 0, groups: 0, rejected: 1 });
  });

  it("takes zeros of both signs for the same place", () => {
    expect(
      union([
        [-1, -0],
        [0, 1],
      ]),
    ).toEqual({ length: 2, groups: 1, rejected: 0 });
    expect(
      union([
        [-1, 0],
        [-0, 1],
      ]),
    ).toEqual({ length: 2, groups: 1, rejected: 0 });
    expect(Object.is(union([[-0, 0]]).length, 0)).toBe(true);
    expect(Object.is(union([[0, -0]]).length, 0)).toBe(true);
  });

  it("measures subnormal and huge intervals", () => {
    const tiny = Number.MIN_VALUE;
    expect(
      union([
        [-tiny, tiny],
        [0, 3 * tiny],
      ]),
    ).toEqual({ length: 4 * tiny, groups: 1, rejected: 0 });
    expect(
      union([
        [tiny, 2 * tiny],
        [3 * tiny, 4 * tiny],
      ]).length,
    ).toBe(2 * tiny);
    expect(
      union([
        [-1e308, -0.5e308],
        [-0.6e308, 0.5e308],
      ]).length,
    ).toBe(1.5e308);
    const largest = Number.MAX_VALUE;
    expect(union([[0, largest]]).length).toBe(largest);
    // No double holds this length.
    expect(union([[-largest, largest]])).toEqual({
      length: Number.POSITIVE_INFINITY,
      groups: 1,
      rejected: 0,
    });
  });

  it("does not lose digits over many groups", () => {
    const list = Array.from({ length: 10_000 }, (_, i): Interval => [i, i + 0.1]);
    const exact = list.reduce((sum, [start, end]) => sum + BigInt((end - start) * 2 ** 60), 0n);
    expect(union(list).length).toBe(Number(exact) / 2 ** 60);
  });
});

describe("the union of random intervals", () => {
  it("is that of a brute force twin, in every way", () => {
    fc.assert(
      fc.property(fc.oneof(wholes(30), wholes(1000)), (list) => {
        const short = list.slice(0, 60);
        for (const union of Object.values(WAYS)) expect(union(short)).toEqual(bruteForce(short));
      }),
      RUNS,
    );
  });

  it("is at most the sum of the lengths", () => {
    fc.assert(
      fc.property(someWholes, (list) => {
        expect(lengthOf(list)).toBeLessThanOrEqual(list.reduce((sum, [start, end]) => sum + end - start, 0));
      }),
      RUNS,
    );
  });

  it("is at most the distance from the first start to the last end", () => {
    fc.assert(
      fc.property(someWholes, (list) => {
        fc.pre(list.length > 0);
        const span = Math.max(...endsOf(list)) - Math.min(...startsOf(list));
        expect(lengthOf(list)).toBeLessThanOrEqual(span);
      }),
      RUNS,
    );
  });

  it("does not depend on the order", () => {
    fc.assert(
      fc.property(
        someWholes.chain((list) =>
          fc.tuple(
            fc.constant(list),
            fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
          ),
        ),
        ([list, shuffled]) => {
          expect(unionLength(startsOf(shuffled), endsOf(shuffled))).toEqual(
            unionLength(startsOf(list), endsOf(list)),
          );
        },
      ),
      RUNS,
    );
  });

  it("does not change when intervals are split, or one inside another is added", () => {
    fc.assert(
      fc.property(
        someWholes,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 300 }),
        (list, cuts) => {
          const inner = (k: number, [start, end]: Interval) =>
            Math.min(end, Math.max(start, start + (end - start) * (cuts[k] ?? 0.5)));
          const split = list.flatMap((interval, k): Interval[] => [
            [inner(k, interval), interval[1]],
            [interval[0], inner(k, interval)],
          ]);
          const filled = list.flatMap((interval, k): Interval[] => [
            [inner(k, interval), interval[1]],
            interval,
          ]);
          expect(lengthOf(split)).toBe(lengthOf(list));
          expect(lengthOf(filled)).toBe(lengthOf(list));
        },
      ),
      RUNS,
    );
  });

  it("adds up over sets that lie apart", () => {
    fc.assert(
      fc.property(wholes(1000), wholes(1000), (near, far) => {
        const moved = far.map(([start, end]): Interval => [start + 10_000, end + 10_000]);
        expect(lengthOf([...near, ...moved])).toBe(lengthOf(near) + lengthOf(far));
      }),
      RUNS,
    );
  });

  it("keeps its bounds for any doubles, but for rounding in the last digits", () => {
    const any = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
    const intervals = fc.array(
      fc.tuple(any, any).map(([a, b]): Interval => [Math.min(a, b), Math.max(a, b)]),
      { minLength: 1, maxLength: 300, size: "max" },
    );
    fc.assert(
      fc.property(intervals, (list) => {
        const { length, groups, rejected } = unionLength(startsOf(list), endsOf(list));
        const slack = 1 + 1e-13;
        expect(length).toBeLessThanOrEqual(
          slack * list.reduce((sum, [start, end]) => sum + (end - start), 0),
        );
        expect(length).toBeLessThanOrEqual(slack * (Math.max(...endsOf(list)) - Math.min(...startsOf(list))));
        expect(length).toBeGreaterThanOrEqual(Math.max(...list.map(([start, end]) => end - start)));
        expect(groups).toBeGreaterThanOrEqual(1);
        expect(rejected).toBe(0);
      }),
      RUNS,
    );
  });
});

describe("the union of a million intervals", () => {
  it("with one start is the longest of them", () => {
    const random = new Random(2);
    const starts = new Float64Array(1e6).fill(1.7e9);
    const ends = starts.map((start) => start + random.below(1000));
    expect(unionLength(starts, ends)).toEqual({ length: 999, groups: 1, rejected: 0 });
  });

  it("in random order, with gaps, is what was planted", () => {
    // Slots of 10, of which each interval covers 1 to 9 from the start of its slot.
    const random = new Random(3);
    const order = Float64Array.from({ length: 1e6 }, (_, i) => i);
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j] as number, order[i] as number];
    }
    let planted = 0;
    const starts = order.map((slot) => 10 * slot - 5e6);
    const ends = starts.map((start) => {
      const length = 1 + random.below(9);
      planted += length;
      return start + length;
    });
    expect(unionLength(starts, ends)).toEqual({ length: planted, groups: 1e6, rejected: 0 });
  });
});

describe("what is given", () => {
  it("is kept by columns, and sorted by pairs", () => {
    const starts = Float64Array.of(5, 1);
    const ends = Float64Array.of(6, 2);
    unionLength(starts, ends);
    expect([...starts, ...ends]).toEqual([5, 1, 6, 2]);
    const pairs = Float64Array.of(5, 6, 1, 2);
    unionLengthOfPairs(pairs);
    expect([...pairs]).toEqual([1, 2, 5, 6]);
  });

  it("must come in pairs", () => {
    expect(() => unionLength([1, 2], [3])).toThrow("2 starts do not match 1 ends");
    expect(() => unionLengthOfPairs(new Float64Array(3))).toThrow("even number of values, not 3");
  });
});

describe("a stream", () => {
  it("can be read at any time and goes on", () => {
    const union = new IntervalUnion();
    expect(union.result()).toEqual({ length: 0, groups: 0, rejected: 0 });
    union.add(0, 2);
    expect(union.result()).toEqual({ length: 2, groups: 1, rejected: 0 });
    expect(union.result().length).toBe(2);
    union.add(1, 3);
    union.add(Number.NaN, 3);
    union.add(10, 11);
    expect(union.result()).toEqual({ length: 4, groups: 2, rejected: 1 });
  });

  it("may be out of order within the open group, not before it", () => {
    const union = new IntervalUnion();
    union.add(0, 1);
    union.add(5, 9);
    union.add(7, 8);
    union.add(6, 10);
    expect(union.result()).toEqual({ length: 6, groups: 2, rejected: 0 });
    expect(() => union.add(4, 6)).toThrow("interval from 4 comes after the group from 5");
  });
});
