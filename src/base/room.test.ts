import { expect, it } from "vitest";
import { longer, roomFor } from "./room.ts";

it("grows arrays, which keep what they hold", () => {
  const values = Float64Array.of(1, 2);
  expect(roomFor(values, 2)).toBe(values);
  expect([...roomFor(values, 3).subarray(0, 3)]).toEqual([1, 2, 0]);
  expect(longer(new Uint32Array(20))).toHaveLength(40);
  expect(longer(new Uint32Array(20), 50)).toHaveLength(50);
});
