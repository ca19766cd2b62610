/**
 * What changed between two times: users, accounts, jobs and targets with what they did in an hour of each. A time is as long as
 * the store has it, so hours make a day and half a day comparable.
 */
import type { Queryable, SqlRow } from "../../model/index.ts";
import { type Measure, measured, measureSql, number, text } from "./amounts.ts";
import { gatherFromServers } from "./gather.ts";
import { rankTargets } from "./rank-targets.ts";
import { type TargetName, targetLabel } from "./targets.ts";
import type { Window } from "./window.ts";

export const CHANGE_KINDS = ["user", "account", "job", "target"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface Change {
  /** Null: not known. */
  readonly name: string | null;
  /** Of a job: its user. */
  readonly user: string | null;
  /** Amount in an hour of each time. */
  readonly a: number;
  readonly b: number;
  readonly change: number;
  /** Of the sum of all changes, up and down, of its kind: between -1 and 1. */
  readonly share: number;
}

export interface ComparedSide {
  readonly window: Window;
  /** Amount of all jobs together. */
  readonly total: bigint;
  readonly perHour: number;
  /** Of the target-minutes of this time, those that the store has counters for; NaN: nobody knows. */
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
  /** What is not among the rows. */
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

export async function compareTimes(db: Queryable, request: CompareRequest): Promise<Comparison> {
  const { a, b, measure, limit } = request;
  const sides: ComparedSide[] = [];
  for (const [name, window] of [
    ["a", a],
    ["b", b],
  ] as const) {
    await gatherFromServers(db, window, request.condition, request.smallBytes);
    await db.run(`create or replace temp table compared_${name} as
      select identity::varchar as identity, job_id, user_label, account, ${measureSql(measure)}::hugeint as amount from load_jobs`);
    const [row] = await db.rows(`select coalesce(sum(amount), 0)::hugeint as total from compared_${name}`);
    const total = BigInt((row as SqlRow).total as bigint);
    const seen = await seenOf(db, window, request.condition);
    sides.push({ window, total, perHour: Number(total) / hoursOf(window), seen });
  }
  const ofJobs = async (label: string, user: string) => changesOf(await joined(db, label, user), a, b, limit);
  return {
    measure,
    a: sides[0] as ComparedSide,
    b: sides[1] as ComparedSide,
    kinds: {
      user: await ofJobs("user_label", "null"),
      account: await ofJobs("account", "null"),
      job: await ofJobs("job_id", "user_label"),
      target: changesOf(await targetAmounts(db, request), a, b, limit),
    },
  };
}

const hoursOf = ({ from, to }: Window): number => (to - from) / 60;

interface Pair {
  readonly name: string | null;
  readonly user: string | null;
  readonly a: number;
  readonly b: number;
}

/** Amounts of both times by label; jobs are the same when number and cluster are. */
async function joined(db: Queryable, label: string, user: string): Promise<Pair[]> {
  const key = label === "job_id" ? "identity" : label;
  const side = (name: string) =>
    `select ${key} as key, any_value(${label}) as name, any_value(${user}) as user, sum(amount) as amount from compared_${name} group by 1`;
  const rows =
    await db.rows(`select coalesce(a.name, b.name) as name, coalesce(a.user, b.user)::varchar as user,
      coalesce(a.amount, 0)::double as a, coalesce(b.amount, 0)::double as b
    from (${side("a")}) a full join (${side("b")}) b on a.key is not distinct from b.key`);
  return rows.map((row) => ({
    name: text(row.name),
    user: text(row.user),
    a: number(row.a),
    b: number(row.b),
  }));
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

/** The largest changes first, in whichever direction. */
function changesOf(pairs: readonly Pair[], a: Window, b: Window, limit: number): ChangeList {
  const all = pairs.map((one) => {
    const [before, after] = [one.a / hoursOf(a), one.b / hoursOf(b)];
    return { name: one.name, user: one.user, a: before, b: after, change: after - before };
  });
  const moved = all.reduce((sum, { change }) => sum + Math.abs(change), 0);
  const share = (change: number) => (moved === 0 ? Number.NaN : change / moved);
  const sorted = all
    .filter(({ a: x, b: y }) => x > 0 || y > 0)
    .sort((x, y) => Math.abs(y.change) - Math.abs(x.change) || ((x.name ?? "") < (y.name ?? "") ? -1 : 1));
  const rest = sorted.slice(limit);
  const sum = (of: (one: Omit<Change, "share">) => number) => rest.reduce((total, one) => total + of(one), 0);
  return {
    rows: sorted.slice(0, limit).map((one) => ({ ...one, share: share(one.change) })),
    others: {
      count: rest.length,
      a: sum((one) => one.a),
      b: sum((one) => one.b),
      share: share(sum(({ change }) => change)),
    },
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
