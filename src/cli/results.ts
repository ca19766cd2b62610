/** `plimsoll results`: results of storage benchmarks in one table. */
import { version } from "../../package.json";
import { resultsCsv, resultsDocument, resultsSummary } from "../analyze/results/index.ts";
import { FormatError } from "../base/errors.ts";
import { readResults } from "../inputs/results.ts";
import { writeOutput } from "../node/output-file.ts";
import { plain } from "../report/text/index.ts";
import { thisCommand } from "./again.ts";
import { defineCommand } from "./command.ts";
import { option } from "./option.ts";
import { showDocument } from "./show-document.ts";

export default defineCommand({
  name: "results",
  description:
    "Reads results of storage benchmarks into one table: IOR (text, JSON, also the invalid JSON of some releases, CSV, per-rank CSV), mdtest, IO500 folders, fio JSON, elbencho CSV and DLIO summaries. Files are recognised by content; folders are searched. Prints each case with its spread and, where files have per-rank times, the slowest ranks. Benchmark files without a usable result are listed with the reason (exit code 3). --compare shows the ratio of each case to another set.",
  arguments: [{ name: "path", help: "result files, or folders of them", kind: "file", variadic: true }],
  options: {
    compare: option.list("PATH", "set to compare with (before)"),
    output: option.output("FILE", "write an HTML page (.html) or all results as a table (.csv)"),
    full: option.flag("print all sections on the terminal"),
  },
  examples: {
    "plimsoll results io500-results/": "all phases, with the slowest ranks",
    "plimsoll results new/ --compare old/": "ratio of each case, with its spread",
    "plimsoll results runs/ -o results.csv": "one row per result",
  },
  async run({ arguments: paths, options }, context) {
    const set = await readResults(paths, context);
    if (set.results.length + set.rankTimes.length === 0)
      throw new FormatError(paths[0] ?? "", {}, "no benchmark result found");
    const before = options.compare.length === 0 ? undefined : await readResults(options.compare, context);
    const input = {
      set,
      ...(before === undefined ? {} : { before }),
      madeBy: `Plimsoll ${version}`,
      command: thisCommand(context),
    };
    if (options.output !== undefined && /\.csv$/i.test(options.output)) {
      writeOutput(options.output, resultsCsv(set.results), context);
      if (context.json) context.printJson(resultsSummary(input));
      else context.out.write(`Wrote ${plain(options.output)}\n`);
      return;
    }
    const json = () => resultsSummary(input);
    await showDocument(resultsDocument(input), { output: options.output, full: options.full, json }, context);
  },
});
