import { expect, it } from "vitest";
import { largestFirst } from "./order.ts";

it("orders by the first key, then by the second, and keeps the order of equal ones", () => {
  const items = [
    { a: 1, b: 5 },
    { a: 2, b: 0 },
    { a: 1, b: 7 },
    { a: Number.POSITIVE_INFINITY, b: 1 },
    { a: 1, b: 5 },
    { a: Number.POSITIVE_INFINITY, b: 2 },
  ];
  const order = largestFirst(
    items,
    ({ a }) => a,
    ({ b }) => b,
  );
  expect([...order]).toEqual([5, 3, 1, 2, 0, 4]);
  expect(largestFirst([], () => 0)).toHaveLength(0);
});
