/** Who may import whom, as a table. A new arrow is one line here, and is seen in review. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ALLOWED: Readonly<Record<string, readonly string[] | "all">> = {
  base: [],
  model: ["base"],
  node: ["base"],
  formats: ["base", "model"],
  store: ["base", "model", "node"],
  ingest: ["base", "model", "formats", "store", "node"],
  "analyze/metric": ["base", "model"],
  "analyze/job": ["base", "model", "analyze/metric"],
  "analyze/results": ["base", "model"],
  "analyze/load": ["base", "model", "analyze/study/common"],
  "analyze/study/common": ["base", "model"],
  "analyze/study/reuse": ["base", "model", "analyze/study/common"],
  "analyze/study/system": ["base", "model", "analyze/study/common"],
  "analyze/study/metric": ["base", "model", "analyze/study/common", "analyze/metric"],
  plot: ["base", "model"],
  report: ["base", "model", "plot"],
  "report/page": ["base", "model", "node", "plot", "report"],
  "inputs/log": ["base", "formats"],
  "inputs/job": ["base", "model", "formats", "analyze/job", "inputs/log"],
  inputs: [
    ...[
      "base",
      "model",
      "node",
      "formats",
      "store",
      "analyze/job",
      "analyze/metric",
      "record",
      "inputs/job",
      "inputs/log",
    ],
  ],
  collect: ["base", "model", "formats", "node"],
  record: ["base", "model", "formats", "node"],
  "record/experiment": ["base", "node", "record", "analyze/metric", "analyze/study/metric"],
  "adaptive/protocol": ["base"],
  "adaptive/backend": ["base"],
  "adaptive/runtime": ["base", "model", "adaptive/protocol", "adaptive/backend", "formats", "launch", "node"],
  "adaptive/sim": ["base", "model", "adaptive/protocol", "node"],
  "adaptive/paper": ["base", "model", "node", "adaptive/sim"],
  "adaptive/steps": ["base", "model", "analyze/metric", "analyze/study/common"],
  ncio: [],
  "ncio/pattern": ["base"],
  "ncio/method": ["base", "ncio/pattern"],
  "ncio/storage": ["base", "adaptive/backend", "ncio/pattern"],
  "ncio/servers": ["base", "ncio/pattern", "node"],
  "ncio/run": [
    ...["base", "model", "ncio/pattern", "ncio/method", "ncio/storage", "ncio/servers", "launch", "node"],
  ],
  "ncio/judge": ["base", "model", "analyze/study/common"],
  papers: [
    ...["base", "model", "analyze/study/common", "analyze/study/reuse", "analyze/study/system"],
    ...["analyze/study/metric", "adaptive/paper", "ncio/judge"],
  ],
  studies: [
    ...["base", "model", "node", "store", "analyze/study/common", "analyze/study/reuse"],
    ...["analyze/study/system", "analyze/study/metric", "record/experiment"],
  ],
  demo: [
    ...["base", "model", "node", "formats", "generate", "inputs", "inputs/job", "report/page"],
    ...["adaptive/runtime", "adaptive/steps"],
  ],
  launch: ["base", "node"],
  cluster: ["base", "node"],
  generate: ["base", "model", "formats", "analyze/study/reuse", "analyze/study/system"],
  "generate/write": ["base", "model", "generate", "node", "store"],
  library: [
    ...["base", "model", "node", "formats", "inputs", "inputs/job", "analyze/job", "report", "report/page"],
    "adaptive/runtime",
  ],
  serve: [...["base", "model", "node", "plot", "report", "store", "analyze/load", "analyze/study/system"]],
  cli: "all",
};

/** Allowed for `import type` only, which leaves nothing in the program. */
const ALLOWED_TYPES: Readonly<Record<string, readonly string[]>> = {
  node: ["formats"],
  studies: ["report/page"],
  launch: ["model"],
  ncio: ["ncio/pattern"],
  "ncio/method": ["model", "launch", "ncio"],
  "ncio/storage": ["ncio"],
  "ncio/servers": ["ncio"],
  "ncio/run": ["ncio"],
  "adaptive/steps": ["adaptive/sim"],
};

