/** `plimsoll cluster total`: what the tasks of an ingest did together. */
import { formatBytes, formatCount } from "../../base/units.ts";
import { outputsOf, RunFolder } from "../../cluster/index.ts";
import { type IngestSummary, isIngestSummary, joinedSummary } from "../../ingest/index.ts";
import { defineCommand } from "../command.ts";

export const totalText = (total: IngestSummary): string =>
  `${formatCount(total.new)} new, ${formatCount(total.known)} known, ${formatCount(total.skippedTotal)} skipped: ${formatBytes(total.bytes)}`;

export default defineCommand({
  name: "cluster total",
  description:
    "Sums up the results of all tasks of plimsoll cluster ingest, as the last job of the run does. The time is that of the slowest task.",
  arguments: [{ name: "run", help: "folder of the run", kind: "file" }],
  examples: {
    "plimsoll cluster total plimsoll-ingest --json": "the summary that plimsoll ingest would print",
  },
  async run({ arguments: [path = ""] }, context) {
    const total = joinedSummary(outputsOf(RunFolder.open(path), isIngestSummary));
    if (context.json) context.printJson(total);
    else context.out.write(`${totalText(total)}\n`);
  },
});
