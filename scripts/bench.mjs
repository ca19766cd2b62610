// `npm run bench NAME`: runs bench/NAME/main.ts. Without a name it lists them.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bundleAndRun } from "./bundle.mjs";
import { root, runScript, say } from "./setup.mjs";

await runScript(async () => {
  const [name] = process.argv.slice(2);
  const folder = join(root, "bench");
  const known = readdirSync(folder).filter((entry) => existsSync(join(folder, entry, "main.ts")));
  if (!known.includes(name)) {
    say(
      `${name === undefined ? "name a benchmark" : `unknown benchmark ${name}`} (have: ${known.join(", ")})`,
    );
    return 2;
  }
  const programs = readdirSync(join(folder, name)).filter(
    (file) => file.endsWith(".ts") && file !== "main.ts",
  );
  return bundleAndRun(
    [`bench/${name}/main.ts`, ...programs.map((file) => `bench/${name}/${file}`)],
    (bundles) => [root, bundles],
  );
});
