import { expect, it } from "vitest";
import { bucketCondition, isBucket, mayHold } from "./bucket.ts";

it("a segment is left out exactly when no number can be in both buckets", () => {
  for (let of = 1; of <= 12; of++)
    for (let wanted = 1; wanted <= 12; wanted++)
      for (let index = 1; index <= of; index++)
        for (let at = 1; at <= wanted; at++) {
          const numbers = Array.from({ length: of * wanted }, (_, n) => n).filter(
            (n) => n % of === index - 1,
          );
          const both = numbers.filter((n) => n % wanted === at - 1);
          const bucket = { index, of };
          expect(mayHold({ bucket }, { index: at, of: wanted })).toBe(both.length > 0);
          if (both.length === numbers.length)
            expect(bucketCondition("accesses", [{ bucket }], { index: at, of: wanted })).toBeUndefined();
          else if (both.length > 0)
            expect(bucketCondition("accesses", [{ bucket }], { index: at, of: wanted })).toBe(
              `file_id % ${wanted} = ${at - 1}`,
            );
        }
});

it("rows of segments without a bucket are looked at one by one", () => {
  expect(mayHold({}, { index: 2, of: 3 })).toBe(true);
  expect(bucketCondition("runs", [{}], { index: 2, of: 3 })).toBe("run_id % 3 = 1");
  expect(bucketCondition("readings", [{}], { index: 1, of: 3 })).toBeUndefined();
});

it("a bucket of a manifest entry is one of its number", () => {
  expect([undefined, { index: 1, of: 1 }, { index: 3, of: 3 }].every(isBucket)).toBe(true);
  expect(
    [null, { index: 0, of: 1 }, { index: 4, of: 3 }, { index: 1 }, "3/4"].some((one) =>
      isBucket(one as never),
    ),
  ).toBe(false);
});
