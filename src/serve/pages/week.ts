/** `/week`: a weekly report on one page, for print. */
import {
  answerable,
  lastWeek,
  parsePeriod,
  type Window,
  weekAnswer,
  weekDocument,
} from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { originOf, storeFacts } from "../requested.ts";
import type { Ask, Page, PageContent } from "../site.ts";
import { documentContent } from "./document.ts";
import { offsetAtMinute } from "./time-axis.ts";

const PROJECTS = 10;

export const weekPage: Page = { path: "/week", nav: "Week", adminsOnly: true, make: weekContent };

async function weekContent(ask: Ask): Promise<PageContent> {
  const { stored, zone } = await storeFacts(ask);
  const of = ask.param("of");
  const period =
    of === undefined ? lastWeek(zone, stored) : parsePeriod("of", of, { zone, nowUnix: ask.nowUnix, stored });
  const answer = await ask.answer(`week ${period.from} ${period.to}`, async (db) =>
    weekAnswer(db, await answerable(db, { ...period, grain: 1440 }, stored), zone, PROJECTS),
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
  // Days in the time zone, with its offset at the start of the week.
  const ahead = offsetAtMinute(zone, period.from) / 60;
  return documentContent(ask, document, {
    origin: await originOf(ask, "readings"),
    sql: (id) => sqlOf(id, period, ahead),
    links: (id) =>
      id === "projects" ? { account: "account" } : id === "fullness" ? { target: "target" } : {},
  });
}

function sqlOf(id: string, { from, to }: Window, ahead: number): string {
  const time = `minute_unix >= ${from} and minute_unix < ${to}`;
  if (id === "fullness")
    return `select file_system, target, bytes_total - bytes_free as bytes_used, bytes_total,
  (bytes_total - bytes_free) / nullif(bytes_total - bytes_free + bytes_available, 0)::double as share from target_states where to_unix_ns <= ${to} * 60000000000
qualify row_number() over (partition by file_system, target order by to_unix_ns desc) = 1 order by share desc`;
  if (id === "projects")
    return `select j.account, count(distinct d.job_key) as jobs, sum(d.bytes_read) as bytes_read, sum(d.bytes_written) as bytes_written, sum(d.metadata_calls) as metadata_calls from job_hours d
  left join (select job_key, any_value(account) as account from jobs group by job_key) j using (job_key) where ${time}
group by all order by sum(coalesce(d.bytes_read, 0) + coalesce(d.bytes_written, 0)) desc`;
  const sums =
    "sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls";
  if (id === "weeks") {
    const mean = (what: string, calls: string) =>
      `sum(${what}_usecs) / nullif(sum(${calls}), 0) as ${what}_usecs`;
    const means = [mean("read", "reads"), mean("write", "writes"), mean("metadata", "metadata_calls")];
    return `select make_timestamp(${from + ahead}::bigint * 60000000) as begin, ${sums},
  ${means.join(", ")}
from target_hours where ${time}`;
  }
  return `select make_timestamp((minute_unix + ${ahead}) // 1440 * 1440 * 60000000) as day, ${sums}
from target_hours where ${time} group by 1 order by 1`;
}
