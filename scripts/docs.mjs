// `npm run docs`: writes the generated documents. A generator is a file src/**/x.docs.ts that exports
// `path` (of the document, from the project root) and `generate()` (its text). With --check nothing is
// written, and a document that is out of date is a failure.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureDependencies, root, runScript, say } from "./setup.mjs";

await runScript(async () => {
  ensureDependencies();
  const { build } = await import("esbuild");
  const check = process.argv.includes("--check");
  const names = readdirSync(join(root, "src"), { recursive: true }).filter((name) =>
    name.endsWith(".docs.ts"),
  );
  // Inside the project, so that the generators find the installed packages.
  const work = join(root, `.dist-docs-${process.pid}`);
  let stale = 0;
  try {
    for (const [index, name] of names.sort().entries()) {
      const outfile = join(work, `${index}.mjs`);
      const entryPoints = [join(root, "src", name)];
      await build({
        entryPoints,
        outfile,
        bundle: true,
        format: "esm",
        platform: "node",
        packages: "external",
      });
      const { path, generate } = await import(pathToFileURL(outfile).href);
      const text = await generate();
      const target = join(root, path);
      if (text === read(target)) continue;
      stale++;
      say(check ? `${path} is out of date; run npm run docs` : `wrote ${path}`);
      if (check) continue;
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return check && stale > 0 ? 1 : 0;
});

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
