// Bundles src/ into dist/ with esbuild. `node scripts/build.mjs` also removes what earlier builds left.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies, root, runScript, SetupError, STAMP } from "./setup.mjs";

const entries = {
  main: "src/cli/main.ts",
  analyze: "src/library/analyze.ts",
  formats: "src/library/formats.ts",
  model: "src/library/model.ts",
  node: "src/library/node.ts",
  "ingest-worker": "src/ingest/worker.ts",
  "verify-worker": "src/store/verify-worker.ts",
  "explore-worker": "src/adaptive/sim/explore/worker.ts",
  adaptive: "src/library/adaptive.ts",
  "write-worker": "src/adaptive/runtime/transport/worker.ts",
  "target-server": "src/ncio/servers/server/process.ts",
  "sim-worker": "src/adaptive/paper/replay/worker.ts",
  "top-worker": "src/inputs/ranking/worker.ts",
  "reuse-worker": "src/studies/reuse-worker.ts",
  "ncio-rank": "src/ncio/run/rank-process.ts",
};

/** The first file of the program, the bundles of the commands that start fastest (src/cli/start.ts), and the thread of one of them. */
const starters = {
  start: "src/cli/start.ts",
  quick: "src/cli/quick.ts",
  "quick-bps": "src/cli/quick-bps.ts",
  "quick-report": "src/cli/quick-report.ts",
  "quick-server": "src/cli/quick-server.ts",
  "bps-worker": "src/inputs/measure/worker.ts",
};

/** A log whose reading leaves in the code caches what the commands of the bundles need. A last `--output` gets a file that is thrown away. */
const WARM_LOG = "test/fixtures/darshan/mpiio4_dxt.darshan";
const WARM_WORDS = {
  quick: ["darshan", "parse", WARM_LOG],
  "quick-bps": ["bps", WARM_LOG],
  "quick-report": ["report", WARM_LOG, "--output"],
  "quick-server": ["collect", "server", "--help"],
};

/** The page that opens logs in a browser, one file. */
const DROP_PAGE = "plimsoll.html";

/** Scripts and styles that reports carry inside and that the site's pages ask for: a folder in web/, and another whose styles it takes too. */
const pages = { "report-page": ["web/report"], "site-page": ["web/site", "web/report"] };

/**
 * Builds into a folder of its own, then moves the files over, chunks first and entries last. Chunk names carry
 * a hash of their content, so at every moment each entry finds its chunks: two builds at once, or a program that
 * runs meanwhile and loads a chunk late, do not disturb each other. Old chunks go after a day.
 */
export async function build({ keepOldMs = 24 * 3600 * 1000, dist = join(root, "dist") } = {}) {
  const began = new Date();
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
      // Packages go in, since a hundred small files load ten times as long as one; but for what is installed with us.
      external: installed(),
      plugins: [requiredByPackages],
      metafile: true,
      logLevel: "silent",
    }).catch(fail);
    const files = Object.keys(result.metafile.outputs).map((path) => relative(work, join(root, path)));
    const inputs = Object.keys(result.metafile.inputs);
    for (const [name, [folder, shared]] of Object.entries(pages)) {
      const page = await bundlePage(bundle, folder, {}, shared);
      inputs.push(...page.inputs);
      writeFileSync(join(work, `${name}.js`), page.script);
      writeFileSync(join(work, `${name}.css`), page.style);
      files.push(`${name}.js`, `${name}.css`);
    }
    // After the pages, as a report takes its script and styles from there.
    files.push(...(await bundleStarters(bundle, work)));
    const drop = await bundleDropPage(bundle);
    inputs.push(...drop.inputs);
    writeFileSync(join(work, DROP_PAGE), drop.html);
    files.push(DROP_PAGE);
    writeFileSync(join(work, "THIRD-PARTY.txt"), licences(inputs));
    files.push("THIRD-PARTY.txt");
    const isEntry = (path) => !path.startsWith("chunks/");
    for (const file of [...files.filter((f) => !isEntry(f)), ...files.filter(isEntry)]) {
      mkdirSync(dirname(join(dist, file)), { recursive: true });
      renameSync(join(work, file), join(dist, file));
    }
    removeOld(dist, new Set(files), began.getTime() - keepOldMs);
    writeFileSync(join(dist, STAMP), "");
    utimesSync(join(dist, STAMP), began, began);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function bundleStarters(bundle, work) {
  await bundle({
    absWorkingDir: root,
    entryPoints: starters,
    outdir: work,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    minifyWhitespace: true,
    minifySyntax: true,
    // A report with a store runs in main.js.
    external: ["./main.js", "../../analyze/load/index.ts", ...installed()],
    // In CommonJS there is no import.meta.
    banner: { js: 'const ownUrl=require("node:url").pathToFileURL(__filename).href;' },
    define: { "import.meta.url": "ownUrl" },
    logLevel: "silent",
  }).catch(fail);
  // Fixed seeds: the same sources give the same bytes.
  const node = ["--hash-seed=1", "--random-seed=1", "--require", join(root, "scripts", "code-cache.cjs")];
  const made = ["bps-worker.cjs", "start.cjs"];
  for (const [name, words] of Object.entries(WARM_WORDS)) {
    const cache = join(work, `${name}.cache`);
    const output = words.at(-1) === "--output" ? [join(work, "warm.html")] : [];
    spawnSync(process.execPath, [...node, join(work, "start.cjs"), ...words, ...output], {
      cwd: root,
      stdio: "ignore",
      env: { ...process.env, NODE_OPTIONS: "", PLIMSOLL_CODE_CACHE: cache },
    });
    // Without a cache the program starts slower, and that is all.
    made.unshift(...(existsSync(cache) ? [`${name}.cache`] : []), `${name}.cjs`);
  }
  return made;
}

