/** The path of a parameter for a file that was kept under a name of its own. */
import { describeParam, targetIndex } from "../../formats/lustre/index.ts";

/** `lustre1-OST0007` somewhere in a part of a path, in any case. */
const TARGET = /(?:(?<![A-Za-z0-9])([A-Za-z0-9_]+)-)?(?<![A-Za-z])(OST|MDT)([0-9a-f]{4})(?![0-9a-f])/i;
const PARTS = 4;

/** Such as `obdfilter/lustre1-OST0007/job_stats`; the path itself when it says as much, or nothing. */
export function paramPath(path: string, isJobs: boolean): string {
  const { target, client } = describeParam(path);
  if (client !== "" || targetIndex(target) !== undefined) return path;
  const found = targetInPath(path);
  if (found === undefined) return path;
  const isMdt = targetIndex(found)?.role === "MDT";
  const name = isJobs ? "job_stats" : isMdt ? "md_stats" : "stats";
  return `${isMdt ? "mdt" : "obdfilter"}/${found}/${name}`;
}

export function targetInPath(path: string): string | undefined {
  for (const part of path.split("/").slice(-PARTS).reverse()) {
    const match = TARGET.exec(part);
    if (match === null) continue;
    const [, fileSystem, role = "", index = ""] = match;
    const name = `${role.toUpperCase()}${index.toLowerCase()}`;
    return fileSystem === undefined ? name : `${fileSystem}-${name}`;
  }
  return undefined;
}
