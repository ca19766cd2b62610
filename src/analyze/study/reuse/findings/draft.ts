/** What a finding is made of before it is judged. */
import type { DrawnIntervals, ostInterval } from "../intervals.ts";
import type { Setting } from "../../common/judge.ts";
import type { ReuseOptions } from "../options.ts";

/** Fewer OSTs than this say nothing about a centre; ours. */
export const OSTS_MIN = 4;

/** What findings are made from: values of items by key ("A05.readWriteShare"), and intervals. */
export interface Evidence extends DrawnIntervals {
  readonly options: ReuseOptions;
  readonly osts: Awaited<ReturnType<typeof ostInterval>>;
  /** The value of this key; NaN where there is none. */
  value(key: string): number;
  /** What an item has: files, runs, OSTs. */
  count(item: string): number;
  /** Settings from a table of the item: its first column, and the values of another. */
  tableSettings(key: string, table: string, column: number): readonly Setting[];
}
