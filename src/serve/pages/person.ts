/** Shared by the pages of users and accounts. */
import { personAnswer, personDocument } from "../../analyze/load/index.ts";
import { requestedTime, originOf, sqlCommand } from "../requested.ts";
import { type Ask, NotFound, type PageContent } from "../site.ts";
import { documentContent } from "./document.ts";

const SPANS = ["24h", "7d", "14d", "28d"];
const JOBS_MAX = 200;

export async function personContent(ask: Ask, by: "user" | "account", name: string): Promise<PageContent> {
  const { window: asked, zone, span, stored } = await requestedTime(ask, SPANS, "14d");
  // Whole days, so that daily roll-ups can be used.
  const from = Math.max(Math.floor(asked.from / 1440) * 1440, Math.floor(stored.from / 1440) * 1440);
  const window = { from, to: asked.to, grain: span === "24h" ? 60 : 1440 };
  const answer = await ask.answer(`${by} ${name} ${window.from} ${window.to}`, (db) =>
    personAnswer(db, { by, name, window, limit: JOBS_MAX }),
  );
  if (answer === null) throw new NotFound(`the store has no ${by} ${name}`);
  const document = personDocument(answer, { by, name }, { command: "", madeBy: "", zone });
  const column = by === "user" ? "user_name" : "account";
  const own = `job_key in (select job_key from jobs where ${column} = '${name.replaceAll("'", "''")}')`;
  const time = `minute_unix >= ${window.from} and minute_unix < ${window.to}`;
  const sums = `sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls,
  sum(bytes_written) / sum(writes) as bytes_per_write, sum(small_writes) / sum(writes) as small_share`;
  const sqlOf = (id: string) =>
    id === "numbers"
      ? `select ${sums} from job_days where ${own} and ${time}`
      : id === "jobs"
        ? `select job_id, ${sums},
  (select max(nodes) from jobs j where j.job_key = d.job_key) as nodes
from job_days d where ${own} and ${time} group by job_id, job_key order by coalesce(sum(bytes_read), 0) + coalesce(sum(bytes_written), 0) desc limit ${JOBS_MAX}`
        : `select make_timestamp(minute_unix // 1440 * 1440 * 60000000) as day, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written,
  sum(metadata_calls) as metadata_calls, coalesce(sum(small_writes), 0) as small_writes, sum(writes) - coalesce(sum(small_writes), 0) as other_writes
from job_days where ${own} and ${time} group by 1 order by 1`;
  return documentContent(ask, document, {
    origin: await originOf(ask, "jobs", "readings"),
    sql: sqlOf,
    command: (id) => sqlCommand(ask, sqlOf(id)),
    links: () => (ask.viewer.isAdmin ? { job: "job", user: "user" } : { job: "job" }),
    spans: { choices: SPANS, span },
  });
}
