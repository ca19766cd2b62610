/** What goes out of a store with its damaged batches, in words. */
import { formatCount } from "../../base/units.ts";
import type { BatchLoss, RepairReport } from "../../store/index.ts";
import type { OptionSpecs } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";

export const APPLY_OPTION = {
  apply: option.flag("make the change (default: only list)"),
} as const satisfies OptionSpecs;

/** Inputs that are named one by one; all are in the JSON and in lost.json. */
const NAMED_MAX = 10;

export function printLosses(report: RepairReport, context: Context): void {
  if (context.json) context.printJson(report);
  else for (const line of lines(report)) context.out.write(`${line}\n`);
}

function* lines({ store, applied, batches, losses }: RepairReport): Generator<string> {
  if (losses.length === 0) yield `${store}: nothing is damaged in ${formatCount(batches)} batches`;
  for (const loss of losses) yield* lossLines(loss, applied);
}

function* lossLines(loss: BatchLoss, applied: boolean): Generator<string> {
  const { batch, created, writer, damaged, from, to, inputs, aside } = loss;
  yield `batch ${batch}${created === null ? "" : `, committed ${created} by ${writer}`}`;
  for (const { path, what, rows } of damaged)
    yield `  damaged: ${path}: ${what}${rows === undefined ? "" : ` (${formatCount(rows)} rows)`}`;
  yield `  lost: ${rowsText(loss.lost) || "unknown number of rows"}`;
  yield `  kept: ${rowsText(loss.kept) || "nothing"}`;
  if (from !== null) yield `  times of the batch: ${from} to ${to}`;
  if (inputs.length > 0) {
    const more =
      inputs.length > NAMED_MAX
        ? `, and ${formatCount(inputs.length - NAMED_MAX)} more (--json names all)`
        : "";
    yield `  ${formatCount(inputs.length)} inputs ${applied ? "can" : "could"} be ingested again: ${inputs.slice(0, NAMED_MAX).join(", ")}${more}`;
  }
  if (applied) yield `  kept aside: ${aside}; remove that folder when nobody needs it`;
}

function rowsText(rows: Readonly<Record<string, number>>): string {
  return Object.entries(rows)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${formatCount(count)} rows of ${table}`)
    .join(", ");
}
