import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "web/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A browser on a busy machine can take seconds to draw.
    expect: { poll: { timeout: 10_000 } },
    pool: "forks",
    maxWorkers: 2,
    benchmark: { include: ["src/**/*.bench.ts", "bench/**/*.bench.ts"] },
  },
});
