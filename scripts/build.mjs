// Bundles src/ into dist/ with esbuild. `node scripts/build.mjs` also removes what earlier builds left.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildStamp, ensureDependencies, root, runScript, SetupError } from "./setup.mjs";

const entries = {
  main: "src/cli/main.ts",
  formats: "src/formats/index.ts",
  model: "src/model/index.ts",
  node: "src/node/index.ts",
};

/**
 * Builds into a folder of its own, then moves the files over, chunks first and entries last. Chunk names carry
 * a hash of their content, so at every moment each entry finds its chunks: two builds at once, or a program that
 * runs meanwhile and loads a chunk late, do not disturb each other. Old chunks go after a day.
 */
export async function build({ keepOldMs = 24 * 3600 * 1000 } = {}) {
  const began = new Date();
  const dist = join(root, "dist");
  const work = join(root, `.dist-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const present = Object.entries(entries).filter(([, path]) => existsSync(join(root, path)));
  const { build: bundle } = await import("esbuild");
  try {
    const result = await bundle({
      absWorkingDir: root,
      entryPoints: Object.fromEntries(present),
      outdir: work,
      chunkNames: "chunks/[name]-[hash]",
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      sourcemap: true,
      sourcesContent: false,
      packages: "external",
      metafile: true,
      logLevel: "silent",
    }).catch((error) => {
      throw new SetupError(`build failed: ${buildMessage(error)}`);
    });
    const files = Object.keys(result.metafile.outputs).map((path) => relative(work, join(root, path)));
    const isEntry = (path) => !path.startsWith("chunks/");
    for (const file of [...files.filter((f) => !isEntry(f)), ...files.filter(isEntry)]) {
      mkdirSync(dirname(join(dist, file)), { recursive: true });
      renameSync(join(work, file), join(dist, file));
    }
    removeOld(dist, new Set(files), began.getTime() - keepOldMs);
    writeFileSync(buildStamp, "");
    utimesSync(buildStamp, began, began);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function buildMessage(error) {
  const [first] = error.errors ?? [];
  if (!first) return error.message;
  const at = first.location ? `${first.location.file}:${first.location.line}: ` : "";
  return at + first.text;
}

function removeOld(dist, current, before) {
  const chunks = join(dist, "chunks");
  if (!existsSync(chunks)) return;
  for (const name of readdirSync(chunks)) {
    const path = join(chunks, name);
    if (current.has(`chunks/${name}`)) continue;
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < before)
      rmSync(path, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    ensureDependencies();
    await build({ keepOldMs: 0 });
  });
}
