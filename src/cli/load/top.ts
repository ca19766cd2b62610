/** `plimsoll top`: the jobs, users, accounts or targets with most load; the runs, files or programs with most I/O. */
import {
  MEASURES,
  nodesDocument,
  operationsDocument,
  rankNodes,
  rankOperations,
  RANKED,
  RANKED_ORDERS,
  rank,
  rankingDocument,
  type By,
  rankTargets,
  serversDocument,
  serverStates,
  targetRankingDocument,
  usualSource,
  type LoadQuery,
  askedOf,
  zoned,
  askedOfClients,
} from "../../analyze/load/index.ts";
import { UsageError } from "../../base/errors.ts";
import type { Queryable } from "../../model/index.ts";
import { thisCommand } from "../again.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import {
  aboutOf,
  originOf,
  show,
  STORE_OPTIONS,
  TARGET_OPTION,
  TIME_OPTIONS,
  windowJson,
  withStore,
} from "./options.ts";
import { FILE_OPTIONS } from "../job/read.ts";
import { rankingJson, targetRankingJson } from "./ranking-json.ts";
import { isRanked, topOfLogs } from "./top-logs.ts";
import { option } from "../option.ts";

const WHAT = ["jobs", "users", "accounts", "nodes", "targets", "operations", "servers", ...RANKED] as const;
const BY: Readonly<Record<string, By>> = { users: "user", accounts: "account" };
const ORDERS = [...MEASURES, "share"] as const;

export default defineCommand({
  name: "top",
  description:
    "Ranks jobs, users, accounts, nodes or targets by bytes, metadata operations, opens or small writes, with their scheduler data; the remaining ones are one row. Jobs, users and accounts come from server counters in the time range; a store without them, or --source clients, uses client counters of jobs that started in the time range. Writes are small if the mean bytes per call of one job, target and minute (of one job, for clients) is below --small-write. --order share uses the larger of the share of bytes and the share of metadata operations. Nodes are the clients that servers count per hour, or nodes named in job ids. Operations are metadata operations by kind, each with the job that did most of them. Servers have their targets, health, evictions, LNet errors and request waiting times; those with problems come first. Runs, files and applications come from Darshan logs: those of a store, or the logs and folders given instead of one. Throughput of a run is bytes over the I/O time of its slowest rank; from a store it is known only for runs with one process, or with at most one file that not all ranks share. Throughput of an application covers its runs with a known I/O time. --include and --exclude select files by name: totals cover those files, and runs without one are skipped. The terminal shows the columns that fit; --csv and --json have all.",
  arguments: [
    { name: "what", help: "what to list", choices: WHAT },
    {
      name: "input",
      help: "for runs, files and applications: logs or folders of them, instead of --store",
      kind: "file",
      variadic: true,
      optional: true,
    },
  ],
  options: {
    ...TIME_OPTIONS,
    ...TARGET_OPTION,
    order: option.choice([...new Set([...ORDERS, ...RANKED_ORDERS])], "sort by", { default: "bytes" }),
    limit: option.whole("number of rows", { min: 1, max: 10_000, default: 10 }),
    source: option.choice(
      ["servers", "clients"],
      "counter source (default: servers, or clients if the store has no server minutes)",
    ),
    "small-write": option.bytes("writes below this size per call are small", { min: 1, default: 65_536 }),
    ...FILE_OPTIONS,
    csv: option.flag("print CSV"),
    ...STORE_OPTIONS,
  },
  examples: {
    "plimsoll top jobs --store centre --from yesterday --to today": "yesterday's jobs by bytes",
    "plimsoll top users --store centre --order small-writes": "users with the most small writes",
    "plimsoll top targets --store centre --target 'MDT*' --order opens": "MDTs by opens",
    "plimsoll top operations --store centre --from -1h":
      "which metadata operations, and who does most of them",
    "plimsoll top servers --store centre --from -1d": "health, evictions and LNet errors of a day",
    "plimsoll top runs logs/ --order rate --limit 100 --csv": "the fastest runs of a folder of logs",
    "plimsoll top files logs/ --exclude '*.py' --order write": "files by bytes written, over all logs",
  },
  async run({ arguments: [what = "jobs", ...inputs], options: given }, context) {
    if (isRanked(what)) return topOfLogs(what, inputs, given, context);
    if (inputs.length > 0) throw new UsageError(`top ${what} reads a store; name it with --store`);
    if (given.include.length + given.exclude.length > 0)
      throw new UsageError(`--include and --exclude are for top ${RANKED.join(", ")}`);
    if (given.csv && context.json) throw new UsageError("--csv and --json: choose one");
    const order = ORDERS.find((one) => one === given.order);
    if (order === undefined)
      throw new UsageError(`--order ${given.order}: top ${what} can be ordered by ${ORDERS.join(", ")}`);
    await withStore(given, async (db) => {
      const options = await zoned(db, given);
      const ofServers = SERVER_RANKINGS.has(what);
      const source = ofServers ? "servers" : (options.source ?? (await usualSource(db)));
      const { limit, smallWrite: smallBytes, zone } = options;
      const command = thisCommand(context);
      const about = aboutOf(command, zone);
      if (ofServers && options.source === "clients")
        throw new UsageError(`--source clients: client counters have no ${what}; omit it`);
      if (what === "servers" && options.target.length > 0)
        throw new UsageError("--target: top servers lists servers with all their targets; omit it");
      if (source === "clients" && options.target.length > 0)
        throw new UsageError("--target: client counters have no targets; omit it or use --source servers");
      const now = Date.now() / 1000;
      const asked =
        source === "servers" ? await askedOf(db, options, now) : await askedOfClients(db, options, now);
      const origin = await originOf(db, source === "servers" ? "readings" : "jobs");
      const shown = { output: options.output, origin, csv: options.csv };
      if (ofServers && what !== "targets" && asked.window !== undefined)
        return topGroups(
          what,
          db,
          { ...asked, window: asked.window, limit, order, smallBytes },
          about,
          shown,
          context,
        );
      const title = `Top ${what} by ${order.replace("-", " ")}`;
      if (what === "targets" && asked.window !== undefined) {
        const ranking = await rankTargets(db, {
          order,
          limit,
          window: asked.window,
          condition: asked.condition,
          smallBytes,
        });
        const json = { ...windowJson(asked.window), ...targetRankingJson(ranking) };
        return show(targetRankingDocument(ranking, title, about), json, shown, context);
      }
      const ranking = await rank(db, {
        by: BY[what] ?? "job",
        order,
        limit,
        source,
        window: asked.window,
        condition: asked.condition,
        smallBytes,
      });
      if (ranking.jobs === 0)
        throw new UsageError(
          source === "clients"
            ? "no job with client counters started in this time range"
            : "no job has server counters in this time range",
        );
      const document = rankingDocument(ranking, { title, targets: asked.targetsText }, about);
      await show(document, { ...windowJson(asked.window), ...rankingJson(ranking) }, shown, context);
    });
  },
});

