// `npm run check`: types, lint, format, tests. With --no-tests only the first three, as .ci/run wants them.
// All of them run even if an early one fails, so that one round shows every problem.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureDependencies, root, runScript, runTool, say } from "./setup.mjs";

await runScript(() => {
  ensureDependencies();
  const colors = process.stdout.isTTY ? [] : ["--colors=off"];
  const steps = {
    types: () => runTool("tsc", ["--noEmit"]),
    "lint and format": () => runTool("biome", ["ci", "--error-on-warnings", ...colors, "."]),
    tests: () =>
      spawnSync(process.execPath, [join(root, "scripts", "test.mjs")], { stdio: "inherit" }).status,
  };
  if (process.argv.includes("--no-tests")) delete steps.tests;
  let failed = 0;
  for (const [name, run] of Object.entries(steps)) {
    if (run() === 0) continue;
    failed = 1;
    say(`check: ${name} failed`);
  }
  return failed;
});
