/** `/quiet`: load by weekday and hour, with the number of days behind it. */
import { quietDocument, quietHours, type Window, withMinutes } from "../../analyze/load/index.ts";
import { quickContention } from "../../analyze/study/system/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { escapeHtml } from "../../report/html/index.ts";
import { requestedTime, originOf } from "../requested.ts";
import { axisHtml, heatRowsHtml, heatTop, rampHtml } from "../html/time.ts";
import type { Ask, Page, PageContent, Panel } from "../site.ts";
import { byteScale } from "../units.ts";
import { documentContent } from "./document.ts";
import { offsetAtMinute } from "./time-axis.ts";

const SPANS = ["7d", "14d", "28d"];

export const quietPage: Page = { path: "/quiet", nav: "Quiet hours", make: quietContent };

async function quietContent(ask: Ask): Promise<PageContent> {
  const { window: asked, stored, zone, targets, span } = await requestedTime(ask, SPANS, "14d");
  const window = { from: Math.max(asked.from, stored.from), to: Math.min(asked.to, stored.to) };
  const words = window.from === stored.from ? [] : ["--from", `end-${span}`];
  const answer = await ask.answer(`quiet ${window.from} ${window.to}`, async (db) =>
    quietHours(db, {
      window: await withMinutes(db, window),
      ...{ condition: "true", measure: "bytes", zone, lengthMinutes: 120, leastDays: 7, busyRatio: 1.5 },
    }),
  );
  const contention = await ask.answer(`contention ${zone}`, (db) => quickContention(db, { zone }));
  const command = commandLine(["plimsoll", "quiet-hours", "--store", ask.store, ...words]);
  const document = quietDocument(answer, `all ${targets.length} targets`, contention, {
    command,
    madeBy: "",
    zone,
  });
  const ahead = offsetAtMinute(zone, window.from) / 60;
  const content = documentContent(ask, document, {
    origin: await originOf(ask, "readings"),
    sql: (id) =>
      id === "weekdays"
        ? weekdaysSql(window, ahead)
        : id === "answer"
          ? windowsSql(window, ahead)
          : spreadSql("hour % 24 as hour", hoursSql(window, ahead)),
    links: () => ({}),
    spans: { choices: SPANS, span },
  });
  if (answer.days === 0) return content;
  // The map shows the values of the last table.
  const panels = content.panels.map((panel) =>
    panel.id === "weekdays" && Array.isArray(panel.content)
      ? { ...panel, content: panel.content.slice(0, 1) }
      : panel,
  );
  const sql = spreadSql("(hour // 24 + 3) % 7 as weekday, hour % 24 as hour", hoursSql(window, ahead));
  return { ...content, panels: [weekPanel(answer, sql, command), ...panels] };
}

/** Bytes of intervals of equal length with samples in every minute; the command also scales up intervals that lack some. */
const stretchesSql = ({ from, to }: Window, ahead: number, minutes: number, name: string): string =>
  `select (minute_unix + ${ahead}) // ${minutes} as ${name}, sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0))::double as bytes from targets
  where minute_unix >= ${from} and minute_unix < ${to} group by 1 having count(distinct minute_unix) = ${minutes}`;

const hoursSql = (window: Window, ahead: number): string => stretchesSql(window, ahead, 60, "hour");

const spreadSql = (by: string, rows: string): string =>
  `select ${by}, median(bytes) as median, quantile_cont(bytes, 0.9) as p90, count(*) as days\nfrom (${rows}) group by all order by all`;

/** The mean hour of each day with at least 20 hours of data. */
const weekdaysSql = (window: Window, ahead: number): string =>
  spreadSql(
    "(day + 3) % 7 as weekday",
    `select hour // 24 as day, avg(bytes) as bytes from (${hoursSql(window, ahead)}) group by 1 having count(*) >= 20`,
  );

/** Two-hour windows starting at each quarter of an hour, quietest first. */
const windowsSql = (window: Window, ahead: number): string =>
  `with quarters as (${stretchesSql(window, ahead, 15, "quarter")}),
windows as (select quarter, sum(bytes) over eight as bytes, last_value(quarter) over eight as last from quarters
  window eight as (order by quarter rows between current row and 7 following))
select quarter % 96 * 15 as start_minute, median(bytes) as median, quantile_cont(bytes, 0.9) as p90, count(*) as days
from windows where last = quarter + 7 group by 1 order by 2, 3`;

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** Weekdays × hours: pale is quiet. */
function weekPanel(
  { weekdayHours, zone }: Awaited<ReturnType<typeof quietHours>>,
  sql: string,
  command: string,
): Panel {
  const most = weekdayHours.reduce((high, value) => Math.max(high, value || 0), 0);
  const { divisor, unit } = byteScale(most);
  const axis = { from: 0, stepMinutes: 60, steps: 24, offsetSeconds: 0 };
  const rows = DAYS.map((name, day) => ({
    ...{ name, href: undefined, isMarked: false, isLate: false },
    values: weekdayHours.slice(24 * day, 24 * day + 24).map((value) => value / divisor),
  }));
  const top = heatTop(rows);
  return {
    ...{ id: "week", title: "Weekday and hour", note: `median bytes of the hour, ${zone}` },
    content: {
      html: `<div class="time week-map"><div class="sub">${escapeHtml(unit)} in an hour${rampHtml(top)}</div>${heatRowsHtml(rows, top, axis)}${axisHtml(axis)}</div>`,
    },
    csv: [
      ["weekday", "hour", "median_bytes"],
      ...weekdayHours.map((value, at) => [DAYS[Math.floor(at / 24)], at % 24, value]),
    ],
    ...{ sql, command },
  };
}
