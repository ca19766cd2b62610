/** `plimsoll store check`: is all there, as it was written? */
import { CheckFailed } from "../../base/errors.ts";
import { textTable } from "../../base/text-table.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import { type CheckReport, checkStore, stretchText } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "store check",
  description:
    "Compares every segment with the manifest: existence, size, row count, and with --deep its checksum. Reports duplicate runs (queries see them once) and counter intervals in more than one batch, which count twice until store compact removes the copies. Lists leftovers, files of interrupted writers without a manifest entry, and removes them only with --remove-leftovers. Leftovers of a damaged store, and segments of a table that has no others, are always kept, since a manifest that lost its entries looks the same. Exit code 1 on damage; plimsoll store repair then lists the losses.",
  arguments: [STORE_ARGUMENT],
  options: {
    deep: option.flag("read everything and verify checksums"),
    "remove-leftovers": option.flag("remove leftovers older than --grace"),
    grace: option.number("keep leftovers younger than this: a writer may still use them", {
      valueName: "MINUTES",
      default: 1440,
      min: 0,
    }),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll store check centre.store": "sizes and row counts",
    "plimsoll store check --deep centre.store": "checksums too",
    "plimsoll store check --remove-leftovers --grace 0 centre.store":
      "remove all leftovers while no writer runs",
  },
  async run({ arguments: [path = ""], options }, context) {
    const { deep, removeLeftovers: remove, grace } = options;
    const setting = { ...storeOptions(options), deep, remove, graceMs: grace * 60_000 };
    const report = await checkStore(path, setting, context);
    if (context.json) context.printJson({ ...report, ok: report.problems.length === 0 });
    else for (const line of lines(report)) context.out.write(`${line}\n`);
    if (report.problems.length > 0)
      throw new CheckFailed(
        `${path}: ${report.problems.length} of its parts are damaged or missing; plimsoll store repair lists the losses`,
      );
  },
});

/** Stretches that are named in the text. */
const OVERLAPS_MAX = 20;

function* lines(report: CheckReport): Generator<string> {
  yield `${report.store}: ${formatCount(report.batches)} batches${
    report.replaced === 0 ? "" : `, and ${formatCount(report.replaced)} replaced ones to be removed later`
  }`;
  yield* textTable(
    [{ min: 12 }, { right: true, min: 19 }, { right: true, min: 9 }, {}],
    Object.entries(report.tables).map(([name, { segments, rows, bytes }]) => [
      ...[
        `  ${name}`,
        `${formatCount(rows)} rows`,
        formatBytes(bytes),
        `in ${formatCount(segments)} segments`,
      ],
    ]),
    { gap: " " },
  );
  if (report.duplicateRuns > 0)
    yield `${formatCount(report.duplicateRuns)} runs were stored twice; queries see them once, plimsoll store compact removes them`;
  for (const overlap of report.overlaps.slice(0, OVERLAPS_MAX))
    yield `counted twice: ${stretchText(overlap)}, in batches ${overlap.batch} and ${overlap.copy}`;
  if (report.overlaps.length > OVERLAPS_MAX)
    yield `counted twice: ${formatCount(report.overlaps.length - OVERLAPS_MAX)} more stretches; --json lists all`;
  for (const { path, what } of report.problems) yield `damaged: ${path}: ${what}`;
  for (const { path, bytes, ageSeconds, removed, kept } of report.rubbish) {
    const age =
      ageSeconds < 7200 ? `${Math.round(ageSeconds / 60)} minutes` : `${Math.round(ageSeconds / 3600)} hours`;
    const why = kept === undefined ? "" : `; kept, since ${kept}`;
    yield `${removed ? "removed" : "leftover"}: ${path} (${formatBytes(bytes)}, ${age} old${why})`;
  }
  for (const path of report.aside)
    yield `aside: ${path} (a batch that was taken out; remove it when its logs are ingested again)`;
  for (const path of report.foreign) yield `foreign: ${path} (left alone)`;
  if (report.problems.length === 0) yield "no damage found";
}
