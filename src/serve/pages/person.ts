/** What pages of users and accounts have in common. */
import { personAnswer, personDocument } from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { askedTime, originOf } from "../asked.ts";
import { type Ask, NotFound, type PageContent } from "../site.ts";
import { documentContent } from "./document.ts";

const SPANS = ["24h", "7d", "14d", "28d"];
const JOBS_MAX = 200;

export async function personContent(ask: Ask, by: "user" | "account", name: string): Promise<PageContent> {
  const { window: asked, zone, words, span, stored } = await askedTime(ask, SPANS, "14d");
  // Days are whole, so that roll-ups of days have them.
  const from = Math.max(Math.floor(asked.from / 1440) * 1440, Math.floor(stored.from / 1440) * 1440);
  const window = { from, to: asked.to, grain: span === "24h" ? 60 : 1440 };
  const answer = await ask.answer(`${by} ${name} ${window.from} ${window.to}`, (db) =>
    personAnswer(db, { by, name, window, limit: JOBS_MAX }),
  );
  if (answer === null) throw new NotFound(`the store knows no ${by} ${name}`);
  const command = commandLine([
    "plimsoll",
    "top",
    `${by}s`,
    "--store",
    ask.store,
    ...words,
    "--limit",
    "1000",
  ]);
  const document = personDocument(answer, { by, name }, { command, madeBy: "", zone });
  const column = by === "user" ? "user_name" : "account";
  const own = `job_key in (select job_key from jobs where ${column} = '${name.replaceAll("'", "''")}')`;
  const time = `minute_unix >= ${window.from} and minute_unix < ${window.to}`;
  return documentContent(ask, document, {
    origin: await originOf(ask, "jobs", "readings"),
    sql: (id) =>
      id === "jobs"
        ? `select job_id, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls, sum(small_writes) as small_writes
from job_days where ${own} and ${time} group by all order by 2 + 3 desc`
        : `select make_timestamp(minute_unix // 1440 * 1440 * 60000000) as day, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written,
  sum(metadata_calls) as metadata_calls, sum(writes) as writes, sum(small_writes) as small_writes
from job_days where ${own} and ${time} group by 1 order by 1`,
    links: () => (ask.viewer.isAdmin ? { job: "job", user: "user" } : { job: "job" }),
    spans: { choices: SPANS, span },
  });
}
