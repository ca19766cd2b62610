/** `/run/ID/report`: the report on a Darshan log, from `plimsoll report` as a child process. */
import { shellWord } from "../base/command-line.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Commands } from "./child.ts";
import type { Reply } from "./http.ts";
import { ownIds } from "./pages/runs.ts";
import { ownPolicy } from "./policy.ts";
import { type Ask, NotFound } from "./site.ts";

const SECONDS_MAX = 60;
const KEPT = 8;

/** Cached reports by run id; logs never change and are identified by content. */
export type MadeReports = Map<string, Promise<string>>;

/** The request names a run; the path of its log comes from the store. */
export async function reportReply(
  ask: Ask,
  id: string,
  made: MadeReports,
  commands: Commands,
): Promise<Reply> {
  if (!/^\d{1,20}$/.test(id)) throw new NotFound("a run id is a number");
  const ids = await ownIds(ask);
  const own =
    ids === undefined ? "true" : ids.length === 0 ? "false" : `user_id in (${ids.map(Number).join(", ")})`;
  const [row] = await ask.answer(`source ${id} ${own}`, (db) =>
    db.rows(`select source from runs where run_id = ${id}::ubigint and ${own}`),
  );
  const source = row?.source;
  if (typeof source !== "string")
    throw new NotFound(`the store has no run ${id}${ids === undefined ? "" : " of yours"}`);
  let report = made.get(id);
  if (report === undefined) {
    report = reportOf(source, commands);
    made.set(id, report);
    report.catch(() => made.delete(id));
    for (const old of made.keys()) if (made.size > KEPT) made.delete(old);
  }
  const html = await report;
  return { status: 200, type: "text/html; charset=utf-8", body: html, policy: ownPolicy(html) };
}

async function reportOf(source: string, commands: Commands): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), "plimsoll-serve-"));
  try {
    const output = join(work, "report.html");
    const { code, failure, isLate } = await commands.run(["report", "-o", output, "--", source], SECONDS_MAX);
    if (isLate)
      throw new NotFound(
        `its report takes longer than ${SECONDS_MAX} s; make it with plimsoll report ${shellWord(source)}`,
      );
    if (code !== 0) throw new NotFound(`its log cannot be opened: ${failure}`);
    return readFileSync(output, "utf8");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
