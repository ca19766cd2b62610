/** `/`: current state, and load of targets, users and accounts on one time axis. */
import {
  bandOf,
  bandWindow,
  fullName,
  type LoadSteps,
  loadSteps,
  newestSamples,
  rank,
  stepSeconds,
  type TargetSeries,
  targetSeries,
  targetSpace,
} from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import { formatShare } from "../../base/units.ts";
import { escapeHtml, name, prose } from "../../report/html/index.ts";
import { type RequestedTime, requestedTime, originOf, sqlCommand, type StoreFacts } from "../requested.ts";
import { type FreshTarget, freshHtml, spaceHtml, type State, verdictHtml, whoHtml } from "../html/now.ts";
import { axisHtml, stepSql, type Strip, stripHtml, stripState, type TimeAxis } from "../html/time.ts";
import { addressOf } from "../links.ts";
import type { Ask, Page, PageContent, Panel } from "../site.ts";
import { byteScale, countScale, longAge, type Scale } from "../units.ts";
import { type Alert, countedAlerts, isArchive, verdictOf } from "../verdict.ts";
import { type Who, whoCsv, whoOf } from "../who.ts";
import { alertsOf, alertsPanel } from "./now-alerts.ts";
import { serversPanels } from "./now-servers.ts";
import { busySince, eventHtml, isKind, targetsPanel } from "./now-targets.ts";
import { offsetAtMinute, timesText } from "./time-axis.ts";

const SPANS = ["15m", "30m", "60m", "3h", "6h", "12h", "24h"];
const WHO_ROWS = 5;
/** A sample older than the median of all by this much is late. */
const LATE_SECONDS = 120;

export const nowPage: Page = { path: "/", nav: "Now", everySeconds: 30, make: nowContent };

type Time = RequestedTime & StoreFacts;

