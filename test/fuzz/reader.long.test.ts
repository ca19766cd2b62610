// 20,000 mutated logs: no crash, no hang, bounded memory, and nothing read that the bytes do not say.

import { describe, expect, it } from "vitest";
import { fuzzProcess } from "./fuzz-process.ts";

const COUNT = 20_000;

describe("the Darshan reader on 20,000 mutants", () => {
  it("never crashes, hangs or grows over 512 MiB", { timeout: 1_800_000 }, async () => {
    const { code, output } = await fuzzProcess("walk", COUNT);
    expect(output).toContain("\n0 problems");
    expect(output).toContain("reader alone: 20000 mutants");
    expect(code).toBe(0);
  });

  it("reads exactly what an independent reader reads", { timeout: 1_800_000 }, async () => {
    const { code, output } = await fuzzProcess("compare", COUNT);
    expect(output).toContain("\n0 problems");
    expect(output).toContain("against the oracle: 20000 mutants");
    expect(code).toBe(0);
  });
});
