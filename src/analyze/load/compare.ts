/**
 * Load per hour of users, accounts, jobs and targets in two time ranges. Amounts per hour make a day and half a day
 * comparable; a time range ends where the store ends.
 */
import type { Queryable, SqlRow } from "../../model/index.ts";
import { type Measure, measureColumn, measured, number, text } from "./amounts.ts";
import { type GatheredJobs, gatherFromServers, JOBS_OF_PEOPLE } from "./gather.ts";
import { rankTargets } from "./rank-targets.ts";
import { type TargetName, targetLabel } from "./targets.ts";
import type { Window } from "./window.ts";

export const CHANGE_KINDS = ["user", "account", "job", "target"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface Change {
  /** Null: unknown. */
  readonly name: string | null;
  /** The user of a job. */
  readonly user: string | null;
  /** Amount per hour of each time range. */
  readonly a: number;
  readonly b: number;
  readonly change: number;
  /** Share of the sum of all changes of its kind, up and down: between -1 and 1. */
  readonly share: number;
}

export interface ComparedSide {
  readonly window: Window;
  /** Amount of all jobs together. */
  readonly total: bigint;
  readonly perHour: number;
  /** Share of target-minutes for which the store has counters; NaN: unknown. */
  readonly seen: number;
}

export interface Comparison {
  readonly measure: Measure;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  readonly kinds: Readonly<Record<ChangeKind, ChangeList>>;
}

interface ChangeList {
  readonly rows: readonly Change[];
  /** The remaining ones. */
  readonly others: { readonly count: number; readonly a: number; readonly b: number; readonly share: number };
}

interface CompareRequest {
  readonly a: Window;
  readonly b: Window;
  readonly condition: string;
  readonly targets: readonly TargetName[];
  readonly measure: Measure;
  readonly smallBytes: number;
  readonly limit: number;
}

export async function compareTimes(db: Queryable, asked: CompareRequest): Promise<Comparison> {
  const request = { ...asked, a: summedWindow(asked.a), b: summedWindow(asked.b) };
  const { a, b, measure, limit } = request;
  const sides: ComparedSide[] = [];
  const gathered: GatheredJobs[] = [];
  for (const [name, window] of [
    ["a", a],
    ["b", b],
  ] as const) {
    const { condition, smallBytes } = request;
    gathered.push(
      await gatherFromServers(db, window, condition, smallBytes, [measure], `compared_wide_${name}`),
    );
    await db.run(`create or replace temp table compared_${name} as
      select identity, user_label, account, ${measureColumn(measure)}::hugeint as amount from ${JOBS_OF_PEOPLE}`);
    const [row] = await db.rows(`select coalesce(sum(amount), 0)::hugeint as total from compared_${name}`);
    const total = BigInt((row as SqlRow).total as bigint);
    const seen = await seenOf(db, window, condition);
    sides.push({ window, total, perHour: Number(total) / hoursOf(window), seen });
  }
  const ofPeople = async (label: string) => changesOf(await ofLabel(db, label), a, b, limit);
  return {
    measure,
    a: sides[0] as ComparedSide,
    b: sides[1] as ComparedSide,
    kinds: {
      user: await ofPeople("user_label"),
      account: await ofPeople("account"),
      job: await ofJobs(db, gathered, a, b, limit),
      target: changesOf(await targetAmounts(db, request), a, b, limit),
    },
  };
}

/** No steps are needed, so roll-ups cover all but the minutes at both ends. */
function summedWindow(window: Window): Window {
  const length = window.to - window.from;
  return { ...window, grain: Math.max(window.grain ?? 1, length >= 2880 ? 1440 : length >= 180 ? 60 : 1) };
}

const hoursOf = ({ from, to }: Window): number => (to - from) / 60;

interface Pair {
  readonly name: string | null;
  readonly user: string | null;
  readonly a: number;
  readonly b: number;
}

/** Amounts of both times by label. */
const bothSides = (label: string): string => {
  const side = (name: string) =>
    `(select ${label} as key, sum(amount) as amount from compared_${name} group by 1)`;
  return `select coalesce(a.key, b.key) as key, coalesce(a.amount, 0)::hugeint as a, coalesce(b.amount, 0)::hugeint as b
    from ${side("a")} a full join ${side("b")} b on a.key is not distinct from b.key`;
};

async function ofLabel(db: Queryable, label: string): Promise<Pair[]> {
  const rows = await db.rows(bothSides(label));
  return rows.map((row) => ({ name: text(row.key), user: null, a: number(row.a), b: number(row.b) }));
}

/** A job is identified by id and cluster. There may be millions; only the ones shown are looked up by name. */
async function ofJobs(
  db: Queryable,
  gathered: readonly GatheredJobs[],
  a: Window,
  b: Window,
  limit: number,
): Promise<ChangeList> {
  // Integers, so the sums do not depend on the order of rows.
  const [ofA, ofB] = [a.to - a.from, b.to - b.from];
  const change = `abs(b * ${ofA} - a * ${ofB})`;
  await db.run(`create or replace temp table compared_jobs as
    select key as identity, a, b, ${change} as moved from (${bothSides("identity")}) where a > 0 or b > 0`);
  await db.run(`create or replace temp table compared_first as
    select identity, a, b from compared_jobs
    where moved >= (select min(moved) from (select moved from compared_jobs order by moved desc limit ${limit}))`);
  await db.run(
    "create or replace temp table compared_names (identity varchar, job_id varchar, user_label varchar)",
  );
  for (const jobs of gathered)
    await db.run(`insert into compared_names
      select identity::varchar, job_id, user_label from ${await jobs.named("compared_first")}`);
  const rows = await db.rows(`select n.job_id as name, n.user_label as "user", f.a, f.b from compared_first f
    left join (select identity, any_value(job_id) as job_id, any_value(user_label) as user_label
      from compared_names group by identity) n on n.identity = f.identity::varchar`);
  const pairs = rows.map((row) => ({
    name: text(row.name),
    user: text(row.user),
    a: number(row.a),
    b: number(row.b),
  }));
  const [all] = await db.rows(
    "select count(*) as count, sum(a)::hugeint as a, sum(b)::hugeint as b, sum(moved)::hugeint as moved from compared_jobs",
  );
  const whole = all as SqlRow;
  return changesOf(pairs, a, b, limit, {
    count: number(whole.count),
    a: (number(whole.a) || 0) / hoursOf(a),
    b: (number(whole.b) || 0) / hoursOf(b),
    moved: ((number(whole.moved) || 0) / ofA / ofB) * 60,
  });
}

async function targetAmounts(db: Queryable, { a, b, targets, ...request }: CompareRequest): Promise<Pair[]> {
  const amounts = new Map<string, { a: number; b: number }>();
  for (const [side, window] of [
    ["a", a],
    ["b", b],
  ] as const) {
    const asked = { ...request, order: request.measure, window, limit: Number.MAX_SAFE_INTEGER };
    for (const one of (await rankTargets(db, asked)).rows) {
      const name = targetLabel(targets, one);
      const known = amounts.get(name) ?? { a: 0, b: 0 };
      amounts.set(name, { ...known, [side]: Number(measured(one, request.measure)) });
    }
  }
  return [...amounts].map(([name, pair]) => ({ name, user: null, ...pair }));
}

/** Largest absolute changes first; `whole`: the sum over all pairs, if these are only some. */
function changesOf(
  pairs: readonly Pair[],
  a: Window,
  b: Window,
  limit: number,
  whole?: { readonly count: number; readonly a: number; readonly b: number; readonly moved: number },
): ChangeList {
  const sorted = pairs
    .filter(({ a: x, b: y }) => x > 0 || y > 0)
    .map((one) => {
      const [before, after] = [one.a / hoursOf(a), one.b / hoursOf(b)];
      return { name: one.name, user: one.user, a: before, b: after, change: after - before };
    })
    .sort((x, y) => Math.abs(y.change) - Math.abs(x.change) || ((x.name ?? "") < (y.name ?? "") ? -1 : 1));
  const sum = (of: (one: Omit<Change, "share">) => number, some = sorted) =>
    some.reduce((total, one) => total + of(one), 0);
  const all = whole ?? {
    count: sorted.length,
    a: sum((one) => one.a),
    b: sum((one) => one.b),
    moved: sum(({ change }) => Math.abs(change)),
  };
  const share = (change: number) => (all.moved === 0 ? Number.NaN : change / all.moved);
  const shown = sorted.slice(0, limit);
  const rest = { a: all.a - sum((one) => one.a, shown), b: all.b - sum((one) => one.b, shown) };
  return {
    rows: shown.map((one) => ({ ...one, share: share(one.change) })),
    others: { count: all.count - shown.length, ...rest, share: share(rest.b - rest.a) },
  };
}

/** Outside of readings the load is unknown, not zero. */
async function seenOf(db: Queryable, window: Window, condition: string): Promise<number> {
  const [from, to] = [window.from, window.to].map((minute) => BigInt(minute) * 60_000_000_000n);
  const [row] =
    await db.rows(`select sum(greatest(0, least(to_unix_ns, ${to}) - greatest(from_unix_ns, ${from})))::double
      / count(distinct concat(file_system, '-', target)) / ${(to as bigint) - (from as bigint)} as seen
    from readings where kind = 'job_stats' and ${condition}`);
  return row === undefined || row.seen === null ? Number.NaN : Math.min(1, number(row.seen));
}
