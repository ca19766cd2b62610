/** `plimsoll top`: the jobs, users or targets with most load; the runs, files or programs with most I/O. */
import {
  RANKED,
  RANKED_ORDERS,
  rank,
  rankingDocument,
  rankTargets,
  targetRankingDocument,
} from "../../analyze/load/index.ts";
import { UsageError } from "../../base/errors.ts";
import type { Queryable } from "../../model/index.ts";
import { defineCommand } from "../command.ts";
import {
  aboutOf,
  type Asked,
  askedOf,
  commandOf,
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

const WHAT = ["jobs", "users", "targets", ...RANKED] as const;
const ORDERS = ["bytes", "read", "write", "calls", "metadata", "opens", "small-writes", "share"] as const;

export default defineCommand({
  name: "top",
  description:
    "Ranks jobs, users or targets by bytes, metadata operations, opens or small writes, with their scheduler data; the rest is one row. Jobs and users come from server counters in the time range; a store without them, or --source clients, uses client counters of jobs that started in the time range. Writes are small if the mean bytes per call of one job, target and minute (of one job, for clients) is below --small-write. --order share uses the larger of the share of bytes and the share of metadata operations. Runs, files and applications come from Darshan logs: those of a store, or logs and folders that are named, without a store. Throughput of a run is bytes over the I/O time of its slowest rank; over a store it is known of runs with one process, or with at most one file that not all ranks share. --include and --exclude choose files by name; over a store only for top files.",
  arguments: [
    { name: "what", help: "what to list", choices: WHAT },
    {
      name: "input",
      help: "for runs, files and applications: logs or folders of them, in place of --store",
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
    csv: option.flag("print CSV (runs, files and applications)"),
    ...STORE_OPTIONS,
  },
  examples: {
    "plimsoll top jobs --store centre --from yesterday --to today": "yesterday's jobs by bytes",
    "plimsoll top users --store centre --order small-writes": "users with the most small writes",
    "plimsoll top targets --store centre --target 'MDT*' --order opens": "MDTs by opens",
    "plimsoll top runs logs/ --order rate --limit 100 --csv": "the fastest runs of a folder of logs",
    "plimsoll top files logs/ --exclude '*.py' --order write": "files by bytes written, over all logs",
  },
  async run({ arguments: [what = "jobs", ...inputs], options }, context) {
    if (isRanked(what)) return topOfLogs(what, inputs, options, context);
    if (inputs.length > 0) throw new UsageError(`top ${what} reads a store; name it with --store`);
    if (options.include.length + options.exclude.length > 0 || options.csv)
      throw new UsageError(`--include, --exclude and --csv are for top ${RANKED.join(", ")}`);
    const order = ORDERS.find((one) => one === options.order);
    if (order === undefined)
      throw new UsageError(`--order ${options.order}: top ${what} can be ordered by ${ORDERS.join(", ")}`);
    await withStore(options, async (db) => {
      const source = what === "targets" ? "servers" : (options.source ?? (await usualSource(db)));
      const { limit, smallWrite: smallBytes, zone } = options;
      const command = commandOf(
        `plimsoll top ${what}`,
        options,
        "store from to target order source zone output",
      );
      const about = aboutOf(command, zone);
      if (what === "targets" && options.source === "clients")
        throw new UsageError("--source clients: client counters have no targets; omit it");
      if (source === "clients" && options.target.length > 0)
        throw new UsageError("--target: client counters have no targets; omit it or use --source servers");
      const asked = source === "servers" ? await askedOf(db, options) : await askedOfClients(db, options);
      const origin = await originOf(db, source === "servers" ? "readings" : "jobs");
      const shown = { output: options.output, origin };
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
        by: what === "users" ? "user" : "job",
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

async function usualSource(db: Queryable): Promise<"servers" | "clients"> {
  const rows = await db.rows("select 1 as one from minutes limit 1");
  return rows.length > 0 ? "servers" : "clients";
}

type AskedOfClients = Omit<Asked, "window"> & { readonly window: Asked["window"] | undefined };

/** Jobs may have begun long before and after what servers counted. */
async function askedOfClients(
  db: Queryable,
  options: { readonly from: string | undefined; readonly to: string | undefined; readonly zone: string },
): Promise<AskedOfClients> {
  const [row] = await db.rows(
    "select min(start_unix_ns) // 60000000000 as first, max(start_unix_ns) // 60000000000 as last from jobs where bytes_read is not null",
  );
  if (row === undefined || row.first === null)
    throw new UsageError(
      "the store has no jobs with client counters; plimsoll ingest reads the output of collect client",
    );
  const { askedWindow, checkZone } = await import("../../analyze/load/index.ts");
  checkZone(options.zone);
  const window =
    options.from === undefined && options.to === undefined
      ? undefined
      : askedWindow(
          { ...options, nowUnix: Date.now() / 1000 },
          { from: Number(row.first), to: Number(row.last) + 1 },
        );
  return { window, condition: "true", targets: [], targetsText: "all file systems" };
}
