/** `plimsoll store drop-batch`: a whole batch out of a store. */
import { dropBatch } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { APPLY_OPTION, printLosses } from "./losses.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";

export default defineCommand({
  name: "store drop-batch",
  description:
    "Says what a batch holds: tables, rows, times, and the inputs it came from. With --apply all of it goes out of the store, whole or damaged, and ingest forgets its inputs, so that they can be ingested again. Manifest entry and files of the batch stay in the folder aside of the store. To keep the rows of a damaged batch that are whole, use plimsoll store repair.",
  arguments: [
    STORE_ARGUMENT,
    { name: "batch", help: "id of the batch, or a segment or manifest entry of it", kind: "text" },
  ],
  options: { ...APPLY_OPTION, ...ENGINE_OPTIONS },
  examples: [
    {
      command: "plimsoll store drop-batch centre.store 20260731T101530123-0001f3-9a8b7c6",
      does: "what it holds; changes nothing",
    },
    {
      command: "plimsoll store drop-batch --apply centre.store 20260731T101530123-0001f3-9a8b7c6",
      does: "take it out, and keep it aside",
    },
  ],
  async run({ arguments: [path = "", batch = ""], options }, context) {
    const report = await dropBatch(path, batch, { ...storeOptions(options), apply: options.apply });
    printLosses(report, context);
    if (!options.apply) context.note("nothing was changed; add --apply to take the batch out");
  },
});
