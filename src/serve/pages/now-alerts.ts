/** Alerts of the first page, for the time shown, and a panel of all rules. */
import { judgeAlerts } from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { formatMany } from "../../base/units.ts";
import { markSvg, prose } from "../../report/html/index.ts";
import { type RequestedTime, isoMinute, type StoreFacts } from "../requested.ts";
import { timeText } from "../html/time.ts";
import type { Ask, Panel } from "../site.ts";
import { type Alert, isArchive } from "../verdict.ts";
import { offsetAtMinute } from "./time-axis.ts";

type Time = RequestedTime & StoreFacts;

/** Rules on data are evaluated at the end of the window, silence of collectors by the clock. */
export async function alertsOf(ask: Ask, { window }: Time) {
  const { rules } = ask.alerts;
  const silent = rules.filter(({ kind }) => kind === "silent");
  const others = rules.filter(({ kind }) => kind !== "silent");
  const minute = Math.floor(ask.nowUnix / 60);
  const [now, then] = await Promise.all([
    ask.answer(`silent ${minute}`, (db) => judgeAlerts(db, silent, ask.nowUnix)),
    ask.answer(`alerts ${window.to}`, (db) => judgeAlerts(db, others, window.to * 60)),
  ]);
  return { alerts: [...now.alerts, ...then.alerts], unjudged: [...now.unjudged, ...then.unjudged] };
}

export function alertsPanel(
  ask: Ask,
  time: Time,
  { unjudged }: Awaited<ReturnType<typeof alertsOf>>,
  alerts: readonly Alert[],
  age: number,
): Panel {
  const maySee = ({ kind }: Alert) => ask.viewer.isAdmin || kind !== "user-share";
  const shown = alerts.filter(maySee);
  const fired = new Set(alerts.map(({ rule }) => rule));
  const missing = new Map(unjudged.map(({ rule, reason }) => [rule, reason]));
  const { rules } = ask.alerts;
  const rows = rules.map(({ id, kind }) => {
    if (kind === "silent" && isArchive(age)) return ["unknown", id, "the store is an archive"] as const;
    if (fired.has(id)) {
      const own = shown.filter(({ rule }) => rule === id);
      const text = own.slice(0, 3).map((one) => `${one.subject}: ${one.text}`);
      return [
        "warn",
        id,
        [...text, ...(own.length > 3 ? [`and ${own.length - 3} more`] : [])].join("; "),
      ] as const;
    }
    const reason = missing.get(id);
    return reason === undefined
      ? (["good", id, ""] as const)
      : (["unknown", id, `not judged: ${reason}`] as const);
  });
  const words = { warn: "alert", good: "OK", unknown: "no data" };
  const order = Object.keys(words);
  rows.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  return {
    ...{
      id: "alerts",
      title: "Alerts",
      note: `${formatMany(rules.length, "rule")}, at ${timeText({ from: 0, stepMinutes: 1, steps: 1, offsetSeconds: offsetAtMinute(time.zone, time.window.to) }, time.window.to)} ${time.zone}`,
      aside: true,
    },
    content: {
      html: `<ul class="alerts">${rows
        .map(
          ([level, rule, text]) =>
            `<li><span class="sev ${level}">${markSvg(level)}${words[level]}</span><span>${prose(rule)}${text === "" ? "" : `<small>${prose(text)}</small>`}</span></li>`,
        )
        .join("")}</ul>`,
    },
    csv: [
      ["rule", "kind", "subject", "value", "limit", "text"],
      ...shown.map((one) => [one.rule, one.kind, one.subject, one.value, one.limit, one.text]),
    ],
    sql: alertSql(time),
    command: commandLine([
      "plimsoll",
      "alerts",
      "--store",
      ask.store,
      ...(ask.alerts.file === undefined ? [] : ["--rules", ask.alerts.file]),
      ...(isArchive(age) || time.window.to !== time.stored.to ? ["--at", isoMinute(time.window.to)] : []),
    ]),
  };
}

/** The values of three rules; the command evaluates all of them. */
const alertSql = ({ window }: Time): string =>
  `select 'silent-collector' as rule, server as subject, epoch(now()) - max(to_unix_ns) / 1e9 as value from readings group by server
union all select 'full-target', concat_ws('-', file_system, target),
  arg_max((bytes_total - bytes_free) / nullif(bytes_total - bytes_free + bytes_available, 0)::double, to_unix_ns)
from target_states group by file_system, target
union all select 'busy-target', name, own / nullif(median(own) over (partition by role), 0) from (
  select concat_ws('-', file_system, target) as name, left(target, 3) as role,
    sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0))::double as own
  from targets where minute_unix >= ${window.to - 15} and minute_unix < ${window.to} group by all)
order by rule, value desc`;
