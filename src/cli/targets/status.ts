/** `plimsoll targets status`. */
import { CheckFailed } from "../../base/errors.ts";
import { formatBytes, formatCount, formatMany, formatSeconds } from "../../base/units.ts";
import { type ServerStatus, targetsStatus } from "../../ncio/servers/index.ts";
import { defineCommand } from "../command.ts";
import { checkDir, DIR_OPTION } from "./folder.ts";

export default defineCommand({
  name: "targets status",
  description:
    "Prints address, pid, requests and bytes of each server of the folder. Servers that are gone or do not respond are listed (exit code 1).",
  options: { dir: DIR_OPTION },
  examples: {
    "plimsoll targets status": "the servers of ./plimsoll-targets",
    "plimsoll targets status --dir /scratch/t --json": "all counters of each server",
  },
  async run({ options }, context) {
    const status = await targetsStatus(checkDir(options.dir));
    if (context.json)
      context.printJson({ ...status, addresses: status.servers.map(({ address }) => address) });
    else for (const one of status.servers) context.out.write(`server ${one.server}: ${describe(one)}\n`);
    const bad = status.servers.filter(({ condition }) => condition !== "running");
    if (bad.length > 0)
      throw new CheckFailed(
        `${bad.length} of ${formatMany(status.servers.length, "server")} in ${status.dir} not running: ${bad.map(({ server, condition }) => `${server} ${WORDS[condition]}`).join(", ")}`,
      );
  },
});

const WORDS = {
  running: "runs",
  gone: "is gone",
  silent: "does not respond",
  other: "lost its address to another server",
} as const;

function describe({ address, pid, condition, stats }: ServerStatus): string {
  if (stats === undefined) return `${WORDS[condition]} (${address}, process ${pid})`;
  const requests = Object.entries(stats.requests).reduce((sum, [, count]) => sum + count, 0);
  const parts = [
    `${address}, process ${pid}`,
    `up ${formatSeconds(stats.upSeconds)}`,
    `${formatCount(requests)} requests`,
    `${formatBytes(stats.bytesWritten)} written`,
    `${formatBytes(stats.bytesRead)} read`,
    `${formatMany(stats.files, "file")} with ${formatBytes(stats.storedBytes)}`,
  ];
  if (stats.refused > 0) parts.push(`${formatCount(stats.refused)} refused`);
  if (stats.simulatedSeekMs > 0) parts.push(`simulated seeks of ${stats.simulatedSeekMs} ms`);
  return parts.join(", ");
}
