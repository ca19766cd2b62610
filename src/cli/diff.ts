/** `plimsoll diff`: compares two runs. */
import { version } from "../../package.json";
import { NOISE, compareDocument, compareSummary } from "../analyze/job/index.ts";
import { compareInput, type ReadJob } from "../inputs/job/index.ts";
import { thisCommand, wholeText } from "./again.ts";
import { defineCommand } from "./command.ts";
import { JOB_OPTIONS, readJobs } from "./job/read.ts";
import { showDocument } from "./show-document.ts";
import { option } from "./option.ts";

export default defineCommand({
  name: "diff",
  description:
    "Compares two runs side by side, each a log, trace or folder that plimsoll report reads: main numbers, new and fixed findings, layers, access sizes and files. Warns if the two runs did different work (processes, program, bytes). Differences within the noise are dimmed.",
  arguments: [
    { name: "before", help: "log, trace or folder of the first run, or - for stdin", kind: "file" },
    { name: "after", help: "log, trace or folder of the second run, or - for stdin", kind: "file" },
  ],
  options: {
    output: option.output("FILE.html", "write the comparison as one HTML file"),
    noise: option.number("relative difference of a measured value that counts as noise", {
      min: 0,
      max: 1,
      default: NOISE,
    }),
    full: option.flag("print all sections on the terminal"),
    ...JOB_OPTIONS,
  },
  examples: {
    "plimsoll diff before.darshan after.darshan": "main differences on the terminal",
    "plimsoll diff before.darshan after.darshan -o diff.html": "full comparison as one HTML file",
  },
  async run({ arguments: [first = "", second = ""], options }, context) {
    const jobs = await readJobs([[first], [second]], options, context);
    const [before, after] = jobs as [ReadJob, ReadJob];
    const command = thisCommand(context);
    const input = compareInput(version, [before, after], [first, second], { noise: options.noise, command });
    const document = compareDocument(input);
    const more = wholeText("comparison", context, "diff.html");
    await showDocument(document, { ...options, json: () => compareSummary(input), more }, context);
  },
});
