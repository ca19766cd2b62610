/** Folders by name. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it; one that is there is fine. Node's own recursive way never ends where the system lets nobody make
 * folders and calls them missing, as in /proc.
 */
export function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    const above = dirname(path);
    if (code !== "ENOENT" || above === path || existsSync(above)) throw error;
    makeFolder(above, mode);
    mkdirSync(path, { mode });
  }
}
