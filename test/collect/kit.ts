/** What tests of collectors share: the real program, and questions to a store. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { SqlRow } from "../../src/model/index.ts";
import { Store } from "../../src/store/index.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
/** What an installed package runs; `prepare` has built it. */
export const program = join(root, "dist", "main.js");

/** Builds once, so that no test waits for it. */
export function prepare(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "bin", "plimsoll"), "--version"], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
}

/** The environment without a Slurm that may have started the tests. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^SLURM/.test(name)));
}

export function plimsollWith(env: NodeJS.ProcessEnv, cwd: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd,
    env: { ...cleanEnvironment(), ...env },
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return { code: status, out: stdout, err: stderr };
}

export const plimsoll = (cwd: string, ...words: string[]) => plimsollWith({}, cwd, ...words);

export async function ask(store: string, ...queries: readonly string[]): Promise<SqlRow[][]> {
  const opened = await Store.open(store);
  const db = await opened.query();
  const results: SqlRow[][] = [];
  for (const sql of queries) results.push(await db.rows(sql));
  db.close();
  await opened.close();
  return results;
}

export function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
