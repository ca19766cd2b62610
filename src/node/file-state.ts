/** Whether a file is still the one that was opened, as it was. */
import { type Stats, statSync } from "node:fs";
import { fsPath } from "./raw-path.ts";

export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
  readonly device: number;
}

/** Undefined for what has no state: pipes, devices, and files of /proc, which say that they are empty and of now. */
export function stateOf(stat: Stats): FileState | undefined {
  if (!stat.isFile() || stat.size === 0) return undefined;
  const { size, mtimeMs, ctimeMs, ino: inode, dev: device } = stat;
  return { size, mtimeMs, ctimeMs, inode, device };
}

export function sameState(a: FileState, b: FileState | undefined): boolean {
  return (
    b !== undefined &&
    a.size === b.size &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.inode === b.inode &&
    a.device === b.device
  );
}

/** `gone`: nobody can say what became of it after it was closed. */
export function compareState(path: string, state: FileState): "same" | "changed" | "gone" {
  try {
    return sameState(state, stateOf(statSync(fsPath(path)))) ? "same" : "changed";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : "changed";
  }
}
