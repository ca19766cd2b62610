/** `plimsoll store compact`: fewer, larger segments. */
import { formatBytes, formatCount, formatMany } from "../../base/units.ts";
import { compactStore, useStore } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "store compact",
  description:
    "Merges all batches below --target-bytes into one, drops duplicate runs and counter intervals, converts data of older versions, and rolls up server counters into hours and days, which speed up queries over long periods. Readers and writers may run at the same time. A later compaction removes the files of replaced batches after --grace minutes, so that running queries can finish.",
  arguments: [STORE_ARGUMENT],
  options: {
    "target-bytes": option.bytes("skip larger batches; target size of new segments", {
      default: 256 * 1024 * 1024,
      min: 1,
    }),
    grace: option.number("keep replaced batches this long; 0 only if nobody else uses the store", {
      valueName: "MINUTES",
      default: 60,
      min: 0,
    }),
    buckets: option.whole(
      "also partition accesses and files by file, runs by run, jobs and minutes by job into N buckets, so that a study task reads only its own (default: as the store has)",
      { min: 1, max: 10_000 },
    ),
    by: option.choice(
      ["none", "month"],
      "also partition rows by 30-day months, for queries on a time range",
      {
        default: "none",
      },
    ),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll store compact centre.store": "after many ingests",
    "plimsoll store compact --grace 0 centre.store": "and remove the old files immediately",
    "plimsoll store compact --buckets 64 centre.store":
      "for studies in up to 64 tasks (plimsoll cluster study)",
  },
  async run({ arguments: [path = ""], options }, context) {
    const { targetBytes, buckets } = options;
    const setting = { ...storeOptions(options), targetBytes, buckets };
    const times = { graceMs: options.grace * 60_000, byMonth: options.by === "month" };
    const { report, batches } = await useStore(path, storeOptions(options), async (store) => ({
      report: await compactStore(store, { ...setting, ...times }),
      batches: store.batches().length,
    }));
    if (context.json) {
      context.printJson({ ...report, batch: report.batch ?? null, batches });
      return;
    }
    const { replaced, bytesBefore, bytesAfter, duplicateRuns, overlappingStretches } = report;
    const { removedBatches, removedBytes, rolledUp } = report;
    context.out.write(
      report.batch === undefined
        ? `nothing to join: ${formatCount(batches)} batches\n`
        : `${formatCount(replaced)} batches became one: ${formatBytes(bytesBefore)} became ${formatBytes(bytesAfter)}, ${formatCount(duplicateRuns)} runs that were there twice are there once\n`,
    );
    if (rolledUp > 0)
      context.out.write(`${formatMany(rolledUp, "batch", "batches")} got roll-ups of their minutes\n`);
    if (overlappingStretches > 0)
      context.out.write(`${formatCount(overlappingStretches)} duplicate counter intervals merged\n`);
    if (removedBatches > 0)
      context.out.write(
        `removed the files of ${formatCount(removedBatches)} replaced batches (${formatBytes(removedBytes)})\n`,
      );
  },
});
