/** `plimsoll store repair`: what is lost with damaged segments, and a store that works without them. */
import { CheckFailed } from "../../base/errors.ts";
import { repairStore } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { APPLY_OPTION, printLosses } from "./losses.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";

export default defineCommand({
  name: "store repair",
  description:
    "Reads every segment, verifies checksums, and lists damaged batches with their losses: tables, rows, times, and the logs and other inputs to ingest again. --apply replaces each damaged batch by its intact rows, so that queries work again, and ingest forgets the lost inputs. A run is kept if its row and all its accesses are intact. Server counters of a batch are dropped together with their time coverage, so that they can be ingested again without counting twice. Manifest entry and files of a damaged batch are moved to the store's aside folder. Exit code 1 on damage without --apply.",
  arguments: [STORE_ARGUMENT],
  options: { ...APPLY_OPTION, ...ENGINE_OPTIONS },
  examples: {
    "plimsoll store repair centre.store": "list losses, change nothing",
    "plimsoll store repair --apply centre.store": "replace damaged batches and keep their files in aside/",
  },
  async run({ arguments: [path = ""], options }, context) {
    const report = await repairStore(path, { ...storeOptions(options), apply: options.apply }, context);
    printLosses(report, context);
    const { length } = report.losses;
    if (length > 0 && !options.apply)
      throw new CheckFailed(
        `${path}: ${length === 1 ? "1 batch is" : `${length} batches are`} damaged; nothing changed, --apply keeps only intact rows`,
      );
  },
});
