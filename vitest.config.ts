import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// `npm test` runs what a contributor needs after a change, `npm run test:long` the campaigns: `x.long.test.ts`.
const long = process.env.PLIMSOLL_TEST_LONG === "1";
const isToRun = (file: string) => file.endsWith(".test.ts") && file.endsWith(".long.test.ts") === long;
const files = ["src", "web", "test"].flatMap((folder) =>
  readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`)
    .filter(isToRun),
);
/** Tests of whole programs, and files that replace modules, have a process of their own. */
const isAlone = (file: string) =>
  file.startsWith("test/") || readFileSync(new URL(file, import.meta.url), "utf8").includes("vi.mock(");

export default defineConfig({
  test: {
    // One more than cores: some tests wait for a process or a clock.
    maxWorkers: Math.min(8, availableParallelism() + 1),
    // Units share a few processes: to load the same modules for each of 170 files takes most of a minute.
    projects: [
      project(
        "shared",
        false,
        files.filter((file) => !isAlone(file)),
      ),
      project("alone", true, files.filter(isAlone)),
    ],
    benchmark: { include: ["src/**/*.bench.ts", "bench/**/*.bench.ts"] },
  },
});

function project(name: string, isolate: boolean, include: readonly string[]) {
  return {
    // With a fixed seed; see test/seed.ts.
    resolve: { alias: { "fast-check": fileURLToPath(new URL("test/fast-check.ts", import.meta.url)) } },
    test: {
      name,
      include: [...include],
      isolate,
      // A hang ends the run; a busy machine does not: the longest campaign takes a minute on an idle one.
      testTimeout: long ? 300_000 : 60_000,
      hookTimeout: long ? 300_000 : 60_000,
      // A browser on a busy machine can take seconds to draw.
      expect: { poll: { timeout: 10_000 } },
      // Campaigns run real browsers, schedulers and compilers side by side: what fails is asked once more, and the report says "retry".
      retry: long ? 1 : 0,
      pool: "forks" as const,
    },
  };
}
