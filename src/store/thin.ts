/**
 * States of targets, servers and clients of targets become fewer with age, in their own tables: of an hour (where minutes are pruned) or a day
 * (where hours are) stays one row, with the last state and the sums of differences. Its time is that of all rows it stands for, so
 * what was stored counts as stored.
 */
import { assert } from "../base/assert.ts";
import { storedExports, storedServers, storedTargetStates, type TableSchema } from "../model/index.ts";
import { quoteName } from "./database.ts";
import type { Pruned } from "./manifest.ts";

interface Thinned {
  readonly table: TableSchema;
  /** The minute of a row, as SQL. */
  readonly minute: string;
  readonly keys: readonly string[];
  /** Columns that add up; others are those of the last row. */
  readonly sums: readonly string[];
  /** Columns with a rule of their own. */
  readonly special: Readonly<Record<string, string>>;
  /** Minutes that a row stands for already. */
  readonly span: number;
}

const TIMES = {
  from_unix_ns: "nullif(min(coalesce(from_unix_ns, to_unix_ns)), max(to_unix_ns))",
  to_unix_ns: "max(to_unix_ns)",
  synthetic: "max(synthetic)",
};
const sumsOf = (table: TableSchema, ...without: readonly string[]) =>
  table.columns
    .filter(
      ({ name, type }) => (type === "i64" || type === "f64") && !without.includes(name) && !(name in TIMES),
    )
    .map(({ name }) => name);

const THINNED: readonly Thinned[] = [
  {
    ...{ table: storedTargetStates, minute: "minute_unix", span: 1 },
    ...{ keys: ["file_system", "target", "server"], sums: ["evictions"], special: TIMES },
  },
  {
    ...{ table: storedServers, minute: "minute_unix", span: 1, keys: ["server"] },
    sums: sumsOf(storedServers, "minute_unix"),
    // An hour in which a server was ill for a minute was no healthy one.
    special: { ...TIMES, health: "coalesce(max(health) filter (health <> 'healthy'), max(health))" },
  },
  {
    ...{ table: storedExports, minute: "hour_unix * 60", span: 60 },
    keys: ["file_system", "target", "server", "client"],
    sums: sumsOf(storedExports, "hour_unix"),
    special: { ...TIMES, hour_unix: "min(hour_unix) // 24 * 24" },
  },
];

const HOUR = 60;
const DAY = 1440;

export const isThinned = (table: TableSchema): boolean => THINNED.some((one) => one.table === table);
export const THINNED_TABLES: readonly string[] = THINNED.map(({ table }) => table.name);

/** The minute of a row of a table, as SQL. */
export const minuteOf = (table: string): string =>
  THINNED.find((one) => one.table.name === table)?.minute ?? "minute_unix";

/** Rows of `relation` as they are kept when levels before some minutes go. */
export function thinned(table: TableSchema, relation: string, before: Pruned): string {
  const rule = THINNED.find((one) => one.table === table);
  assert(rule !== undefined, `${table.name} has a rule for fewer rows`);
  assert(!rule.keys.some((key) => rule.sums.includes(key)), "what tells rows apart is not summed up");
  const { days = Number.NEGATIVE_INFINITY, hours = days, minutes = hours } = before;
  const [byHour, byDay] = [Math.max(minutes, hours, days), Math.max(hours, days)];
  assert(byDay <= byHour && days <= byDay, "days are older than hours, and hours than minutes");
  const between = (from: number, to: number) =>
    [
      ...(Number.isFinite(from) ? [`${rule.minute} >= ${from}`] : []),
      ...(Number.isFinite(to) ? [`${rule.minute} < ${to}`] : []),
    ].join(" and ") || "true";
  const names = table.columns.map(({ name }) => quoteName(name)).join(", ");
  const plain = (from: number, to: number) => `select ${names} from ${relation} where ${between(from, to)}`;
  const summed = (from: number, to: number, span: number) =>
    span <= rule.span
      ? plain(from, to)
      : `select ${table.columns.map(({ name }) => `${columnSql(rule, name)} as ${quoteName(name)}`).join(", ")}
         from ${relation} where ${between(from, to)} group by ${rule.keys.join(", ")}, ${rule.minute} // ${span}`;
  return [
    ...(byDay > days ? [summed(days, byDay, DAY)] : []),
    ...(byHour > byDay ? [summed(byDay, byHour, HOUR)] : []),
    plain(byHour, Number.POSITIVE_INFINITY),
  ].join(" union all ");
}

const LARGEST = 2n ** 63n - 1n;

function columnSql({ table, keys, sums, special }: Thinned, name: string): string {
  assert(!(keys.includes(name) && name in special), "a column has one rule");
  if (keys.includes(name)) return name;
  const rule = special[name];
  if (rule !== undefined) return rule;
  if (!sums.includes(name)) return `arg_max_null(${name}, to_unix_ns)`;
  const isWhole = table.columns.find((column) => column.name === name)?.type === "i64";
  return isWhole ? `least(sum(${name}), ${LARGEST})::BIGINT` : `sum(${name})`;
}
