/** `/runs`, `/files`, `/applications`: the Darshan tables of the store, to sort and to search. */
import {
  firstRowsOfStore,
  hasOrder,
  importantColumns,
  RANKED_COLUMNS,
  RANKED_ORDERS,
  type RankedRow,
  rankedCells,
} from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import { formatCount } from "../../base/units.ts";
import { type Cell, type TableBlock, type TableColumn, table } from "../../model/index.ts";
import { attribute, escapeHtml } from "../../report/html/index.ts";
import { originOf, sqlCommand } from "../requested.ts";
import { addressOf, linked } from "../links.ts";
import type { Ask, Page, PageContent } from "../site.ts";
import { blocksCsv } from "./document.ts";

type What = "runs" | "files" | "applications";
const ROWS = 500;
const WORDS: Readonly<Record<What, string>> = { runs: "Runs", files: "Files", applications: "Programs" };

const pageOf = (what: What, nav: string): Page => ({
  path: `/${what}`,
  nav,
  make: (ask) => content(ask, what),
});
export const runsPage = pageOf("runs", "Runs");
export const filesPage = pageOf("files", "Files");
export const applicationsPage = pageOf("applications", "Programs");

/**
 * User ids of the viewer; undefined: an administrator, who sees all. Logs name no cluster, so an id that belongs to
 * somebody else on another cluster does not count.
 */
export async function ownIds(ask: Ask): Promise<readonly string[] | undefined> {
  const { name, isAdmin } = ask.viewer;
  if (isAdmin) return undefined;
  const rows = await ask.answer(`ids ${name}`, (db) =>
    db.rows(
      `select user_id from jobs where user_id is not null and coalesce(user_name, '') <> '' group by user_id
       having count(distinct user_name) = 1 and any_value(user_name) = '${(name ?? "").replaceAll("'", "''")}'`,
    ),
  );
  return rows.map(({ user_id }) => String(user_id));
}

async function content(ask: Ask, what: What): Promise<PageContent> {
  const orders = RANKED_ORDERS.filter((one) => hasOrder(what, one));
  const order = orders.find((one) => one === (ask.param("order") ?? "bytes"));
  if (order === undefined)
    throw new UsageError(`order ${ask.param("order")}: choose one of ${orders.join(", ")}`);
  const ids = await ownIds(ask);
  const application = what === "runs" ? ask.param("application") : undefined;
  const search = ask.param("q")?.toLowerCase();
  const request = { order, limit: ROWS, userIds: ids, application, search };
  const { rows, found, all, sql } = await ask.answer(`${what} ${JSON.stringify(request)}`, (db) =>
    firstRowsOfStore(db, what, request),
  );
  const shown = linkedTable(ask, what, rows, found, order);
  const isPart = ids !== undefined || application !== undefined || search !== undefined;
  const plain = commandLine([
    "plimsoll",
    "top",
    what,
    "--store",
    ask.store,
    "--order",
    order,
    "--limit",
    String(ROWS),
  ]);
  const form = `<form class="ask" method="get">${application === undefined ? "" : `<input type="hidden" name="application" value="${attribute(application)}">`}<label>Filter <input name="q" value="${attribute(ask.param("q") ?? "")}" maxlength="100" placeholder="name, user, job"></label> <label>Order <select name="order">${orders.map((one) => `<option${one === order ? " selected" : ""}>${escapeHtml(one)}</option>`).join("")}</select></label> <button class="tool">Show</button></form>`;
  const title = application === undefined ? WORDS[what] : `Runs of ${application}`;
  return {
    ...{ title, origin: await originOf(ask, "runs") },
    verdict:
      all === 0
        ? "The store has no Darshan logs; plimsoll ingest reads them."
        : `${formatCount(found)} of ${formatCount(all)} ${what}${ids === undefined ? "" : " of yours"} from Darshan logs.`,
    panels: [
      {
        ...{ id: what, title, command: isPart ? sqlCommand(ask, sql) : plain, csv: blocksCsv([shown]) },
        content: all === 0 ? [{ kind: "notice", level: "missing", text: "No Darshan logs." }] : [shown],
        sql,
      },
    ],
    head: `<div class="page-head"><h1>${escapeHtml(title)}</h1><p>${all === 0 ? "The store has no Darshan logs; plimsoll ingest reads them." : `${formatCount(found)} of ${formatCount(all)} ${what}${ids === undefined ? "" : " of yours"}, from Darshan logs.`}</p></div>${form}`,
  };
}

function linkedTable(
  ask: Ask,
  what: What,
  rows: readonly RankedRow[],
  total: number,
  order: (typeof RANKED_ORDERS)[number],
): TableBlock {
  const columns = RANKED_COLUMNS[what];
  const block: TableBlock = {
    ...table(
      what,
      `By ${order}.`,
      columns,
      rows.map((row) => rankedCells(what, row)),
      total,
    ),
    ...{ searchable: true, more: "raise --limit" },
  };
  // The column that sorts the table comes early. The log name is only in the CSV.
  const wanted = [
    "path",
    "application",
    "jobId",
    "userId",
    "startUnixSeconds",
    ...importantColumns(what, order, rows),
  ];
  const keys = [...new Set([...wanted, ...columns.map(([key]) => key)])];
  const at = keys.flatMap((key) => {
    const place = columns.findIndex(([one]) => one === key);
    return place < 0 ? [] : [place];
  });
  const shown: TableBlock = {
    ...block,
    columns: at.map((one) => {
      const column = block.columns[one] as TableColumn;
      return column.key === "source" ? { ...column, hidden: true } : column;
    }),
    rows: block.rows.map((row) => at.map((one) => row[one] ?? null)),
  };
  if (what === "files") return shown;
  const address = (row: RankedRow): Cell =>
    what === "runs"
      ? (addressOf(ask.root, "run", String(row.runId)) ?? null)
      : `${ask.root}runs?${new URLSearchParams({ application: String(row.application ?? "") })}`;
  return linked(
    {
      ...shown,
      columns: [
        ...shown.columns.map((column) =>
          column.key === "application" ? { ...column, link: "page" } : column,
        ),
        { key: "page", label: "Page", unit: "text", about: "", hidden: true },
      ],
      rows: shown.rows.map((row, nth) => [...row, address(rows[nth] as RankedRow)]),
    },
    ask.root,
    what === "runs" ? { jobId: "job" } : {},
  );
}
