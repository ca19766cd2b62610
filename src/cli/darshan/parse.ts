/** `plimsoll darshan parse`: the lines of darshan-parser. */
import { writeParseJson } from "../../formats/darshan/json.ts";
import { writeParse } from "../../formats/darshan/text.ts";
import { defineCommand } from "../command.ts";
import { withLog } from "../../inputs/node-log.ts";
import { logOptions, printLog, READ_OPTIONS } from "./open.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "darshan parse",
  description:
    "Prints the same lines as darshan-parser, for logs of every Darshan 3 release: counters per record, totals, file counts, estimated performance. Old record versions are converted to the current one; -1 means not recorded. plimsoll darshan dxt prints traces.",
  arguments: [{ name: "log", help: "a .darshan or .darshan.gz file, or /dev/stdin", kind: "file" }],
  options: {
    base: option.flag("counters per record (default)"),
    total: option.flag("totals per module"),
    file: option.flag("file counts: read, written, shared"),
    perf: option.flag("estimated time and throughput"),
    all: option.flag("all of the above"),
    "show-incomplete": option.flag(
      "accepted for compatibility; incomplete modules are always shown, with a warning",
    ),
    ...READ_OPTIONS,
  },
  examples: {
    "plimsoll darshan parse run.darshan | grep POSIX_BYTES": "bytes read and written per file",
    "plimsoll darshan parse --perf --total run.darshan": "sums and throughput only",
    "plimsoll darshan parse --json run.darshan": "the same as one JSON document",
  },
  async run({ arguments: [path = ""], options }, context) {
    const { all } = options;
    const chosen = { total: all || options.total, file: all || options.file, perf: all || options.perf };
    const base = all || options.base || !(chosen.total || chosen.file || chosen.perf);
    await withLog(path, logOptions(options), (log) =>
      printLog(
        log,
        options,
        context,
        (entry) => context.json || entry.spec?.kind !== "dxt",
        (out, onDamage) =>
          (context.json ? writeParseJson : writeParse)(log, { base, ...chosen }, out, onDamage),
      ),
    );
  },
});