/** Arrows that should not be: how many imports each has. The list is empty and stays so. */
const DEBTS: Readonly<Record<string, number>> = {};

/** These also run in a browser. */
const BROWSER_SAFE = new Set(
  [
    "base",
    "model",
    "formats",
    "plot",
    "report",
    "inputs/job",
    "inputs/log",
    "adaptive/protocol",
    "ncio/pattern",
    "ncio/judge",
    "adaptive/steps",
  ].concat(Object.keys(ALLOWED).filter((name) => name.startsWith("analyze/"))),
);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, "src");
const product = sourceFiles(src).filter((path) => !/\.(test|bench)\.ts$|\/test-kit\.ts$/.test(path));
const rooms = readdirSync(src).filter((name) => statSync(join(src, name)).isDirectory());

it("every file is in a folder of the import table", () => {
  expect(product.filter((path) => folderOf(path) === undefined)).toEqual([]);
});

it("debts only shrink: what is paid leaves the list", () => {
  const found: Record<string, number> = {};
  for (const path of product)
    for (const arrow of arrowsOf(path)) if (arrow in DEBTS) found[arrow] = (found[arrow] ?? 0) + 1;
  expect(found).toEqual(DEBTS);
});

/** Lazy imports past a face, which would make a bundle that starts fast much larger: how many each file has. It may only shrink. */
const PAST_FACES: Readonly<Record<string, number>> = {
  "src/inputs/parquet.ts imports ../store/database.ts": 2,
  "src/inputs/parquet.ts imports ../store/engine-error.ts": 1,
};

/** A folder with an index.ts has a face: others enter there, so that what is behind it can change. */
it("a folder with a face is entered by it", () => {
  const faces = product.filter((path) => path.endsWith("/index.ts")).map(dirname);
  const bypassed = product.flatMap((path) =>
    importsOf(path).flatMap(({ from }) => {
      if (!from.startsWith(".")) return [];
      const target = resolve(dirname(path), from);
      const entered = faces
        .filter((face) => target.startsWith(`${face}/`) && !path.startsWith(`${face}/`))
        .sort((a, b) => a.length - b.length)[0];
      return entered === undefined || target === join(entered, "index.ts")
        ? []
        : [`${relative(root, path)} imports ${from}`];
    }),
  );
  expect(faces.length).toBeGreaterThan(20);
  const counts: Record<string, number> = {};
  for (const one of bypassed) counts[one] = (counts[one] ?? 0) + 1;
  expect(counts).toEqual(PAST_FACES);
});

describe.each(Object.keys(ALLOWED))("src/%s", (folder) => {
  const files = product.filter((path) => folderOf(path) === folder);

  it("imports only the folders that the table allows", () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((path) => forbiddenImports(folder, path))).toEqual([]);
  });

  if (BROWSER_SAFE.has(folder)) {
    it("uses nothing that only Node has", () => {
      expect(files.flatMap(nodeUses)).toEqual([]);
    });
  }
});

describe.each(rooms)("the room src/%s", (room) => {
  it("has a README of two to ten lines of text", () => {
    const readme = join(src, room, "README.md");
    expect(existsSync(readme), `${relative(root, readme)} is missing`).toBe(true);
    const lines = readFileSync(readme, "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "");
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.length).toBeLessThanOrEqual(10);
  });
});

