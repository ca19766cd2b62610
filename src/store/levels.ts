/**
 * Roll-ups of a batch hold all of its minutes, also those that a prune took: a batch with roll-ups is asked for these, one
 * without for its minutes. So a late batch, a compaction and a prune never make an hour wrong.
 */
import { assert } from "../base/assert.ts";
import { SMALL_WRITE_BYTES, STORE_LEVELS, type StoreLevel, type TableSchema } from "../model/index.ts";
import { quoteName } from "./database.ts";
import { type BatchInfo, plainBatch, type Pruned } from "./manifest.ts";

export const levelOf = (table: TableSchema): StoreLevel | undefined =>
  STORE_LEVELS.find((one) => one.table === table);

export const levelsOfBase = (base: string): readonly StoreLevel[] =>
  STORE_LEVELS.filter((one) => one.base.name === base);

/** Whether the rows of a table are summed up in this batch. */
export const isRolled = (batch: BatchInfo, base: string): boolean =>
  levelsOfBase(base).some(({ table }) => batch.tables[table.name] !== undefined);

/** Whether it has minutes that are nowhere summed up. */
export const lacksLevels = (batch: BatchInfo): boolean =>
  STORE_LEVELS.some(({ base }) => batch.tables[base.name] !== undefined && !isRolled(batch, base.name));

const LARGEST = 2n ** 63n - 1n;
/** Sums stay 64 bits wide; NULL where nothing was recorded. */
const sum = (expression: string, name: string): string =>
  `case when sum(${expression}) > ${LARGEST} then ${LARGEST} else sum(${expression}) end::BIGINT as ${quoteName(name)}`;

/** Rows of the base table as rows of a level. */
export function rollUp({ keys, sums, minutes }: StoreLevel, relation: string): string {
  assert(
    minutes % 60 === 0 && 1440 % minutes === 0,
    "spans of levels are whole hours, and days are whole spans",
  );
  assert(!keys.some((key) => sums.includes(key)), "what tells rows apart is not summed up");
  const names = keys.map(quoteName).join(", ");
  const small = `case when bytes_written < writes * ${SMALL_WRITE_BYTES} then writes end`;
  return `select ${names}, minute_unix // ${minutes} * ${minutes} as minute_unix, count(*)::BIGINT as minute_rows,
    ${sums.map((name) => sum(quoteName(name), name)).join(", ")}, ${sum(small, "small_writes")}
    from ${relation} group by ${names}, minute_unix // ${minutes} * ${minutes}`;
}

/** Rows of several batches as one of each, in the order of segments. */
export function rollAgain({ keys, sums, order }: StoreLevel, relation: string): string {
  const names = [...keys, "minute_unix"].map(quoteName).join(", ");
  return `select ${names}, ${["minute_rows", ...sums, "small_writes"].map((name) => sum(quoteName(name), name)).join(", ")}
    from ${relation} group by ${names} order by ${order.map(quoteName).join(", ")}`;
}

/** A batch whose minutes are summed up again. Only where none were pruned. */
export function withoutLevels(batch: BatchInfo): BatchInfo {
  assert(batch.pruned === undefined, "sums of minutes that are gone cannot be made again");
  const names = new Set(STORE_LEVELS.map(({ table }) => table.name));
  const tables = Object.fromEntries(Object.entries(batch.tables).filter(([name]) => !names.has(name)));
  return { ...plainBatch(batch), tables };
}

/** What is known to be gone of batches that become one. */
export function prunedOf(batches: readonly BatchInfo[]): Pruned | undefined {
  const all = batches.flatMap(({ pruned }) => pruned ?? []);
  if (all.length === 0) return undefined;
  const latest = (level: keyof Pruned) => {
    const found = all.flatMap((one) => one[level] ?? []);
    return found.length === 0 ? {} : { [level]: Math.max(...found) };
  };
  return { ...latest("minutes"), ...latest("hours"), ...latest("days") };
}
