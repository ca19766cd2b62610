// `npm run reference`: our text against Darshan's own tools; see test/reference/main.ts.

import { bundleAndRun } from "./bundle.mjs";
import { root, runScript } from "./setup.mjs";

await runScript(() =>
  bundleAndRun(["test/reference/main.ts"], () => ["--root", root, ...process.argv.slice(2)]),
);
