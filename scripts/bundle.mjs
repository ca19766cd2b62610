// Bundles TypeScript programs that are not part of the product (benchmarks, fuzzing) and runs the first.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
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
