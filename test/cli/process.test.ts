/** The contract of the CLI in a process of its own: signals, pipes, exit codes. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const plimsoll = join(root, "bin", "plimsoll");
let folder: string;
let harness: string;

beforeAll(async () => {
  // Inside the project, so that the bundle finds the installed packages.
  folder = mkdtempSync(join(root, "node_modules", ".plimsoll-harness-"));
  harness = join(folder, "harness.mjs");
  await build({
    entryPoints: [join(root, "test", "cli", "harness.ts")],
    outfile: harness,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a real process", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s removes the half-written file and exits %i", async (signal, expected) => {
    const path = join(mkdtempSync(join(tmpdir(), "plimsoll-signal-")), "out");
    const child = spawn(process.execPath, [harness, "slow", path], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    expect(existsSync(path)).toBe(true);
    child.kill(signal);
    const [code] = await once(child, "exit");
    expect({ code, left: existsSync(path) }).toEqual({ code: expected, left: false });
  });

  it("`| head -1` gets its line, and the program ends quietly with 0", () => {
    const line = `"${process.execPath}" "${harness}" many | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8" });
    expect({ stdout, stderr }).toEqual({ stdout: "line 0\n0\n", stderr: "" });
  });

  it("a command that never finishes is a failure, not a success", () => {
    const { status, stderr } = spawnSync(process.execPath, [harness, "forget"], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^plimsoll: internal error: the command ended without finishing its work .*\n$/);
  });

  it("a folder that is gone, and one for temporary files that cannot be had, are one line", () => {
    // A checkout builds here, not in the folder that is gone.
    expect(spawnSync(plimsoll, ["--version"]).status).toBe(0);
    const gone = mkdtempSync(join(tmpdir(), "plimsoll-gone-"));
    const words = `rmdir ${gone} && "${plimsoll}" report missing.darshan`;
    const { status, stderr } = spawnSync("bash", ["-c", words], { cwd: gone, encoding: "utf8" });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "plimsoll: the current folder no longer exists; change to another one (cd)\n",
    });
    const log = join(root, "test/fixtures/darshan/mpiio4_dxt.darshan");
    const open = spawnSync(plimsoll, ["open", log], {
      encoding: "utf8",
      env: { ...process.env, TMPDIR: "/nonexistent" },
    });
    expect({ status: open.status, stderr: open.stderr }).toEqual({
      status: 1,
      stderr:
        "plimsoll: cannot write temporary files in /nonexistent: no such folder; set TMPDIR to a folder that you can write\n",
    });
  });

  it("bin/plimsoll runs from any folder and passes its exit code on", () => {
    const { status, stdout, stderr } = spawnSync(plimsoll, ["completion", "tcsh"], {
      encoding: "utf8",
      cwd: "/",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe("plimsoll: shell tcsh: not one of bash, zsh, fish; see plimsoll completion --help\n");
  });
});