async function nowContent(ask: Ask): Promise<PageContent> {
  const time = await requestedTime(ask, SPANS, "60m");
  const { window, stepMinutes, stored, span } = time;
  const key = `${window.from} ${window.to} ${stepMinutes}`;
  const bytesOf = { window, stored, limit: WHO_ROWS, condition: "true" } as const;
  const [series, before, newest, space, alerts, bytes, metadata, accounts, origin, servers] =
    await Promise.all([
      ask.answer(`series ${key}`, (db) => targetSeries(db, { window, stepMinutes, condition: "true" })),
      lastWeek(ask, time),
      ask.answer("newest", newestSamples),
      ask.answer(`space ${window.to}`, (db) => targetSpace(db, window.to * 60)),
      alertsOf(ask, time),
      whoOf(ask, { ...bytesOf, by: "user", measure: "bytes" }),
      whoOf(ask, { ...bytesOf, by: "user", measure: "metadata" }),
      ask.viewer.isAdmin ? whoOf(ask, { ...bytesOf, by: "account", measure: "bytes" }) : undefined,
      originOf(ask, "readings"),
      serversPanels(ask, time),
    ]);
  const age = ask.nowUnix - newest.reduce((most, { unix }) => Math.max(most, unix), 0);
  // Only administrators see the top user.
  const told = alerts.alerts.filter(({ kind }) => ask.viewer.isAdmin || kind !== "user-share");
  const counted = countedAlerts(told, age);
  const load = loadStrips(time, series, before);
  const missing = new Set(alerts.unjudged.map(({ rule }) => rule));
  const { rules } = ask.alerts;
  const judged = rules.filter(({ id, kind }) => !missing.has(id) && !(kind === "silent" && isArchive(age)));
  const above = load.filter((strip) => stripState(strip) === "above").map(({ name }) => name.toLowerCase());
  const verdict = verdictOf(counted, age, { judged: judged.length, rules: rules.length, above });
  const fresh = freshTargets(newest);
  const axis = {
    ...{ from: window.from, stepMinutes, steps: series.total.read.length },
    offsetSeconds: offsetAtMinute(time.zone, window.from),
  };
  const event = busySince(series, counted);
  const culprit = await culpritHtml(ask, time, counted);
  const who = ["plimsoll", "who", "--store", ask.store, ...time.words, "--limit", String(WHO_ROWS)];
  const aboutHref = verdict.about && addressOf(ask.root, verdict.about.place, verdict.about.name);
  const mayFollow = verdict.about?.place === "target" || ask.viewer.isAdmin;
  const states = statesOf(series, counted, space, fresh);
  if (isArchive(age)) states.splice(3, 1, { level: "unknown", word: "archive", text: `${longAge(age)} old` });
  const head = `${verdictHtml(verdict, states, { about: mayFollow ? aboutHref : undefined, who: culprit })}
${freshHtml(
  ["OST", "MDT"].map((kind) => ({ kind, targets: fresh.filter(({ label }) => isKind(label, kind)) })),
  ask.nowUnix,
)}`;
  return {
    title: verdict.headline,
    head,
    origin,
    spans: { choices: SPANS, span },
    panels: [
      loadPanel(ask, time, {
        source: series.source,
        strips: load,
        hasBand: before !== undefined,
        axis,
        event,
      }),
      targetsPanel(ask, { ...time, series, fresh, alerts: counted, axis, event }),
      ...servers,
      {
        ...{ id: "who-bytes", title: "Users by bytes", aside: true },
        note: scaled(bytes.total, byteScale(bytes.total)),
        content: { html: whoHtml(bytes, "user", ask.root, userHead(bytes)) },
        csv: whoCsv(bytes, "user"),
        sql: whoSql(time, "coalesce(m.bytes_read, 0) + coalesce(m.bytes_written, 0)", "user_name"),
        command: commandLine([...who, "--by", "user"]),
      },
      {
        ...{ id: "who-metadata", title: "Users by metadata operations", aside: true },
        note: scaled(metadata.total, countScale(metadata.total, "ops")),
        content: { html: whoHtml(metadata, "user", ask.root, userHead(metadata)) },
        csv: whoCsv(metadata, "user"),
        sql: whoSql(time, "m.metadata_calls", "user_name"),
        command: commandLine([...who, "--by", "user", "--order", "metadata"]),
      },
      ...(accounts === undefined
        ? []
        : [
            {
              ...{ id: "who-accounts", title: "Accounts by bytes", aside: true },
              content: { html: whoHtml(accounts, "account", ask.root, "Account") },
              csv: whoCsv(accounts, "account"),
              sql: whoSql(time, "coalesce(m.bytes_read, 0) + coalesce(m.bytes_written, 0)", "account"),
              command: commandLine([...who, "--by", "account"]),
            },
          ]),
      ...(space.length === 0 ? [] : [spacePanel(ask, space, time.window.to)]),
      alertsPanel(ask, time, alerts, counted, age),
    ],
  };
}

const userHead = ({ rows }: Who): string =>
  rows.some(({ note }) => note.includes(" · ")) ? "User, account" : "User";

const scaled = (value: number, { divisor, unit }: Scale): string =>
  `${(value / divisor).toPrecision(3)} ${unit}`;

async function lastWeek(ask: Ask, { window, stepMinutes, stored }: Time): Promise<LoadSteps | undefined> {
  const past = bandWindow(window, stepMinutes);
  if (past.from < stored.from) return undefined;
  return ask.answer(`band ${past.from} ${past.to} ${stepMinutes}`, (db) =>
    loadSteps(db, { window: past, stepMinutes, condition: "true" }),
  );
}

function freshTargets(newest: Awaited<ReturnType<typeof newestSamples>>): FreshTarget[] {
  const times = newest.map(({ unix }) => unix).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const systems = new Set(newest.map(({ fileSystem }) => fileSystem)).size;
  return newest.map((one) => ({
    label: systems > 1 ? fullName(one) : one.target,
    unix: one.unix,
    isLate: median - one.unix > LATE_SECONDS,
  }));
}

