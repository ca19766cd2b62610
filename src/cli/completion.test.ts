import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandEntry, defineCommand } from "./command.ts";
import completion from "./completion.ts";
import { runCli } from "./run.ts";
import { fakeWorld } from "./test-kit.ts";

const parse = defineCommand({
  name: "darshan parse",
  description: "d",
  examples: {
    "plimsoll darshan parse LOG": "e",
  },
  arguments: [{ name: "log", help: "the log", kind: "file" }],
  options: {
    layer: { kind: "choice", choices: ["posix", "mpiio"], help: "don't mix" },
    output: { kind: "string", short: "o", help: "folder" },
    ranks: { kind: "number", help: "n" },
  },
  async run() {},
});

const table: CommandEntry[] = [parse, completion].map((command) => ({
  name: command.name,
  summary: "read a log: whole",
  load: async () => ({ default: command }),
}));

/** Words typed so far (the last is being completed) and what the shell must offer. */
const cases: [string[], string[]][] = [
  [["d"], ["darshan"]],
  [["darshan", ""], ["parse"]],
  [["darshan", "parse", "--la"], ["--layer"]],
  [["darshan", "parse", "--ou"], ["--output"]],
  [
    ["darshan", "parse", "--layer", ""],
    ["mpiio", "posix"],
  ],
  [["darshan", "parse", "run"], ["run.darshan"]],
  [["darshan", "parse", "-o", "run"], ["run.darshan"]],
  [["completion", "z"], ["zsh"]],
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-completion-"));
  writeFileSync(join(folder, "run.darshan"), "");
});
afterAll(() => rmSync(folder, { recursive: true }));

async function scriptFile(shell: string): Promise<string> {
  const world = fakeWorld();
  expect(await runCli(["completion", shell], table, world)).toBe(0);
  const path = join(folder, `script.${shell}`);
  writeFileSync(path, world.out);
  return path;
}

function run(shell: string, args: string[]): string {
  const result = spawnSync(shell, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, HOME: folder },
  });
  expect({ stderr: result.stderr, status: result.status }).toEqual({ stderr: "", status: 0 });
  return result.stdout;
}

const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

describe("bash", () => {
  it.each(cases)("completes %j", async (words, expected) => {
    const path = await scriptFile("bash");
    const quoted = ["plimsoll", ...words].map((word) => `'${word}'`).join(" ");
    const code = `source ${path}; compopt() { :; }; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}
      _plimsoll; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(run("bash", ["--norc", "-c", code]).trim().split("\n").sort()).toEqual(expected);
  });
});

describe.skipIf(!has("fish"))("fish", () => {
  it.each(cases)("completes %j", async (words, expected) => {
    const path = await scriptFile("fish");
    const out = run("fish", ["-N", "-c", `source ${path}; complete -C 'plimsoll ${words.join(" ")}'`]);
    const offered = out
      .trim()
      .split("\n")
      .map((one) => one.split("\t")[0]);
    expect([...new Set(offered)].sort()).toEqual(expected);
  });
});

describe.skipIf(!has("zsh"))("zsh", () => {
  it.each(cases.filter(([words]) => !words.includes("run")))("completes %j", async (words, expected) => {
    const path = await scriptFile("zsh");
    // compadd and _describe only work inside the line editor; these stand-ins print what they are given.
    const quoted = ["plimsoll", ...words].map((word) => `'${word}'`).join(" ");
    const code = `compdef() { :; }; _files() { :; }
      compadd() { print -l -- \${(P)2}; }; _describe() { local name=$@[-1]; print -l -- \${\${(P)name}%%:*}; }
      source ${path}; words=(${quoted}); CURRENT=${words.length + 1}; _plimsoll; true`;
    const offered = run("zsh", ["-f", "-c", code]).trim().split("\n");
    expect(offered.filter((one) => one.startsWith(words.at(-1) ?? "")).sort()).toEqual(expected);
  });
});
