/** `plimsoll cluster total`: what the tasks of an ingest did together. */
import { formatBytes, formatCount } from "../../base/units.ts";
import { FormatError } from "../../base/errors.ts";
import { RunFolder } from "../../cluster/index.ts";
import { defineCommand } from "../command.ts";

/** Skipped inputs that are named one by one; the store keeps them all. */
const NAMED_MAX = 1000;

export interface Counts {
  readonly read: number;
  readonly new: number;
  readonly known: number;
  readonly foreign: number;
  readonly skipped: readonly { path: string; reason: string }[];
  readonly skippedTotal: number;
  readonly seconds: number;
  readonly bytes: number;
}

export const totalText = (total: Pick<Counts, "new" | "known" | "skippedTotal" | "bytes">): string =>
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
    const folder = RunFolder.open(path);
    const parts = (folder.plan.stages[0]?.tasks ?? []).map(({ name }) => {
      const counts = folder.outputOf(name) as Counts | undefined;
      if (typeof counts?.read !== "number")
        throw new FormatError(
          `${folder.path}/out/${name}.json`,
          {},
          "no result of an ingest; run the task again with --resume",
        );
      return counts;
    });
    const sum = (of: (counts: Counts) => number) => parts.reduce((all, one) => all + of(one), 0);
    const total = {
      read: sum(({ read }) => read),
      new: sum((one) => one.new),
      known: sum(({ known }) => known),
      foreign: sum(({ foreign }) => foreign),
      skipped: parts.flatMap(({ skipped }) => skipped).slice(0, NAMED_MAX),
      skippedTotal: sum(({ skippedTotal }) => skippedTotal),
      seconds: parts.reduce((most, { seconds }) => Math.max(most, seconds), 0),
      bytes: sum(({ bytes }) => bytes),
    };
    if (context.json) context.printJson(total);
    else context.out.write(`${totalText(total)}\n`);
  },
});
