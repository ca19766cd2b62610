/** `plimsoll store drop-batch`: a whole batch out of a store. */
import { dropBatch } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { APPLY_OPTION, printLosses } from "./losses.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";

export default defineCommand({
  name: "store drop-batch",
  description:
    "Lists the contents of a batch: tables, rows, times, and inputs. --apply removes the batch from the store, intact or damaged, and ingest forgets its inputs, so that they can be ingested again. Manifest entry and files of the batch are moved to the store's aside folder. To keep the intact rows of a damaged batch, use plimsoll store repair.",
  arguments: [
    STORE_ARGUMENT,
    { name: "batch", help: "batch id, or one of its segments or manifest entries", kind: "text" },
  ],
  options: { ...APPLY_OPTION, ...ENGINE_OPTIONS },
  examples: {
    "plimsoll store drop-batch centre.store 20260731T101530123-0001f3-9a8b7c6":
      "list its contents, change nothing",
    "plimsoll store drop-batch --apply centre.store 20260731T101530123-0001f3-9a8b7c6":
      "remove the batch and keep its files in aside/",
  },
  async run({ arguments: [path = "", batch = ""], options }, context) {
    const report = await dropBatch(path, batch, { ...storeOptions(options), apply: options.apply });
    printLosses(report, context);
    if (!options.apply) context.note("nothing changed; add --apply to remove the batch");
  },
});
