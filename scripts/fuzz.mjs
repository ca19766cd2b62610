// `npm run fuzz -- --count N --seed S [--from I]`: mutated Darshan logs against our reader and an oracle.

import { bundleAndRun } from "./bundle.mjs";
import { root, runScript } from "./setup.mjs";

await runScript(() => bundleAndRun(["test/fuzz/main.ts"], () => ["--root", root, ...process.argv.slice(2)]));
