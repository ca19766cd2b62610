/** `plimsoll store repair`: what is lost with damaged segments, and a store that works without them. */
import { repairStore } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { CheckFailed } from "../failure.ts";
import type { Progress } from "../progress.ts";
import { APPLY_OPTION, printLosses } from "./losses.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";

export default defineCommand({
  name: "store repair",
  description:
    "Reads every segment, compares checksums, and says which batches are damaged and what is lost with them: tables, rows, times, and the logs and other inputs that can be ingested again. With --apply each damaged batch is replaced by one with the rows that are whole, so that queries work again, and ingest forgets the lost inputs. A run stays when its row and all of its accesses are there. Counters of servers in a batch go together with what the store says of their times, so that they can be ingested again without counting twice. Manifest entry and files of a damaged batch stay in the folder aside of the store. Exits with 1 when something is damaged and --apply is not given.",
  arguments: [STORE_ARGUMENT],
  options: { ...APPLY_OPTION, ...ENGINE_OPTIONS },
  examples: [
    { command: "plimsoll store repair centre.store", does: "what would be lost; changes nothing" },
    { command: "plimsoll store repair --apply centre.store", does: "take it out, and keep it aside" },
  ],
  async run({ arguments: [path = ""], options }, context) {
    let progress: Progress | undefined;
    const report = await repairStore(path, {
      ...storeOptions(options),
      apply: options.apply,
      onProgress: (done, total) => {
        progress ??= context.progress({ label: "checking", total, unit: "bytes" });
        progress.update(done);
        return context.yieldToEvents();
      },
    });
    progress?.end();
    printLosses(report, context);
    const { length } = report.losses;
    if (length > 0 && !options.apply)
      throw new CheckFailed(
        `${path}: ${length} batches are damaged; nothing was changed, add --apply to take them out`,
      );
  },
});
