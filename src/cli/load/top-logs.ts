/** `plimsoll top runs|files|applications`: over a store, or over logs and folders without one. */
import { thisCommand } from "../again.ts";
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
  rowsOfStore,
} from "../../analyze/load/index.ts";
import { nameFilter } from "../../inputs/job/index.ts";
import { csvText } from "../../base/csv.ts";
import { UsageError } from "../../base/errors.ts";
import type { NamePatterns } from "../../base/glob.ts";
import { readRanking } from "../../inputs/ranking/read.ts";
import { originWord, type Provenance } from "../../model/index.ts";
import type { Context } from "../context.ts";
import { aboutOf, originOf, show, withStore } from "./options.ts";

type Ranked = (typeof RANKED)[number];

export const isRanked = (what: string): what is Ranked => (RANKED as readonly string[]).includes(what);

interface TopLogs extends NamePatterns {
  readonly order: string;
  readonly limit: number;
  readonly csv: boolean;
  readonly store?: string | undefined;
  readonly zone?: string | undefined;
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
          rows: await rowsOfStore(db, what, nameFilter(options)),
          origin: await originOf(db, "runs"),
        }));
  const first = ranked(rows, order, options.limit);
  const keys = RANKED_COLUMNS[what].map(([key]) => key);
  const cells = first.map((row) => rankedCells(what, row));
  if (options.csv) {
    const word = originWord(origin);
    const marked = [keys, ...cells].map((line, at) =>
      word === undefined ? line : [...line, at === 0 ? "origin" : word],
    );
    context.out.write(csvText(marked));
    return;
  }
  const command = thisCommand(context);
  const rowsJson = cells.map((line) => Object.fromEntries(keys.map((key, at) => [key, line[at]])));
  const json = { by: what, order, total: rows.length, rows: rowsJson };
  await show(
    rankedDocument(what, first, rows.length, order, aboutOf(command, options.zone ?? "UTC")),
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
  const work = { include, exclude, files: what === "files" };
  const { runs, files, origin } = await readRanking(inputs, work, availableParallelism(), context);
  const rows = (what === "files" ? files : runs) as unknown as RankedRow[];
  return { rows: what === "applications" ? byApplication(rows) : rows, origin };
}