/** Node's errors of writing do not name the file; ours must, so files are written with node/write-file.ts. */
describe("writing files", () => {
  const exceptions = [
    "node/write-file.ts",
    "adaptive/runtime/keep/history.ts",
    "generate/sitewide/live-files.ts",
  ];

  it("goes through the functions whose errors have a name", () => {
    const direct = sourceFiles(src)
      .filter((path) => !/\.test\.ts$|test-kit\.ts$/.test(path))
      .filter((path) =>
        /\b(writeFileSync|appendFileSync)\(/.test(withoutComments(readFileSync(path, "utf8"))),
      )
      .map((path) => relative(src, path))
      .filter((path) => !exceptions.includes(path));
    expect(direct).toEqual([]);
  });
});

/** Packages that pages carry inside. */
const WEB_PACKAGES = ["fzstd", "hyparquet", "pako"];

/** Pages in a browser. */
describe("web", () => {
  const web = join(root, "web");
  const files = sourceFiles(web).filter((path) => !/\.test\.ts$/.test(path));

  it("imports only what runs in a browser", () => {
    const allowed = ["base", "model", "formats", "analyze", "plot", "report", "inputs/job", "inputs/log"];
    const forbidden = files.flatMap((path) =>
      importsOf(path).flatMap(({ from }) => {
        if (!from.startsWith("."))
          return WEB_PACKAGES.includes(from) ? [] : [`${relative(root, path)} imports ${from}`];
        const target = relative(root, resolve(dirname(path), from));
        // The version, and the example; what of it needs Node, the build of the page refuses.
        const isNamed = ["package.json", "src/generate/samples.ts"].includes(target);
        const fine =
          isNamed ||
          target.startsWith("web/") ||
          allowed.some(
            (folder) => target.startsWith(`src/${folder}/`) && !target.startsWith("src/report/page/"),
          );
        return fine ? [] : [`${relative(root, path)} imports ${from}`];
      }),
    );
    expect(forbidden).toEqual([]);
    expect(files.length).toBeGreaterThan(0);
  });

  it("uses nothing that only Node has", () => {
    expect(files.flatMap(nodeUses)).toEqual([]);
  });
});

/** The longest key of the table that the path begins with. */
function folderOf(path: string): string | undefined {
  const parts = relative(src, path).split("/").slice(0, -1);
  for (; parts.length > 0; parts.pop()) if (parts.join("/") in ALLOWED) return parts.join("/");
  return undefined;
}

function forbiddenImports(folder: string, path: string): string[] {
  const allowed = ALLOWED[folder] ?? [];
  if (allowed === "all") return [];
  return importsOf(path).flatMap(({ from, typeOnly }) => {
    if (!from.startsWith(".")) return [];
    const target = folderOf(resolve(dirname(path), from)) ?? from;
    const isFine =
      target === folder ||
      allowed.includes(target) ||
      (typeOnly && ALLOWED_TYPES[folder]?.includes(target)) ||
      `${folder} -> ${target}` in DEBTS;
    return isFine ? [] : [`${relative(root, path)} imports ${from}`];
  });
}

function arrowsOf(path: string): string[] {
  return importsOf(path)
    .filter(({ from }) => from.startsWith("."))
    .map(({ from }) => `${folderOf(path)} -> ${folderOf(resolve(dirname(path), from))}`);
}

function nodeUses(path: string): string[] {
  const name = relative(root, path);
  const imports = importsOf(path).filter(({ from }) => from.startsWith("node:"));
  const globals = withoutComments(readFileSync(path, "utf8")).matchAll(
    /(?<![\w.$"'`])(Buffer(?=\s*[.(])|process(?=\s*\.))/g,
  );
  return [
    ...imports.map(({ from }) => `${name} imports ${from}`),
    ...[...globals].map((m) => `${name} uses ${m[1]}`),
  ];
}

function importsOf(path: string): { from: string; typeOnly: boolean }[] {
  const text = withoutComments(readFileSync(path, "utf8"));
  const statements = text.matchAll(/\b(import|export)(\s+type\b)?(?:[^"';]*?\bfrom)?\s*\(?\s*"([^"\n]+)"/g);
  return [...statements].map((match) => ({
    ...{ from: match[3] ?? "", typeOnly: match[2] !== undefined },
  }));
}

/** Comments may quote an import. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}
