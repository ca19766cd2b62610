/** Options that `ncio` and `ncio sweep` share. */
import { UsageError } from "../../base/errors.ts";
import { INSIDE, METHOD_DEFAULTS, METHODS } from "../../ncio/method/index.ts";
import { JOINS, SYNCS } from "../../ncio/servers/index.ts";
import { type Measuring, PAPER_DEFAULTS, PAPER_FLOW_PAIRS, PAPER_REPEATS } from "../../ncio/run/plan.ts";
import { CASES } from "../../ncio/pattern/index.ts";
import type { OptionValues } from "../command.ts";
import { BACKENDS, WARM_UPS } from "../../ncio/run/sweep-setting.ts";
import { option } from "../option.ts";

export const common = {
  method: option.text(
    "LIST",
    `comma-separated: ${METHODS.join(", ")} (default: all that the back end supports)`,
  ),
  case: option.text("LIST", "comma-separated: contiguous (c) or not (nc) in memory and in file", {
    default: CASES.join(","),
  }),
  count: option.whole("regions per rank", { min: 1, default: PAPER_DEFAULTS.count }),
  size: option.bytes("region size", { min: 1, default: PAPER_DEFAULTS.size }),
  spacing: option.bytes("distance between the starts of neighbouring regions, over all ranks", {
    min: 1,
    default: PAPER_DEFAULTS.spacing,
  }),
  ranks: option.whole("processes", { short: "n", min: 1, max: 1024, default: 4 }),
  direction: option.choice(["write", "read", "both"], "direction to measure", { default: "write" }),
  backend: option.choice(BACKENDS, "folder, storage servers, MPI-IO on a folder, memory, or null", {
    default: "posix",
  }),
  dir: option.text("DIR", "folder for the test file, removed afterwards", { default: "." }),
  servers: option.text(
    "N|DIR",
    "number of servers to start for this run, or a folder of plimsoll targets start",
    { default: "4" },
  ),
  repeats: option.whole(
    "repetitions per point; from 3 on the fastest and the slowest are dropped; a verdict needs 2 that remain, so not 1 or 3",
    {
      min: 1,
      max: 2000,
      default: PAPER_REPEATS,
    },
  ),
  "warm-ups": option.whole("warm-up runs per point (default: 2; servers 12)", { min: 0, max: 2000 }),
  pause: option.number("pause between repetitions, in seconds", { min: 0, max: 3600, default: 1 }),
  sync: option.flag("no fsync", { default: true }),
  verify: option.flag("do not verify data", { default: true }),
  "list-pairs": option.whole("max offset-length pairs per list request", {
    min: 1,
    max: 65_536,
    default: METHOD_DEFAULTS.listPairs,
  }),
  aggregators: option.whole("aggregators of two-phase I/O (default: all ranks, max 4)", {
    min: 1,
    max: 1024,
  }),
  buffer: option.bytes("buffer of two-phase I/O (default: 4M) and of data sieving (default: 512K)", {
    min: 512,
    max: 2 ** 30,
  }),
  hint: option.list("KEY=VALUE", "MPI-IO hint"),
  mpiexec: option.text("PROGRAM", "launcher of the MPI-IO ranks (default: mpiexec.mpich, mpiexec)"),
  inside: option.choice(
    INSIDE,
    "how aggregators of two-phase I/O move windows with holes: data sieving, or list or datatype requests",
    { default: METHOD_DEFAULTS.inside },
  ),
  "one-sync": option.flag("in two-phase I/O one rank syncs for all, as ROMIO does on PVFS2"),
  "flow-pairs": option.whole(
    "max memory regions per datatype request to a contiguous file (default: no limit; PVFS2: 1024)",
    { min: 1 },
  ),
  "server-sync": option.choice(
    SYNCS,
    "how servers started for this run sync: beside other requests, blocking them, or delayed until the file is idle (default: beside)",
  ),
  "server-join": option.choice(
    JOINS,
    "how servers started for this run write the pieces of a request (default: touching)",
  ),
  late: option.number("the last rank starts this many seconds after the others", {
    min: 0,
    max: 600,
    default: 0,
  }),
  "like-paper": option.flag(
    "storage like the paper's PVFS2: --backend servers --server-sync blocking --server-join none --flow-pairs 1024 --one-sync",
  ),
  memory: option.bytes("memory limit of all ranks together (default: half of RAM)", { min: 2 ** 20 }),
} as const;

export type Common = OptionValues<typeof common>;

/** `--like-paper` fills in what was not given. */
export function likePaper<Given extends Common>(options: Given): Given {
  const { backend, servers, serverSync, serverJoin } = options;
  const started = /^\d+$/.test(servers);
  if (!started && (serverSync !== undefined || serverJoin !== undefined))
    throw new UsageError(
      `--server-sync and --server-join apply to servers that this run starts; for ${servers} give them to plimsoll targets start (--sync, --join)`,
    );
  if (!options.likePaper) return options;
  if (backend !== "posix" && backend !== "servers")
    throw new UsageError(`--like-paper needs --backend servers, found ${backend}`);
  return {
    ...options,
    backend: "servers",
    ...(started && { serverSync: serverSync ?? "blocking", serverJoin: serverJoin ?? "none" }),
    flowPairs: options.flowPairs ?? PAPER_FLOW_PAIRS,
    oneSync: true,
  };
}

/** `strip` is that of the servers: aggregators then have whole strips. */
export function measuringOf(options: Common, strip: number | undefined): Measuring {
  const { buffer } = options;
  return {
    repeats: options.repeats,
    warmUps: options.warmUps ?? WARM_UPS[options.backend],
    pauseSeconds: options.pause,
    lateSeconds: options.late,
    verify: options.verify,
    hints: hintsOf(options.hint),
    method: {
      ...METHOD_DEFAULTS,
      listPairs: options.listPairs,
      sync: options.sync,
      oneSync: options.oneSync,
      inside: options.inside,
      flowPairs: options.flowPairs,
      aggregators: options.aggregators ?? Math.min(4, options.ranks),
      ...(buffer !== undefined && { collectiveBytes: buffer, sieveBytes: buffer }),
      ...(strip !== undefined && { alignBytes: strip }),
    },
  };
}

function hintsOf(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    list.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new UsageError(`--hint ${text}: expected KEY=VALUE, such as cb_nodes=2`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
