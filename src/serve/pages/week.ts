/** `/week`: one page about a week, to print. */
import { answerable, lastWeek, parsePeriod, weekAnswer, weekDocument } from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { originOf, storeFacts } from "../asked.ts";
import type { Ask, Page, PageContent } from "../site.ts";
import { documentContent } from "./document.ts";

const PROJECTS = 10;

export const weekPage: Page = { path: "/week", nav: "Week", adminsOnly: true, make: weekContent };

async function weekContent(ask: Ask): Promise<PageContent> {
  const { stored, zone } = await storeFacts(ask);
  const of = ask.param("of");
  const period =
    of === undefined ? lastWeek(zone, stored) : parsePeriod("of", of, { zone, nowUnix: ask.nowUnix, stored });
  const answer = await ask.answer(`week ${period.from} ${period.to}`, async (db) =>
    weekAnswer(db, await answerable(db, period, stored), zone, PROJECTS),
  );
  const command = commandLine([
    "plimsoll",
    "week",
    "--store",
    ask.store,
    ...(of === undefined ? [] : ["--of", of]),
    "-o",
    "week.html",
  ]);
  const document = weekDocument(answer, { command, madeBy: "", zone });
  const time = `minute_unix >= ${period.from} and minute_unix < ${period.to}`;
  return documentContent(ask, document, {
    origin: await originOf(ask, "readings"),
    sql: (id) =>
      id === "fullness"
        ? "select file_system, target, arg_max(bytes_total - bytes_free, to_unix_ns) as bytes_used, arg_max(bytes_total, to_unix_ns) as bytes_total from target_states group by all"
        : id === "projects"
          ? `select j.account, sum(d.bytes_read) as bytes_read, sum(d.bytes_written) as bytes_written from job_days d
  left join (select job_key, any_value(account) as account from jobs group by job_key) j using (job_key) where ${time} group by all order by 2 + 3 desc`
          : `select make_timestamp(minute_unix // 1440 * 1440 * 60000000) as day, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written
from target_days where ${time} group by 1 order by 1`,
    links: (id) =>
      id === "projects" ? { account: "account" } : id === "fullness" ? { target: "target" } : {},
  });
}
