/**
 * Roll-ups of counters: what `store compact` adds to the minutes of a batch, so that years can be asked. Sums of whole
 * numbers are exact, so an hour says what its minutes say.
 */
import type { Column, TableSchema } from "./schema.ts";
import { storedMinutes, storedTargets } from "./store-system.ts";

export interface StoreLevel {
  readonly table: TableSchema;
  /** The table whose rows are summed up. */
  readonly base: TableSchema;
  /** Length of the time that a row stands for. */
  readonly minutes: number;
  /** Columns that tell rows apart; the rest are sums. */
  readonly keys: readonly string[];
  readonly sums: readonly string[];
  /** Order of rows in segments: whoever asks for some of them reads few. */
  readonly order: readonly string[];
}

/** Writes of rows with fewer bytes per call are small; the limit that roll-ups know. */
export const SMALL_WRITE_BYTES = 65_536;
const HOUR = 60;
const DAY = 1440;

const ROWS: Column = {
  name: "minute_rows",
  type: "i64",
  unit: "rows",
  meaning: "rows summed up here",
  origin: "compact",
};
const SMALL: Column = {
  name: "small_writes",
  type: "i64",
  unit: "calls",
  meaning: "write calls of rows with less than 64 KiB per call on average",
  origin: "writes, bytes_written",
};

/** Neither sums nor what tells rows apart. */
const LEFT_OUT: ReadonlySet<string> = new Set(["minute_unix", "seconds", "why"]);
const isKey = ({ name, type }: Column) => type === "text" || type === "u64" || name === "user_id";

function level(
  base: TableSchema,
  name: string,
  minutes: number,
  order: readonly string[],
  without: readonly string[] = [],
): StoreLevel {
  const kept = base.columns.filter((one) => !LEFT_OUT.has(one.name) && !without.includes(one.name));
  const keys = kept.filter(isKey);
  const sums = kept.filter((one) => !isKey(one));
  const span = minutes === HOUR ? "hour" : "day";
  const time: Column = {
    name: "minute_unix",
    type: "i64",
    unit: "min",
    meaning: `first minute of the ${span} (UTC), since 1970`,
    origin: `${base.name}.minute_unix`,
  };
  const of = base === storedMinutes ? "one job" : "what one OST or MDT did";
  const where =
    base !== storedMinutes ? "" : without.length > 0 ? " on all targets together" : " on one target";
  return {
    table: {
      name,
      row: `${of}${where} in one ${span}: sums of \`${base.name}\`; several rows of one ${span} add up`,
      filledBy: "store compact; before that, queries sum up the minutes",
      columns: [...keys, time, ROWS, ...sums, SMALL],
    },
    base,
    minutes,
    keys: keys.map((one) => one.name),
    sums: sums.map((one) => one.name),
    order,
  };
}

const jobHours = level(storedMinutes, "job_hours", HOUR, ["target", "minute_unix", "job_key"]);
/** Without targets: a job that is on all of them has one row. */
const jobDays = level(storedMinutes, "job_days", DAY, ["minute_unix", "job_key"], ["target"]);
const targetHours = level(storedTargets, "target_hours", HOUR, ["minute_unix", "target"]);
const targetDays = level(storedTargets, "target_days", DAY, ["minute_unix", "target"]);

/** Hours before days of the same table. */
export const STORE_LEVELS: readonly StoreLevel[] = [jobHours, jobDays, targetHours, targetDays];
