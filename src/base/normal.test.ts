import { expect, it } from "vitest";
import { normalQuantile } from "./normal.ts";

it.each([
  [0.5, 0],
  [0.975, 1.959963985],
  [0.025, -1.959963985],
  [0.999, 3.090232306],
  [0.01, -2.326347874],
  [0.001349898031630094, -3],
  [2.866515718791933e-7, -5],
])("below a share of %f lies the tabled value", (p, z) => {
  expect(normalQuantile(p)).toBeCloseTo(z, 7);
});

it("stays finite where no value has that share", () => {
  expect(normalQuantile(0)).toBeLessThan(-37);
  expect(normalQuantile(1)).toBe(-normalQuantile(0));
});
