/**
 * Counters per client of a target, read once an hour: the clients of a target become one reading with a row each, like
 * the jobs in `job_stats`, so that thousands of clients cost a few columns.
 */
import { join } from "node:path";
import { bytesSource } from "../../base/source.ts";
import { MDT_CALLS } from "../../model/index.ts";
import { type LustreParser, Reading } from "../../formats/lustre/index.ts";
import { namesIfReadable, readShort } from "../files.ts";
import { exportFolders } from "../lustre-files.ts";

const HOUR_NS = 3_600_000_000_000n;
export const EXPORT_STATS = "export_stats";
const COUNTED = new Set(["read_bytes", "write_bytes", ...MDT_CALLS]);
const COUNTER = /^(\w+)\s+(\d{1,20}) samples \[(\w*)\](?:\s+(\d{1,20})\s+(\d{1,20})\s+(\d{1,20}))?/gm;
/** Network ids; the folders also hold settings. */
const CLIENT = /^[\w.:-]+@\w+$/;

/** Whether the sample at `nowNs` is the last one of an hour, or the first that can be. */
export function exportsAreDue(nowNs: bigint, lastNs: bigint | undefined, everyNs: bigint): boolean {
  if (lastNs === undefined) return true;
  return (nowNs + everyNs) / HOUR_NS !== (lastNs + everyNs) / HOUR_NS;
}

/** Reads the clients of a target; the reading passed to `use` is valid during the call. Not called without clients. */
export function readExports(
  parser: LustreParser,
  root: string,
  target: string,
  readAtNs: bigint,
  use: (reading: Reading) => void,
): void {
  const text = exportsText(root, target);
  if (text === undefined) return;
  const path = `obdfilter/${target}/job_stats`;
  parser.parse(bytesSource(new TextEncoder().encode(text), path), { readAtNs, path }, (item) => {
    if (!(item instanceof Reading)) return;
    item.kind = EXPORT_STATS;
    use(item);
  });
}

function exportsText(root: string, target: string): string | undefined {
  for (const folder of exportFolders(root, target)) {
    const clients = namesIfReadable(folder).filter((name) => CLIENT.test(name));
    if (clients.length === 0) continue;
    let text = "job_stats:\n";
    for (const client of clients.sort()) text += clientText(client, readShort(join(folder, client, "stats")));
    return text;
  }
  return undefined;
}

/** The file of a client as a row of `job_stats`; empty if the client disconnected during the read. */
function clientText(client: string, stats: string | undefined): string {
  if (stats === undefined) return "";
  let text = `- job_id:          "${client}"\n`;
  const start = /^start_time\s+(\d+\.\d+ secs\.nsecs)/m.exec(stats)?.[1];
  if (start !== undefined) text += `  start_time:      ${start}\n`;
  for (const [, name = "", samples, unit, min = "0", max = "0", sum = "0"] of stats.matchAll(COUNTER))
    if (COUNTED.has(name))
      text += `  ${name}: { samples: ${samples}, unit: ${unit}, min: ${min}, max: ${max}, sum: ${sum} }\n`;
  return text;
}
