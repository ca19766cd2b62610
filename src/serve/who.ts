/** Users or accounts by load, compared with a week before, limited to what the viewer may see. */
import {
  type By,
  type Measure,
  measured,
  type Ranking,
  rankings,
  type Window,
} from "../analyze/load/index.ts";
import type { CsvValue } from "../base/csv.ts";
import { formatMany } from "../base/units.ts";
import type { Viewer } from "./access.ts";
import type { Ask } from "./site.ts";

export interface WhoRow {
  readonly name: string;
  /** Shown in grey next to the name. */
  readonly note: string;
  readonly share: number;
  readonly amount: number;
  /** Relative change to a week before: 0.1 is 10 % more; null: not present then; NaN: the store has no data of that time. */
  readonly change: number | null;
  readonly kind: "one" | "rest" | "none";
}

export interface Who {
  readonly measure: Measure;
  readonly total: number;
  readonly rows: readonly WhoRow[];
}

const WEEK = 7 * 1440;
const ROWS_MAX = 10_000;

interface WhoRequest {
  readonly by: Exclude<By, "job">;
  readonly measure: Measure;
  readonly window: Window;
  readonly stored: Window;
  readonly limit: number;
  /** SQL condition on targets, and a name that differs with it. */
  readonly condition: string;
}

/** For windows of at least this many minutes, whole hours come from roll-ups. */
const HOURS_LEAST = 180;

/** One query for users, accounts and all measures: rows have all amounts, and the row limit is above any number of users. */
const rankingOf = async (ask: Ask, { by, condition }: WhoRequest, asked: Window): Promise<Ranking> => {
  const window = asked.to - asked.from < HOURS_LEAST ? asked : { ...asked, grain: 60 };
  const [users, accounts] = await ask.answer(`who ${window.from} ${window.to} ${condition}`, (db) =>
    rankings(
      db,
      { source: "servers", window, condition, smallBytes: 65_536 },
      (["user", "account"] as const).map((one) => ({ by: one, order: "bytes", limit: ROWS_MAX })),
    ),
  );
  return (by === "user" ? users : accounts) as Ranking;
};

export async function whoOf(ask: Ask, request: WhoRequest): Promise<Who> {
  const { window, stored, measure } = request;
  const before = { ...window, from: window.from - WEEK, to: window.to - WEEK };
  const hasBefore = before.from >= stored.from;
  const [now, then] = await Promise.all([
    rankingOf(ask, request, window),
    hasBefore ? rankingOf(ask, request, before) : undefined,
  ]);
  return whoRows(now, then, measure, request.limit, ask.viewer);
}

/** `then`: the ranking of a week before. Users who are not administrators see themselves and the sum of the rest. */
function whoRows(
  now: Ranking,
  then: Ranking | undefined,
  measure: Measure,
  limit: number,
  viewer: Viewer,
): Who {
  const total = Number(measured(now.total, measure));
  const past = new Map(then?.rows.map((row) => [row.id, Number(measured(row, measure))]));
  const change = (amount: number, before: number | undefined): number | null => {
    if (then === undefined) return Number.NaN;
    return before === undefined || before === 0 ? null : amount / before - 1;
  };
  const maySee = (id: string | null) => viewer.isAdmin || (id !== null && id === viewer.name);
  const known = now.rows.filter(({ id }) => id !== null && maySee(id));
  const rows = known
    .toSorted((a, b) => Number(measured(b, measure) - measured(a, measure)))
    .filter((row) => measured(row, measure) > 0n)
    .slice(0, limit)
    .map((row): WhoRow => {
      const amount = Number(measured(row, measure));
      const account = now.by === "user" && row.account !== null ? `${row.account} · ` : "";
      return {
        ...{ name: row.id ?? "", note: `${account}${formatMany(row.jobs, "job")}`, kind: "one", amount },
        share: total === 0 ? Number.NaN : amount / total,
        change: change(amount, past.get(row.id)),
      };
    });
  const unexplained = now.unexplained === null ? 0 : Number(measured(now.unexplained, measure));
  const shown = rows.reduce((sum, { amount }) => sum + amount, 0);
  const rest = total - shown - unexplained;
  const restBefore =
    then === undefined
      ? undefined
      : Number(measured(then.total, measure)) -
        (then.unexplained === null ? 0 : Number(measured(then.unexplained, measure))) -
        rows.reduce((sum, { name }) => sum + (past.get(name) ?? 0), 0);
  const others =
    now.rows.filter((row) => row.id !== null && measured(row, measure) > 0n).length - rows.length;
  const line = (name: string, amount: number, kind: "rest" | "none", before: number | undefined): WhoRow => ({
    ...{ name, note: "", amount, kind, share: total === 0 ? Number.NaN : amount / total },
    change: change(amount, before),
  });
  const noneBefore = then?.unexplained ? Number(measured(then.unexplained, measure)) : undefined;
  return {
    measure,
    total,
    rows: [
      ...rows,
      ...(rest > 0
        ? [line(others > 0 ? formatMany(others, "other") : `${now.by} unknown`, rest, "rest", restBefore)]
        : []),
      ...(now.unexplained === null ? [] : [line("not in job statistics", unexplained, "none", noneBefore)]),
    ],
  };
}

export const whoCsv = (who: Who, by: string): readonly (readonly CsvValue[])[] => [
  [by, "kind", who.measure === "bytes" ? "bytes" : `${who.measure}_calls`, "share", "change_to_last_week"],
  ...who.rows.map(({ name, kind, amount, share, change }) => [name, kind, amount, share, change]),
];
