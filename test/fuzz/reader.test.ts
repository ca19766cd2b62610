// A sample of the mutants of reader.long.test.ts.

import { expect, it } from "vitest";
import { fuzzProcess } from "./fuzz-process.ts";

it("the Darshan reader reads 200 mutants as an independent reader does, or refuses them", async () => {
  const { code, output } = await fuzzProcess("both", 200);
  expect(output).toContain("\n0 problems");
  expect(output).toContain("reader alone: 200 mutants");
  expect(output).toContain("against the oracle: 200 mutants");
  expect(code).toBe(0);
});
