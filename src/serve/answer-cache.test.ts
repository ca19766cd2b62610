import { describe, expect, it } from "vitest";
import { AnswerCache, roughBytes } from "./answer-cache.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("answers of a version", () => {
  it("are asked once, and again after a failure", async () => {
    const known = new AnswerCache(1e6);
    let asked = 0;
    const ask = async () => ++asked;
    expect(await Promise.all([known.answer("a", ask), known.answer("a", ask)])).toEqual([1, 1]);
    await expect(known.answer("b", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    await settled();
    expect(await known.answer("b", ask)).toBe(2);
  });

  it("are forgotten by their bytes, those not asked for longest first", async () => {
    const known = new AnswerCache(30_000);
    const made: string[] = [];
    const ask = (name: string, count: number) =>
      known.answer(name, async () => {
        made.push(name);
        return new Float64Array(count);
      });
    for (let at = 0; at < 100; at++) await ask(`small ${at}`, 1);
    await settled();
    expect(known.size).toBe(100);
    await ask("small 0", 1);
    await ask("large", 2500);
    await settled();
    expect(known.size).toBeLessThan(60);
    await ask("small 0", 1);
    expect(made.filter((name) => name === "small 0")).toHaveLength(1);
    await ask("small 1", 1);
    expect(made.filter((name) => name === "small 1")).toHaveLength(2);
  });

  it("a huge one stays alone; one that is not there yet is not forgotten", async () => {
    const known = new AnswerCache(1000);
    let give: (text: string) => void = () => {};
    const slow = known.answer("slow", () => new Promise<string>((resolve) => (give = resolve)));
    await known.answer("huge", async () => "x".repeat(5000));
    await settled();
    expect(known.size).toBe(1);
    give("late");
    expect(await slow).toBe("late");
    expect(await known.answer("slow", async () => "again")).toBe("late");
  });
});

describe("the size of a value", () => {
  it("grows with what it holds", () => {
    const row = { name: "user", amount: 10n, values: [1, 2, 3] };
    const many = roughBytes(Array.from({ length: 1000 }, () => row));
    expect(many / roughBytes(row)).toBeGreaterThan(900);
    expect(roughBytes(new Uint8Array(5000))).toBeGreaterThan(5000);
    expect(roughBytes(new Map([["a", "x".repeat(900)]]))).toBeGreaterThan(900);
    expect(roughBytes(new Set([null, undefined, true, 1]))).toBeLessThan(100);
  });
});
