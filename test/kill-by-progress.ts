import type { ChildProcess } from "node:child_process";

/**
 * Kills a program (SIGKILL) as soon as `ready` says so; true when that came before its own end. What has happened decides, not how
 * much time has passed, so that a busy machine changes nothing.
 */
export async function killWhen(child: ChildProcess, ready: () => boolean): Promise<boolean> {
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal)),
  );
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  while (isRunning() && !ready()) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill("SIGKILL");
  return (await ended) === "SIGKILL";
}
