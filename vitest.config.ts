import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// `npm test` runs what a contributor needs after a change, `npm run test:long` the campaigns: `x.long.test.ts`.
const long = process.env.PLIMSOLL_TEST_LONG === "1";
const ending = long ? "long.test.ts" : "test.ts";

export default defineConfig({
  // With a fixed seed; see test/seed.ts.
  resolve: { alias: { "fast-check": fileURLToPath(new URL("test/fast-check.ts", import.meta.url)) } },
  test: {
    include: ["src", "web", "test"].map((folder) => `${folder}/**/*.${ending}`),
    exclude: long ? [] : ["**/*.long.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A browser on a busy machine can take seconds to draw.
    expect: { poll: { timeout: 10_000 } },
    pool: "forks",
    maxWorkers: 2,
    benchmark: { include: ["src/**/*.bench.ts", "bench/**/*.bench.ts"] },
  },
});
