/** Folders by name. */
import { mkdirSync, readdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it; one that is there is fine. Node's own recursive way never ends where the system lets nobody make
 * folders and calls them missing, as in /proc.
 */
export function makeFolder(path: string, mode?: number): void {
  try {
    makeOne(path, mode);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === path) throw error;
    makeFolder(above, mode);
    makeOne(path, mode);
  }
}

/** Another may make it at the same time. */
function makeOne(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Names in a folder, in order; none where there is no folder. */
export function sortedNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
