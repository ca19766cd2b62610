// What the README shows is what the program prints.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/cli/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = (path: string) => readFileSync(join(root, path), "utf8");
const readme = text("README.md");
let folder: string;

function plimsoll(...words: string[]): string {
  const { status, stdout } = spawnSync(process.execPath, [join(root, "bin", "plimsoll"), ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(status).toBe(0);
  return stdout;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-readme-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the README", () => {
  it("shows the demonstration and the performance of one of its logs as they are printed", () => {
    const demo = plimsoll("demo").split("\n");
    expect(readme).toContain(demo.slice(0, 7).join("\n"));
    const [verdict = ""] = plimsoll(
      "report",
      "plimsoll-demo/slow-checkpoint.darshan",
      "-o",
      "report.html",
    ).split("\n");
    expect(readme).toContain(verdict);
    const perf = plimsoll("darshan", "parse", "--perf", "plimsoll-demo/file-per-process.darshan");
    expect(text("docs/darshan.md")).toContain(perf.trimEnd().split("\n").slice(-19).join("\n"));
  });

  it("is short, shows a picture that exists, and links to pages that exist", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(150);
    expect(readme).toMatch(/^!\[/m);
    for (const [, path = ""] of readme.matchAll(/\]\(([^)]+)\)/g))
      expect(existsSync(join(root, path)), path).toBe(true);
  });

  it("names only commands that exist; docs/commands.md names every command", () => {
    const names = commands.map(({ name }) => name);
    for (const [, words = ""] of readme.matchAll(/plimsoll ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g))
      expect(names.includes(words) || names.includes(words.split(" ")[0] as string), words).toBe(true);
    const list = text("docs/commands.md");
    for (const name of names) expect(list).toContain(`| [\`plimsoll ${name}\`]`);
  });
});
