/** `plimsoll darshan dxt`: the lines of darshan-dxt-parser. */
import { writeDxt } from "../../formats/darshan/dxt-text.ts";
import { writeDxtJson } from "../../formats/darshan/json.ts";
import { defineCommand } from "../command.ts";
import { withLog } from "../../inputs/node-log.ts";
import { logOptions, printLog, READ_OPTIONS } from "./open.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "darshan dxt",
  description:
    "Prints the same lines as darshan-dxt-parser: per file and rank every read and write with offset, length, start and end in seconds, thread, and its OSTs if the log has the stripe layout.",
  arguments: [{ name: "log", help: "a .darshan or .darshan.gz file, or /dev/stdin", kind: "file" }],
  options: {
    "show-incomplete": option.flag(
      "accepted for compatibility; incomplete modules are always shown, with a warning",
    ),
    ...READ_OPTIONS,
  },
  examples: {
    "plimsoll darshan dxt run.darshan | head -40": "the first traced calls",
    "plimsoll darshan dxt --json run.darshan > calls.json": "the trace as JSON",
  },
  async run({ arguments: [path = ""], options }, context) {
    await withLog(path, logOptions(options), (log) =>
      // The text reads its modules ahead of printing and so finds damage by itself.
      printLog(
        log,
        options,
        context,
        (entry) => context.json && entry.spec?.kind === "dxt",
        (out, onDamage) => (context.json ? writeDxtJson : writeDxt)(log, out, onDamage),
      ),
    );
  },
});
