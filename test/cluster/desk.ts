/** The program as others start it, in a folder of its own, and studies without what the clock says. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtFile } from "../../src/node/built.ts";

export const PROGRAM = builtFile("start.cjs");

export class Desk {
  readonly folder: string;

  constructor(parent = tmpdir()) {
    this.folder = mkdtempSync(join(parent, "plimsoll-cluster-"));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  plimsoll(words: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
      encoding: "utf8",
      cwd: this.folder,
      env,
      maxBuffer: 2 ** 28,
    });
    return { status, stdout, stderr };
  }

  /** What a command prints with --json; it must end well. */
  json(words: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    const { status, stdout, stderr } = this.plimsoll([...words, "--json"], env);
    if (status !== 0) throw new Error(`${words.join(" ")}: ${status}: ${stderr}${stdout.slice(0, 2000)}`);
    return JSON.parse(stdout);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A study without the seconds that its steps took. */
export const values = ({ seconds: _, ...rest }: Record<string, unknown>): Record<string, unknown> => rest;
