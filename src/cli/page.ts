/** `plimsoll page`: the page that opens logs in a browser. */
import { readFileSync } from "node:fs";
import { writePieces } from "../inputs/export.ts";
import { builtFile } from "../node/built.ts";
import { plain } from "../report/text/index.ts";
import { defineCommand } from "./command.ts";
import { option } from "./option.ts";

export default defineCommand({
  name: "page",
  description:
    "Writes the drop page: one HTML file that reads logs and traces in a browser and shows the same report as plimsoll report. It works from a disk and from any web server, needs nothing else, and uploads nothing: its content security policy forbids connections.",
  options: {
    output: option.text("FILE.html", "output file", { short: "o", default: "plimsoll.html" }),
  },
  examples: {
    "plimsoll page -o plimsoll.html": "a file to mail, to keep, or to put on a web server",
  },
  async run({ options }, context) {
    const { output } = options;
    await writePieces([readFileSync(builtFile("plimsoll.html"))], output, context);
    if (context.json) context.printJson({ output });
    else context.out.write(`Wrote ${plain(output)}; open it in a browser and drop a log\n`);
  },
});