function statesOf(
  { targets }: TargetSeries,
  alerts: readonly Alert[],
  space: readonly { readonly share: number; readonly bytesTotal: number; readonly bytesUsed: number }[],
  fresh: readonly FreshTarget[],
): State[] {
  const troubled = new Set(
    alerts
      .filter(({ kind }) => ["target-ratio", "latency", "full", "gaps"].includes(kind))
      .map(({ subject }) => subject),
  );
  const ofKind = (kind: string): State => {
    const some = targets.filter(({ target }) => isKind(target, kind));
    const bad = some.filter((one) => troubled.has(fullName(one))).length;
    if (some.length === 0) return { level: "unknown", word: "no data", text: `no ${kind}s in the store` };
    return bad === 0
      ? { level: "good", word: "OK", text: `all ${some.length} ${kind}s` }
      : {
          level: "warn",
          word: bad === 1 ? "1 alert" : `${bad} alerts`,
          text: `of ${some.length} ${kind}s`,
        };
  };
  const [total, used] = [sum(space, "bytesTotal"), sum(space, "bytesUsed")];
  const isFull = alerts.some(({ kind }) => kind === "full");
  const late = fresh.filter(({ isLate }) => isLate).length;
  const silent = alerts.filter(({ kind }) => kind === "silent").length;
  return [
    ofKind("OST"),
    ofKind("MDT"),
    space.length === 0
      ? { level: "unknown", word: "no data", text: "space not recorded" }
      : {
          level: isFull ? "warn" : "good",
          word: isFull ? "nearly full" : "OK",
          text: `space ${Math.round((100 * used) / total)} % full`,
        },
    late + silent === 0
      ? { level: "good", word: "OK", text: `all ${fresh.length} fresh` }
      : {
          level: "warn",
          word: silent > 0 ? "silent" : `${late} late`,
          text: silent > 0 ? "no new samples" : `${fresh.length - late} of ${fresh.length} fresh`,
        },
  ];
}

const sum = <Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number =>
  rows.reduce((all, row) => all + (row[key] || 0), 0);

/** The job that loads a busy target, as a sentence. */
async function culpritHtml(ask: Ask, { window, targets }: Time, alerts: readonly Alert[]): Promise<string> {
  const busy = alerts[0];
  if (busy?.kind !== "target-ratio") return "";
  const target = targets.find((one) => fullName(one) === busy.subject);
  const href = addressOf(ask.root, "target", busy.subject);
  if (target === undefined || href === undefined) return "";
  const link = ` <a href="${escapeHtml(href)}">Who loads ${prose(target.target)}?</a>`;
  if (!ask.viewer.isAdmin) return link;
  const { targetCondition } = await import("../../analyze/load/index.ts");
  const [first] = (
    await ask.answer(`culprit ${busy.subject} ${window.to}`, (db) =>
      rank(db, {
        ...{ by: "job", order: "bytes", limit: 1, source: "servers", smallBytes: 0 },
        window: { from: window.to - 15, to: window.to },
        condition: targetCondition(targets, [target]),
      }),
    )
  ).rows;
  if (first === undefined || first.id === null) return link;
  const job = addressOf(ask.root, "job", first.id);
  const id =
    job === undefined ? name(first.id, 30) : `<a href="${escapeHtml(job)}">${name(first.id, 30)}</a>`;
  return ` Job ${id}${first.user === null ? "" : ` (${name(first.user, 30)})`} accounts for ${formatShare(first.share)} of it.${link}`;
}

interface LoadStrip extends Strip {
  readonly key: string;
  readonly divisor: number;
  /** Amount per step, as counted. */
  readonly amounts: Float64Array;
}

function loadStrips({ stepMinutes }: Time, series: TargetSeries, before: LoadSteps | undefined): LoadStrip[] {
  const seconds = 60 * stepMinutes;
  const steps = series.total.read.length;
  const isSeen = Array.from({ length: steps }, (_, at) =>
    series.targets.some(({ seen }) => (seen[at] ?? 0) > 0),
  );
  return (
    [
      ["read", "Read"],
      ["write", "Write"],
      ["metadata", "Metadata"],
      ["opens", "Opens"],
    ] as const
  ).map(([key, name]) => {
    const band = before && bandOf(before[key], steps, stepMinutes);
    const highs = [...series.total[key], ...(band?.high ?? [])].filter(Number.isFinite);
    const most = highs.reduce((high, value) => Math.max(high, value), 0) / seconds;
    const { divisor, unit } =
      key === "read" || key === "write"
        ? byteScale(most, "/s")
        : countScale(most, key === "opens" ? "opens/s" : "ops/s");
    const rates = Array.from(series.total[key], (value, at) =>
      isSeen[at] ? value / stepSeconds(series, at) / divisor : Number.NaN,
    );
    const scale = (values: Float64Array) => values.map((value) => value / seconds / divisor);
    const past = band && { low: scale(band.low), high: scale(band.high) };
    return { key, name, unit, values: rates, band: past, divisor, amounts: series.total[key] };
  });
}

