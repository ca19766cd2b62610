/** Ends processes by pid and start time. */
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, type ProcessId } from "../../../node/processes.ts";

export { isAlive, type ProcessId, ticksOf } from "../../../node/processes.ts";

export function signal(id: ProcessId, name: "SIGTERM" | "SIGKILL"): void {
  if (!isAlive(id)) return;
  try {
    process.kill(id.pid, name);
  } catch {
    // It has ended, or belongs to another user: the caller that waits for its end will notice.
  }
}

/** Whether it ends within this time. */
export async function isGone(id: ProcessId, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (isAlive(id)) {
    if (performance.now() > end) return false;
    await sleep(10);
  }
  return true;
}
