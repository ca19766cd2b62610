/** Who may import whom, as a table. A new arrow is one line here, and is seen in review. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ALLOWED: Readonly<Record<string, readonly string[] | "all">> = {
  base: [],
  model: ["base"],
  pattern: ["base"],
  protocol: ["base"],
  backend: ["base"],
  formats: ["base", "model"],
  node: ["base"],
  store: ["base", "model", "node"],
  analyze: ["base", "model"],
  plot: ["base", "model"],
  generate: ["base", "model", "formats"],
  report: ["base", "model", "plot"],
  ingest: ["base", "model", "formats", "store", "node"],
  runtime: ["base", "model", "protocol", "backend", "formats", "node"],
  sim: ["base", "model", "protocol", "pattern", "node"],
  target: ["base", "pattern", "node"],
  ncio: ["base", "model", "pattern", "backend", "launch", "target", "node"],
  record: ["base", "model", "formats", "node"],
  collect: ["base", "model", "formats", "node"],
  experiment: ["base", "model", "formats", "node", "record", "analyze"],
  launch: ["base", "model", "formats", "node"],
  serve: "all",
  cli: "all",
};

/** Allowed for `import type` only, which leaves nothing in the program. */
const ALLOWED_TYPES: Readonly<Record<string, readonly string[]>> = {
  node: ["formats"],
  target: ["ncio"],
  launch: ["pattern"],
  runtime: ["launch"],
};

/** These also run in a browser. */
const BROWSER_SAFE = new Set(["base", "model", "formats", "analyze", "plot", "pattern", "protocol"]);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, "src");
const folders = readdirSync(src).filter((name) => statSync(join(src, name)).isDirectory());

describe.each(folders)("src/%s", (folder) => {
  const files = sourceFiles(join(src, folder)).filter(
    (path) => !/\.(test|bench)\.ts$|\/test-kit\.ts$/.test(path),
  );

  it("is in the import table", () => {
    expect(Object.keys(ALLOWED)).toContain(folder);
  });

  it("imports only the folders that the table allows", () => {
    expect(files.flatMap((path) => forbiddenImports(folder, path))).toEqual([]);
  });

  if (BROWSER_SAFE.has(folder)) {
    it("uses nothing that only Node has", () => {
      expect(files.flatMap(nodeUses)).toEqual([]);
    });
  }

  it("has a README of two to ten lines of text", () => {
    const readme = join(src, folder, "README.md");
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
  const exceptions = ["node/write-file.ts", "runtime/keep/history.ts", "generate/sitewide/live-files.ts"];

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

/** Pages in a browser; of the report they need only the types of the data that it puts into them. */
describe("web", () => {
  const web = join(root, "web");
  const files = sourceFiles(web).filter((path) => !/\.test\.ts$/.test(path));

  it("imports only what runs in a browser", () => {
    const allowed = ["base", "model", "formats", "analyze", "plot"];
    const forbidden = files.flatMap((path) =>
      importsOf(path).flatMap(({ from, typeOnly }) => {
        if (!from.startsWith(".")) return [`${relative(root, path)} imports ${from}`];
        const [top = "", target = ""] = relative(root, resolve(dirname(path), from)).split("/");
        const fine =
          top === "web" || (top === "src" && (allowed.includes(target) || (typeOnly && target === "report")));
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

function forbiddenImports(folder: string, path: string): string[] {
  const allowed = ALLOWED[folder] ?? [];
  if (allowed === "all") return [];
  return importsOf(path).flatMap(({ from, typeOnly }) => {
    if (!from.startsWith(".")) return [];
    const [target = ""] = relative(src, resolve(dirname(path), from)).split("/");
    const fine =
      target === folder || allowed.includes(target) || (typeOnly && ALLOWED_TYPES[folder]?.includes(target));
    return fine ? [] : [`${relative(root, path)} imports ${from}`];
  });
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
  return [...statements].map((match) => ({ from: match[3] ?? "", typeOnly: match[2] !== undefined }));
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
