/** `plimsoll targets stop`. */
import { resolve } from "node:path";
import { formatMany } from "../../base/units.ts";
import { stopServers } from "../../ncio/servers/index.ts";
import { defineCommand } from "../command.ts";
import { checkDir, DIR_OPTION } from "./folder.ts";

export default defineCommand({
  name: "targets stop",
  description:
    "Ends all servers that were started in the folder, also those that do not answer, and removes their sockets and state. Data stays, unless --remove-data is given. A process that only has the number that a server had is left alone.",
  options: {
    dir: DIR_OPTION,
    "remove-data": { kind: "boolean", help: "remove what the servers stored too" },
  },
  examples: [
    { command: "plimsoll targets stop", does: "end the servers of ./plimsoll-targets" },
    { command: "plimsoll targets stop --dir /scratch/t --remove-data", does: "and remove their files" },
  ],
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
