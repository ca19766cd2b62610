/** How processes, files and operations are called in what we hand on. */
import { CALL_LAYERS, type CallFile, type CallProcess, Operation } from "../../model/index.ts";

/** What calls are put together by: a track, a profile, or neighbouring rows each. */
export const EXPORT_GROUPS = ["rank", "file"] as const;
export type ExportGroup = (typeof EXPORT_GROUPS)[number];

/** The column of calls that has the number of a group. */
export const groupColumn = (by: ExportGroup): "process" | "file" => (by === "rank" ? "process" : "file");

export const OPERATION_NAMES: readonly string[] = Object.entries(Operation)
  .sort(([, a], [, b]) => a - b)
  .map(([name]) => name);

export const layerName = (layer: number): string => CALL_LAYERS[layer] ?? "other";

/** "rank 3 on node17", "cp, process 811 on node17". */
export function processName({ rank, pid, host, program }: CallProcess): string {
  const where = host === undefined || host === "" ? "" : ` on ${host}`;
  if (rank !== undefined) return `rank ${rank}${where}`;
  const what = program === undefined || program === "" ? "" : `${program.split("/").at(-1)}, `;
  return `${what}process ${pid}${where}`;
}

export const fileName = ({ path }: CallFile): string => (path === "" ? "(file without a name)" : path);
