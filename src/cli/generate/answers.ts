/** What generators of whole studies share: their options, folders that say what they are, and planted beside published. */
import { type TextColumn, textTable } from "../../base/text-table.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import type { Store } from "../../store/index.ts";
import { writeFile } from "../../node/write-file.ts";
import { option } from "../option.ts";

type Batch = ReturnType<Store["beginBatch"]>;

/** Options that all of them have. */
export const OUTPUT = option.output("DIR", "output folder; replaces earlier output of this command");

export const SEED = option.whole("random seed", { min: 0, max: 2 ** 32 - 1, default: 1 });

export function requiredOutput(output: string | undefined): string {
  if (output === undefined || output === "") throw new UsageError("--output is missing: name a folder");
  return output;
}

/** Whether a folder's README begins with the mark; only such a folder is replaced. */
export function isMarked(folder: string, mark: string): boolean {
  try {
    return readFileSync(join(folder, "README.txt"), "utf8").startsWith(mark);
  } catch {
    return false;
  }
}

/** Writes JSON: a bigint is a number as long as that is exact, and what is no number is null. */
export function writeAnswers(path: string, value: unknown): void {
  writeFile(path, `${JSON.stringify(value, exactNumbers, 2)}\n`);
}

function exactNumbers(_: string, value: unknown): unknown {
  if (typeof value === "number" && Number.isNaN(value)) return null;
  if (typeof value !== "bigint") return value;
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}

/** Fills a new store at `path` in one batch; a failure leaves none of it. */
export async function fillStore<T>(
  path: string,
  writer: string,
  fill: (batch: Batch) => Promise<T>,
): Promise<T> {
  const { Store: Stores } = await import("../../store/index.ts");
  const store = await Stores.create(path);
  try {
    const batch = store.beginBatch({ writer });
    try {
      const result = await fill(batch);
      await batch.commit();
      return result;
    } catch (error) {
      await batch.abort();
      throw error;
    }
  } finally {
    await store.close();
  }
}

/** A planted value beside the published one. */
interface Compared {
  readonly published: number;
  readonly expected: number;
  readonly planted: number;
  readonly low?: number;
  readonly high?: number;
  readonly within?: boolean;
}

/** A line for each value: what it is in the first columns, then the numbers. */
export function comparedTable<Line extends Compared>(
  first: readonly TextColumn[],
  lines: readonly Line[],
  names: (line: Line) => readonly string[],
): string {
  const numbers = ["published", "at scale", "planted"].map((label) => ({ label, right: true, min: 10 }));
  const columns = [...first, ...numbers, { label: " accepted" }];
  const rows = lines.map((line) => [
    ...names(line),
    ...[line.published, line.expected, line.planted].map(number),
    ` ${accepted(line)}`,
  ]);
  return textTable(columns, rows, { gap: " " }).join("\n");
}

export const outsideCount = (lines: readonly Compared[]): number =>
  lines.filter(({ within }) => within === false).length;

/** Whether the published numbers can be met, and are. `things`: of which there are too few below the calibrated scale. */
export function promiseText(
  lines: readonly Compared[],
  scale: number,
  calibrated: number,
  things: string,
): string {
  const outside = outsideCount(lines);
  if (scale < calibrated)
    return `Below --scale ${calibrated} there are too few ${things} for the published shares and means to hold.`;
  if (outside === 0) return "All planted values are within tolerance.";
  return `${outside} of the planted values ${outside === 1 ? "is" : "are"} outside the tolerances (docs/generate.md says which may be).`;
}

function accepted({ low, high, within }: Compared): string {
  if (low === undefined || high === undefined) return "";
  return `${number(low)} to ${number(high)}${within === false ? "  outside" : ""}`;
}

function number(value: number): string {
  const size = Math.abs(value);
  if (Number.isNaN(value)) return "-";
  if (size >= 1e15) return `${(value / 1e15).toFixed(2)} P`;
  if (size >= 1e12) return `${(value / 1e12).toFixed(1)} T`;
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (size >= 10_000) return Math.round(value).toLocaleString("en");
  if (Number.isInteger(value)) return String(value);
  if (size < 0.01) return value.toFixed(5);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(3);
}
