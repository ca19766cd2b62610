/** `/quiet`: weekday × hour, and how sure that is. */
import { quietDocument, quietHours, withMinutes } from "../../analyze/load/index.ts";
import { contentionOf } from "../../analyze/study/system/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { askedTime, originOf } from "../asked.ts";
import type { Ask, Page, PageContent } from "../site.ts";
import { documentContent } from "./document.ts";

/** A million minute rows take 0.4 s of CPU. */
const CONTENTION_ROWS_MAX = 2e6;

const minuteRows = ({ batches }: Ask): number =>
  batches.reduce((all, { tables }) => (tables.minutes ?? []).reduce((sum, { rows }) => sum + rows, all), 0);

const SPANS = ["7d", "14d", "28d"];

export const quietPage: Page = { path: "/quiet", nav: "Quiet hours", make: quietContent };

async function quietContent(ask: Ask): Promise<PageContent> {
  const { window: asked, stored, zone, targets, span } = await askedTime(ask, SPANS, "14d");
  const window = { from: Math.max(asked.from, stored.from), to: Math.min(asked.to, stored.to) };
  const words = window.from === stored.from ? [] : ["--from", `end-${span}`];
  const answer = await ask.answer(`quiet ${window.from} ${window.to}`, async (db) =>
    quietHours(db, {
      window: await withMinutes(db, window),
      ...{ condition: "true", measure: "bytes", zone, lengthMinutes: 120, leastDays: 7, busyRatio: 1.5 },
    }),
  );
  const contention =
    minuteRows(ask) > CONTENTION_ROWS_MAX
      ? null
      : await ask.answer(`contention ${zone}`, (db) => contentionOf(db, { zone }));
  const command = commandLine(["plimsoll", "quiet-hours", "--store", ask.store, ...words]);
  const document = quietDocument(answer, `all ${targets.length} targets`, contention, {
    command,
    madeBy: "",
    zone,
  });
  return documentContent(ask, document, {
    origin: await originOf(ask, "readings"),
    sql: () => `select extract(dow from t) as weekday, extract(hour from t) as hour, sum(bytes) / count(distinct t::date) as bytes_per_hour
from (select make_timestamp(minute_unix * 60000000) as t, coalesce(bytes_read, 0) + coalesce(bytes_written, 0) as bytes from targets
  where minute_unix >= ${window.from} and minute_unix < ${window.to}) group by all order by all`,
    links: () => ({}),
    spans: { choices: SPANS, span },
  });
}
