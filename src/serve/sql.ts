/** `/sql?q=`: one read-only statement, run by `plimsoll sql` in its sandbox, in a child process with limits on time and memory. */
import { csvText } from "../base/csv.ts";
import { UsageError } from "../base/errors.ts";
import { type Cell, table } from "../model/index.ts";
import { escapeHtml, prose } from "../report/html/index.ts";
import type { Commands } from "./child.ts";
import { type Frame, pageHtml } from "./html/frame.ts";
import type { Reply } from "./http.ts";
import type { Ask, PageContent, Panel } from "./site.ts";

const SECONDS_MAX = 10;
const ROWS_MAX = 1000;
const MEMORY = "256M";
const STATEMENT_MAX = 3000;

export async function sqlReply(ask: Ask, frame: Frame, commands: Commands): Promise<Reply> {
  const q = frame.address.get("q")?.trim() ?? "";
  const form = `<div class="page-head"><h1>SQL</h1><p>One read-only statement over the tables of the store, at most ${SECONDS_MAX} s and ${ROWS_MAX} rows.</p></div><form class="ask sql" method="get"><textarea name="q" rows="6" aria-label="Statement" spellcheck="false" maxlength="${STATEMENT_MAX}">${escapeHtml(q)}</textarea><button class="tool">Run</button></form>`;
  const answer = q === "" ? undefined : await answerPanel(ask, q, commands);
  if (ask.param("csv") !== undefined && answer !== undefined)
    return { status: 200, type: "text/csv; charset=utf-8", body: csvText(answer.csv) };
  const content: PageContent = {
    ...{ title: "SQL", head: form, origin: { synthetic: 0, of: 0, unit: "rows" } },
    panels: answer === undefined ? [] : [answer],
  };
  return { status: 200, type: "text/html; charset=utf-8", body: pageHtml(content, frame) };
}

async function answerPanel(ask: Ask, q: string, commands: Commands): Promise<Panel> {
  if (q.length > STATEMENT_MAX)
    throw new UsageError(`the statement is longer than ${STATEMENT_MAX} characters`);
  const limits = ["--memory", MEMORY, "--threads", "1", "--max-rows", String(ROWS_MAX)];
  const { code, stdout, failure, isLate } = await commands.run(
    ["sql", "--json", "--store", ask.store, ...limits, "--", q],
    SECONDS_MAX,
  );
  const base = { id: "answer", title: "Answer", sql: "", command: "" };
  if (isLate || code !== 0) {
    const text = isLate ? `it took longer than ${SECONDS_MAX} s` : failure;
    return { ...base, content: { html: `<p class="failed">${prose(text)}</p>` }, csv: [] };
  }
  const rows = JSON.parse(stdout.toString()) as readonly Readonly<Record<string, Cell | boolean>>[];
  const keys = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) =>
    keys.map((key): Cell => (typeof row[key] === "boolean" ? String(row[key]) : (row[key] ?? null))),
  );
  const isNumber = (at: number) => cells.every((row) => typeof row[at] === "number" || row[at] === null);
  const block = table(
    "answer",
    `${rows.length} rows${rows.length === ROWS_MAX ? ", and there may be more" : ""}.`,
    keys.map((key, at) => [key, key, isNumber(at) ? "none" : "text", ""]),
    cells,
  );
  return {
    ...base,
    content: rows.length === 0 ? [{ kind: "text", text: "No rows." }] : [block],
    csv: [keys, ...cells],
  };
}
