/** Drishti's insights on a log, by its command line: `DRISHTI` names the command or the folder it is installed in. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

const PATIENCE_MS = 120_000;

/** The command, when there is one. */
export function drishtiCommand(): string | undefined {
  const place = process.env.DRISHTI;
  if (place === undefined || place === "") return undefined;
  return statSync(place).isDirectory() ? join(place, "bin", "drishti") : place;
}

/** Codes of its insights; nothing when it fails on the log, which is said. */
export function insightsOf(command: string, log: string): readonly string[] | undefined {
  const child = spawnSync(command, ["--code", "--issues", "--size", "200", log], {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    env: { ...process.env, NO_COLOR: "1", TERM: "dumb" },
  });
  if (child.error !== undefined || child.status !== 0) {
    const reason = child.error?.message ?? child.stderr.trim().split("\n").at(-1);
    console.error(`Drishti fails on ${log}: ${reason}`);
    return undefined;
  }
  return [...new Set(Array.from(child.stdout.matchAll(/\[([SPM]\d\d)\]/g), ([, code]) => code as string))];
}
