/** `/runs`, `/files`, `/applications`: the Darshan tables of the store, to sort and to search. */
import {
  firstRowsOfStore,
  hasOrder,
  RANKED_COLUMNS,
  RANKED_ORDERS,
  type RankedRow,
  rankedCells,
} from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import { formatCount } from "../../base/units.ts";
import { type Cell, type TableBlock, table } from "../../model/index.ts";
import { attribute, escapeHtml } from "../../report/html/index.ts";
import { originOf } from "../asked.ts";
import { addressOf, linked } from "../links.ts";
import type { Ask, Page, PageContent } from "../site.ts";
import { blocksCsv } from "./document.ts";

type What = "runs" | "files" | "applications";
const ROWS = 500;
const WORDS: Readonly<Record<What, string>> = { runs: "Runs", files: "Files", applications: "Applications" };

const pageOf = (what: What, nav: string): Page => ({
  path: `/${what}`,
  nav,
  make: (ask) => content(ask, what),
});
export const runsPage = pageOf("runs", "Runs");
export const filesPage = pageOf("files", "Files");
export const applicationsPage = pageOf("applications", "Programs");

/** Numbers of the viewer; undefined: an administrator, who sees all. */
export async function ownIds(ask: Ask): Promise<readonly string[] | undefined> {
  const { name, isAdmin } = ask.viewer;
  if (isAdmin) return undefined;
  const rows = await ask.answer(`ids ${name}`, (db) =>
    db.rows(
      `select distinct user_id from jobs where user_id is not null and user_name = '${(name ?? "").replaceAll("'", "''")}'`,
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
  const { rows, found, all } = await ask.answer(`${what} ${JSON.stringify(request)}`, (db) =>
    firstRowsOfStore(db, what, request),
  );
  const shown = linkedTable(ask, what, rows, found, order);
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
        ...{ id: what, title, command: plain, csv: blocksCsv([shown]) },
        content: all === 0 ? [{ kind: "notice", level: "missing", text: "No Darshan logs." }] : [shown],
        note: `by ${order}`,
        sql: SQL[what],
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
  order: string,
): TableBlock {
  const columns = RANKED_COLUMNS[what];
  const isAdmin = ask.viewer.isAdmin;
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
  if (what === "files") return block;
  const key = what === "runs" ? "source" : "application";
  const addresses = rows.map((row): Cell => {
    if (what === "runs") return addressOf(ask.root, "run", String(row.runId)) ?? null;
    return null;
  });
  const withRuns: TableBlock = {
    ...block,
    columns: [
      ...block.columns.map((column) =>
        column.key === key && what === "runs" ? { ...column, link: "page" } : column,
      ),
      { key: "page", label: "Page", unit: "text", about: "", hidden: true },
    ],
    rows: block.rows.map((row, at) => [...row, addresses[at] ?? null]),
  };
  return linked(
    withRuns,
    ask.root,
    what === "runs" ? { jobId: "job" } : {},
    () => isAdmin || what === "runs",
  );
}

const SQL: Readonly<Record<What, string>> = {
  runs: "select * from runs order by coalesce(bytes_read, 0) + coalesce(bytes_written, 0) desc limit 500",
  files: `select any_value(f.path) as path, count(distinct a.run_id) as runs, sum(a.bytes_read) as bytes_read, sum(a.bytes_written) as bytes_written
from accesses a left join files f using (file_id) group by file_id order by 3 + 4 desc limit 500`,
  applications: `select application, count(*) as runs, count(distinct user_id) as users, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written
from runs group by all order by 4 + 5 desc limit 500`,
};
