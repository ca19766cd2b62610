// Small real logs that between them cover most modules, record versions and byte orders.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SeedLog } from "./mutate.ts";

const BYTES_MAX = 40 * 1024;

/** Every log of at most 40 KiB in the folders, by name; folders that do not exist are passed over. */
export function loadSeedLogs(folders: readonly string[]): SeedLog[] {
  const logs: SeedLog[] = [];
  for (const folder of folders.filter((path) => existsSync(path))) {
    for (const file of readdirSync(folder).sort()) {
      const path = join(folder, file);
      if (!file.endsWith(".darshan") || statSync(path).size > BYTES_MAX) continue;
      logs.push({ name: file.slice(0, -".darshan".length), bytes: readFileSync(path) });
    }
  }
  return logs;
}
