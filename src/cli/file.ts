/** `plimsoll file`: one file through time. */
import { fileDocument, fileHistory } from "../analyze/study/reuse/index.ts";
import { commandLine } from "../base/command-line.ts";
import { UsageError } from "../base/errors.ts";
import { markSynthetic, provenanceJson } from "../model/index.ts";
import { renderText } from "../report/text/index.ts";
import { version } from "../../package.json";
import { thisCommand } from "./again.ts";
import { defineCommand } from "./command.ts";
import { writePage } from "./page-output.ts";
import { ENGINE_OPTIONS, originOf, withStore } from "./store/options.ts";
import { option } from "./option.ts";

export default defineCommand({
  name: "file",
  description:
    "Looks up one file in a store by its recorded path or record id and shows producers and consumers, each run that used it, the time between runs, bytes and applications. The same path on several mounts is one file per mount.",
  arguments: [{ name: "path", help: "path as recorded, or record id", kind: "text" }],
  options: {
    store: option.text("DIR", "store to read"),
    output: option.output("FILE.html", "write the answer as one HTML file"),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll file /scratch/sim/restart.h5 --store centre": "file history on the terminal",
    "plimsoll file /scratch/sim/restart.h5 --store centre -o file.html": "the same as HTML",
  },
  async run({ arguments: words, options }, context) {
    const [path = ""] = words;
    await withStore(options, async (db) => {
      const histories = await fileHistory(db, path);
      if (histories.length === 0)
        throw new UsageError(
          `${path}: no run in the store used this file; to search names: ${commandLine(["plimsoll", "sql", "--store", options.store, "select path from files where path like '%NAME%'"])}`,
        );
      const origin = await originOf(db, "runs");
      const documents = histories.map((one) =>
        markSynthetic(
          fileDocument(one, { command: thisCommand(context), madeBy: `Plimsoll ${version}` }),
          origin,
        ),
      );
      if (options.output !== undefined) {
        const [first, ...others] = documents;
        if (others.length > 0)
          context.note(`${path} lies on ${documents.length} mounts; the page shows the first, --json all`);
        if (first !== undefined) await writePage(first, options.output, context);
      }
      if (context.json) context.printJson({ files: histories, ...provenanceJson(origin) });
      else if (options.output !== undefined) context.out.write(`Wrote ${options.output}\n`);
      else
        for (const document of documents)
          context.out.write(
            renderText(document, { width: context.columns, color: context.color, full: true }),
          );
    });
  },
});
