/** Evaluates alert rules on a store at one moment. A rule without data is listed as such and never counts as good. */
import type { Queryable, SqlRow } from "../../model/index.ts";
import type { AlertRule } from "./alert-rules.ts";
import { loadRows } from "./levels.ts";

interface Alert {
  readonly rule: string;
  readonly kind: string;
  /** The measure, if the kind has several: bytes, metadata, inodes. */
  readonly of: string;
  /** A user, a target or a server. */
  readonly subject: string;
  readonly value: number;
  readonly limit: number;
  readonly text: string;
}

export interface AlertAnswer {
  readonly alerts: readonly Alert[];
  /** Rules without data, with the reason. */
  readonly unjudged: readonly { readonly rule: string; readonly reason: string }[];
}

interface Judged {
  readonly subject: string;
  readonly value: number;
  readonly text: string;
}

type Judge = (db: Queryable, rule: AlertRule, nowUnix: number) => Promise<Judged[] | string>;

export async function judgeAlerts(
  db: Queryable,
  rules: readonly AlertRule[],
  nowUnix: number,
): Promise<AlertAnswer> {
  const alerts: Alert[] = [];
  const unjudged: { rule: string; reason: string }[] = [];
  for (const rule of rules) {
    const found = await JUDGES[rule.kind](db, rule, nowUnix);
    if (typeof found === "string") unjudged.push({ rule: rule.id, reason: found });
    else
      for (const { subject, value, text } of found)
        if (value > rule.above)
          alerts.push({
            rule: rule.id,
            kind: rule.kind,
            of: rule.of,
            subject,
            value,
            limit: rule.above,
            text,
          });
  }
  return { alerts, unjudged };
}

const AMOUNT: Readonly<Record<string, string>> = {
  metadata: "metadata_calls",
  bytes: "coalesce(bytes_read, 0) + coalesce(bytes_written, 0)",
  read: "bytes_read",
  write: "bytes_written",
};
const NAME = "concat_ws('-', file_system, target)";
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const factor = (value: number) => `${value.toFixed(1)}x`;
const lengthText = (seconds: number) =>
  seconds >= 86_400
    ? `${+(seconds / 86_400).toFixed(1)} d`
    : seconds >= 3600
      ? `${+(seconds / 3600).toFixed(1)} h`
      : `${Math.round(seconds / 60)} min`;

/** Minutes of the store in the last `seconds`. */
const minutesBefore = (nowUnix: number, seconds: number) =>
  `minute_unix >= ${Math.floor((nowUnix - seconds) / 60)} and minute_unix < ${Math.ceil(nowUnix / 60)}`;

const value = (row: SqlRow, name: string) => Number(row[name] ?? Number.NaN);

/** The same job id on two clusters is two jobs; a job without a cluster has a user only if all jobs with its id have the same one. */
const USERS = `users as (select job_id, cluster, any_value(coalesce(user_name, user_id::varchar)) as who from jobs
    where coalesce(user_name, user_id::varchar) is not null and job_id in (select job_id from did) group by job_id, cluster),
  alone as (select job_id, any_value(who) as who from users group by job_id having count(distinct who) = 1)`;

async function userShare(db: Queryable, rule: AlertRule, nowUnix: number): Promise<Judged[] | string> {
  const rows = await db.rows(`with
    did as materialized (select job_id, cluster, user_id, sum(${AMOUNT[rule.of]})::double as amount from minutes
      where ${minutesBefore(nowUnix, rule.overSeconds)} group by all),
    ${USERS},
    named as (select coalesce(u.who, if(d.cluster is null, a.who, null), d.user_id::varchar, 'job ' || d.job_id) as who, amount
      from did d left join users u on u.job_id = d.job_id and u.cluster = d.cluster left join alone a on a.job_id = d.job_id)
    select who, sum(amount) as own, sum(sum(amount)) over () as whole from named where amount > 0 group by who order by own desc limit 20`);
  if (rows.length === 0) return `no job counters of ${rule.of} in the last ${lengthText(rule.overSeconds)}`;
  return rows.flatMap((row) => {
    const [own, whole] = [value(row, "own"), value(row, "whole")];
    if (whole / rule.overSeconds < rule.atLeast) return [];
    const text = `${percent(own / whole)} of all ${rule.of} of jobs in ${lengthText(rule.overSeconds)} (${own} of ${whole})`;
    return [{ subject: `user ${row.who}`, value: own / whole, text }];
  });
}

async function targetRatio(db: Queryable, rule: AlertRule, nowUnix: number): Promise<Judged[] | string> {
  const rows =
    await db.rows(`with did as (select file_system, target, left(target, 3) as role, sum(${AMOUNT[rule.of]})::double as own
      from targets where ${minutesBefore(nowUnix, rule.overSeconds)} group by all having own is not null)
    select ${NAME} as name, role, own, median(own) over (partition by file_system, role) as usual,
      count(*) over (partition by file_system, role) as kin from did order by own desc`);
  const compared = rows.filter((row) => value(row, "kin") >= 3);
  if (compared.length === 0)
    return `fewer than three targets of a kind with counters in the last ${lengthText(rule.overSeconds)}`;
  return compared.flatMap((row) => {
    const [own, usual] = [value(row, "own"), value(row, "usual")];
    if (own / rule.overSeconds < rule.atLeast || own === 0) return [];
    const text = `${usual === 0 ? "far more than" : factor(own / usual)} the ${rule.of} of the median ${row.role} over ${lengthText(rule.overSeconds)}`;
    return [{ subject: String(row.name), value: usual === 0 ? Number.MAX_VALUE : own / usual, text }];
  });
}

