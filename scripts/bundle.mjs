// Bundles TypeScript programs that are not part of the product (benchmarks, fuzzing) and runs the first; lets scripts
// import sources.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuild, ensureDependencies, root } from "./setup.mjs";

/** `entries` are paths below the root; the first is run with `args` made from the folder of the bundles. */
export async function bundleAndRun(entries, args) {
  ensureDependencies();
  await ensureBuild();
  const { build } = await import("esbuild");
  // In the project, so that what is not bundled is found.
  const work = mkdtempSync(join(root, ".dist-run-"));
  try {
    await build({
      absWorkingDir: root,
      entryPoints: entries,
      outdir: work,
      outExtension: { ".js": ".mjs" },
      entryNames: "[name]",
      bundle: true,
      external: ["@duckdb/*"],
      format: "esm",
      platform: "node",
      target: "node20",
      sourcemap: "inline",
      logLevel: "error",
    });
    const program = join(work, `${basename(entries[0], ".ts")}.mjs`);
    const node = ["--enable-source-maps", program, ...args(work)];
    return spawnSync(process.execPath, node, { cwd: root, stdio: "inherit" }).status ?? 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What the exports of a piece of TypeScript are; its imports are relative to the root. */
export async function importSources(contents) {
  const { build } = await import("esbuild");
  // In the project, so that the packages are found.
  const work = mkdtempSync(join(root, ".dist-import-"));
  try {
    const outfile = join(work, "sources.mjs");
    const stdin = { contents, resolveDir: root, loader: "ts" };
    await build({ stdin, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