/** Rankings that only servers count. */
const SERVER_RANKINGS: ReadonlySet<string> = new Set(["targets", "nodes", "operations", "servers"]);

async function topGroups(
  what: string,
  db: Queryable,
  asked: LoadQuery & {
    readonly limit: number;
    readonly order: (typeof ORDERS)[number];
    readonly smallBytes: number;
  },
  about: ReturnType<typeof aboutOf>,
  shown: Parameters<typeof show>[2],
  context: Context,
): Promise<void> {
  if (what === "operations") {
    const ranking = await rankOperations(db, asked);
    const json = { ...windowJson(ranking.window), ...ranking, window: undefined };
    return show(operationsDocument(ranking, asked.targetsText, about), json, shown, context);
  }
  if (what === "servers") {
    const states = await serverStates(db, asked.window);
    const json = { ...windowJson(asked.window), servers: states.servers };
    return show(serversDocument(states, asked.limit, about), json, shown, context);
  }
  if (asked.order === "share") throw new UsageError("--order share: top nodes cannot be ordered by it");
  const ranking = await rankNodes(db, { ...asked, measure: asked.order });
  if (ranking.nodes === 0)
    throw new UsageError(
      "the store names no nodes in this time range; plimsoll collect server reads exports, and job ids may name nodes (ingest --job-id %j@%h)",
    );
  const json = { ...windowJson(ranking.window), ...ranking, window: undefined };
  return show(nodesDocument(ranking, asked.targetsText, about), json, shown, context);
}
