/** `plimsoll darshan convert`: rewrites a log. */
import { resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { type ConvertOptions, convertLog } from "../../formats/darshan/convert.ts";
import { COMPRESSIONS } from "../../formats/darshan/header.ts";
import { MODULES, findModule } from "../../formats/darshan/modules/index.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { createOutput, temporaryPath } from "../../node/output-file.ts";
import { defineCommand } from "../command.ts";
import { obfuscation } from "../../formats/darshan/obfuscate.ts";
import { damageKeeper, skipDamage } from "../../inputs/log/index.ts";
import { withLog } from "../../inputs/node-log.ts";
import { logOptions, READ_OPTIONS } from "./open.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "darshan convert",
  description:
    "Writes the log in format 3.41 with current record versions. Run time, counters and findings stay the same: before format 3.41 the run time includes the last second of the job, so the end time of an older log moves by 1 s. Files and modules can be selected. --obfuscate replaces the names of files, hosts, user, program, Lustre pools and DAOS containers, the user id, job ids and record ids by keyed hashes; the same key gives the same replacement in every log. It drops the command line arguments and all metadata but the Darshan version (also MPI-IO hints), and shifts the job 2 to 4 years into the past, by the same time in every log of a key. Still readable: the top folder of mount points, file system types, standard streams, and all counters: sizes, times since job start, ranks, OST numbers.",
  arguments: [
    { name: "log", help: "a .darshan or .darshan.gz file", kind: "file" },
    { name: "output", help: "output file; appears only when complete", kind: "file" },
  ],
  options: {
    compression: option.choice(COMPRESSIONS, "compression of the regions", { default: "zlib" }),
    "byte-order": option.choice(["little", "big"], "byte order of the output", { default: "little" }),
    "stream-bytes": option.bytes(
      "start a new compressed stream after this many bytes (default: one stream per region)",
      { min: 1 },
    ),
    module: option.list("NAME", "keep only this module"),
    file: option.list("PATTERN", "keep only matching files (wildcards * and ?)"),
    obfuscate: option.text("KEY", "replace names and ids by hashes with this key; drop hints, shift times"),
    "new-ids": option.flag("has no effect: --obfuscate always replaces record ids"),
    ...READ_OPTIONS,
  },
  examples: {
    "plimsoll darshan convert --obfuscate s3cret run.darshan share.darshan": "an anonymous copy to share",
    "plimsoll darshan convert --file '/scratch/*.h5' run.darshan h5.darshan": "only some files",
    "plimsoll darshan convert --compression bzip2 run.darshan small.darshan": "another compression",
  },
  async run({ arguments: [path = "", output = ""], options }, context) {
    if (options.newIds && options.obfuscate === undefined)
      throw new UsageError("--new-ids needs --obfuscate KEY");
    if (options.obfuscate === "") throw new UsageError("--obfuscate needs a non-empty key");
    if (resolve(path) === resolve(output)) throw new UsageError("output and log must be different files");
    const modules = options.module.map(moduleName);
    const patterns = options.file.map(globPattern);
    await withLog(path, logOptions(options), async (log) => {
      const progress = context.progress({ label: "converting", total: log.source.byteLength, unit: "B" });
      const convertOptions: ConvertOptions = {
        encoders: nodeEncoders,
        compression: options.compression,
        bigEndian: options.byteOrder === "big",
        ...(options.streamBytes === undefined ? {} : { streamBytes: options.streamBytes }),
        ...(modules.length === 0 ? {} : { keepModule: (name: string) => modules.includes(name) }),
        ...(patterns.length === 0 ? {} : { keepFile: (name: Uint8Array) => matches(patterns, name) }),
        ...(options.obfuscate === undefined ? {} : { renaming: obfuscation(log.job, options.obfuscate) }),
        ...(options.keepGoing ? { onDamage: damageKeeper(log, options) } : {}),
        pause: (position) => {
          progress.update(position);
          return context.yieldToEvents();
        },
      };
      const partial = context.partialOutput(temporaryPath(output));
      const file = createOutput(output);
      try {
        const result = await convertLog(log, file, convertOptions);
        file.commit();
        progress.end();
        skipDamage(log, context);
        for (const warning of result.warnings) context.note(`${path}: ${warning}`);
        if (context.json)
          context.printJson({
            output,
            bytes: result.bytes,
            records: result.records,
            warnings: result.warnings,
          });
        else context.note(`${output}: ${result.records} records, ${result.bytes} bytes`);
      } finally {
        file.abort();
        partial.done();
      }
    });
  },
});

function moduleName(name: string): string {
  const spec = findModule(name);
  if (spec === undefined)
    throw new UsageError(
      `unknown module: ${name} (have: ${MODULES.map((module) => module.name).join(", ")})`,
    );
  return spec.name;
}

/** A shell pattern over the whole name: `*` any text, `?` any character. */
function globPattern(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*/g, "[^]*")
    .replace(/\?/g, "[^]");
  return new RegExp(`^${source}$`);
}

/** A dataset or variable goes with its file: the part in front of the colon counts as well. */
function matches(patterns: readonly RegExp[], bytes: Uint8Array): boolean {
  const name = new TextDecoder().decode(bytes);
  const colon = name.indexOf(":");
  return patterns.some((pattern) => pattern.test(name) || (colon > 0 && pattern.test(name.slice(0, colon))));
}
