/** The collector's name in its output, with a mark for synthetic counters. */
import { join } from "node:path";
import { SyntheticFolders } from "../node/synthetic-folder.ts";

export function collectorName(version: string, root: string): string {
  const synthetic = new SyntheticFolders().holds(join(root, "counters"));
  return `plimsoll ${version}${synthetic ? " (synthetic)" : ""}`;
}
