import { expect, it } from "vitest";
import { ExactSums } from "./exact-sums.ts";
import { Random } from "./prng.ts";
import { allocateWords } from "./words.ts";

it("sums of integers of any size are exact", () => {
  const random = new Random(6);
  const { i64, u32 } = allocateWords(1);
  const sums = new ExactSums(2);
  const plain = [0n, 0n];
  for (let i = 0; i < 20_000; i++) {
    const index = random.below(2);
    const bits = BigInt(random.below(63));
    const value = BigInt.asIntN(64, BigInt(random.below(2 ** 32)) << bits);
    i64[0] = value;
    sums.addWord(index, u32, i64, 0);
    plain[index] = (plain[index] as bigint) + value;
    if (i % 1000 === 0) expect([sums.at(0), sums.at(1)]).toEqual(plain);
  }
  for (let i = 0; i < 100; i++) sums.add(0, 2 ** 51);
  sums.addExact(1, 2n ** 70n);
  expect([sums.at(0), sums.at(1)]).toEqual([
    (plain[0] as bigint) + 100n * 2n ** 51n,
    (plain[1] as bigint) + 2n ** 70n,
  ]);
});
