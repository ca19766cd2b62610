// What the README shows is what the program prints.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/cli/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
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
    const text = plimsoll("darshan", "parse", "--perf", "plimsoll-demo/file-per-process.darshan");
    expect(readme).toContain(text.trimEnd().split("\n").slice(-19).join("\n"));
  });

  it("names every command", () => {
    for (const { name } of commands) expect(readme).toContain(`| \`plimsoll ${name}`);
  });
});
