/** `/compare?a=&b=`: load by job, user, account and target in two time ranges. */
import {
  answerable,
  compareTimes,
  comparisonDocument,
  MEASURES,
  type Measure,
  measureSql,
  parsePeriod,
  type Window,
} from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import { SMALL_WRITE_BYTES } from "../../model/index.ts";
import { attribute } from "../../report/html/index.ts";
import { isoMinute, originOf, storeFacts } from "../requested.ts";
import type { Ask, Page, PageContent } from "../site.ts";
import { documentContent } from "./document.ts";

const ROWS = 20;
const DAYS_MOST = 7;
const HOURS_LEAST = 180;

export const comparePage: Page = { path: "/compare", nav: "Compare", make: compareContent };

async function compareContent(ask: Ask): Promise<PageContent> {
  const { stored, targets, zone } = await storeFacts(ask);
  const clock = { zone, nowUnix: ask.nowUnix, stored };
  const order = ask.param("order") ?? "bytes";
  const measure = MEASURES.find((one) => one === order);
  if (measure === undefined) throw new UsageError(`order ${order}: choose one of ${MEASURES.join(", ")}`);
  // The last 24 hours of the store, and the 24 hours before.
  const hours = Math.min(1440, Math.max(1, Math.floor((stored.to - stored.from) / 2)));
  const usual = {
    a: `${isoMinute(stored.to - 2 * hours)}..${isoMinute(stored.to - hours)}`,
    b: `${isoMinute(stored.to - hours)}..${isoMinute(stored.to)}`,
  };
  const text = { a: ask.param("a") ?? usual.a, b: ask.param("b") ?? usual.b };
  const windowOf = (side: "a" | "b"): Window => {
    const window = parsePeriod(side, text[side], clock);
    if (window.to - window.from > DAYS_MOST * 1440)
      throw new UsageError(
        `${side} ${text[side]}: longer than ${DAYS_MOST} days; plimsoll compare takes any time`,
      );
    // Hourly roll-ups have the same sums as minutes.
    return window.to - window.from < HOURS_LEAST ? window : { ...window, grain: 60 };
  };
  const [a, b] = [windowOf("a"), windowOf("b")];
  const key = `compare ${a.from} ${a.to} ${b.from} ${b.to} ${measure}`;
  const comparison = await ask.answer(key, async (db) =>
    compareTimes(db, {
      a: await answerable(db, a, stored),
      b: await answerable(db, b, stored),
      ...{ condition: "true", targets, measure, smallBytes: 65_536, limit: ROWS },
    }),
  );
  const command = commandLine([
    ...["plimsoll", "compare", "--store", ask.store, "--a", text.a, "--b", text.b, "--order", measure],
    ...["--limit", String(ROWS)],
  ]);
  const shown = ask.viewer.isAdmin ? comparison : ownComparison(comparison, ask.viewer.name);
  const document = comparisonDocument(shown, `all ${targets.length} targets`, { command, madeBy: "", zone });
  const content = documentContent(ask, document, {
    origin: await originOf(ask, "readings"),
    sql: (id) => sqlOf(id, a, b, measure),
    links: (id) => {
      const place = { users: "user", accounts: "account", jobs: "job", targets: "target" } as const;
      const of = place[id as keyof typeof place];
      return of === undefined ? {} : { [of]: of, ...(id === "jobs" ? { user: "user" } : {}) };
    },
  });
  const form = `<form class="ask" method="get"><label>A, before <input name="a" value="${attribute(text.a)}" maxlength="100"></label> <label>B, after <input name="b" value="${attribute(text.b)}" maxlength="100"></label> <label>By <select name="order">${MEASURES.map((one) => `<option${one === measure ? " selected" : ""}>${one}</option>`).join("")}</select></label> <button class="tool">Compare</button> <span class="muted">today, yesterday, 2018-06-07, week, last-week, or FROM..TO</span></form>`;
  return { ...content, head: `${content.head ?? ""}${form}` };
}

type Comparison = Awaited<ReturnType<typeof compareTimes>>;

/** Users who are not administrators see totals and targets, but no names. */
function ownComparison(comparison: Comparison, name: string | null): Comparison {
  const { kinds } = comparison;
  const none = { rows: [], others: { count: 0, a: 0, b: 0, share: Number.NaN } };
  return {
    ...comparison,
    kinds: {
      target: kinds.target,
      user: { ...none, rows: kinds.user.rows.filter((row) => row.name === name) },
      account: none,
      job: { ...none, rows: kinds.job.rows.filter((row) => row.user === name) },
    },
  };
}

function sqlOf(id: string, a: Window, b: Window, measure: Measure): string {
  const small = `case when bytes_written < writes * ${SMALL_WRITE_BYTES} then writes end`;
  const amount = `sum(${measureSql(measure).replace("small_writes", small)})`;
  const side = ({ from, to }: Window, name: string) =>
    `${amount} filter (minute_unix >= ${from} and minute_unix < ${to})::double / ${(to - from) / 60} as ${name}_per_hour`;
  const rest = `${side(a, "a")},
  ${side(b, "b")}, coalesce(b_per_hour, 0) - coalesce(a_per_hour, 0) as change`;
  const order = `group by all order by abs(change) desc limit ${ROWS}`;
  if (id === "targets") return `select file_system, target, ${rest}\nfrom targets ${order}`;
  if (id === "jobs") return `select job_id, ${rest}\nfrom minutes ${order}`;
  const name = id === "users" ? "user_name" : "account";
  return `select ${name}, ${rest}
from minutes left join (select job_key, any_value(${name}) as ${name} from jobs group by all) using (job_key) ${order}`;
}
