// Runs a development tool from node_modules after making sure that it is there:
//   node scripts/tool.mjs tsc --noEmit

import { ensureDependencies, runScript, runTool } from "./setup.mjs";

await runScript(() => {
  ensureDependencies();
  const [name, ...args] = process.argv.slice(2);
  return runTool(name, args);
});
