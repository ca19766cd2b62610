/** Options of a study as data: their defaults, their limits, and the checks that all studies share. */
import { UsageError } from "../../base/errors.ts";

export interface OptionInfo {
  readonly default: string | number | readonly string[];
  readonly choices?: readonly string[];
  readonly integer?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly bytes?: boolean;
  readonly valueName?: string;
  /** One line, lower case, no full stop. */
  readonly help: string;
}

export function checkNumber(name: string, { integer, min, max }: OptionInfo, value: unknown): void {
  const fine =
    typeof value === "number" &&
    Number.isFinite(value) &&
    (!integer || Number.isSafeInteger(value)) &&
    (min === undefined || value >= min) &&
    (max === undefined || value <= max);
  const range = `${integer ? "a whole number" : "a number"}${min === undefined ? "" : ` from ${min}`}${max === undefined ? "" : ` to ${max}`}`;
  if (!fine) throw new UsageError(`${name} ${String(value)}: expected ${range}`);
}

export function checkZone(zone: string): void {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch (cause) {
    throw new UsageError(`zone ${zone}: not a time zone such as UTC or America/Los_Angeles`, { cause });
  }
}
