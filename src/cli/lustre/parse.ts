/** `plimsoll lustre parse`: counters of Lustre as they were read, with their units. */
import { statSync } from "node:fs";
import { FormatError } from "../../base/errors.ts";
import { HEAD_BYTES } from "../../base/source.ts";
import {
  lustreJson,
  lustreLines,
  type LustreItem,
  problems,
  readDump,
  Reading,
  recognizeLustre,
  type ShowSetting,
} from "../../formats/lustre/index.ts";
import { withFile } from "../../node/file-source.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "lustre parse",
  description:
    "Reads stats, md_stats, job_stats, brw_stats, rpc_stats, lnet and recovery files of Lustre 2.5 to 2.17, single files or lctl get_param output, and prints the counters with their units. The unit comes from each line, never from the release: read in bytes and read in microseconds are two counters. 64-bit values are exact; JSON writes those beyond 2^53 as strings. Timestamp lines before a sample, as plimsoll ingest reads them (1700000040, ### 2026-07-31T10:15:00Z), are printed as the time of that sample.",
  arguments: [{ name: "file", help: "stats files, or /dev/stdin", kind: "file", variadic: true }],
  options: {
    path: option.text("TEXT", "original path on the server, such as obdfilter/fs-OST0001/job_stats"),
    nonzero: option.flag("omit counters without samples"),
  },
  examples: {
    "plimsoll lustre parse /proc/fs/lustre/obdfilter/*/job_stats": "every job on every OST of this server",
    "lctl get_param '*.*.job_stats' | plimsoll lustre parse /dev/stdin": "the same from lctl",
    "plimsoll lustre parse --json stats": "one JSON document",
  },
  async run({ arguments: files, options }, context) {
    const setting: ShowSetting = { path: options.path, nonzero: options.nonzero };
    if (context.json) {
      const read = [];
      for (const file of files)
        read.push(...(await guarded(file, files.length, context, () => fileJson(file, setting))));
      context.printJson({ files: read });
      return;
    }
    for (const file of files) {
      await guarded(file, files.length, context, () => printFile(file, setting, context));
      await context.yieldToEvents();
    }
  },
});

/** One bad file is an error; among several it is left out. */
async function guarded<T>(file: string, count: number, context: Context, use: () => T): Promise<T[]> {
  try {
    return [use()];
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const detail = (error.detail === NOTHING ? await otherInput(file) : undefined) ?? error.detail;
    if (count === 1) throw detail === error.detail ? error : new FormatError(file, {}, detail);
    context.skip(file, detail);
    return [];
  }
}

/** What a file without Lustre counters is, and who takes it; undefined when nobody knows. */
async function otherInput(file: string): Promise<string | undefined> {
  if (!statSync(file).isFile()) return undefined;
  const { otherUse } = await import("../../formats/catalogue.ts");
  const head = withFile(file, (source) => source.read(0, HEAD_BYTES).slice());
  return recognizeLustre(head, file) === undefined ? otherUse(head, file) : undefined;
}

function printFile(file: string, setting: ShowSetting, context: Context): void {
  let items = 0;
  const skipped = withFile(file, (source) =>
    readDump(source, setting, (item) => {
      items++;
      for (const line of lustreLines(item, setting)) context.out.write(`${line}\n`);
      const wrong = problems(item);
      if (wrong !== "") context.note(`${file}: ${wrong}`);
    }),
  );
  if (items === 0) throw nothingFound(file);
  if (skipped.size > 0)
    context.note(`${file}: without counters and left out: ${[...skipped.keys()].sort().join(", ")}`);
}

const NOTHING =
  "no Lustre counters found; expected stats, job_stats, brw_stats or lctl get_param output (for an empty file, name its kind with --path)";

const nothingFound = (file: string) => new FormatError(file, {}, NOTHING);

function fileJson(file: string, setting: ShowSetting): object {
  const items: LustreItem[] = [];
  const skipped = withFile(file, (source) =>
    readDump(source, setting, (item) => items.push(item instanceof Reading ? item.copy() : item)),
  );
  if (items.length === 0) throw nothingFound(file);
  return {
    file,
    readings: items.map((item) => lustreJson(item, setting)),
    leftOut: Object.fromEntries(skipped),
  };
}
