import { expect, it } from "vitest";
import { IdIndex } from "./id-index.ts";
import { Random } from "./prng.ts";

it("numbers ids in the order in which they come", () => {
  const random = new Random(5);
  const index = new IdIndex();
  const plain = new Map<bigint, number>();
  for (let i = 0; i < 50_000; i++) {
    // Few bits, so that ids come again and share halves.
    const [low, high] = [random.below(300), random.below(300)];
    const id = (BigInt(high) << 32n) | BigInt(low);
    const number = plain.get(id) ?? plain.size;
    plain.set(id, number);
    expect(index.numberOf(low, high)).toBe(number);
  }
  expect(index.count).toBe(plain.size);
  for (const [id, number] of plain) expect(index.id(number)).toBe(id);
  expect(index.find(300, 0)).toBe(-1);
  expect(index.find(0, 300)).toBe(-1);
});
