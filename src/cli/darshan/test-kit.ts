/** Runs command lines for tests: as a process of their own, or inside this one. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commands } from "../index.ts";
import { runCli } from "../run.ts";
import { fakeWorld } from "../test-kit.ts";

export const program = fileURLToPath(new URL("../../../bin/plimsoll", import.meta.url));

export interface Outcome {
  readonly code: number | null;
  /** As Latin-1, so that every byte is seen. */
  readonly out: string;
  readonly err: string;
}

/** The real program. */
export function plimsoll(...words: string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    maxBuffer: 1 << 28,
    timeout: 30_000,
  });
  return { code: status, out: stdout.toString("latin1"), err: stderr.toString("utf8") };
}

/** The same command line inside this process: fast enough for hundreds of inputs. */
export async function inside(...words: string[]): Promise<Outcome> {
  const parts: Buffer[] = [];
  const world = fakeWorld({ write: (bytes) => void parts.push(Buffer.from(bytes)) });
  const code = await runCli(words, commands, world);
  return { code, out: Buffer.concat(parts).toString("latin1"), err: world.err };
}
