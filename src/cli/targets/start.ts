/** `plimsoll targets start`: storage-target servers as processes of their own. */
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { aborted } from "../../base/pause.ts";
import { formatMany } from "../../base/units.ts";
import {
  JOINS,
  PAIRS_MAX,
  SERVERS_MAX,
  type StartedServers,
  STRIP_BYTES_MAX,
  STRIP_BYTES_MIN,
  SYNCS,
  startServers,
} from "../../ncio/servers/index.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { checkDir, DIR_OPTION } from "./folder.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "targets start",
  description:
    "Starts server processes that stripe files across them, like the servers of a parallel file system, and waits until all of them respond. They listen on Unix sockets accessible only to this user, with --tcp on ports of 127.0.0.1, or on another address with --listen. Clients need the token in the folder, readable only by this user. Traffic is not encrypted: use --listen only on a trusted network. The servers run until plimsoll targets stop, or until Ctrl-C with --foreground; their data stays in the folder.",
  options: {
    servers: option.whole("number of servers", { short: "n", min: 1, max: SERVERS_MAX, default: 4 }),
    dir: DIR_OPTION,
    strip: option.bytes("strip size: contiguous bytes per server", {
      min: STRIP_BYTES_MIN,
      max: STRIP_BYTES_MAX,
      default: 64 << 10,
    }),
    tcp: option.flag("listen on 127.0.0.1 instead of Unix sockets"),
    listen: option.text("ADDRESS", "listen on this address"),
    port: option.whole(
      "port of the first server, with --tcp or --listen; the others follow (default: chosen by the system)",
      { min: 1, max: 65_535 },
    ),
    join: option.choice(
      JOINS,
      "how a server writes the pieces of a request: one call each, adjacent pieces in one call, or also across small holes",
      { default: "touching" },
    ),
    sync: option.choice(
      SYNCS,
      "when a server syncs: in a thread beside other requests, at once while other requests wait, or when the file is idle",
      { default: "beside" },
    ),
    "list-max": option.whole("max offset-length pairs per list request", {
      min: 1,
      max: PAIRS_MAX,
      default: 64,
    }),
    "simulate-seek": option.number("simulate a disk on each server: seek time in milliseconds", {
      min: 0,
      max: 10_000,
      default: 0,
      valueName: "MS",
    }),
    foreground: option.flag("run in the foreground until Ctrl-C or targets stop"),
  },
  examples: {
    "plimsoll targets start -n 16": "sixteen servers in ./plimsoll-targets",
    "plimsoll targets start -n 4 --dir /scratch/t --tcp": "four, on TCP ports of this machine",
  },
  async run({ options }, context) {
    const dir = checkDir(options.dir);
    if (options.port !== undefined && !options.tcp && options.listen === undefined)
      throw new UsageError("--port needs --tcp or --listen; Unix sockets have no ports");
    const tcp = options.tcp || options.listen !== undefined;
    const started = await startServers({
      servers: options.servers,
      dir,
      stripBytes: options.strip,
      joins: options.join,
      syncs: options.sync,
      limits: { pairs: options.listMax },
      simulateSeekMs: options.simulateSeek,
      detached: !options.foreground,
      signal: context.signal,
      ...(tcp && {
        tcp: {
          host: options.listen ?? "127.0.0.1",
          ...(options.port !== undefined && { port: options.port }),
        },
      }),
    });
    tellStarted(started, options.simulateSeek, context);
    if (!options.foreground) return;
    await Promise.race([aborted(context.signal), started.ended]);
    await started.stop();
  },
});

function tellStarted(started: StartedServers, simulateSeekMs: number, context: Context): void {
  const { dir, addresses, pids, stripBytes } = started;
  if (context.json) {
    const servers = addresses.map((address, server) => ({ server, address, pid: pids[server] }));
    const tokenFile = join(dir, "token");
    context.printJson({ dir, stripBytes, simulateSeekMs, tokenFile, addresses, servers });
  } else {
    for (const [server, address] of addresses.entries())
      context.out.write(`server ${server}: ${address}, process ${pids[server]}\n`);
    const simulated = simulateSeekMs > 0 ? `; seeks of ${simulateSeekMs} ms are simulated` : "";
    context.out.write(
      `${formatMany(addresses.length, "server")} in ${dir}, strips of ${stripBytes} bytes${simulated}\n`,
    );
  }
  context.out.flush();
}
