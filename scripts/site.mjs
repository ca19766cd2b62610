// `npm run docs:site`: docs/ as static pages in the folder of --output (default out/site), with search, navigation, the
// pages for man and a gallery. They work from a disk and from any host. docs/README.md is the front page, and its lists are
// the navigation. --no-gallery leaves out the figures, which take a minute to compute.

import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureBuild, ensureDependencies, root, runScript, say, SetupError } from "./setup.mjs";

await runScript(async () => {
  ensureDependencies();
  await ensureBuild();
  const output = resolve(option("--output") ?? join(root, "out", "site"));
  if (existsSync(output) && !existsSync(join(output, "search-index.js")) && readdirSync(output).length > 0)
    throw new SetupError(`${output} is not empty and holds no earlier site; choose another folder`);
  const { makeSite } = await import("./site/make.mjs");
  const work = `${output}.partial-${process.pid}`;
  try {
    const site = await makeSite(work, { gallery: !process.argv.includes("--no-gallery") });
    rmSync(output, { recursive: true, force: true });
    renameSync(work, output);
    const size = Math.round(site.indexBytes / 1024);
    say(`${output}: ${site.pages} pages, ${site.figures} figures, search index ${size} KiB`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});

function option(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
