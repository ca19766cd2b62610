// `npm start`: installs, builds and runs the demonstration. Words after `npm start --` go to it.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureBuild, ensureDependencies, root, runScript } from "./setup.mjs";

await runScript(async () => {
  ensureDependencies();
  await ensureBuild();
  const program = join(root, "bin", "plimsoll");
  const demo = spawnSync(process.execPath, [program, "demo", ...process.argv.slice(2)], { stdio: "inherit" });
  if (demo.status === 0) {
    const page = join(root, "dist", "plimsoll.html");
    process.stdout.write(`\nOr open ${page} in a browser and drop a log: nothing is uploaded.\n`);
  }
  return demo.status ?? 1;
});
