/**
 * Selects the rows for a time range: whole days and hours from roll-ups, the rest at both ends from minutes. Sums are
 * the same as from minutes alone.
 */
import { UsageError } from "../../base/errors.ts";
import { type LevelParts, type Queryable, SMALL_WRITE_BYTES } from "../../model/index.ts";
import { AMOUNT_COLUMNS } from "./amounts.ts";
import { grainOf } from "./stretches.ts";
import { localText, storedTime, type Window } from "./window.ts";

const HOUR = 60;
const DAY = 1440;

type Base = "minutes" | "targets";

interface Rows {
  readonly base: Base;
  readonly window: Window;
  /** SQL condition on the table; `true`: all targets, so that daily roll-ups can be used. */
  readonly condition: string;
  /** Limit of small writes; 0: not needed. */
  readonly smallBytes: number;
  /** For rows that are read several times: minutes without roll-ups are first summed into a table of this name. */
  readonly fresh?: string;
}

const inTime = (from: number, to: number) => `minute_unix >= ${from} and minute_unix < ${to}`;
const up = (minute: number, span: number) => Math.ceil(minute / span) * span;
const down = (minute: number, span: number) => Math.floor(minute / span) * span;

/** The part of a window in whole units of a level. */
function wholeOf(window: Window, span: number): Window {
  const from = up(window.from, span);
  const to = down(window.to, span);
  return to > from ? { from, to } : { from: window.to, to: window.to };
}

const smallOf = (smallBytes: number) =>
  smallBytes === 0
    ? "null::bigint"
    : `case when bytes_written < writes * ${Math.round(smallBytes)} then writes end`;

/** A relation with the requested columns, `minute_unix` and `small_writes`. */
export async function loadRows(
  db: Queryable,
  columns: readonly string[],
  { base, window, condition, smallBytes, fresh: table }: Rows,
): Promise<string> {
  const names = columns.join(", ");
  const minutes = (table: string, time: string) =>
    `select ${names}, minute_unix, ${smallOf(smallBytes)} as small_writes from ${table} where ${time} and ${condition}`;
  const all = inTime(window.from, window.to);
  const parts = await db.levels?.(base);
  if (parts === undefined) return `(${minutes(base, all)})`;
  const grain = grainOf(window);
  const isSummed = smallBytes === 0 || smallBytes === SMALL_WRITE_BYTES;
  if (!isSummed) refuseBefore(parts.minutesFrom, window, "minutes for --small-write other than 64K");
  if (!isSummed || grain < HOUR) return `(${minutes(base, all)})`;
  // Daily job roll-ups have no targets.
  const needsTarget = base === "minutes" && (condition !== "true" || columns.includes("target"));
  if (needsTarget) refuseBefore(parts.hoursFrom, window, "jobs by target");
  const sums = (table: string, time: string) =>
    `select ${names}, minute_unix, ${smallBytes === 0 ? "null::bigint" : "small_writes"} as small_writes
     from ${table} where ${time} and ${condition}`;
  const wide = await wideWindow(db, window);
  const nothing = { from: wide.to, to: wide.to };
  const days = grain >= DAY && !needsTarget ? wholeOf(wide, DAY) : nothing;
  const hours = wholeOf(wide, HOUR);
  const fresh = minutes(parts.fresh, all);
  if (table !== undefined)
    await db.run(`create or replace temp table ${table} as ${summedHours(columns, fresh)}`);
  return `(${[
    table === undefined ? fresh : `from ${table}`,
    ...around(hours, wide).map((time) => minutes(parts.rolled, time)),
    ...around(days, hours).map((time) => sums(parts.hours, time)),
    ...around({ from: days.to, to: days.to }, days).map((time) => sums(parts.days, time)),
  ].join("\n union all ")})`;
}

const LARGEST = 2n ** 63n - 1n;

/** The same columns as roll-ups. */
function summedHours(columns: readonly string[], minutes: string): string {
  const isSum = (name: string) => AMOUNT_COLUMNS.includes(name);
  const sum = (name: string) =>
    `case when sum(${name}) > ${LARGEST} then ${LARGEST} else sum(${name}) end::bigint as ${name}`;
  const hour = `minute_unix // ${HOUR} * ${HOUR} as minute_unix`;
  return `select ${[...columns.map((name) => (isSum(name) ? sum(name) : name)), hour, sum("small_writes")].join(", ")}
    from (${minutes}) group by ${[...columns.filter((name) => !isSum(name)), `minute_unix // ${HOUR}`].join(", ")}`;
}

/** The rest of a time range around another one: one condition per part, so that segments can be skipped. */
function around(inner: Window, outer: Window): string[] {
  const [begin, end] = inner.to > inner.from ? [inner.from, inner.to] : [outer.to, outer.to];
  return [
    { from: outer.from, to: begin },
    { from: end, to: outer.to },
  ].flatMap(({ from, to }) => (to > from ? [inTime(from, to)] : []));
}

/** At the limits of the store nothing is cut: the window extends to the end of its day. */
async function wideWindow(db: Queryable, window: Window): Promise<Window> {
  const stored = await storedTime(db);
  return {
    from: window.from <= stored.from ? down(window.from, DAY) : window.from,
    to: window.to >= stored.to ? up(window.to, DAY) : window.to,
  };
}

function refuseBefore(from: number, window: Window, what: string): void {
  if (window.from < from)
    throw new UsageError(
      `the store has ${what} only since ${localText("UTC", from * 60)} (UTC), older ones were pruned; choose a later --from`,
    );
}

/**
 * The same window, widened to hours (or days) where minutes (or hours) were pruned, since rows cannot be cut. `span` is
 * the time covered by its rows.
 */
export async function answerable(db: Queryable, window: Window, stored: Window): Promise<Window> {
  const [jobs, targets] = [await db.levels?.("minutes"), await db.levels?.("targets")];
  const latest = (of: (parts: LevelParts) => number) =>
    Math.max(...[jobs, targets].map((parts) => (parts === undefined ? Number.NEGATIVE_INFINITY : of(parts))));
  const minutesFrom = latest((parts) => parts.minutesFrom);
  const hoursFrom = latest((parts) => parts.hoursFrom);
  const spanAt = (minute: number) => (minute < hoursFrom ? DAY : minute < minutesFrom ? HOUR : 1);
  const inside = (edge: number) => edge > stored.from && edge < stored.to;
  return {
    from: inside(window.from) ? down(window.from, spanAt(window.from)) : window.from,
    to: inside(window.to) ? up(window.to, spanAt(window.to)) : window.to,
    grain: Math.max(grainOf(window), spanAt(window.from)),
  };
}

/** The part of a window with minutes. */
export async function withMinutes(db: Queryable, window: Window): Promise<Window> {
  const parts = [await db.levels?.("minutes"), await db.levels?.("targets")];
  const from = Math.max(window.from, ...parts.map((one) => one?.minutesFrom ?? window.from));
  if (from >= window.to) refuseBefore(from, window, "minutes");
  return { from, to: window.to };
}