interface LoadOf {
  readonly source: string;
  readonly strips: readonly LoadStrip[];
  readonly hasBand: boolean;
  readonly axis: TimeAxis;
  readonly event: Parameters<typeof eventHtml>[0];
}

function loadPanel(
  ask: Ask,
  { window, stepMinutes, zone }: Time,
  { source, strips, hasBand, axis, event }: LoadOf,
): Panel {
  const seconds = 60 * stepMinutes;
  const rows = Array.from({ length: axis.steps }, (_, at) => [
    new Date((window.from + at * stepMinutes) * 60_000).toISOString(),
    ...strips.flatMap(({ values, amounts, band, divisor }) => [
      Number.isNaN(values[at]) ? Number.NaN : (amounts[at] ?? 0) / seconds,
      ...[band?.low[at], band?.high[at]].map((value) => (value ?? Number.NaN) * divisor),
    ]),
  ]);
  const sql = `select ${stepSql(axis)} as time, sum(bytes_read) / ${seconds} as read_per_second,
  sum(bytes_written) / ${seconds} as write_per_second, sum(metadata_calls) / ${seconds} as metadata_per_second, sum(opens) / ${seconds} as opens_per_second
from ${source} where minute_unix >= ${window.from} and minute_unix < ${window.to} group by 1 order by 1`;
  return {
    ...{
      id: "load",
      title: "Load",
      note: `${timesText(window, zone)}; ${hasBand ? "grey: the same hours last week" : "no samples of last week"}`,
    },
    content: {
      html: `<div class="time">${strips.map(stripHtml).join("\n")}${axisHtml(axis)}${eventHtml(event, axis)}</div>`,
    },
    csv: [
      [
        "time",
        ...strips.flatMap(({ key }) => [`${key}_per_second`, `${key}_p10_last_week`, `${key}_p90_last_week`]),
      ],
      ...rows,
    ],
    sql,
    command: sqlCommand(ask, sql),
  };
}

function spacePanel(ask: Ask, space: Awaited<ReturnType<typeof targetSpace>>, to: number): Panel {
  const fullest = space.reduce((most, one) => ((one.share || 0) > (most.share || 0) ? one : most));
  const share = sum(space, "bytesUsed") / sum(space, "bytesTotal");
  const sql = `select file_system, target, bytes_total - bytes_free as bytes_used, bytes_total,
  (bytes_total - bytes_free) / nullif(bytes_total - bytes_free + bytes_available, 0)::double as share, 1 - inodes_free / nullif(inodes_total, 0)::double as inodes_share, clients, recovery
from target_states where to_unix_ns <= ${to} * 60000000000 qualify row_number() over (partition by file_system, target order by to_unix_ns desc) = 1 order by all`;
  return {
    ...{ id: "space", title: "Space", aside: true },
    note: `${formatShare(share)} full; ${fullest.target} ${formatShare(fullest.share)}`,
    content: { html: spaceHtml(space, ask.root) },
    csv: [
      ["file_system", "target", "bytes_used", "bytes_total", "share", "inodes_share", "clients", "recovery"],
      ...space.map((one) => [
        ...[
          one.fileSystem,
          one.target,
          one.bytesUsed,
          one.bytesTotal,
          one.share,
          one.inodesShare,
          one.clients,
        ],
        one.recovery,
      ]),
    ],
    sql,
    command: sqlCommand(ask, sql),
  };
}

/** By the scheduler's user name; the panel also resolves numeric user ids. */
const whoSql = ({ window }: Time, amount: string, by: string): string =>
  `select j.${by}, count(distinct m.job_id) as jobs, sum(${amount}) as amount
from minutes m left join (select job_id, cluster, any_value(${by}) as ${by} from jobs group by all) j
  on j.job_id = m.job_id and (m.cluster is null or j.cluster is null or j.cluster = m.cluster)
where m.minute_unix >= ${window.from} and m.minute_unix < ${window.to} group by all order by amount desc`;