async function full(db: Queryable, rule: AlertRule, nowUnix: number): Promise<Judged[] | string> {
  const used =
    rule.of === "bytes"
      ? "(bytes_total - bytes_free) / nullif(bytes_total - bytes_free + bytes_available, 0)::double"
      : "(inodes_total - inodes_free) / nullif(inodes_total, 0)::double";
  const rows = await db.rows(`select ${NAME} as name, arg_max(${used}, to_unix_ns) as share from target_states
    where ${used} is not null and to_unix_ns <= ${BigInt(Math.ceil(nowUnix)) * 1_000_000_000n} group by file_system, target order by share desc`);
  if (rows.length === 0) return "no target capacities in the store";
  return rows.map((row) => {
    const share = value(row, "share");
    return { subject: String(row.name), value: share, text: `${percent(share)} of ${rule.of} in use` };
  });
}

/** Minimum number of calls for a mean. */
const CALLS_MIN = 1000;

async function latency(db: Queryable, rule: AlertRule, nowUnix: number): Promise<Judged[] | string> {
  const [usecs, calls] = [`${rule.of}_usecs`, rule.of === "metadata" ? "metadata_calls" : `${rule.of}s`];
  const from = Math.floor((nowUnix - rule.overSeconds) / 60);
  // Weeks come from roll-ups if they exist.
  const usual = await loadRows(db, ["file_system", "target", usecs, calls], {
    base: "targets",
    window: { from: from - Math.floor(rule.againstSeconds / 60), to: from },
    ...{ condition: `${usecs} is not null`, smallBytes: 0 },
  });
  const rows = await db.rows(`with seen as (
      select file_system, target, true as late, sum(${usecs})::double as usecs, sum(${calls})::double as calls
        from targets where ${usecs} is not null and ${minutesBefore(nowUnix, rule.overSeconds)} group by all
      union all select file_system, target, false, sum(${usecs})::double, sum(${calls})::double from ${usual} group by all)
    select ${NAME} as name, max(usecs / calls) filter (late) as own, max(usecs / calls) filter (not late) as usual
    from seen where calls >= ${CALLS_MIN} group by file_system, target having own is not null and usual > 0`);
  if (rows.length === 0)
    return `no target has ${CALLS_MIN} timed calls in the last ${lengthText(rule.overSeconds)} and before`;
  return rows.map((row) => {
    const [own, usual] = [value(row, "own"), value(row, "usual")];
    const text = `${rule.of} latency ${own.toFixed(0)} us, ${factor(own / usual)} of its own ${usual.toFixed(0)} us over ${lengthText(rule.againstSeconds)}`;
    return { subject: String(row.name), value: own / usual, text };
  });
}

async function silent(db: Queryable, _: AlertRule, nowUnix: number): Promise<Judged[] | string> {
  const now = BigInt(Math.ceil(nowUnix)) * 1_000_000_000n;
  // Sampling that continues after this moment was not silent: merged intervals, or a clock slightly ahead.
  const rows =
    await db.rows(`select coalesce(server, file_system, 'unknown server') as server, count(*) as targets, max(last) / 1e9 as last from (
      select file_system, arg_max(server, to_unix_ns) as server, max(least(to_unix_ns, ${now})) as last from readings
      where from_unix_ns <= ${now} group by file_system, target) group by all`);
  if (rows.length === 0) return "no samples in the store";
  return rows.map((row) => {
    const seconds = nowUnix - value(row, "last");
    return {
      subject: String(row.server),
      value: seconds,
      text: `no sample for ${lengthText(seconds)} (${row.targets} targets)`,
    };
  });
}

async function gaps(db: Queryable, rule: AlertRule, nowUnix: number): Promise<Judged[] | string> {
  const [from, to] = [nowUnix - rule.overSeconds, nowUnix].map(
    (unix) => BigInt(Math.round(unix)) * 1_000_000_000n,
  );
  // Before its first sample a target is new, after its last one it is silent: neither counts as missing samples.
  const rows =
    await db.rows(`with bounds as (select file_system, target, kind, greatest(min(from_unix_ns), ${from}) as a, least(max(to_unix_ns), ${to}) as b
        from readings group by all),
      covered as (select r.file_system, r.target, r.kind, sum(least(to_unix_ns, b) - greatest(from_unix_ns, a)) as ns from readings r join bounds x
        on r.target = x.target and r.kind = x.kind and r.file_system is not distinct from x.file_system
        where to_unix_ns > a and from_unix_ns < b group by all),
      late as (select file_system, target, sum(seconds) * 1e9 as ns from targets where why = 'gap' and ${minutesBefore(nowUnix, rule.overSeconds)} group by all)
    select concat_ws('-', b.file_system, b.target) as name, max((b.b - b.a - c.ns + coalesce(l.ns, 0)) / (b.b - b.a)::double) as share
    from bounds b join covered c on c.target = b.target and c.kind = b.kind and c.file_system is not distinct from b.file_system
      left join late l on l.target = b.target and l.file_system is not distinct from b.file_system
    where b.b > b.a group by name order by share desc`);
  if (rows.length === 0) return `no samples in the last ${lengthText(rule.overSeconds)}`;
  return rows.map((row) => {
    const share = value(row, "share");
    return {
      subject: String(row.name),
      value: share,
      text: `${percent(share)} of ${lengthText(rule.overSeconds)} without samples`,
    };
  });
}

const JUDGES: Readonly<Record<AlertRule["kind"], Judge>> = {
  ...{ "user-share": userShare, "target-ratio": targetRatio, full, latency, silent, gaps },
};
