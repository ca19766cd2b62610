/** `plimsoll darshan parse`: the lines of darshan-parser. */
import { writeParse, writeParseJson } from "../../formats/darshan/index.ts";
import { defineCommand } from "../command.ts";
import { printLog, READ_OPTIONS, withLog } from "./open.ts";

export default defineCommand({
  name: "darshan parse",
  description:
    "Prints the same lines as darshan-parser, for logs of every Darshan 3 release: counters of each record, sums over all records, counts of files, estimated performance. Records of old versions are shown as current ones; a counter of -1 was not recorded. Traces are printed by plimsoll darshan dxt.",
  arguments: [{ name: "log", help: "a .darshan or .darshan.gz file, or /dev/stdin", kind: "file" }],
  options: {
    base: {
      kind: "boolean",
      help: "counters of each record (what is printed when nothing else is asked for)",
    },
    total: { kind: "boolean", help: "all records of a module in one" },
    file: { kind: "boolean", help: "how many files were read, written, shared" },
    perf: { kind: "boolean", help: "estimated time and throughput" },
    all: { kind: "boolean", help: "all of these" },
    "show-incomplete": {
      kind: "boolean",
      help: "for scripts; incomplete modules are always shown, with a warning",
    },
    ...READ_OPTIONS,
  },
  examples: [
    {
      command: "plimsoll darshan parse run.darshan | grep POSIX_BYTES",
      does: "bytes read and written per file",
    },
    { command: "plimsoll darshan parse --perf --total run.darshan", does: "sums and throughput only" },
    { command: "plimsoll darshan parse --json run.darshan", does: "the same as one JSON document" },
  ],
  async run({ arguments: [path = ""], options }, context) {
    const { all } = options;
    const chosen = { total: all || options.total, file: all || options.file, perf: all || options.perf };
    const base = all || options.base || !(chosen.total || chosen.file || chosen.perf);
    await withLog(path, options, (log) =>
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
