import { expect, it } from "vitest";
import * as model from "./index.ts";

it("gives every flag of a call a bit of its own, within a byte", () => {
  const flags = Object.entries(model).flatMap(([name, value]) =>
    name.startsWith("CALL_") && typeof value === "number" ? [value] : [],
  );
  expect(flags.length).toBeGreaterThan(6);
  expect(flags.reduce((all, one) => all + one, 0)).toBe(flags.reduce((all, one) => all | one, 0));
  expect(Math.max(...flags)).toBeLessThan(256);
});
