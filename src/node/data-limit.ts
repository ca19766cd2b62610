/** A bound on the memory of this process, set by `prlimit` (util-linux), for code that keeps to none of its own. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * From now on the process may take this much more memory; what asks for more hears that there is none. Gives a function
 * that lifts the bound. Where the system has no such bound, or a tighter one, nothing changes.
 */
export function limitData(moreBytes: number): () => void {
  const used = dataBytes();
  const before = softLimit();
  if (used === undefined || before === undefined) return () => {};
  const limit = Math.ceil(used + moreBytes);
  if (before !== "unlimited" && Number(before) <= limit) return () => {};
  return set(String(limit)) ? () => void set(before) : () => {};
}

/** The soft limit alone, so that it can be lifted again. */
function set(limit: string): boolean {
  const { status } = spawnSync("prlimit", ["--pid", String(process.pid), `--data=${limit}:`], {
    stdio: "ignore",
  });
  return status === 0;
}

/** Private memory that can be written, whether or not it is used yet. */
function dataBytes(): number | undefined {
  const kib = /^VmData:\s+(\d+) kB$/m.exec(textOf("/proc/self/status"))?.[1];
  return kib === undefined ? undefined : 1024 * Number(kib);
}

const softLimit = (): string | undefined => /^Max data size\s+(\S+)/m.exec(textOf("/proc/self/limits"))?.[1];

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
