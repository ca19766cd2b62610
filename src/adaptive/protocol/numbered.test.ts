import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { Numbered } from "./numbered.ts";

describe("things by number", () => {
  it("are what a map would hold, in its order", () => {
    const random = new Random(7);
    for (let turn = 0; turn < 50; turn++) {
      const list = new Numbered<string>();
      const map = new Map<number, string>();
      let next = random.below(5);
      for (let i = 0; i < 200; i++) {
        if (random.unit() < 0.5) {
          list.add(next, `n${next}`);
          map.set(next, `n${next}`);
          next++;
        } else {
          const number = random.below(next + 2);
          expect(list.delete(number)).toBe(map.delete(number));
        }
        expect(list.size).toBe(map.size);
        expect(list.values()).toEqual([...map.values()]);
        const asked = random.below(next + 2) - 1;
        expect(list.get(asked)).toBe(map.get(asked));
      }
    }
  });

  it("come in their turn", () => {
    const list = new Numbered<string>();
    list.add(4, "four");
    expect(() => list.add(6, "six")).toThrow(/are consecutive/);
    expect(() => list.add(4, "again")).toThrow(/are consecutive/);
  });
});
