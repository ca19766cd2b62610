// What tests draw at random is the same in every run.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testSeed } from "./seed.ts";

afterEach(() => vi.unstubAllEnvs());

/** Hit by the code of this file itself; spelt so that it is not. */
const UNSEEDED = [
  /Math\s*\.\s*random\b/,
  /\brandom(UUID|Int)\b/,
  /\b(Date|performance)\.now\(\)\s*%/,
  /\brandomBytes\b.*from "node:crypto"/,
];

function* testFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* testFiles(path);
    else if (/\.test\.ts$|kit\.ts$|-child\.ts$/.test(entry.name)) yield path;
  }
}

describe("tests", () => {
  it("draw nothing without a seed", () => {
    const root = fileURLToPath(new URL("..", import.meta.url));
    const found = ["src", "test", "web"].flatMap((folder) =>
      [...testFiles(join(root, folder))].filter(
        (path) =>
          !path.endsWith("/seed.test.ts") && UNSEEDED.some((one) => one.test(readFileSync(path, "utf8"))),
      ),
    );
    expect(found).toEqual([]);
  });

  it("get the same properties tried with the same values", () => {
    const usual = Number(process.env.PLIMSOLL_SEED || 20260731);
    expect(fc.readConfigureGlobal().seed).toBe(usual);
    const draw = () => fc.sample(fc.integer(), { numRuns: 5, seed: usual });
    expect(fc.sample(fc.integer(), 5)).toEqual(draw());
  });
});

describe("PLIMSOLL_SEED", () => {
  it("chooses another seed, and prints it", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    vi.stubEnv("PLIMSOLL_SEED", "17");
    expect(testSeed(3)).toBe(17);
    expect(log).toHaveBeenCalledWith("PLIMSOLL_SEED=17");
    vi.stubEnv("PLIMSOLL_SEED", "random");
    const drawn = testSeed(3);
    expect(log).toHaveBeenLastCalledWith(`PLIMSOLL_SEED=${drawn}`);
    expect(testSeed(3)).toBe(drawn);
    vi.stubEnv("PLIMSOLL_SEED", "soon");
    expect(() => testSeed(3)).toThrow("PLIMSOLL_SEED=soon: expected a whole number from 0, or random");
    vi.stubEnv("PLIMSOLL_SEED", "");
    expect(testSeed(3)).toBe(3);
    log.mockRestore();
  });
});
