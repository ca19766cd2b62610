/** `plimsoll targets stop`. */
import { resolve } from "node:path";
import { formatMany } from "../../base/units.ts";
import { stopServers } from "../../ncio/servers/index.ts";
import { defineCommand } from "../command.ts";
import { checkDir, DIR_OPTION } from "./folder.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "targets stop",
  description:
    "Stops all servers of the folder, also hanging ones, and removes their sockets and state. Keeps the data unless --remove-data is given. Never touches a process that merely reuses the pid of a server.",
  options: {
    dir: DIR_OPTION,
    "remove-data": option.flag("also remove the data of the servers"),
  },
  examples: {
    "plimsoll targets stop": "stop the servers of ./plimsoll-targets",
    "plimsoll targets stop --dir /scratch/t --remove-data": "and remove their data",
  },
  async run({ options }, context) {
    const dir = checkDir(options.dir);
    const servers = await stopServers(dir, options.removeData);
    if (context.json) {
      context.printJson({ dir: resolve(dir), servers });
      return;
    }
    const count = (outcome: string): number => servers.filter((one) => one.outcome === outcome).length;
    const named = (outcome: string): string =>
      servers.flatMap((one) => (one.outcome === outcome ? [one.server] : [])).join(", ");
    const killed = count("killed") > 0 ? `, ${count("killed")} killed (${named("killed")})` : "";
    const gone = count("gone") > 0 ? `, ${count("gone")} gone before (${named("gone")})` : "";
    context.out.write(`${formatMany(count("ended"), "server")} ended${killed}${gone}\n`);
  },
});
