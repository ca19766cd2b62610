/** Processes by number and start time: a number alone may be another program's by now. */
import { readFileSync } from "node:fs";

export interface ProcessId {
  readonly pid: number;
  /** When it began, in ticks since the machine did; empty where the system does not tell. */
  readonly ticks: string;
}

/** Empty when there is no such process, or no /proc. A process that has ended and waits for its parent is none. */
export function ticksOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "" : (fields[19] ?? "");
  } catch {
    return "";
  }
}

/** The very process, not another with its number. */
export function isAlive({ pid, ticks }: ProcessId): boolean {
  if (ticks !== "") return ticksOf(pid) === ticks;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
