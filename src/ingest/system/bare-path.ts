/**
 * The parameter that a file was kept of, as far as its path says. A path decides as the name of a parameter does: what
 * lies under `osc`, `mdc`, `ldlm` or `exports` was counted by or for a client, whatever target its name holds.
 */
import { targetIndex } from "../../formats/lustre/index.ts";

/** `lustre1-OST0007` somewhere in a part of a path, in any case. */
const TARGET = /(?:(?<![A-Za-z0-9])([A-Za-z0-9_]+)-)?(?<![A-Za-z])(OST|MDT)([0-9a-f]{4})(?![0-9a-f])/i;
/** Parts of a path that are looked at, from the end; `ldlm/namespaces/NAME/pool/TIME/stats` has the most. */
const PARTS = 6;
const TARGET_PARTS = 4;

/** Devices and folders whose counters are not those of an OST or MDT as a whole. `ost/OSS/ost_io` is a service. */
const NOT_OWN =
  /^(osc|osp|mdc|lwp|lmv|lov|llite|ldlm|mdd|lod|mgs|mgc|qmt|qsd|nodemap|osd-\w+|exports|namespaces|pool|OSS|MDS|MGS|LDLM)$/;
/** The same in one part: `fs-OST0001-osc-ffff8800`, `osc_fs-OST0001`, `filter-fs-OST0001_UUID`, `10.0.0.4@o2ib`. */
const NOT_OWN_WITHIN =
  /(?:^|[._-])(?:osc|osp|mdc|lwp|clilov|clilmv)(?=[._-])|(?:^|[._-])(?:filter|mdt)-\S*_UUID|\d@(?:lo|tcp|o2ib|gni|kfi|ptlf|ra)\d*/;
/** A file that has the dotted name of a parameter, perhaps behind a time. */
const DOTTED = /(?:^|[._-])((?:[a-z]{2,}|osd-[a-z]+)\.[^/]*stats)$/;
/** Files of counters of a target have one of these names, or one that says nothing. */
const OWN_NAME = /^(?:(?:.*[._-])?(job_stats|md_stats)|(?:.*[.-]|.*\d_)?(stats))$/;
/** Counters that clients' devices, services and lock pools have, and no `obdfilter/X/stats` or `md_stats`. */
const NOT_OWN_COUNTER = /^(?:req_waittime|req_active|req_qdepth|grant_rate|cancel_rate)\s/;

/** Such as `obdfilter/lustre1-OST0007/job_stats`; the path itself when it says as much, or nothing. */
export function paramPath(path: string, isJobs: boolean, lines: readonly string[] = []): string {
  const parts = partsOf(path);
  const name = parts.at(-1) ?? "";
  if (!isOwn(parts) || lines.some((line) => NOT_OWN_COUNTER.test(line))) return path;
  const [, named, plain] = OWN_NAME.exec(name) ?? [];
  if (named === undefined && plain === undefined && /stats/.test(name)) return path;
  const found = targetInPath(path);
  if (found === undefined) return path;
  const isMdt = targetIndex(found)?.role === "MDT";
  // Not every file of this name counts operations: `mdt/fs-MDT0000/stats` is not `md_stats`.
  if (isMdt && plain !== undefined && parts.at(-3) === "mdt") return path;
  const kind = isJobs ? "job_stats" : isMdt ? "md_stats" : "stats";
  return `${isMdt ? "mdt" : "obdfilter"}/${found}/${kind}`;
}

export function targetInPath(path: string): string | undefined {
  for (const part of path.split("/").slice(-TARGET_PARTS).reverse()) {
    const match = TARGET.exec(part);
    if (match === null) continue;
    const [, fileSystem, role = "", index = ""] = match;
    const name = `${role.toUpperCase()}${index.toLowerCase()}`;
    return fileSystem === undefined ? name : `${fileSystem}-${name}`;
  }
  return undefined;
}

const isOwn = (parts: readonly string[]) =>
  !parts.some((part) => NOT_OWN.test(part) || NOT_OWN_WITHIN.test(part));

/** The last parts of a path; a file named like a parameter counts as the path of that parameter. */
function partsOf(path: string): string[] {
  const parts = path.split("/").slice(-PARTS);
  const dotted = DOTTED.exec(parts.at(-1) ?? "")?.[1];
  return dotted === undefined ? parts : [...parts.slice(0, -1), ...dotted.split(".")];
}
