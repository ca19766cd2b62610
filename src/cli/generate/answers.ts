/** What generators of whole studies share: their options, and planted beside published. */
import { formatCount } from "../../base/units.ts";
import { type TextColumn, textTable } from "../../base/text-table.ts";
import { UsageError } from "../../base/errors.ts";
import { type Compared, outsideCount } from "../../generate/compared.ts";
import { option } from "../option.ts";

/** Options that all of them have. */
export const OUTPUT = option.output("DIR", "output folder; replaces earlier output of this command");

export const SEED = option.whole("random seed", { min: 0, max: 2 ** 32 - 1, default: 1 });

export function requiredOutput(output: string | undefined): string {
  if (output === undefined || output === "") throw new UsageError("--output is missing: name a folder");
  return output;
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
  if (size >= 10_000) return formatCount(value);
  if (Number.isInteger(value)) return String(value);
  if (size < 0.01) return value.toFixed(5);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(3);
}
