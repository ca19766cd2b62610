/** `plimsoll papers`: every item of the five papers, with what finished studies say of it. */
import { dirname } from "node:path";
import { version } from "../../package.json";
import { readStudyResult } from "../inputs/study-result.ts";
import { type GivenResult, paperResults, papersDocument, papersJson, papersText } from "../papers/index.ts";
import { wrap } from "../report/text/index.ts";
import { thisCommand } from "./again.ts";
import { defineCommand } from "./command.ts";
import { option } from "./option.ts";
import { showDocument } from "./show-document.ts";
import { ENGINE_OPTIONS, storeOptions } from "./store/options.ts";

export default defineCommand({
  name: "papers",
  description:
    "Lists every item of the five papers that Plimsoll repeats (components, algorithms, figures, tables, findings, numbers) with the command that computes it, the published value, the value here, and the verdict or the reason why there is none. Values here come from finished results: folders of study reuse, study system, study metric, sim replay and ncio sweep, or their JSON files; --store runs both store studies first. Published values and verdicts are those of the studies.",
  arguments: [
    {
      name: "result",
      help: "folders of results, or study.json, checks.json, sweep.json",
      kind: "file",
      variadic: true,
      optional: true,
    },
  ],
  options: {
    store: option.text("DIR", "run study reuse and study system on this store, where it has data for them"),
    output: option.output("FILE", "write an HTML page with links to the reports"),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll papers": "all items with their published values",
    "plimsoll papers study replay ncio -o papers.html": "next to the values of three results, as a page",
    "plimsoll papers --store centre --json": "both studies of a store, as one JSON document",
  },
  async run({ arguments: paths, options }, context) {
    const { output, store } = options;
    const folder = output === undefined ? "." : dirname(output);
    const given: GivenResult[] = paths.map((path) => readStudyResult(path, folder));
    if (store !== undefined) {
      // Loaded here: whoever names results opens no database.
      const { storeResults } = await import("../studies/store-results.ts");
      given.push(...(await storeResults(store, storeOptions(options), context)));
    }
    const results = paperResults(given);
    const input = { results, command: thisCommand(context), madeBy: `Plimsoll ${version}` };
    if (output === undefined && !context.json) context.out.write(papersText(results, context.columns, wrap));
    else
      await showDocument(
        papersDocument(input),
        { output, full: true, json: () => papersJson(input) },
        context,
      );
  },
});
