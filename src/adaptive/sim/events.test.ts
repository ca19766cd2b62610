import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { EventHash, EventQueue } from "./events.ts";

describe("EventQueue", () => {
  it("gives events by time, and ties in the order in which they came", () => {
    const queue = new EventQueue();
    const random = new Random(7);
    const expected: { time: number; a: number }[] = [];
    const seen: { time: number; a: number }[] = [];
    let named = 0;
    // Puts and takes mixed, few distinct times, so that ties are common and slots are used again.
    for (let round = 0; round < 20_000; round++) {
      if (random.unit() < 0.6) {
        const time = queue.now + random.below(5);
        queue.push(time, 3, named, -named);
        expected.push({ time, a: named++ });
      } else if (queue.next()) seen.push({ time: queue.now, a: queue.a });
    }
    while (queue.next()) {
      expect(queue.b).toBe(-queue.a);
      seen.push({ time: queue.now, a: queue.a });
    }
    expect(seen).toHaveLength(named);
    for (let i = 1; i < seen.length; i++) {
      expect(seen[i]!.time).toBeGreaterThanOrEqual(seen[i - 1]!.time);
      if (seen[i]!.time === seen[i - 1]!.time) expect(seen[i]!.a).toBeGreaterThan(seen[i - 1]!.a);
    }
    const key = (one: { time: number; a: number }) => `${one.a} ${one.time}`;
    expect(seen.map(key).sort()).toEqual(expected.map(key).sort());
  });

  it("keeps kind, a and b apart and whole", () => {
    const queue = new EventQueue();
    queue.push(2, 255, 2 ** 31 - 1, -(2 ** 31));
    queue.push(1, 0, 0, 7);
    expect(queue.nextTime).toBe(1);
    queue.next();
    expect([queue.now, queue.kind, queue.a, queue.b]).toEqual([1, 0, 0, 7]);
    queue.next();
    expect([queue.now, queue.kind, queue.a, queue.b]).toEqual([2, 255, 2 ** 31 - 1, -(2 ** 31)]);
    expect(queue.next()).toBe(false);
    expect(queue.nextTime).toBe(Number.POSITIVE_INFINITY);
    expect([queue.pushed, queue.taken, queue.size]).toEqual([2, 2, 0]);
  });

  it("refuses events in the past", () => {
    const queue = new EventQueue();
    queue.push(5, 1, 0, 0);
    queue.next();
    expect(() => queue.push(4.999, 1, 0, 0)).toThrow(/lies before now, 5 s/);
    expect(() => queue.push(Number.NaN, 1, 0, 0)).toThrow(/NaN/);
    queue.clear();
    queue.push(0, 1, 0, 0);
    expect(queue.size).toBe(1);
  });
});

describe("EventHash", () => {
  it("depends on every part and on the order", () => {
    const of = (...events: [number, number, number, number][]) => {
      const hash = new EventHash();
      for (const one of events) hash.add(...one);
      return hash.digest();
    };
    const all = [
      of([1, 2, 3, 4]),
      of([1 + 2 ** -52, 2, 3, 4]),
      of([1, 3, 3, 4]),
      of([1, 2, 4, 4]),
      of([1, 2, 3, 5]),
      of([1, 2, 3, 4], [1, 2, 3, 5]),
      of([1, 2, 3, 5], [1, 2, 3, 4]),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(of([1, 2, 3, 4])).toBe(all[0]);
    expect(all[0]).toMatch(/^[0-9a-f]{16}$/);
  });
});
