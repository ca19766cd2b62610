/** The tutorials, line by line: every command runs, and prints what is shown. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSession } from "./session.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "docs", "tutorials");
const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
const WORDS_IN_FIVE_MINUTES = 1000;

describe("tutorials", () => {
  let work: string;
  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "plimsoll-tutorials-"));
    const program = join(work, "bin", "plimsoll");
    mkdirSync(join(work, "bin"));
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${join(root, "bin", "plimsoll")} "$@"\n`);
    chmodSync(program, 0o755);
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it("are five", () => expect(names.length).toBe(5));

  it.each(names)("%s prints what it shows", { timeout: 300_000 }, (name) => {
    const cwd = join(work, name);
    mkdirSync(cwd);
    expect(runSession(readFileSync(join(folder, name), "utf8"), cwd, join(work, "bin"))).toBeGreaterThan(2);
  });

  it.each(names)("%s has a picture and is read in five minutes", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const [, picture = ""] = /!\[[^\]]+\]\(([^)]+)\)/.exec(text) ?? [];
    expect(existsSync(join(folder, picture)), picture).toBe(true);
    const prose = text.replace(/^```[\s\S]*?^```/gm, "").split(/\s+/);
    expect(prose.length).toBeLessThan(WORDS_IN_FIVE_MINUTES);
  });
});