/**
 * What packages written as CommonJS `require` at run time: modules of Node, and the database's library, which is
 * installed with us. In an ES module there is no `require` to leave to them.
 */
const requiredByPackages = {
  name: "required-by-packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(@duckdb\/node-bindings|[a-z:_/]+)$/ }, ({ path, kind, namespace }) => {
      if (namespace === "required") return { path, namespace: "run-time" };
      const isOurs = kind === "require-call" && (isBuiltin(path) || path === "@duckdb/node-bindings");
      return isOurs ? { path, namespace: "required" } : undefined;
    });
    onLoad({ filter: /./, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require("${path}").required;`,
    }));
    onLoad({ filter: /./, namespace: "run-time" }, ({ path }) => ({
      contents: `import { createRequire } from "node:module";
function load() {
  try {
    return createRequire(import.meta.url)("${path}");
  } catch (error) {
    throw Object.assign(new Error(error.message), { code: error.code, missing: "${path}" });
  }
}
export const required = load();`,
    }));
  },
};

/** Packages that are installed with ours, or may be. */
function installed() {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.keys({ ...dependencies, ...optionalDependencies });
}

function fail(error) {
  throw new SetupError(`build failed: ${buildMessage(error)}`);
}

/** A page's script as one piece that runs by itself, and all styles below its folder. Tests use it too. */
export async function bundlePage(bundle, folder, define = {}, shared = undefined) {
  const result = await bundle({
    absWorkingDir: root,
    entryPoints: [join(folder, "main.ts")],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    minify: true,
    metafile: true,
    define,
    logLevel: "silent",
  }).catch(fail);
  return {
    script: result.outputFiles[0].text,
    style: await styleOf(folder, shared),
    inputs: Object.keys(result.metafile.inputs),
  };
}

/** What all pages share, and all styles below the folder of one. */
async function styleOf(folder, shared) {
  const { transform } = await import("esbuild");
  const paths = [shared, folder]
    .filter((one) => one !== undefined)
    .flatMap((one) =>
      readdirSync(join(root, one), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".css"))
        .sort()
        .map((name) => join(one, name)),
    );
  const texts = ["web/tokens.css", ...paths].map((path) => readFileSync(join(root, path), "utf8"));
  return (await transform(texts.join("\n"), { loader: "css", minify: true })).code;
}

/**
 * The drop page: script, styles and those of reports in one HTML file, whose policy allows these two scripts and no
 * connection. Tests use it too.
 */
export async function bundleDropPage(bundle) {
  const report = await bundlePage(bundle, "web/report");
  const read = (name) => readFileSync(join(root, "web/page", name), "utf8");
  const page = await bundlePage(bundle, "web/page", {
    REPORT_ASSETS: JSON.stringify({ script: report.script, style: report.style }),
    SHELL_HTML: JSON.stringify(read("shell.html")),
    SHELL_CSS: JSON.stringify(await styleOf("web/page")),
  });
  const script = inlineScript(page.script);
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hashOf(script)}' 'sha256-${hashOf(inlineScript(report.script))}'`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const html = read("index.html")
    .replace("POLICY", () => policy)
    .replace("SCRIPT", () => script);
  return { html, inputs: [...report.inputs, ...page.inputs] };
}

/** As it stands in a page, where "</script" and "<!--" would end or change the element (src/report/html does the same). */
const inlineScript = (script) =>
  script
    .replace(/\r\n?/g, "\n")
    .replace(/<\/(script)/gi, "<\\/$1")
    .replaceAll("<!--", "<\\!--");

const hashOf = (text) => createHash("sha256").update(text).digest("base64");

/** The licences of the packages whose code is in dist/. */
function licences(inputs) {
  const packages = new Set(
    inputs.flatMap((path) => /^(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  const texts = [...packages].sort().map((path) => {
    const folder = join(root, path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one));
    const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Plimsoll's programs contain code of these packages.\n\n${texts.join(`\n${"-".repeat(72)}\n\n`)}`;
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
