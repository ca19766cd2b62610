// 20,000 mutated logs: no crash, no hang, bounded memory, and nothing read that the bytes do not say.

import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

function fuzz(pass: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const args = [
      join(root, "scripts", "fuzz.mjs"),
      "--seed",
      "20131118",
      "--count",
      "20000",
      "--pass",
      pass,
    ];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    child.on("close", (code) => resolve({ code, output }));
  });
}

describe("the Darshan reader on 20,000 mutants", () => {
  it("never crashes, hangs over a second or grows over 512 MiB", { timeout: 300_000 }, async () => {
    const { code, output } = await fuzz("walk");
    expect(output).toContain("\n0 problems");
    expect(output).toContain("reader alone: 20000 mutants");
    expect(code).toBe(0);
  });

  it("reads exactly what an independent reader reads", { timeout: 300_000 }, async () => {
    const { code, output } = await fuzz("compare");
    expect(output).toContain("\n0 problems");
    expect(output).toContain("against the oracle: 20000 mutants");
    expect(code).toBe(0);
  });
});
