/** How a collector names itself in what it writes: also that the counters below its root were generated. */
import { join } from "node:path";
import { SyntheticFolders } from "../node/synthetic-folder.ts";

export function collectorName(version: string, root: string): string {
  const synthetic = new SyntheticFolders().holds(join(root, "counters"));
  return `plimsoll ${version}${synthetic ? " (synthetic)" : ""}`;
}
