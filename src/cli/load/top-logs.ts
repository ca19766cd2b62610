/** `plimsoll top runs|files|applications`: over a store, or over logs and folders without one. */
import { availableParallelism } from "node:os";
import {
  byApplication,
  hasOrder,
  RANKED,
  RANKED_COLUMNS,
  RANKED_ORDERS,
  ranked,
  rankedCells,
  rankedDocument,
  type RankedOrder,
  type RankedRow,
} from "../../analyze/load/index.ts";
import { csvText } from "../../base/csv.ts";
import { UsageError } from "../../base/errors.ts";
import type { NamePatterns } from "../../base/glob.ts";
import { nameFilter } from "../../inputs/job/index.ts";
import { readRanking } from "../../inputs/ranking/read.ts";
import type { Provenance, Queryable } from "../../model/index.ts";
import type { Context } from "../context.ts";
import { aboutOf, commandLine, flag, originOf, show, withStore } from "./options.ts";

type Ranked = (typeof RANKED)[number];

export const isRanked = (what: string): what is Ranked => (RANKED as readonly string[]).includes(what);

interface TopLogs extends NamePatterns {
  readonly order: string;
  readonly limit: number;
  readonly csv: boolean;
  readonly store?: string | undefined;
  readonly zone: string;
  readonly output?: string | undefined;
}

export async function topOfLogs(
  what: Ranked,
  inputs: readonly string[],
  options: TopLogs & Parameters<typeof withStore>[0],
  context: Context,
): Promise<void> {
  const order = orderOf(what, options.order);
  if (inputs.length > 0 && options.store !== undefined)
    throw new UsageError("name logs and folders, or --store, not both");
  if (inputs.length === 0 && options.store === undefined)
    throw new UsageError(`top ${what} needs logs, folders of logs, or --store`);
  if (options.csv && context.json) throw new UsageError("--csv and --json: choose one");
  const { rows, origin } =
    options.store === undefined
      ? await rowsOfLogs(what, inputs, options, context)
      : await withStore(options, async (db) => ({
          rows: await rowsOfStore(db, what, options),
          origin: await originOf(db, "runs"),
        }));
  const first = ranked(rows, order, options.limit);
  if (options.csv) {
    const heads = RANKED_COLUMNS[what].map(([key]) => key);
    context.out.write(csvText([heads, ...first.map((row) => rankedCells(what, row))]));
    return;
  }
  const command = commandLine([
    ...[
      "plimsoll",
      "top",
      what,
      ...(options.store === undefined ? inputs.slice(0, 3) : ["--store", options.store]),
    ],
    ...options.include.flatMap((one) => flag("include", one)),
    ...options.exclude.flatMap((one) => flag("exclude", one)),
    ...flag("order", order),
    ...flag("output", options.output),
  ]);
  const keys = RANKED_COLUMNS[what].map(([key]) => key);
  const json = {
    ...{ by: what, order, total: rows.length },
    rows: first.map((row) => {
      const cells = rankedCells(what, row);
      return Object.fromEntries(keys.map((key, index) => [key, cells[index]]));
    }),
  };
  await show(
    rankedDocument(what, first, rows.length, order, aboutOf(command, options.zone)),
    json,
    { output: options.output, origin },
    context,
  );
}

function orderOf(what: Ranked, order: string): RankedOrder {
  const possible = RANKED_ORDERS.filter((one) => hasOrder(what, one));
  const found = possible.find((one) => one === order);
  if (found === undefined)
    throw new UsageError(`--order ${order}: top ${what} can be ordered by ${possible.join(", ")}`);
  return found;
}

async function rowsOfLogs(
  what: Ranked,
  inputs: readonly string[],
  { include, exclude }: NamePatterns,
  context: Context,
): Promise<{ readonly rows: readonly RankedRow[]; readonly origin: Provenance }> {
  const { walk } = await import("../../ingest/walk.ts");
  const failed = (path: string, error: unknown) =>
    context.skip(path, error instanceof Error ? error.message : String(error));
  const work = { include, exclude, files: what === "files" };
  const { runs, files } = await readRanking(
    walk(inputs, undefined, failed),
    work,
    availableParallelism(),
    context,
  );
  const synthetic = runs.filter(({ isSynthetic }) => isSynthetic).length;
  const origin = { synthetic, of: runs.length, unit: "runs" };
  if (what === "files") return { rows: files as unknown as RankedRow[], origin };
  const rows = runs as unknown as RankedRow[];
  return { rows: what === "runs" ? rows : byApplication(rows), origin };
}

const IO_SECONDS = "(coalesce(read_seconds, 0) + coalesce(write_seconds, 0) + coalesce(meta_seconds, 0))";
const SUMS = `coalesce(sum(bytes_read), 0)::double as "bytesRead", coalesce(sum(bytes_written), 0)::double as "bytesWritten",
  coalesce(sum(opens), 0)::double as opens, coalesce(sum(reads), 0)::double as reads, coalesce(sum(writes), 0)::double as writes,
  coalesce(sum(${IO_SECONDS}), 0)::double as seconds,
  coalesce(sum(meta_seconds), 0)::double as "metadataSeconds"`;

/**
 * Time of the slowest rank in files of its own plus the slowest of each shared file. A store does not say whose a file is,
 * so it is known of runs with one process, and of those with at most one file that not all ranks share.
 */
const SLOWEST = `case
    when count(*) filter (where shared = 1 and slowest_seconds is null and ${IO_SECONDS} > 0) > 0 then null
    when any_value(ranks_of_run) = 1 then coalesce(sum(case when shared = 1 then slowest_seconds else ${IO_SECONDS} end), 0)
    when count(*) filter (where shared = 0 and ${IO_SECONDS} > 0) <= 1
      then coalesce(sum(slowest_seconds) filter (where shared = 1 or ${IO_SECONDS} > 0), 0)
  end::double as "slowestSeconds"`;

async function rowsOfStore(
  db: Queryable,
  what: Ranked,
  patterns: NamePatterns,
): Promise<readonly RankedRow[]> {
  const filter = nameFilter(patterns);
  if (what === "files") {
    const rows = (await db.rows(
      `select coalesce(any_value(path), '') as path, count(distinct run_id)::double as runs, ${SUMS}
       from accesses left join (select file_id, any_value(path) as path from files group by file_id) using (file_id)
       group by file_id order by file_id`,
    )) as RankedRow[];
    const kept = filter === undefined ? rows : rows.filter(({ path }) => filter.keeps(String(path)));
    filter?.requireMatches();
    return kept;
  }
  if (filter !== undefined)
    throw new UsageError(
      `--include and --exclude: top ${what} over a store has sums of whole runs; name the logs instead`,
    );
  const rows = (await db.rows(
    `select source, application, job_id as "jobId", cast(user_id as varchar) as "userId", ranks::double as ranks,
       (start_unix_ns / 1e9)::double as "startUnixSeconds", run_seconds as "runSeconds", files::double as files,
       "bytesRead", "bytesWritten", opens, reads, writes, seconds, "metadataSeconds", "slowestSeconds",
       partial_modules as "partialModules"
     from runs left join (
       select run_id, ${SUMS}, ${SLOWEST}
       from accesses join (select run_id, ranks as ranks_of_run from runs) using (run_id)
       group by run_id
     ) using (run_id) order by source`,
  )) as RankedRow[];
  if (rows.length === 0) throw new UsageError("the store has no runs; plimsoll ingest reads Darshan logs");
  return what === "runs" ? rows : byApplication(rows);
}
