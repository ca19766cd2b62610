// Folders to run in: on throttled loop devices (storage.sh) where this machine can, else plain ones.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** Why there is no throttled storage on this machine, or undefined where there is. */
export function noThrottling() {
  const check = spawnSync(join(here, "storage.sh"), ["--check"], { encoding: "utf8" });
  return check.status === 0 ? undefined : check.stdout.trim() || check.stderr.trim() || "storage.sh failed";
}

/** Makes the storage of a program below a folder: what to put before its command, and how to remove everything. */
export async function openStorage(program, folder, throttled) {
  mkdirSync(folder, { recursive: true });
  const folders = (program.folders ?? ["t0"]).map((name) => join(folder, name));
  if (!throttled) {
    for (const one of folders) mkdirSync(one, { recursive: true });
    return { folders, join: [], close: async () => rmSync(folder, { recursive: true, force: true }) };
  }
  const child = spawn(join(here, "storage.sh"), [folder, ...program.storage], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const close = async () => {
    child.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const line = await Promise.race([
    new Promise((resolve) => createInterface(child.stdout).once("line", resolve)),
    ended,
  ]);
  const group = /^ready (.+)$/.exec(String(line))?.[1];
  if (group === undefined) {
    await close();
    throw new Error(`cannot make the storage of ${program.name}`);
  }
  return { folders, join: [join(here, "join.sh"), group], close };
}
